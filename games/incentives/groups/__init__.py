"""Group strategyproofness: whether agents who lie together gain, on a finite domain."""
