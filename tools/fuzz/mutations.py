"""Recorded machines with answers lost, cut or changed: no unsafe verdict becomes safe, and nothing new is advised.

An answer that is gone, refused, empty or cut is one that is not known; the laws hold for every rule. A number that
was changed may rightly change a verdict: there the law is that the audit ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from tools.fuzz.part import Failure
from tools.fuzz.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from random import Random

    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Subject
    from tools.fuzz.remembered import Question, Said

Verdicts: TypeAlias = "Mapping[tuple[str, str], Verdict]"
MACHINES: Final = tuple(
    sorted(it.parent for it in (Path(__file__).parents[2] / "fixtures/machines").glob("*/machine.toml"))
)
_CALLS: Final = (Outcome.ADVISE, Outcome.WITHHELD, Outcome.BLOCKED)
_SAFE: Final = (Outcome.OK, Outcome.NOT_APPLICABLE)
_RULES: Final = own_rulebook().rules
_BY_HAND: Final = ("settings", "read /etc/")
"""Files that people write: an empty one, or one without its end, may be just what somebody meant."""
_NAMES: Final = ("/device/model", "/device/vendor")
_LIES: Final = {
    "garbage": ("\x00\x1b]0;\ufffd" * 50, 0),
    "usage": ("nvme-2.3\nusage: nvme <command> [<device>] [<args>]\n\n  list    List all NVMe devices\n", 1),
    "usage with success": ("Usage: smartctl [options] device\n  -x, --xall\n        Show all information\n", 0),
    "another language": ("Fehler: Gerät oder Adresse nicht gefunden\n", 1),
    "no library": ("error while loading shared libraries: libnvme.so.1: cannot open shared object file\n", 127),
    "killed at once": ("", -9),
}
"""What a broken tool prints, and its exit status."""
JSON_KEY: Final = re.compile(r'"[^"]+"\s*:\s*(?=\d+\b)')
_NUMBER: Final = re.compile(r"\d+")
_NUMBERS: Final = ("0", "1", "9" * 19, str(1 << 64), "9" * 400)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A machine with other answers. `forgets`: nothing is said that is not so, it only tells less."""

    machine: str
    how: str
    changed: Mapping[Question, Said]
    forgets: bool

    def __str__(self) -> str:
        """One line."""
        return f"{self.machine}: {self.how}: {', '.join(' '.join(it) for it in self.changed)}"


@cache
def whole(folder: Path) -> tuple[Remembered, Verdicts]:
    """A recorded machine as it is, with every question that its audit asks, and its verdicts."""
    machine = Remembered(RecordedMachine(folder))
    return machine, judged(machine)


def judged(machine: Remembered) -> Verdicts:
    """The verdicts by rule and subject."""
    return judged_subjects(survey(machine, {}).subjects)


def judged_subjects(subjects: Iterable[Subject]) -> Verdicts:
    """The verdicts by rule and subject of what was surveyed."""
    return {(rule.id, it.id): judge(rule, it) for it in subjects for rule in _RULES if rule.subject == it.kind}


def single(folder: Path, random: Random) -> Iterator[Mutant]:
    """Every answer of a machine in each way in which it can be lost or damaged."""
    machine, _ = whole(folder)
    for question, said in list(machine.said.items()):
        if not isinstance(said, Unknown):
            for how, instead, forgets in (*_ways(question, said, random), *_lies(question, said, machine)):
                yield Mutant(folder.name, how, {question: instead}, forgets)


