"""Games of the shared pool: coalitions and their values, manipulations of a queue, axioms of utilities."""
