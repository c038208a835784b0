"""Shapley-fair on-line scheduling: REF and its approximations, and the fair shares they are measured against.

Source: P. Skowron, K. Rzadca, "Non-monetary fair scheduling - a cooperative game theory approach", SPAA 2013 and its
full version; "Fair share is not enough", 2014. Errors of the papers are corrected; see the errata page of the
documentation.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
