"""The words of time of each language, as tables."""
