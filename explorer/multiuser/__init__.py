"""The explorer's part for scenarios of kind ``multiuser``."""
