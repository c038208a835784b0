"""What each verb does for scenarios of kind ``declaration``: an owner of machines asks agents for lengths."""
