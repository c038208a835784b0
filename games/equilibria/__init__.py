"""Other kinds of equilibria and play: mixed, correlated, of coalitions, potentials, learning."""
