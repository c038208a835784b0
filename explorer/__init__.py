"""The explorer: a local page on which scenarios are changed by hand and answered at once.

What is looked at is a :class:`~consortium.explorer.view.View`. Each kind has a folder with ``state.py``, which asks the
verbs and knows no page, and ``panel.py``, the page's part for that kind, which knows no verb. :mod:`.page` holds them
together, :mod:`.server` serves it to this machine alone.
"""
