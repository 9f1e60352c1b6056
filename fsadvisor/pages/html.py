"""HTML by construction: what is not markup already is text, and is escaped; names of elements are ours."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.escape import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

_BLANK_LINE: Final = re.compile(r"\n\s*\n")
_CODE: Final = re.compile(r"`([^`]+)`")
_BLANKS: Final = re.compile(r"[ \n]+")
_VOID: Final = frozenset({"meta"})


class Markup(str):
    """Text that is HTML: made here only."""

    __slots__ = ()


NOTHING: Final = Markup("")


def element(name: str, /, *children: str, **attributes: str) -> Markup:
    """An element, with the attributes that have a value; `class_` is class, and `_` in a name is `-`.

    Children that are no markup are escaped, and what is not printable in them is shown as an escape.
    """
    told = "".join(
        f' {key.strip("_").replace("_", "-")}="{html.escape(clean(value, None))}"'
        for key, value in attributes.items()
        if value
    )
    inside = joined(children)
    return Markup(f"<{name}{told}>" if name in _VOID else f"<{name}{told}>{inside}</{name}>")


def joined(pieces: Iterable[str]) -> Markup:
    """Markup and texts, one after the other."""
    return Markup("".join(one if isinstance(one, Markup) else html.escape(clean(one, None)) for one in pieces))


def prose(text: str) -> Markup:
    """A text on one line, in which what stands between backticks is code."""
    pieces = _CODE.split(_BLANKS.sub(" ", text.strip(" \n")))
    return joined(element("code", one) if at % 2 else one for at, one in enumerate(pieces))


def paragraphs(text: str) -> Markup:
    """A text whose paragraphs are parted by blank lines."""
    return joined(element("p", prose(one)) for one in _BLANK_LINE.split(text.strip()))


def bullets(items: Iterable[str], class_: str = "") -> Markup:
    """A list; nothing where there are no items."""
    found = joined(element("li", one) for one in items)
    return element("ul", found, class_=class_) if found else NOTHING


def table(class_: str, columns: Iterable[str], rows: Iterable[Iterable[str]], caption: str) -> Markup:
    """A table; the first cell of each row is what the row is about."""
    head = element("tr", *(element("th", one, scope="col") for one in columns))
    body = joined(_row(*cells) for cells in rows)
    inside = (element("caption", caption), element("thead", head), element("tbody", body))
    return element("table", *inside, class_=class_)


def _row(first: str, *others: str) -> Markup:
    return element("tr", element("th", first, scope="row"), *(element("td", one) for one in others))


def folded(summary: str, *inside: str, class_: str = "") -> Markup:
    """What is shown when asked for."""
    return element("details", element("summary", summary), *inside, class_=class_)


def pasted(lines: Iterable[str]) -> Markup:
    """Lines to paste, each as it is."""
    return element("pre", element("code", Markup("\n".join(html.escape(clean(one, None)) for one in lines))))
