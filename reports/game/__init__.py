"""Tables and figures of what is found about a game, the same for every kind."""
