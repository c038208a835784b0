"""What each rule is: whom it serves next, given the books.

A choice is written once, on the arrays of :mod:`.books`. Compiled it runs on int64, and for numbers beyond that the
same text is run by the interpreter on Python's integers (:func:`consortium.support.jit.plain`). REF for other
utilities than psi_sp (:mod:`.ref`) and rules of one's own (:mod:`.own`) look at a schedule in Python's integers.
"""
