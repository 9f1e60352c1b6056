"""Tools and files that lie: whether a verdict becomes safer, and whether people are told whose fault it is.

`python -m tools.fuzz.lies` prints docs/proof.md's table. A lie that can be known as one (`LIES`) obeys the law of
forgetting: no risk falls silent, no command is added. One that is plausible (`PLAUSIBLE`: other units without a word,
a stale value) can't be told from the truth; the law there is that the drive's protection gets no better by it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.survey.whole import survey
from tools.fuzz import mutations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Subject
    from tools.fuzz.remembered import Question, Remembered, Said

    Facts = Mapping[tuple[str, str, str], Fact[object]]

SOURCES: Final = {
    name: re.compile(pattern)
    for name, pattern in (
        ("smartctl", r"run smartctl"),
        ("nvme id-ctrl", r"run nvme id-ctrl"),
        ("nvme id-ns", r"run nvme id-ns"),
        ("nvme smart-log", r"run nvme smart-log"),
        ("nvme get-feature", r"run nvme get-feature"),
        ("nvme ocp smart-add-log", r"run nvme ocp"),
        ("dumpe2fs", r"run dumpe2fs"),
        ("xfs_info", r"run xfs_info"),
        ("btrfs", r"run btrfs"),
        ("lvs", r"run lvs"),
        ("dmsetup table", r"run dmsetup table"),
        ("dmsetup status", r"run dmsetup status"),
        ("lsblk", r"run lsblk"),
        ("storcli64", r"run storcli64"),
        ("zpool, zfs", r"run (zpool|zfs)"),
        ("systemctl", r"run systemctl"),
        ("systemd-detect-virt", r"run systemd-detect-virt"),
        ("kernel log", r"run dmesg"),
        ("other tools", r"run "),
        ("udev", r"udev"),
        ("mountinfo", r"read /proc/self/mountinfo"),
        ("fstab", r"read /etc/fstab"),
        ("attestations", r"read /etc/fsadvisor"),
        ("kept probe results", r"read /var/lib/fsadvisor"),
        ("sysfs queue", r"read /sys/(dev/)?block/.*/queue/"),
        ("sysfs md", r"read /sys/block/md[^/]+/md/"),
        ("sysfs, the rest", r"read /sys/"),
        ("/proc", r"read /proc/"),
        ("database settings", r"settings "),
        ("processes", r"processes"),
        ("counters", r"counters"),
        ("statvfs", r"space "),
        ("FIEMAP", r"extents "),
        ("names in a directory", r"entries "),
        ("other files", r""),
    )
}
PLAUSIBLE: Final = ("other units", "stale")
UNMARKED: Final = ("dumpe2fs", "btrfs", "nvme id-ns", "nvme smart-log", "nvme get-feature")
"""Sources whose answer names no device: another one's is as plausible as their own."""
_BY_HAND: Final = ("fstab", "database settings", "attestations")
_LISTS: Final = ("run", "udev", "processes", "counters")
_STRONG: Final = ("claimed", "proven")
_NOT_COMPARED: Final = ("plp_evidence", "plp_next_steps")
_BIG: Final = re.compile(r"(?<![\w.:/-])[1-9]\d{3,}(?![\w.:/-])")
_COUNT: Final = re.compile(r"(?<![\w.:/-])[1-9]\d*(?![\w.:/-])")
_LINE: Final = re.compile(r"^([^\n]*?[:=]\s*)(\d+)[ \t]*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a lie: the laws that it broke, facts that it took, those of them whose reason does not name it."""

    source: str
    lie: str
    laws: tuple[str, ...]
    lost: tuple[str, ...]
    unnamed: tuple[str, ...]
    otherwise: bool

    @property
    def came_to(self) -> str:
        """The gravest of it, in a word."""
        outcomes = (
            ("broken", self.laws),
            ("unnamed", self.unnamed),
            ("named", self.lost),
            ("otherwise", self.otherwise),
        )
        return next((word for word, found in outcomes if found), "no effect")


def source_of(question: Question) -> str:
    """The row of the table."""
    asked = " ".join(question)
    return next(name for name, pattern in SOURCES.items() if pattern.match(asked))


def lies(question: Question, said: Said, machine: Remembered) -> Iterator[tuple[str, Said]]:
    """Each lie that such a source can tell; the kernel's own files are never half a list."""
    if not isinstance(said, Reply):
        return
    yield "hung", Unknown(Cause.TIMED_OUT, "give it more time: --timeout", said.source)
    for how, lie in _BROKEN.items():
        if question[0] == "run" or how == "garbage":
            yield how, lie(said)
    for how, change in _CHANGED.items():
        text = change(said.text) if question[0] in _LISTS or how in PLAUSIBLE else None
        if text not in (None, said.text):
            yield how, replace(said, text=str(text))
    yield from _anothers(question, said, machine)


def _anothers(question: Question, said: Reply, machine: Remembered) -> Iterator[tuple[str, Said]]:
    """What the same tool says of another device of the machine, under the name of this one."""
    if question[0] == "run" and source_of(question) not in ("storcli64", "other tools"):
        for other, answer in machine.said.items():
            same = other != question and _shape(other) == _shape(question)
            if same and isinstance(answer, Reply) and answer.text != said.text:
                yield "another device's answer", replace(answer, source=said.source)
                return


def _shape(question: Question) -> tuple[str, ...]:
    return tuple("/" if word.startswith("/") else word for word in question)


def _half(text: str) -> str | None:
    """Half of the longest list of a document, or of the lines."""
    try:
        document = json.loads(text)
    except ValueError:
        lines = text.splitlines(keepends=True)
        return "".join(lines[: len(lines) // 2]) if len(lines) > 1 else None
    longest = max(_lists(document), key=len, default=[])
    del longest[len(longest) // 2 :]
    return json.dumps(document)


def _lists(document: object) -> Iterator[list[object]]:
    parts = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    if isinstance(document, list) and len(document) > 1:
        yield document
    for part in parts:
        yield from _lists(part)


def _key_twice(text: str) -> str | None:
    """A key of JSON, or a named line, that says another number the first time."""
    pattern = mutations.JSON_KEY if text.lstrip().startswith(("{", "[")) else _LINE
    key = pattern.search(text)
    if key is None:
        return None
    first = f"{key[0]}7, " if pattern is mutations.JSON_KEY else f"{key[1]}{int(key[2]) + 7}\n"
    return text[: key.start()] + first + text[key.start() :]


def _human(text: str) -> str:
    """Numbers for people, as by a tool that does not know its option for bytes."""
    quote = '"' if text.lstrip().startswith(("{", "[")) else ""
    bare = _BIG.sub(lambda it: f"{quote}{int(it[0]) / 1024:.2f}K{quote}", text)
    return bare.replace('""', '"') if quote else bare


_BROKEN: Final[Mapping[str, Callable[[Reply], Reply]]] = {
    "killed": lambda said: replace(said, text=said.text[: len(said.text) // 2], status=-9),
    "garbage": lambda said: replace(said, text="\x00\x1b]0;\ufffd" * 50),
    "usage": lambda said: replace(said, text="Usage: tool [options] device\n  -x, --xall\n    Show all\n", status=1),
    "another language": lambda said: replace(said, text="Fehler: Gerät oder Adresse nicht gefunden\n", status=1),
}
_CHANGED: Final[Mapping[str, Callable[[str], str | None]]] = {
    "cut short": lambda text: text[: len(text) // 2].rstrip() if len(text.split()) > 1 else None,
    "key twice": _key_twice,
    "half of a list": _half,
    "units for people": _human,
    "other units": lambda text: _BIG.sub(lambda it: str(int(it[0]) // 1000), text),
    "stale": lambda text: _COUNT.sub(lambda it: str(int(it[0]) * 9 // 10), text),
}


def every(folder: Path) -> Iterator[Told]:
    """Each source of a recorded machine with each lie, one question of a kind."""
    machine, before = mutations.whole(folder)
    known, seen = _facts(survey(machine, {}).subjects), set[str]()
    for question, said in list(machine.said.items()):
        kind = re.sub(r"\d+|(?<=/sd)[a-z]+", "#", " ".join(question))
        if kind not in seen:
            seen.add(kind)
            for how, lie in lies(question, said, machine):
                subjects = survey(machine.but({question: lie}), {}).subjects
                after = mutations.judged_subjects(subjects)
                yield _told(
                    question, how, said, list(_broken(source_of(question), how, before, after)), known, _facts(subjects)
                )


def _broken(source: str, how: str, before: mutations.Verdicts, after: mutations.Verdicts) -> Iterator[str]:
    """The laws: of forgetting where the lie can be known as one, else that no drive is trusted more."""
    if (source in UNMARKED and how == "another device's answer") or (
        source == "kernel log" and how == "half of a list"
    ):
        return  # the kernel itself drops lines of a full buffer, so whole lines of a log are a log
    if how not in PLAUSIBLE and source not in _BY_HAND:
        yield from mutations.against(before, after)
    for at, verdict in after.items():
        old = before.get(at)
        if old is not None and _strength(verdict) > _strength(old):
            yield f"{at}: protection is trusted more"


def _strength(verdict: Verdict) -> int:
    plp = getattr(verdict.subject.scope.get("disk"), "plp", None)
    return _STRONG.index(plp.value) + 1 if isinstance(plp, Known) and plp.value in _STRONG else 0


def _told(question: Question, how: str, said: Said, laws: list[str], before: Facts, after: Facts) -> Told:
    moved = {at: (fact, after[at]) for at, fact in before.items() if at in after and after[at] != fact}
    lost = {at: now for at, (was, now) in moved.items() if isinstance(was, Known) and isinstance(now, Unknown)}
    names = _names(question, said)
    unnamed = [
        f"{' '.join(at)}: {now}"
        for at, now in lost.items()
        if not any(it in f"{now.source} {now.learn}" for it in names)
    ]
    otherwise = any(
        isinstance(was, Known) and isinstance(now, Known) and was.value != now.value for was, now in moved.values()
    )
    return Told(source_of(question), how, tuple(laws), tuple(map(" ".join, lost)), tuple(unnamed), otherwise)


def _names(question: Question, said: Said) -> tuple[str, ...]:
    """What a reason names a source by."""
    source = getattr(said, "source", "")
    if question[0] == "run":
        return (question[1],)
    return (source, *_BESIDES.get(question[0], ()))


_BESIDES: Final = {"udev": ("udev",), "space": ("statvfs",), "counters": ("/proc/meminfo", "/proc/diskstats")}


def _facts(subjects: Iterable[Subject]) -> Facts:
    return {
        (subject.id, scope, name): getattr(record, name)
        for subject in subjects
        for scope, record in subject.scope.items()
        if isinstance(record, Struct)
        for name in record.__struct_fields__
        if name not in _NOT_COMPARED
    }


def table() -> dict[str, Counter[str]]:
    """Each source and each lie: how many were tried and what they came to."""
    found: dict[str, Counter[str]] = {}
    for folder in mutations.MACHINES:
        for told in every(folder):
            for row in (told.source, f"lie: {told.lie}"):
                found.setdefault(row, Counter())[told.came_to] += 1
    return found


def main() -> None:
    """Print the table as docs/proof.md has it."""
    columns = ("broken", "named", "unnamed", "otherwise", "no effect")
    print("| source or lie | tried | " + " | ".join(columns) + " |\n|" + "---|" * 7)
    for row, counts in sorted(table().items()):
        print(f"| {row} | {counts.total()} | {' | '.join(str(counts[it]) for it in columns)} |")


if __name__ == "__main__":
    main()
