"""What each verb does for scenarios of kind ``sharing``: organizations share an on-line pool."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
