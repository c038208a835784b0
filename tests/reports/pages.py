"""Reading pages as a browser would: elements, their attributes and the text that is shown."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "link", "hr"}


class Reader(HTMLParser):
    """The elements of a page; elements that are not closed in order are an error."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.pieces: list[tuple[str, str]] = []
        self.feed(page)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.pieces.append((self.open[-1] if self.open else "", data))

    def inside(self, element: str) -> list[str]:
        """Texts directly in elements of a name."""
        return [text for name, text in self.pieces if name == element]

    @property
    def shown(self) -> str:
        """All text of the page."""
        return "".join(text for name, text in self.pieces if name != "script")

    @property
    def addresses(self) -> list[str]:
        """Whatever an element refers to."""
        names = ("href", "src", "xlink:href", "action", "srcset", "poster", "data", "formaction")
        return [str(attributes[name]) for _, attributes in self.elements for name in names if name in attributes]
