"""The explorer: a local page on which scenarios are changed by hand and answered at once.

What is looked at is a :class:`~consortium.explorer.view.View`. Each kind has a module with functions of a view, which
know no page, and the panel that shows what they answer; :mod:`.drawing` draws what the reports have made. :mod:`.page`
holds the panels together, :mod:`.server` serves it to this machine alone.
"""
