"""Figures as SVG: one element that stands in a page of HTML beside others, or in a file of its own."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from ..support.errors import printable
from .style import fix_layout, hover_text, look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HREF: Final = "{http://www.w3.org/1999/xlink}href"
INHERITED: Final = {"stroke-linejoin": "round", "stroke-linecap": "butt"}
"""What Matplotlib says in a style sheet, which would hold for the whole page."""


def text(figure: Figure, prefix: str = "") -> str:
    """The figure as an ``<svg>`` element, the same text every time; from here on its layout is fixed.

    It scales with its surroundings and needs nothing from elsewhere. Letters are drawn as paths, so that it looks the
    same wherever it is read.

    Parameters
    ----------
    figure
        Artists marked by :func:`~consortium.reports.style.hover` become groups of class ``hover``, each with its text
        as ``<title>``.
    prefix
        Begins every id, so that several figures fit into one page: letters, digits, ``-`` and ``_``.
    """
    drawn = io.BytesIO()
    fix_layout(figure)
    with look():
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(re.sub(b"<!--.*?-->", b"", drawn.getvalue(), flags=re.DOTALL))
    for element in list(root):
        if _name(element) == "metadata":
            root.remove(element)
    for element in root.iter():
        _inline(element, prefix)
    root.attrib.update(INHERITED)
    root.attrib.update(
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "xmlns:xlink": "http://www.w3.org/1999/xlink",
            "role": "img",
            "aria-label": heading(figure),
            "style": "max-width: 100%; height: auto",
        }
    )
    return ElementTree.tostring(root, encoding="unicode")


def heading(figure: Figure) -> str:
    """The title of a figure on one line, or that of its first axes that have one."""
    titles = [figure.get_suptitle(), *(axes.get_title(loc="left") for axes in figure.axes)]
    return printable(" ".join(next(filter(None, titles), "figure").split()))


def _name(element: ElementTree.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _inline(element: ElementTree.Element, prefix: str) -> None:
    """Names without namespaces, ids and references with the prefix, hover texts as titles, no style sheets."""
    element.tag = _name(element)
    for child in list(element):
        if _name(child) == "style":
            element.remove(child)
    named = element.attrib.pop("id", None)
    if text := hover_text(named):
        element.set("class", "hover")
        title = ElementTree.Element("title")
        title.text = printable(text)
        element.insert(0, title)
    elif named:
        element.set("id", prefix + named)
    for key, value in list(element.attrib.items()):
        if key == HREF:
            del element.attrib[key]
            element.set("xlink:href", re.sub("^#", f"#{prefix}", value))
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{prefix}"))
