"""A comparison as a picture: workloads by sides, each cell with its figure and its interval. It loads nothing.

Within a row the intervals of a ground have one scale from 0 on, so that those which lie apart are seen to. What is best
is told by a word and a frame, too, and not by colour alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from fsadvisor.measure.compare.matrix import Standing
from fsadvisor.pages.escape import clean, width
from fsadvisor.pages.text import wrapped
from fsadvisor.report.compare_words import title, winners
from fsadvisor.report.probe_words import amount, sureness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.compare.matrix import Comparison, Ranked, Row
    from fsadvisor.report.compare_words import About

_NAMES, _CELL, _HEIGHT = 170, 132, 54
_TOP: Final = 86
_LINE: Final = 18
_LETTERS: Final = 17
_STYLE: Final = (
    "text{font:12px sans-serif;fill:#1c1c1c}.head{font-weight:bold}.title{font:bold 16px sans-serif}"
    ".small{font-size:10px;fill:#555}.page{fill:#fff}.cell{fill:#f3f3f3}.best{fill:#cfe8d5;stroke:#1b7a3d;"
    "stroke-width:2}.tie{fill:#e3efd8;stroke:#1b7a3d;stroke-dasharray:4 3}.behind{fill:#f3f3f3}.ceiling{fill:#e4e8f3}"
    ".bar{stroke:#7a7a7a;stroke-width:6}.middle{stroke:#111;stroke-width:2}"
    "@media (prefers-color-scheme:dark){text{fill:#eee}.small{fill:#aaa}.page{fill:#181818}.cell,.behind{fill:#2a2a2a}"
    ".best{fill:#1f4a2c}.tie{fill:#2c3d22}.ceiling{fill:#28304a}.bar{stroke:#999}.middle{stroke:#fff}}"
)
_CLASSES: Final = {
    Standing.BEST: "best",
    Standing.TIE: "tie",
    Standing.BEHIND: "behind",
    Standing.CEILING: "ceiling",
    Standing.ALONE: "cell",
    Standing.UNRANKED: "cell",
}
_WORDS: Final = {
    Standing.BEST: "best",
    Standing.TIE: "tie",
    Standing.BEHIND: "behind",
    Standing.CEILING: "ceiling",
    Standing.ALONE: "no rival",
    Standing.UNRANKED: "not ranked",
}


def svg(comparison: Comparison, about: About) -> str:
    """The whole file."""
    told = [line.rstrip() for said in winners(comparison, about) for line in wrapped(clean(said, None), 110)]
    across = max(_NAMES + _CELL * len(comparison.sides) + 20, 760)
    down = _TOP + _HEIGHT * len(comparison.rows) + _LINE * (len(told) + 2)
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" height="{down}">',
        f"<title>{_safe(title(comparison))}</title>",
        f"<desc>{_safe(' '.join(told))}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{across}" height="{down}"/>',
        _text(12, 26, title(comparison), "title"),
        _text(12, 46, f"{about.when}; median, half of its 95 % interval, and the interval from 0 on", "small"),
        *_head(comparison),
        *(piece for at, row in enumerate(comparison.rows) for piece in _row(row, _TOP + at * _HEIGHT)),
        *(
            _text(12, _TOP + _HEIGHT * len(comparison.rows) + _LINE * (at + 1), line, "")
            for at, line in enumerate(told)
        ),
        "</svg>",
    ]
    return "\n".join(pieces) + "\n"


def _safe(text: str) -> str:
    return escape(clean(text, None), {'"': "&quot;"})


def _text(x: float, y: float, text: str, kind: str) -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}"{named}>{_safe(text)}</text>'


def _head(comparison: Comparison) -> Iterator[str]:
    for at, side in enumerate(comparison.sides):
        x = _NAMES + at * _CELL
        yield _text(x, _TOP - 22, "device" if side.kind == "device" else _tail(side.name, _LETTERS), "head")
        where = {"device": f"below {side.above}", "mounted": f"{side.fs_type}, mounted", "image": "image"}[side.kind]
        yield _text(x, _TOP - 8, _cut(f"{where}{', dangerous' if side.dangers else ''}", 24), "small")


def _cut(text: str, letters: int) -> str:
    shown = clean(text, None)
    return shown if width(shown) <= letters else shown[: letters - 1] + "…"


def _tail(text: str, letters: int) -> str:
    """The end of a path tells more than its beginning."""
    shown = clean(text, None)
    return shown if width(shown) <= letters else "…" + shown[-letters + 1 :]


def _row(row: Row, y: int) -> Iterator[str]:
    yield _text(12, y + 22, row.job.id, "head")
    better = "less is better" if row.job.headline.smaller_is_better else "more is better"
    yield _text(12, y + 38, f"{row.job.headline.value}, {better}"[:34], "small")
    scales = _scales(row)
    for at, one in enumerate(row.ranked):
        yield from _cell(one, _NAMES + at * _CELL, y, scales.get(one.cell.side.ground, 0.0))


def _scales(row: Row) -> dict[str, float]:
    """The upper end of each ground's scale: of intervals that are far wider than their figure only twice that."""
    found: dict[str, float] = {}
    for one in row.ranked:
        result = one.cell.result
        if result is not None and result.figure is not None:
            end = min(result.figure.high, 2 * result.figure.median)
            found[one.cell.side.ground] = max(found.get(one.cell.side.ground, 0.0), end)
    return found


def _cell(one: Ranked, x: int, y: int, scale: float) -> Iterator[str]:
    result = one.cell.result
    box = f'x="{x}" y="{y}" width="{_CELL - 8}" height="{_HEIGHT - 6}" rx="4"'
    yield f'<g><rect class="{_CLASSES[one.standing]}" {box}/>'
    if one.why:
        yield f"<title>{_safe(one.why)}</title>"
    if result is None or result.figure is None:
        yield _text(x + 6, y + 20, _cut(one.why or "no figure", 22), "small")
    else:
        shown = result.figure
        yield _text(x + 6, y + 17, f"{amount(result.headline, shown.median)} {sureness(shown)}", "")
        yield _text(x + 6, y + 31, _WORDS[one.standing], "small")
        if scale > 0:
            room = _CELL - 20
            low, middle, high = (x + 6 + room * min(it / scale, 1.0) for it in (shown.low, shown.median, shown.high))
            yield f'<line class="bar" x1="{low:.1f}" y1="{y + 40}" x2="{high:.1f}" y2="{y + 40}"/>'
            yield f'<line class="middle" x1="{middle:.1f}" y1="{y + 35}" x2="{middle:.1f}" y2="{y + 45}"/>'
    yield "</g>"
