"""What each verb does for scenarios of kind ``multiuser``: users share machines nobody owns."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
