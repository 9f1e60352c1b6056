"""Recorded machines with numbers that no machine has, in all that is printed: no exception, and JSON that reads.

What a number may do to a verdict is not asked here.
"""

from __future__ import annotations

import json
import re
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.machine.port import Reply
from fsadvisor.pages.glyphs import UNICODE
from fsadvisor.pages.screen import laid
from fsadvisor.plan import planning
from fsadvisor.plan.planning import ChoiceError
from fsadvisor.report.as_html import as_html
from fsadvisor.report.as_json import as_json
from fsadvisor.report.as_text import as_text
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from fsadvisor.tui.views import finding, overview, subject
from fsadvisor.tui.views.snapshot import Snapshot, finding_key
from tools.fuzz.mutations import MACHINES, Mutant, whole
from tools.fuzz.part import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from random import Random

    from tools.fuzz.remembered import Question, Remembered, Said

_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_ODD: Final = (
    *("0", "-1", "0.0000001", "1e308", "1e400", "nan", "inf", "123456789012345678"),
    *(str(1 << bits) for bits in (31, 63, 64, 127, 128)),
    *("9" * 70, "9" * 400, "-" + "9" * 400, "9" * 5000),
)
_RULES: Final = own_rulebook().rules


def odd(folder: Path, random: Random) -> Mutant:
    """A machine with odd numbers in some of its answers: all of one, some, or a few."""
    machine, _ = whole(folder)
    known = [(it, said) for it, said in machine.said.items() if isinstance(said, Reply) and _NUMBER.search(said.text)]
    changed: dict[Question, Said] = {}
    for question, said in random.sample(known, min(len(known), random.choice((1, 1, 2, 5, 30)))):
        changed[question] = replace(said, text=_with_odd(said.text, random))
    return Mutant(folder.name, "odd numbers", changed, forgets=False)


def _with_odd(text: str, random: Random) -> str:
    share = random.choice((1, 0.3, 0.05))
    one = random.choice(_ODD)
    other = random.choice(_ODD)
    return _NUMBER.sub(lambda it: random.choice((one, one, other)) if random.random() < share else it[0], text)


def shown(mutant: Mutant, folders: Mapping[str, Path]) -> list[str]:
    """What went wrong in an audit of it, in any form."""
    machine, _ = whole(folders[mutant.machine])
    try:
        _show(machine.but(dict(mutant.changed)))
    except Exception as error:  # noqa: BLE001 - that there is none is the law
        return [f"{type(error).__name__}: {str(error)[:200]}"]
    return []


def _show(machine: Remembered) -> None:
    about = Provenance(version="0", root=True, rule_errors=())
    storage = survey(machine, {})
    verdicts = advise(storage, _RULES, every=True)
    json.loads(b"".join(as_json(storage, verdicts, about)))
    for printed in (as_text(storage, verdicts, about, full=True, every=True), as_html(storage, verdicts, about)):
        deque(printed, 0)
    with suppress(ChoiceError):  # where there is nothing to plan
        json.loads("".join(planning.text(planning.made(machine, storage, _RULES, ()), as_json=True)))
    snapshot = Snapshot(number=1, storage=storage, verdicts=verdicts, about=about)
    overview.screen(snapshot, machine.name, overview.Shape(100, 40, 1), UNICODE)
    for one in storage.subjects:
        for row in subject.rows(snapshot, one.id, 80, UNICODE):
            laid(subject.detail(snapshot, one.id, row.key, UNICODE).blocks, 80)
    for advice in snapshot.findings:
        laid(finding.page(snapshot, finding_key(advice), UNICODE).whole.blocks, 80)


def numbers(random: Random) -> Iterator[list[Failure]]:
    """Machines in a random order, for ever."""
    folders = {it.name: it for it in MACHINES}
    while True:
        mutant = odd(random.choice(MACHINES), random)
        given = "\n".join(f"{' '.join(question)}\n{said!r}\n" for question, said in mutant.changed.items())
        yield [Failure(f"{mutant}: {what}", given) for what in shown(mutant, folders)]
