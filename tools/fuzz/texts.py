"""Texts damaged as files and outputs are: cut, bytes changed, lines doubled, lost and swapped, odd words put in."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_FIXTURES: Final = Path(__file__).parents[2] / "fixtures"
_ODD: Final = (
    "",
    "\0",
    "\x1b]0;x\a",
    "\udcff",
    "NaN",
    "Infinity",
    "-1",
    "9" * 400,
    "1e400",
    "null",
    "[" * 2000,
    "{" * 2000,
    "../../etc/passwd",
    "$(id)",
    "'; id #",
    "\u202e",
    "-" * 100_000,
)


@cache
def samples() -> tuple[str, ...]:
    """Every output and recorded file of the fixtures, up to 64 KiB each."""
    found = (it for it in sorted(_FIXTURES.rglob("*")) if it.is_file() and it.stat().st_size < 1 << 16)
    return tuple(dict.fromkeys(it.read_bytes().decode("utf-8", "surrogateescape") for it in found))


def damaged(text: str, random: Random) -> str:
    """The text after one to six damages."""
    for _ in range(random.randint(1, 6)):
        text = random.choice(_DAMAGES)(text, random)
    return text[: 1 << 18]


def endless(texts: tuple[str, ...], random: Random) -> Iterator[str]:
    """Damaged texts, for ever."""
    while True:
        yield damaged(random.choice(texts), random)


def _cut(text: str, random: Random) -> str:
    return text[: random.randint(0, len(text))]


def _changed(text: str, random: Random) -> str:
    at = random.randint(0, len(text))
    return text[:at] + chr(random.randint(0, 0x2FF)) + text[at + 1 :]


def _odd(text: str, random: Random) -> str:
    """A word, or what stands between two quotes, is another one."""
    words = text.split(" ")
    words[random.randrange(len(words))] = random.choice(_ODD)
    return " ".join(words)


def _lines(text: str, random: Random) -> str:
    lines = text.split("\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(3):
        case 0:
            lines.insert(at, lines[other])
        case 1:
            del lines[at]
        case _:
            lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


def _number(text: str, random: Random) -> str:
    digits = [at for at, letter in enumerate(text) if letter.isdigit()]
    if not digits:
        return text
    at = random.choice(digits)
    return text[:at] + random.choice(("0", "-1", "9" * 30, "1.5", "٣", "1_0")) + text[at + 1 :]


_DAMAGES: Final = (_cut, _changed, _odd, _lines, _number)
