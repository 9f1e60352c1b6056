"""The report as JSON: one subject and one verdict per line, each made when it is asked for, so memory stays flat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.escape import json_escaped
from fsadvisor.report import model, shaping
from fsadvisor.report.pieces import piece
from fsadvisor.report.verdict_line import verdict_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.storage import Storage


def as_json(storage: Storage, verdicts: Sequence[Verdict], about: model.About) -> Iterator[bytes]:
    """The document in pieces, in ASCII where it can be; model.py says how texts are escaped."""
    yield b'{"schema":%b,\n' % _line(model.SCHEMA)
    yield b'"machine":%b,\n' % _line(shaping.machine(storage, about))
    yield b'"summary":%b,\n' % _line(shaping.summary(storage, verdicts, about))
    yield b'"subjects":['
    yield from _lines(piece(shaping.subject(subject)) for subject in storage.subjects)
    yield b'],\n"verdicts":['
    yield from _lines(map(verdict_line, verdicts))
    yield b"]}\n"


def _lines(encoded: Iterable[bytes]) -> Iterator[bytes]:
    before = b"\n"
    for line in encoded:
        yield before + _escaped(line)
        before = b",\n"
    yield b"\n"


def _line(item: object) -> bytes:
    return _escaped(piece(item))


def _escaped(encoded: bytes) -> bytes:
    if encoded.isascii() and b"\x7f" not in encoded:
        return encoded  # the encoder has escaped every other control character: most of a large report ends here
    return json_escaped(encoded.decode()).encode()
