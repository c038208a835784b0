"""What each verb does for scenarios of kind ``sharing``: organizations share an on-line pool."""
