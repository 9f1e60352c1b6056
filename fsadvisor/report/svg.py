"""Pictures that load nothing: a comparison as workloads by sides, a forecast's curves in a panel for each workload."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.compare.matrix import Standing
from fsadvisor.measure.forecast import NoFit
from fsadvisor.pages.glyphs import clean, width
from fsadvisor.pages.text import wrapped
from fsadvisor.report.compare_figures import title, winners
from fsadvisor.report.probe_figures import amount, sureness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.compare.matrix import Comparison, Ranked, WorkloadRow
    from fsadvisor.measure.forecast.analysis import CurveAnalysis, Study
    from fsadvisor.report.compare_figures import Circumstances


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


def compare_svg(comparison: Comparison, about: Circumstances) -> str:
    """The whole file."""
    summary = [line.rstrip() for said in winners(comparison, about) for line in wrapped(clean(said, None), 110)]
    across = max(_NAMES + _CELL * len(comparison.sides) + 20, 760)
    down = _TOP + _HEIGHT * len(comparison.rows) + _LINE * (len(summary) + 2)
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" height="{down}">',
        f"<title>{_safe(title(comparison))}</title>",
        f"<desc>{_safe(' '.join(summary))}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{across}" height="{down}"/>',
        _text(12, 26, title(comparison), "title"),
        _text(12, 46, f"{about.when}; median, half of its 95 % interval, and the interval from 0 on", "small"),
        *_head(comparison),
        *(piece for at, row in enumerate(comparison.rows) for piece in _row(row, _TOP + at * _HEIGHT)),
        *(
            _text(12, _TOP + _HEIGHT * len(comparison.rows) + _LINE * (at + 1), line, "")
            for at, line in enumerate(summary)
        ),
        "</svg>",
    ]
    return "\n".join(pieces) + "\n"


def _safe(text: str) -> str:
    return escape(clean(text, None), quote=False).replace('"', "&quot;")


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


def _row(row: WorkloadRow, y: int) -> Iterator[str]:
    yield _text(12, y + 22, row.job.id, "head")
    better = "less is better" if row.job.headline.smaller_is_better else "more is better"
    yield _text(12, y + 38, f"{row.job.headline.value}, {better}"[:34], "small")
    scales = _scales(row)
    for at, one in enumerate(row.ranked):
        yield from _cell(one, _NAMES + at * _CELL, y, scales.get(one.cell.side.ground, 0.0))


def _scales(row: WorkloadRow) -> dict[str, float]:
    """The upper end of each ground's scale: of intervals that are far wider than their figure only twice that."""
    ends: dict[str, float] = {}
    for ranked in row.ranked:
        result = ranked.cell.result
        if result is not None and result.figure is not None:
            end = min(result.figure.high, 2 * result.figure.median)
            ends[ranked.cell.side.ground] = max(ends.get(ranked.cell.side.ground, 0.0), end)
    return ends


def _cell(ranked: Ranked, x: int, y: int, scale: float) -> Iterator[str]:
    result = ranked.cell.result
    box = f'x="{x}" y="{y}" width="{_CELL - 8}" height="{_HEIGHT - 6}" rx="4"'
    yield f'<g><rect class="{_CLASSES[ranked.standing]}" {box}/>'
    if ranked.why:
        yield f"<title>{_safe(ranked.why)}</title>"
    if result is None or result.figure is None:
        yield _text(x + 6, y + 20, _cut(ranked.why or "no figure", 22), "small")
    else:
        shown = result.figure
        yield _text(x + 6, y + 17, f"{amount(result.headline, shown.median)} {sureness(shown)}", "")
        yield _text(x + 6, y + 31, _WORDS[ranked.standing], "small")
        if scale > 0:
            room = _CELL - 20
            low, middle, high = (x + 6 + room * min(it / scale, 1.0) for it in (shown.low, shown.median, shown.high))
            yield f'<line class="bar" x1="{low:.1f}" y1="{y + 40}" x2="{high:.1f}" y2="{y + 40}"/>'
            yield f'<line class="middle" x1="{middle:.1f}" y1="{y + 35}" x2="{middle:.1f}" y2="{y + 45}"/>'
    yield "</g>"


