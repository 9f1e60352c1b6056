"""Figures of probes in units that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.probe.job import Headline

if TYPE_CHECKING:
    from fsadvisor.probe.result import Figure

_NAMES: Final = {
    "SYNC_US": "per sync",
    "LATENCY_US": "per operation",
    "IOPS": "operations/s",
    "BYTES_PER_S": "",
    "FILES_PER_S": "files/s",
    "EXTENTS": "extents",
}
_TIMES: Final = ((1e6, "s"), (1e4, "ms"), (0.0, "µs"))
_RATES: Final = ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (0.0, "B/s"))


def number(value: float) -> str:
    """Three digits that count: '289', '60,600', '4.71'."""
    if abs(value) >= 100:
        digits = max(len(str(int(abs(value)))) - 3, 0)
        return f"{round(value, -digits):,.0f}"
    return f"{value:.3g}"


def time_text(us: float) -> str:
    """'289 µs', '12.3 ms', '1.2 s'."""
    least, unit = next((least, unit) for least, unit in _TIMES if us >= least or not least)
    return f"{number(us / (1e3 if unit == 'ms' else 1e6 if least else 1))} {unit}"


def rate_text(bytes_per_s: float) -> str:
    """'1.23 GB/s'; prefixes are powers of ten, as makers of drives have them."""
    least, unit = next((least, unit) for least, unit in _RATES if bytes_per_s >= least or not least)
    return f"{number(bytes_per_s / (least or 1))} {unit}"


def amount(headline: str, value: float) -> str:
    """A value of a headline, without what it is of."""
    if headline in (Headline.SYNC_US.name, Headline.LATENCY_US.name):
        return time_text(value)
    return rate_text(value) if headline == Headline.BYTES_PER_S.name else number(value)


def figure_text(headline: str, figure: Figure) -> str:
    """'289 µs per sync', '60,600 files/s', '1 extent'."""
    if headline == Headline.EXTENTS.name and figure.median == 1:
        return "1 extent"
    return f"{amount(headline, figure.median)} {_NAMES.get(headline, '')}".rstrip()


def sureness(figure: Figure) -> str:
    """'± 2.8 %'; what is wider than the figure itself is not worth a number."""
    return "± > 100 %" if figure.half_width > 1 else f"± {number(100 * figure.half_width)} %"
