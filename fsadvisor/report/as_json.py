"""The report as JSON: one subject and one verdict per line, each made when it is asked for, so memory stays flat."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from fsadvisor.report import model, shaping
from fsadvisor.report.escape import json_escaped, without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.storage import Storage


def as_json(storage: Storage, verdicts: Sequence[Verdict], about: model.About) -> Iterator[str]:
    """The document in pieces; model.py says how texts are escaped."""
    yield f'{{"schema":{_line(model.SCHEMA)},\n'
    yield f'"machine":{_line(shaping.machine(storage, about))},\n'
    yield f'"summary":{_line(shaping.summary(storage, verdicts, about))},\n'
    yield '"subjects":['
    yield from _lines(shaping.subject(subject) for subject in storage.subjects)
    yield '],\n"verdicts":['
    yield from _lines(shaping.verdict(verdict) for verdict in verdicts)
    yield "]}\n"


def _lines(items: Iterable[msgspec.Struct]) -> Iterator[str]:
    before = "\n"
    for item in items:
        yield before + _line(item)
        before = ",\n"
    yield "\n"


def _line(item: object) -> str:
    try:
        encoded = _ENCODER.encode(item)
        text = encoded.decode()
        if encoded.isascii() and b"\x7f" not in encoded:
            return text  # the encoder has escaped every other control character: most of a large report ends here
    except UnicodeEncodeError:
        text = json.dumps(encodable(msgspec.to_builtins(item)), ensure_ascii=False, separators=(",", ":"))
    return json_escaped(text)


def encodable(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The same value with lone surrogates made visible in its texts."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {encodable(key): encodable(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [encodable(member) for member in value]
    return value


_ENCODER = msgspec.json.Encoder()
