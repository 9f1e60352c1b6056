"""Curves as one SVG file that loads nothing: a panel for each workload, points with intervals, dashed expectations."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.forecast.fit import NoFit
from fsadvisor.pages.escape import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.forecast.study import Study, Told

_WIDE, _HIGH = 560, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 120, 40, 45
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, told apart by those who see fewer colours, too; shapes differ besides."""
_SHAPES: Final = ("circle", "square", "triangle", "diamond", "cross")
_STYLE: Final = (
    "text{font:12px sans-serif;fill:#222}.t{font-weight:bold}.a{stroke:#555;stroke-width:1;fill:none}"
    ".g{stroke:#ddd;stroke-width:1}@media (prefers-color-scheme:dark){svg{background:#181818}text{fill:#ddd}"
    ".a{stroke:#aaa}.g{stroke:#333}}"
)
_STEPS: Final = 60
_TICKS: Final = 5


def svg(study: Study) -> str:
    """The picture."""
    panels = [study.of(workload) for workload in study.workloads]
    names = tuple(dict.fromkeys(it.curve.filesystem for it in study.told))
    height = _HIGH * len(panels)
    size = f'viewBox="0 0 {_WIDE} {height}" width="{_WIDE}" height="{height}"'
    head = f"<title>Throughput over device latency</title><style>{_STYLE}</style>"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{head}\n']
    for number, told in enumerate(panels):
        parts.append(f'<g transform="translate(0 {number * _HIGH})">\n')
        parts.extend(_panel(told, names))
        parts.append("</g>\n")
    return "".join((*parts, "</svg>\n"))


def _panel(told: Sequence[Told], names: Sequence[str]) -> Iterator[str]:
    slowest = max(level.device_ms for it in told for level in it.curve.levels) or 1.0
    most = 1.05 * max(level.high or level.throughput for it in told for level in it.curve.levels)
    frame = _Frame(slowest, most)
    yield from _axes(frame, told[0].curve.workload)
    for it in told:
        at = names.index(it.curve.filesystem)
        yield from _curve(frame, it, _COLOURS[at % len(_COLOURS)], _SHAPES[at % len(_SHAPES)])
    for row, it in enumerate(told):
        at = names.index(it.curve.filesystem)
        x, y = _WIDE - _RIGHT + 18, _TOP + 10 + 20 * row
        yield _mark(_SHAPES[at % len(_SHAPES)], x, y, _COLOURS[at % len(_COLOURS)])
        yield f'<text x="{x + 12}" y="{y + 4}">{_text(it.curve.filesystem)}</text>\n'


class _Frame:
    """Where a latency and a throughput lie in the panel."""

    def __init__(self, slowest: float, most: float) -> None:
        self.slowest, self.most = slowest, most

    def x(self, device_ms: float) -> float:
        return round(_LEFT + (_WIDE - _LEFT - _RIGHT) * device_ms / self.slowest, 1)

    def y(self, throughput: float) -> float:
        return round(_HIGH - _BOTTOM - (_HIGH - _TOP - _BOTTOM) * throughput / self.most, 1)


def _axes(frame: _Frame, workload: str) -> Iterator[str]:
    yield f'<text class="t" x="{_LEFT}" y="22">{_text(workload)}</text>\n'
    for tick in range(_TICKS + 1):
        rate, ms = frame.most * tick / _TICKS, frame.slowest * tick / _TICKS
        y, x = frame.y(rate), frame.x(ms)
        yield f'<path class="g" d="M{_LEFT} {y}H{_WIDE - _RIGHT}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{rate:,.3g}</text>'
        yield f'<text x="{x}" y="{_HIGH - _BOTTOM + 16}" text-anchor="middle">{ms:.3g}</text>\n'
    yield f'<path class="a" d="M{_LEFT} {_TOP}V{_HIGH - _BOTTOM}H{_WIDE - _RIGHT}"/>'
    yield f'<text x="{(_LEFT + _WIDE - _RIGHT) / 2}" y="{_HIGH - 10}" text-anchor="middle">'
    yield "latency of the device, ms (upright: operations/s)</text>\n"


def _curve(frame: _Frame, it: Told, colour: str, shape: str) -> Iterator[str]:
    if not isinstance(it.fit, NoFit):
        steps = (frame.slowest * step / _STEPS for step in range(_STEPS + 1))
        expected = [(ms, rate) for ms in steps if (rate := it.fit.model.throughput(ms)) is not None]
        path = " ".join(f"{frame.x(ms)},{frame.y(rate)}" for ms, rate in expected if rate <= frame.most)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-dasharray="5 4"/>\n'
    measured = " ".join(f"{frame.x(level.device_ms)},{frame.y(level.throughput)}" for level in it.curve.levels)
    yield f'<polyline points="{measured}" fill="none" stroke="{colour}" stroke-width="1.5"/>\n'
    for level in it.curve.levels:
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


def _text(text: str) -> str:
    return escape(clean(text))