def _lies(question: Question, said: Said, machine: Remembered) -> Iterator[tuple[str, Said, bool]]:
    """What a tool says that is broken, is killed, or answers something else than it was asked."""
    if question[0] != "run" or not isinstance(said, Reply):
        return
    yield "hangs", Unknown(Cause.TIMED_OUT, "give it more time: --timeout", said.source), True
    for how, (text, status) in _LIES.items():
        yield how, replace(said, text=text, status=status), True
    yield "killed half-way", replace(said, text=said.text[: len(said.text) // 2], status=-9), True
    if said.text.lstrip().startswith("{") and (key := JSON_KEY.search(said.text)):
        twice = f"{said.text[: key.start()]}{key[0]}7, {said.text[key.start() :]}"
        yield "a key twice", replace(said, text=twice), True
    for other, answer in machine.said.items():
        # dumpe2fs names no device: only a UUID would tell, which recordings hide
        device = question[1] != "dumpe2fs" and other[-1].startswith("/dev/") and question[-1].startswith("/dev/")
        if device and other[:-1] == question[:-1] and isinstance(answer, Reply) and answer.text != said.text:
            yield "another device's answer", replace(answer, source=said.source), True
            return


def several(folder: Path, random: Random) -> Mutant:
    """Up to thirty answers at once."""
    machine, _ = whole(folder)
    known = [(it, said) for it, said in machine.said.items() if not isinstance(said, Unknown)]
    changed: dict[Question, Said] = {}
    forgets = True
    for question, said in random.sample(known, min(len(known), random.randint(2, 30))):
        _, changed[question], forget = random.choice(list(_ways(question, said, random)))
        forgets = forgets and forget
    return Mutant(folder.name, "several", changed, forgets)


def _ways(question: Question, said: Said, random: Random) -> Iterator[tuple[str, Said, bool]]:
    """Each way in which an answer can be lost or damaged, and whether that only forgets.

    A name or number that is cut is another one.
    """
    source = question[-1]
    by_hand = " ".join(question).startswith(_BY_HAND)
    yield "gone", Unknown(Cause.NOT_EXPOSED, "capture again", source), True
    yield "refused", Unknown(Cause.DENIED, "run as root", source), True
    if isinstance(said, Reply):
        text = said.text
        yield "empty", replace(said, text=""), not by_hand
        if len(text.split()) > 1:
            cut = not by_hand and not source.endswith(_NAMES)
            for how, end in (("half", len(text) // 2), ("without its end", len(text.rstrip()) - 1)):
                left = text[:end].rstrip()
                yield how, replace(said, text=left), cut and not _NUMBER.fullmatch(text[len(left) - 1 : len(left) + 1])
        numbers = list(_NUMBER.finditer(text))
        if numbers:
            at, to = random.choice(numbers).span()
            yield "another number", replace(said, text=text[:at] + random.choice(_NUMBERS) + text[to:]), False


def broken(mutant: Mutant) -> list[str]:
    """The laws that do not hold for a mutant, one sentence each."""
    machine, before = whole(next(it for it in MACHINES if it.name == mutant.machine))
    try:
        after = judged(machine.but(dict(mutant.changed)))
    except Exception as error:  # noqa: BLE001 - that there is none is the law
        return [f"{type(error).__name__}: {error}"]
    return list(against(before, after)) if mutant.forgets else []


def against(before: Verdicts, after: Verdicts) -> Iterator[str]:
    """The laws of forgetting that do not hold."""
    subjects = {subject for _, subject in after}
    renamed = {rule for (rule, subject), it in before.items() if subject not in subjects and it.outcome in _CALLS}
    for at, verdict in after.items():
        if at not in before and at[0] in renamed:
            continue  # a filesystem is named after its device where that is known, else after its mount point
        old = before.get(at)
        was = None if old is None else old.outcome
        now = verdict.outcome
        if now is was:
            if now is Outcome.ADVISE and old is not None and not set(_todo(verdict)) <= set(_todo(old)):
                yield f"{at[0]} {at[1]}: other commands: {_todo(verdict)}, not {_todo(old)}"
        elif was in _CALLS and now in _SAFE:
            if verdict.rule.kind == "risk":
                yield f"{at[0]} {at[1]}: {was.value} -> {now.value}"
        elif now is Outcome.ADVISE or (now in _CALLS and was not in _CALLS):
            yield f"{at[0]} {at[1]}: {was.value if was else 'not there'} -> {now.value}"


def _todo(verdict: Verdict) -> tuple[str, ...]:
    return tuple(verdict.instructions().now)


def mutations(random: Random) -> Iterator[list[Failure]]:
    """Every single mutant of every machine in a random order, then several at once for ever."""
    for folder in random.sample(MACHINES, len(MACHINES)):
        for mutant in single(folder, random):
            yield _failures(mutant)
    while True:
        yield _failures(several(random.choice(MACHINES), random))


def _failures(mutant: Mutant) -> list[Failure]:
    return [Failure(f"{mutant}: {law}", _given(mutant)) for law in broken(mutant)]


def _given(mutant: Mutant) -> str:
    return "\n".join(f"{' '.join(question)}\n{said!r}\n" for question, said in mutant.changed.items())
