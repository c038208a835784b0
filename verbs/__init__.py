"""Floor 6: what each verb does for each kind of scenario. :mod:`consortium.api` is the front door.

What is public here are the records, and what a verb of a kind of one's own is made of: options, rows, comparisons. The
records of one kind are in its room: ``consortium.verbs.declaration`` and so on.

>>> from consortium.verbs.declaration import RunRecord
>>> RunRecord.verb
'run'
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
