"""What guests tell, a line of JSON each, and the file of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Ran(msgspec.Struct, frozen=True, kw_only=True, tag="ran"):
    """A guest that was booted."""

    kernel: str
    when: str
    """The day of this machine, UTC, ISO 8601."""


class Bare(msgspec.Struct, frozen=True, kw_only=True, tag="bare"):
    """A long run of fio alone on one side."""

    group: str
    noisy: bool
    side: str
    number: int
    operations: int
    mean_us: float
    """Of fdatasync, as is what follows."""
    bins_ns: dict[int, int]
    """The middle of a bin -> how many."""

    @property
    def about(self) -> tuple[object, ...]:
        """Of two rows with the same, the later one counts."""
        return "bare", self.group, self.noisy, self.side, self.number


class Trial(msgspec.Struct, frozen=True, kw_only=True, tag="trial"):
    """One run of the command."""

    group: str
    number: int
    noisy: bool
    write_us: float
    flush_us: float
    status: int
    """The command's."""
    gain: tuple[float, float, float] | None
    """Low, middle, high."""
    kind: str
    says: str
    end: str
    engine: str
    blocks: int
    left_out: int
    figures_us: dict[str, float]
    """The medians by side."""
    seconds: float
    """Of the guest's time, from the command's start to its end."""
    error: str = ""

    @property
    def about(self) -> tuple[object, ...]:
        """As above."""
        return "trial", self.group, self.number


class Kill(msgspec.Struct, frozen=True, kw_only=True, tag="kill"):
    """One kill of the command, and what was found afterwards."""

    place: str
    number: int
    leader: bool
    """Whether only the command itself was killed, or every process of it at once."""
    after_s: float
    life_s: float
    """How long the command lasts when nobody kills it."""
    at: str
    """What it was at: the youngest of its tools and processes."""
    at_once: dict[str, list[str]]
    """What was left a moment later, by kind."""
    later: dict[str, list[str]]
    """What was left after the next start."""
    started: str
    """How the next start went."""
    lost_bytes: int
    """Free space that did not come back, after the next start."""

    @property
    def about(self) -> tuple[object, ...]:
        """As above."""
        return "kill", self.place, self.number


Row: TypeAlias = Ran | Bare | Trial | Kill
_ROWS: Final[msgspec.json.Decoder[Row]] = msgspec.json.Decoder(Row)


def line(row: Row) -> str:
    """As it is told and kept."""
    return msgspec.json.encode(row).decode()


def read(file: Path) -> list[Row]:
    """The rows in a file of them, or among other lines of a guest's console; what was cut off is left out."""
    if not file.exists():
        return []
    found: list[Row] = []
    for text in file.read_text("utf-8", "replace").replace("\r", "").split("\n"):
        if text.startswith('{"type":') and text.endswith("}"):
            try:
                found.append(_ROWS.decode(text))
            except msgspec.MsgspecError:
                continue
    return found


def joined(rows: Iterable[Row]) -> list[Row]:
    """The newest of each, in a fixed order; of guests that ran the last."""
    ran = [row for row in rows if isinstance(row, Ran)]
    others = {row.about: row for row in rows if not isinstance(row, Ran)}
    return [*ran[-1:], *(others[about] for about in sorted(others, key=_order))]


def _order(about: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(f"{one:06}" if isinstance(one, int) else str(one) for one in about)


def write(file: Path, rows: Iterable[Row]) -> None:
    """Write the file anew."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line(row)}\n" for row in rows), encoding="utf-8")
