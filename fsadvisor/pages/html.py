"""Documents as HTML by construction: what is not markup already is text, and is escaped; elements are ours."""

from __future__ import annotations

import html
import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Unknown
from fsadvisor.pages import document
from fsadvisor.pages.glyphs import Tone, clean, plain
from fsadvisor.pages.values import MARKS, bytes_text, cause, counted, value_text
from fsadvisor.storage.catalogue import Kind, catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Span
    from fsadvisor.storage.catalogue import FactEntry

_BLANK_LINE: Final = re.compile(r"\n\s*\n")
_CODE: Final = re.compile(r"`([^`]+)`")
_BLANKS: Final = re.compile(r"[ \n]+")
_VOID: Final = frozenset({"meta"})


class Markup(str):
    """Text that is HTML: made here only."""

    __slots__ = ()


NOTHING: Final = Markup("")
_SIGNS: Final = {TRUE: "✓", FALSE: "✗", UNKNOWN: "?"}


def element(name: str, /, *children: str, **attributes: str) -> Markup:
    """An element, with the attributes that have a value; `class_` is class, and `_` in a name is `-`.

    Children that are no markup are escaped, and what is not printable in them is shown as an escape.
    """
    written = "".join(
        f' {key.strip("_").replace("_", "-")}="{html.escape(clean(value, None))}"'
        for key, value in attributes.items()
        if value
    )
    inside = joined(children)
    return Markup(f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{inside}</{name}>")


def joined(pieces: Iterable[str]) -> Markup:
    """Markup and texts, one after the other."""
    return Markup("".join(one if isinstance(one, Markup) else html.escape(clean(one, None)) for one in pieces))


def prose(text: str) -> Markup:
    """A text on one line, in which what stands between backticks is code."""
    return _coded(_BLANKS.sub(" ", text.strip(" \n")))


def _coded(text: str) -> Markup:
    pieces = _CODE.split(text)
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


def render(blocks: Iterable[document.Block], level: int) -> Iterator[Markup]:
    """The blocks, with headings of so many levels down; the title of a table is its caption."""
    title = ""
    for listed, some in groupby((one for one in blocks if not isinstance(one, document.Gap)), _is_listed):
        if listed:
            yield from _titled(title, level)
            yield bullets(map(_item, some))
            title = ""
            continue
        for block in some:
            if not isinstance(block, (document.Evidence, document.Table)):
                yield from _titled(title, level)
            yield _block(block, level, title)
            title = block.text if isinstance(block, document.Heading) else ""


def _titled(title: str, level: int) -> Iterator[Markup]:
    if title:
        yield element(f"h{level}", prose(title))


def _is_listed(block: document.Block) -> bool:
    return isinstance(block, (document.Item, document.Hyperlink))


def _block(block: document.Block, level: int, title: str) -> Markup:
    match block:
        case document.TitleLine(badge, words, number, severity):
            start = f"{number}. " if number else ""
            return element(f"h{level - 1}", start, badge_of(badge.text, severity), " ", words)
        case document.Evidence(answers):
            return table("asks", ("Answer", "Question, and what was seen"), map(_answer, answers), title)
        case document.Table(head, rows):
            return table("", head, ([spans(cell) for cell in row] for row in rows), title)
        case document.Fold(summary, inside):
            return folded(summary, *render(inside(), level))
        case _:
            return _words(block)


def _words(block: document.Block) -> Markup:
    match block:
        case document.Prose(text):
            return paragraphs(text)
        case document.Remark(words) | document.Paragraph(words):
            dim = all(one.tone is Tone.DIM for one in words)
            return element("p", spans(words), class_="aside" if dim else "")
        case document.Labelled(label, words):
            return element("p", element("strong", label), " ", spans(words))
        case document.Figures(remarks=remarks):
            return joined((bullets(map(_item, block.items)), *(element("p", spans(one)) for one in remarks)))
        case document.Commands(lines):
            return pasted(lines)
        case document.Verbatim(texts):
            return pasted(one.text for one in texts)
        case document.DrawnLines(drawn):
            return pasted(map(plain, drawn))
        case document.Heading():
            return NOTHING
        case _:
            raise NotImplementedError(type(block).__name__)


def badge_of(words: str, severity: str) -> Markup:
    """How grave, of which kind, and what stands in the way, in words."""
    return element("span", words, class_=f"badge {severity}")


def spans(words: Iterable[Span]) -> Markup:
    """Words in a line."""
    return joined(map(_span, words))


def _span(span: Span) -> Markup:
    if span.link.startswith(("#", "https://", "http://")):
        return element("a", span.text, href=span.link, rel="" if span.link.startswith("#") else "noreferrer noopener")
    match span.tone:
        case Tone.COMMAND:
            return element("code", span.text)
        case Tone.STRONG:
            return element("strong", span.text)
        case Tone.UNKNOWN:
            return element("span", span.text, class_="unknown")
        case _:
            return _coded(span.text)


def _item(block: document.Block) -> Markup:
    if isinstance(block, document.Hyperlink):
        return joined((_address(block.url), " ", prose(block.says)))
    assert isinstance(block, document.Item)  # noqa: S101 - as _is_listed says
    note = element("div", spans(block.note), class_="source") if block.note else NOTHING
    return joined((spans(block.words), note))


def _address(url: str) -> Markup:
    """A link where it leads to the web; else a text."""
    if not url.startswith(("https://", "http://")):
        return element("code", url)
    return element("a", url, href=url, rel="noreferrer noopener")


def _answer(answer: document.Answer) -> tuple[Markup, Markup]:
    word = MARKS[answer.truth]
    facts = bullets((_fact(name, values) for name, values in answer.facts), "facts")
    expression = element("code", answer.expression, class_="expression")
    sign = element("span", f"{_SIGNS[answer.truth]} {word}", class_=f"answer {word}")
    return sign, joined((prose(answer.question), " ", expression, facts))


def _fact(name: str, values: tuple[document.Value, ...]) -> Markup:
    """Each value that it has, with the subject where not all are alike."""
    lines = [
        element("div", f"{one.of}: " if one.of else "", element("code", name), " = ", fact_markup(name, one.fact))
        for one in values
    ]
    if len(lines) <= document.VALUES:
        return joined(lines)
    others = f"{counted(len(lines) - document.VALUES, 'other value')} elsewhere"
    return joined((*lines[: document.VALUES], folded(others, bullets(lines[document.VALUES :], "facts"))))


def fact_markup(name: str, fact: Fact[Any]) -> Markup:
    """The value, or why it is not known and how to learn it; then the source. Nothing is cut."""
    source = element("small", f" {fact.source}", class_="source") if fact.source else NOTHING
    if not isinstance(fact, Unknown):
        return joined((_value(catalogue()[name], fact.value), source))
    cure = joined((". To learn it: ", prose(fact.learn))) if fact.learn else NOTHING
    return joined((element("span", f"not known, {cause(fact)}", cure, class_="unknown"), source))


def _value(entry: FactEntry, value: Any) -> str:  # noqa: ANN401 - any type of the catalogue
    """Sizes stand there to the byte."""
    if entry.kind is Kind.TEXTS:
        return ", ".join(value) if value else "none"
    if isinstance(value, str):
        return value if value in entry.choices else f'"{value}"'
    if entry.unit == "bytes" and isinstance(value, int):
        short = bytes_text(value)
        return short if short.endswith(" bytes") else f"{short} ({value:,} bytes)"
    return value_text(entry, value)
