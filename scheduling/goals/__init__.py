"""Welfare goals: what the institution maximises, as a function of the jobs' output times.

Model: a goal maps the vector ``T`` of output times (one per agent, ``math.inf`` for a job that never ends) to a value
that is maximised (Agmon 2003, sections 3.3.2 and 6.1). A goal is *regular* (definition 3.21) when raising one time and
leaving the others makes it strictly smaller; *non-increasing* when that never makes it larger; *symmetric* when it
does not depend on who has which time.

=====================  ============================================  ==================  ==============
goal                   value                                         regular             symmetric
=====================  ============================================  ==================  ==============
``sum``                ``-sum T``                                    yes                 yes
``makespan``           minus the sum of the ``order`` largest        only order >= N     yes
``lexical-max``        negated times, largest time first; compared   yes, as an order    yes
                       as tuples
``weighted-sum``       ``-sum w_n T_n``                              all weights > 0     equal weights
``weighted-makespan``  ``-max w_n T_n``                              only N = 1          equal weights
``squared-deviation``  ``-sum (T_n - target)**2``                    no                  yes
``expression``         the expression's value                        if linear, by its   if linear, by its
                                                                     slopes; not known   slopes; not known
=====================  ============================================  ==================  ==============

One class carries all that is known of a goal: its value and order, bounds, what becomes of it when agents leave, the
cost that compiled kernels minimise in its place, regularity, and how a scenario file writes it (:mod:`.base`). A new
goal is one such class and its name in :mod:`.registry`; in another distribution, an entry point ``consortium.goals``.

>>> from fractions import Fraction
>>> from consortium.scheduling.goals import LexicalMax, Makespan
>>> Makespan(order=2).value([Fraction(3), Fraction(1), Fraction(2)])
Fraction(-5, 1)
>>> LexicalMax().value([Fraction(1), Fraction(3)]) < LexicalMax().value([Fraction(2), Fraction(2)])
True
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
