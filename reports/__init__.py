"""Floor 7: tables and figures of records. Nothing here knows how a result was computed.

>>> import consortium
>>> from consortium.reports import tables_of
>>> tables_of(consortium.run("agmon2003/5.2.1").to_dict())[0].columns[:2]
('name', 'length')
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
