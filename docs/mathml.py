"""Mathematics of the documentation as MathML: browsers draw it themselves, without a script, a font or a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def _inline(translator: Any, node: nodes.math) -> None:
    _written(translator, node, "inline")


def _block(translator: Any, node: nodes.math_block) -> None:
    _written(translator, node, "block")


def _written(translator: Any, node: nodes.Node, display: str) -> None:
    translator.body.append(convert(node.astext(), display=display))
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Make it the renderer of the HTML pages."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
