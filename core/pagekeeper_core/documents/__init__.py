"""Files into passages: readers, splitting, import."""
