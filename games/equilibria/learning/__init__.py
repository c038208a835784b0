"""Players who play a game again and again: rules by which they go on, and what their play was worth."""
