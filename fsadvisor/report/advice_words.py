"""A finding's advice with this machine's names in its commands: what is typed, not what stands for it.

Rules write DEVICE, MOUNTPOINT, NAME, VG/LV, POOL, DATASET and DIR within backticks. On several subjects the words stay.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.report.rule_page import NEEDS
from fsadvisor.rulebook.remedy import advice_for, needs_for, ways_for
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.remedy import Way
    from fsadvisor.storage import Subject

_COMMAND: Final = re.compile(r"`[^`]+`")
_WORD: Final = re.compile(
    r"(?<=/dev/)NAME\b|(?<=/sys/block/)NAME\b|(?<![\w/-])VG/LV\b"
    r"|(?<![\w,/-])(?:DEVICE|MOUNTPOINT|NAME|POOL|DATASET|DIR)(?![\w,/])"
)
_LVM: Final = re.compile(r"(?P<vg>[\w.+]+(?:--[\w.+]+)*)-(?P<lv>[\w.+]+(?:--[\w.+]+)*)")
"""As device mapper names LVM's volumes: the hyphens of each part are written twice."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_LONGEST: Final = 200
"""A mount point that is longer is no help in a sentence."""


_WAIVE: Final = re.compile(r"`fsadvisor\s+waive`")


def ways(finding: Finding) -> list[Way]:
    """Those parts of the remedy that are for its subjects."""
    return ways_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])


def page(finding: Finding) -> str:
    """The address that says so: of the way that is for its subjects, or the rule's first."""
    return next((way.page for way in ways(finding) if way.page), finding.rule.references[0].url)


def needs(finding: Finding) -> str:
    """What it interrupts, in words."""
    return NEEDS[needs_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])]


def advice(finding: Finding) -> str:
    """What to do, in the rule's words."""
    text = advice_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])
    text = _WAIVE.sub(lambda _: _waiving(finding), text)
    if len(finding.verdicts) != 1:
        return text
    here = dict(_names(finding.verdicts[0].subject))
    return _COMMAND.sub(lambda command: _WORD.sub(lambda word: here.get(word[0], word[0]), command[0]), text)


def _waiving(finding: Finding) -> str:
    """The whole command, for the first of its subjects."""
    subject = shlex.quote(finding.verdicts[0].subject.id)
    if not subject.isprintable() or "`" in subject or len(subject) > _LONGEST:
        subject = "SUBJECT"
    return f"`fsadvisor waive {finding.rule.id} {subject}`"


def _names(subject: Subject) -> Iterator[tuple[str, str]]:
    """(word, value quoted for the shell) of what is known of the subject."""
    for word, fact in _facts(subject):
        value = getattr(fact, "value", None) if isinstance(fact, Known) else None
        if isinstance(value, str) and value.isprintable() and "`" not in value and 0 < len(value) <= _LONGEST:
            quoted = shlex.quote(value)
            if not value.startswith("-") and (word != "NAME" or _PLAIN.fullmatch(value)):
                yield word, quoted


def _facts(subject: Subject) -> Iterator[tuple[str, object]]:
    scope = subject.scope
    match subject.kind:
        case "disk":
            yield "NAME", getattr(scope["disk"], "name", None)
        case "layer":
            mapped = getattr(scope["layer"], "mapped_name", None)
            yield "NAME", mapped if isinstance(mapped, Known) else getattr(scope["layer"], "name", None)
            if isinstance(mapped, Known) and (found := _LVM.fullmatch(mapped.value.removesuffix("-tpool"))):
                yield "VG/LV", Known("/".join(found.groups()).replace("--", "-"), mapped.source)
        case "service":
            yield "DIR", getattr(scope["service"], "directory", None)
            yield from _of_filesystem(subject)
        case "filesystem" | "mount":
            yield from _of_filesystem(subject)


def _of_filesystem(subject: Subject) -> Iterator[tuple[str, object]]:
    """Of ZFS the pool; its devices are the pool's, and none of them is the filesystem's."""
    mount, filesystem = subject.scope.get("mount"), subject.scope.get("filesystem")
    yield "MOUNTPOINT", getattr(mount, "point", None) or getattr(filesystem, "mount_point", None)
    yield "POOL", getattr(filesystem, "zfs_pool", None)
    yield "DATASET", getattr(filesystem, "zfs_dataset", None)
    kind = getattr(filesystem, "type", None)
    if isinstance(kind, Known) and type_of(kind.value).on_devices:
        yield "DEVICE", getattr(filesystem, "device", None)
