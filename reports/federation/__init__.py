"""Tables and figures of records of kind ``federation``."""
