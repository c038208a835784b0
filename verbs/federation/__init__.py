"""What each verb does for scenarios of kind ``federation``: organizations place jobs on each other's machines."""
