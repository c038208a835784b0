"""Independent tasks on several processors."""
