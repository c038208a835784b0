"""Sphinx configuration. Figures are drawn by the build (docs/figures.py), never stored."""

import dataclasses
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / ".types"))

import consortium  # noqa: E402

project = "consortium"
author = "The consortium maintainers"
copyright = "2026, the consortium maintainers"
version = release = consortium.__version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "mathml",
]
exclude_patterns = ["_build", "_figures", "paper/paper.md"]  # the last is for pandoc
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
smartquotes = False  # options, conditions and JSON are copied from the pages
# notebooks are kept without their outputs: each build runs them, in a process that finds this package
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent / ".types"), *filter(None, [os.environ.get("PYTHONPATH")])])
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
html_math_renderer = "mathml"
html_theme = "furo"
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
html_title = f"consortium {version}"
html_copy_source = False
autosummary_generate = True
autosummary_imported_members = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
suppress_warnings = ["ref.python", "myst.xref_missing"]


def list_fields(app, what, name, obj, options, lines):
    """Rows and records are read, not made: their fields with types are what a reader needs."""
    from consortium.verbs.records import Row

    if what == "class" and issubclass(obj, Row):
        lines += ["", "Fields:", "", *(f"* ``{f.name}``: ``{f.type}``" for f in dataclasses.fields(obj))]


def leave_signature_out(app, what, name, obj, options, signature, returned):
    """See :func:`list_fields`."""
    from consortium.verbs.records import Row

    return ("", "") if what == "class" and issubclass(obj, Row) else None


def leave_names_out(app, doctree):
    """A page of each name is reached from its list: four hundred in every sidebar took two thirds of the build."""
    from sphinx.ext.autosummary import autosummary_toc

    for node in list(doctree.findall(autosummary_toc)):
        node.parent.remove(node)


def setup(app):
    """Draw the figures and write the reference pages before reading the sources."""
    import figures
    import reference_pages

    def prepare(app, config):
        figures.draw_all(HERE / "_figures")
        reference_pages.write_all(HERE / "reference")

    app.connect("autodoc-process-docstring", list_fields)
    app.connect("autodoc-process-signature", leave_signature_out)
    app.connect("doctree-read", leave_names_out, priority=400)  # before the tables of contents are collected
    app.connect("config-inited", prepare)  # before the sources are listed: autosummary reads those that are
