"""The declaration game: what an agent gains by declaring another length, with everybody else as they are."""
