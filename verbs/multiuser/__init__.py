"""What each verb does for scenarios of kind ``multiuser``: users share machines nobody owns."""
