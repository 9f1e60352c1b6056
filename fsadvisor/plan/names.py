"""Words of advice with this machine's names in their commands: what is typed, not what stands for it.

Rules write DEVICE, MOUNTPOINT, NAME, VG/LV, POOL, DATASET and DIR within backticks.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def with_names(advice: str, rule: str, subject: Subject) -> str:
    """The advice of a rule for one subject."""
    here = dict(_names(subject))
    told = with_waiver(advice, rule, subject)
    return _COMMAND.sub(lambda command: _WORD.sub(lambda word: here.get(word[0], word[0]), command[0]), told)


def with_waiver(advice: str, rule: str, subject: Subject) -> str:
    """The same with nothing named but what would be waived."""
    return _WAIVE.sub(lambda _: _waiving(rule, subject), advice)


def _waiving(rule: str, subject: Subject) -> str:
    """The whole command."""
    of = shlex.quote(subject.id)
    if not of.isprintable() or "`" in of or len(of) > _LONGEST:
        of = "SUBJECT"
    return f"`fsadvisor waive {rule} {of}`"


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