_WIDE, _HIGH = 560, 340
_LEFT, _RIGHT, _PANEL_TOP, _BOTTOM = 70, 120, 40, 45
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, told apart by those who see fewer colours, too; shapes differ besides."""
_SHAPES: Final = ("circle", "square", "triangle", "diamond", "cross")
_CURVE_STYLE: Final = (
    "text{font:12px sans-serif;fill:#222}.t{font-weight:bold}.a{stroke:#555;stroke-width:1;fill:none}"
    ".g{stroke:#ddd;stroke-width:1}@media (prefers-color-scheme:dark){svg{background:#181818}text{fill:#ddd}"
    ".a{stroke:#aaa}.g{stroke:#333}}"
)
_STEPS: Final = 60
_TICKS: Final = 5


def forecast_svg(study: Study) -> str:
    """The picture."""
    panels = [study.of(workload) for workload in study.workloads]
    names = tuple(dict.fromkeys(it.curve.filesystem for it in study.curves))
    height = _HIGH * len(panels)
    size = f'viewBox="0 0 {_WIDE} {height}" width="{_WIDE}" height="{height}"'
    head = f"<title>Throughput over device latency</title><style>{_CURVE_STYLE}</style>"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{head}\n']
    for number, told in enumerate(panels):
        parts.append(f'<g transform="translate(0 {number * _HIGH})">\n')
        parts.extend(_panel(told, names))
        parts.append("</g>\n")
    return "".join((*parts, "</svg>\n"))


def _panel(analyses: Sequence[CurveAnalysis], names: Sequence[str]) -> Iterator[str]:
    slowest = max(level.device_ms for it in analyses for level in it.curve.levels) or 1.0
    most = 1.05 * max(level.high or level.throughput for it in analyses for level in it.curve.levels)
    frame = _Frame(slowest, most)
    yield from _axes(frame, analyses[0].curve.workload)
    for analysis in analyses:
        index = names.index(analysis.curve.filesystem)
        yield from _curve(frame, analysis, _COLOURS[index % len(_COLOURS)], _SHAPES[index % len(_SHAPES)])
    for row, analysis in enumerate(analyses):
        index = names.index(analysis.curve.filesystem)
        x, y = _WIDE - _RIGHT + 18, _PANEL_TOP + 10 + 20 * row
        yield _mark(_SHAPES[index % len(_SHAPES)], x, y, _COLOURS[index % len(_COLOURS)])
        yield f'<text x="{x + 12}" y="{y + 4}">{_curve_text(analysis.curve.filesystem)}</text>\n'


class _Frame:
    """Where a latency and a throughput lie in the panel."""

    def __init__(self, slowest: float, most: float) -> None:
        self.slowest, self.most = slowest, most

    def x(self, device_ms: float) -> float:
        return round(_LEFT + (_WIDE - _LEFT - _RIGHT) * device_ms / self.slowest, 1)

    def y(self, throughput: float) -> float:
        return round(_HIGH - _BOTTOM - (_HIGH - _PANEL_TOP - _BOTTOM) * throughput / self.most, 1)


def _axes(frame: _Frame, workload: str) -> Iterator[str]:
    yield f'<text class="t" x="{_LEFT}" y="22">{_curve_text(workload)}</text>\n'
    for tick in range(_TICKS + 1):
        rate, ms = frame.most * tick / _TICKS, frame.slowest * tick / _TICKS
        y, x = frame.y(rate), frame.x(ms)
        yield f'<path class="g" d="M{_LEFT} {y}H{_WIDE - _RIGHT}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{rate:,.3g}</text>'
        yield f'<text x="{x}" y="{_HIGH - _BOTTOM + 16}" text-anchor="middle">{ms:.3g}</text>\n'
    yield f'<path class="a" d="M{_LEFT} {_PANEL_TOP}V{_HIGH - _BOTTOM}H{_WIDE - _RIGHT}"/>'
    yield f'<text x="{(_LEFT + _WIDE - _RIGHT) / 2}" y="{_HIGH - 10}" text-anchor="middle">'
    yield "latency of the device, ms (upright: operations/s)</text>\n"


def _curve(frame: _Frame, analysis: CurveAnalysis, colour: str, shape: str) -> Iterator[str]:
    if not isinstance(analysis.fit, NoFit):
        steps = (frame.slowest * step / _STEPS for step in range(_STEPS + 1))
        expected = [(ms, rate) for ms in steps if (rate := analysis.fit.model.throughput(ms)) is not None]
        path = " ".join(f"{frame.x(ms)},{frame.y(rate)}" for ms, rate in expected if rate <= frame.most)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-dasharray="5 4"/>\n'
    measured = " ".join(f"{frame.x(level.device_ms)},{frame.y(level.throughput)}" for level in analysis.curve.levels)
    yield f'<polyline points="{measured}" fill="none" stroke="{colour}" stroke-width="1.5"/>\n'
    for level in analysis.curve.levels:
        x, y = frame.x(level.device_ms), frame.y(level.throughput)
        if level.low is not None and level.high is not None:
            low, high = frame.y(level.low), frame.y(min(level.high, frame.most))
            yield f'<path d="M{x} {low}V{high}" stroke="{colour}"/>'
        yield _mark(shape, x, y, colour)
        yield "\n"


def _mark(shape: str, x: float, y: float, colour: str) -> str:
    if shape == "circle":
        return f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>'
    path = {
        "square": f"M{x - 4} {y - 4}h8v8h-8z",
        "triangle": f"M{x} {y - 5}l5 9h-10z",
        "diamond": f"M{x} {y - 5}l5 5l-5 5l-5 -5z",
        "cross": f"M{x - 4} {y - 4}l8 8M{x - 4} {y + 4}l8 -8",
    }[shape]
    return f'<path d="{path}" fill="{colour}" stroke="{colour}" stroke-width="1.5"/>'


def _curve_text(text: str) -> str:
    return escape(clean(text))
