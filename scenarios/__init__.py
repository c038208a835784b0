"""Floor 5: the scenario format, its reader, writer and errors, and the shipped scenario files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
