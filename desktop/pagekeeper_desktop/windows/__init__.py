"""Windows: they compose widgets and connect them to view models."""
