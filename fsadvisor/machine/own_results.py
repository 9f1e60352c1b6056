"""A machine with an ordinary user's own results of probes besides those of root that everybody may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import probe_file
from fsadvisor.machine.with_file import WithFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Answer, Machine


def with_own_results(machine: Machine, environment: Mapping[str, str]) -> Machine:
    """The newest counts, whoever measured it; a file that is there and can't be read leaves a line that says so."""
    own = None if machine.root else probe_file.user_path(environment)
    text = probe_file.text_of(own) if own else None
    if own is None or text is None:
        return machine
    shared = machine.read(probe_file.PATH)
    lines = (_lines(shared), _lines(text))
    where = str(own) if _is_absent(shared) else f"{shared.source} and {own}"
    return WithFile(machine, probe_file.PATH, "\n".join(filter(None, lines)), where)


def _is_absent(answer: Answer) -> bool:
    return isinstance(answer, Unknown) and answer.cause is Cause.NOT_EXPOSED


def _lines(answer: Answer) -> str:
    if not isinstance(answer, Unknown):
        return answer.text
    return "" if _is_absent(answer) else probe_file.unread_line(answer)
