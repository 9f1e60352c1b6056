"""Curves as a picture of characters, for terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.forecast.fit import NoFit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.forecast.fit import Model
    from fsadvisor.measure.forecast.study import Told

SIGNS: Final = "exbfnabcdghijklm"
"""A letter for each curve: ext4, XFS, Btrfs, F2FS and NILFS2 have their own, others the next that is free."""
_MODEL: Final = "·"
_MANY: Final = "*"


def letters(names: Sequence[str]) -> dict[str, str]:
    """A sign for each name: its first letter where that is free."""
    found: dict[str, str] = {}
    for name in names:
        wanted = name[:1].lower()
        free = [sign for sign in (wanted, *SIGNS) if sign.isalpha() and sign.isascii() and sign not in found.values()]
        found[name] = free[0] if free else "?"
    return found


def plot(told: Sequence[Told], columns: int = 64, rows: int = 16) -> Iterator[str]:
    """Throughput over device latency, both from 0: letters where it was measured, dots where it is expected."""
    slowest = max((level.device_ms for it in told for level in it.curve.levels), default=0.0)
    most = max((level.throughput for it in told for level in it.curve.levels), default=0.0)
    if slowest <= 0 or most <= 0:
        return
    cells = [[" "] * columns for _ in range(rows)]
    for it in told:
        if not isinstance(it.fit, NoFit):
            _draw_model(cells, it.fit.model, slowest, most)
    signs = letters([it.curve.filesystem for it in told])
    for it in told:
        for level in it.curve.levels:
            at = round((columns - 1) * level.device_ms / slowest)
            row = rows - 1 - round((rows - 1) * level.throughput / most)
            taken = cells[row][at]
            sign = signs[it.curve.filesystem]
            cells[row][at] = sign if taken in (" ", _MODEL, sign) else _MANY
    wide = len(f"{most:,.0f}")
    for number, row_cells in enumerate(cells):
        label = f"{most:,.0f}" if number == 0 else "0" if number == rows - 1 else ""
        yield f"{label:>{wide}} │{''.join(row_cells).rstrip()}".rstrip() + "\n"
    yield f"{'':>{wide}} └{'─' * columns}\n"
    end = f"{slowest:.3g} ms"
    yield f"{'':>{wide}}  0{end:>{columns - 1}}\n"


def _draw_model(cells: list[list[str]], model: Model, slowest: float, most: float) -> None:
    columns, rows = len(cells[0]), len(cells)
    for at in range(columns):
        expected = model.throughput(slowest * at / (columns - 1))
        if expected is not None and expected <= most:
            cells[rows - 1 - round((rows - 1) * expected / most)][at] = _MODEL
