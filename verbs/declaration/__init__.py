"""What each verb does for scenarios of kind ``declaration``: an owner of machines asks agents for lengths."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
