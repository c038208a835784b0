"""What every record can do to be seen: in a terminal, in a notebook, as tables, as a figure, in a paper.

How it is done stands above this floor, and is found by the references of :data:`consortium.mechanisms.kinds.DISPLAYS`.

>>> import consortium
>>> record = consortium.run("minimal/declaration")
>>> record
<declaration run of 'The smallest declaration scenario': agents: 2, optimal_sum: 4, rent: 4, welfare.planned: -4>
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ..mechanisms.kinds import DISPLAYS
from ..support.loading import load

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..reports.tables import Table


class Displayed:
    """What shows itself; a record is one.

    Attributes
    ----------
    main
        The listing that :meth:`to_frame` gives unless another is named, or ``"verdicts"``.
    """

    main: ClassVar[str] = "record"

    def __str__(self) -> str:
        """The tables, as the command line prints them."""
        text: str = _by("text")(self)
        return text

    def _repr_html_(self) -> str:
        """The tables and the figure, for notebooks."""
        html: str = _by("html")(self)
        return html

    def tables(self) -> tuple[Table, ...]:
        """The tables that ``print`` shows, as objects with ``to_html()``, ``to_latex()``, ``to_csv()``, ``to_frame()``.

        Their cells are texts: long fractions are rounded and marked ``~``, long listings are cut and say so.

        Examples
        --------
        >>> import consortium
        >>> [table.title for table in consortium.run("agmon2003/5.2.1").tables()][-1]
        'institution'
        """
        drawn: tuple[Table, ...] = _by("tables")(self)
        return drawn

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        width: float | None = None,
        grey: bool = False,
        ax: Axes | None = None,
    ) -> Figure:
        """Draw it.

        Parameters
        ----------
        path
            Also save the figure here: ``.svg``, ``.png`` or ``.pdf``.
        width
            How wide it is to be, in inches: a column of a paper is 3.3 or so. Default: as wide as a page.
        grey
            Without colours.
        ax
            Axes of a figure of your own to draw into; a drawing of several panels takes their place in its grid.

        Returns
        -------
        matplotlib.figure.Figure
            To change and to save; one that belongs to no window and needs no closing, or the one around ``ax``.

        Raises
        ------
        InputError
            When nothing is drawn of records of this verb and kind (it says of what something is), or the file cannot
            be written.

        Examples
        --------
        >>> import consortium
        >>> figure = consortium.run("agmon2003/5.2.1").plot()
        >>> len(figure.axes) > 0
        True
        """
        figure: Figure = _by("plot")(self, path, width=width, grey=grey, ax=ax)
        return figure

    def to_frame(self, table: str | None = None, *, numbers: Literal["exact", "float"] = "exact") -> pandas.DataFrame:
        """One of its tables as a pandas frame, with all rows.

        Parameters
        ----------
        table
            Path of a field that holds several things (``"agents"``, ``"equilibria.listed"``), or ``"record"``: one row
            with everything that is no such field; ``"verdicts"``: a row for each claim that was checked, and
            whether it holds. Default: what the verb is about (:attr:`main`), of ``verify`` the verdicts.
        numbers
            ``"exact"``: the objects of the record (:class:`fractions.Fraction`, ``int``, ``inf``), in columns of
            objects; ``"float"``: columns of numbers as floats, ``nan`` where there is none.

        Returns
        -------
        pandas.DataFrame
            Parts of a row have columns of their own (``costs.ann``); what is a list stays one, in a cell.

        Raises
        ------
        InputError
            Without pandas (extra ``tables``), or for other ``numbers``; UnknownNameError, with all names there are,
            for a table that the record has not.

        Examples
        --------
        >>> import consortium
        >>> frame = consortium.run("agmon2003/5.2.1").to_frame()
        >>> frame["payment"].sum()
        Fraction(2, 5)
        >>> checked = consortium.verify("agmon2003/5.2.1").to_frame()
        >>> list(checked["claim"])[:3], list(checked["holds"])[:3]
        (['dominant', 'ex_post', 'properties.rent_nonnegative'], [False, False, True])
        """
        frame: pandas.DataFrame = _by("frame")(self, table, numbers)
        return frame

    def to_latex(self) -> str:
        r"""The tables for a paper: a ``table`` each, with the rules of the LaTeX package ``booktabs``, escaped.

        Examples
        --------
        >>> import consortium
        >>> consortium.run("agmon2003/5.2.1").to_latex().splitlines()[0]
        '\\begin{table}'
        """
        latex: str = _by("latex")(self)
        return latex


def _by(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = load(DISPLAYS[name])
    return function
