"""Commands of rules that a script may run: those whose effect can be looked at before, after and on the way back.

A rule's command that has none of these forms is left to people. What is recognised is written anew, word by word
quoted, so that nothing else of a rule's text reaches a shell.

Words of advice with this machine's names in their commands: what is typed, not what stands for it.

Rules write DEVICE, MOUNTPOINT, NAME, VG/LV, POOL, DATASET and DIR within backticks.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Known
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fsadvisor.storage import Subject

_PATH: Final = re.compile(r"/(sys|proc/sys)(/[A-Za-z0-9_.:!@+,-]+)+")
_OPTIONS: Final = re.compile(r"[A-Za-z0-9_.:=,+-]+")
_KEY: Final = re.compile(r"[a-z][A-Za-z0-9_.-]+")
_VALUE: Final = re.compile(r"[A-Za-z0-9_.:=,+ -]+")
_UNIT: Final = re.compile(r"[A-Za-z0-9_:@.-]+\.(timer|service)")


class Remount(Struct, frozen=True):
    """`mount -o remount,OPTIONS POINT`; `is_old` where it is written for a mount(8) without --options-source."""

    point: str
    options: tuple[str, ...]
    is_old: bool = False

    @property
    def pair(self) -> tuple[str, str]:
        """What its undo has alike."""
        return "mount", self.point

    @property
    def line(self) -> str:
        """With the options in force as the ground: mount(8) else adds those of fstab and drops other flags."""
        options, point = ",".join(self.options), shlex.quote(self.point)
        if self.is_old:
            device = f'"$(findmnt -nvo SOURCE {point})"'
            return f'run mount -o "remount,$(findmnt -no OPTIONS {point}),{options}" {device} {point}'
        return f"run mount --options-source=mtab -o remount,{options} {point}"


class Write(Struct, frozen=True):
    """`echo VALUE > FILE` below /sys or /proc/sys."""

    path: str
    value: str

    @property
    def pair(self) -> tuple[str, str]:
        """What its undo has alike."""
        return "file", self.path

    @property
    def line(self) -> str:
        """By a function of the scripts."""
        return shlex.join(("write", self.value, self.path))


class Sysctl(Struct, frozen=True):
    """`sysctl -w KEY=VALUE`."""

    key: str
    value: str

    @property
    def pair(self) -> tuple[str, str]:
        """What its undo has alike: vm.dirty_bytes and vm.dirty_ratio are one setting, since each clears the other."""
        return "sysctl", sysctl_family(self.key)

    @property
    def line(self) -> str:
        """Without a word on stdout."""
        return shlex.join(("run", "sysctl", "-q", "-w", f"{self.key}={self.value}"))


class UnitSwitch(Struct, frozen=True):
    """`systemctl enable --now UNIT`, or disable."""

    verb: str
    unit: str

    @property
    def pair(self) -> tuple[str, str]:
        """What its undo has alike."""
        return "unit", self.unit

    @property
    def line(self) -> str:
        """As the rule has it."""
        return shlex.join(("run", "systemctl", self.verb, "--now", self.unit))


Command: TypeAlias = Remount | Write | Sysctl | UnitSwitch


def sysctl_family(key: str) -> str:
    """The same name for keys that are one setting in two units (Documentation/admin-guide/sysctl/vm.rst)."""
    key = key.replace("/", ".")
    return re.sub(r"_(bytes|ratio)\Z", "", key) if key.startswith("vm.dirty_") else key


def recognised(text: str) -> Command | None:
    """The command, or None where it is none of those that a plan can check."""
    for form in _FORMS:
        command = form(text)
        if command is not None:
            return command
    return None


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


_OLD_REMOUNT: Final = re.compile(
    r'mount -o "remount,\$\(findmnt -no OPTIONS (?P<point>.+)\),(?P<options>[^"]+)" '
    r'"\$\(findmnt -nvo SOURCE (?P=point)\)" (?P=point)'
)
"""As rulebook.remedy writes it."""


def _remount(text: str) -> Remount | None:
    if old := _OLD_REMOUNT.fullmatch(text):
        found = _remount(f"mount -o remount,{old['options']} {old['point']}")
        return found and replace(found, is_old=True)
    words = [word for word in _words(text) if word != "--options-source=mtab"]
    if len(words) != 4 or words[:2] != ["mount", "-o"] or not _OPTIONS.fullmatch(words[2]):
        return None
    verb, *options = words[2].split(",")
    point = words[3]
    if verb != "remount" or not all(options) or not options or not point.startswith("/") or not point.isprintable():
        return None
    return Remount(point, tuple(options))


def _write(text: str) -> Write | None:
    left, arrow, right = text.rpartition(" > ")
    value, path = _words(left), _words(right)
    if not arrow or len(value) != 2 or value[0] != "echo" or len(path) != 1:
        return None
    if not _VALUE.fullmatch(value[1]) or not _PATH.fullmatch(path[0]) or "/../" in path[0]:
        return None
    return Write(path[0], value[1])


def _sysctl(text: str) -> Sysctl | None:
    words = _words(text)
    if len(words) != 3 or words[:2] != ["sysctl", "-w"]:
        return None
    key, _, value = words[2].partition("=")
    return Sysctl(key, value) if _KEY.fullmatch(key) and _VALUE.fullmatch(value) else None


def _unit(text: str) -> UnitSwitch | None:
    words = _words(text)
    if len(words) != 4 or words[0] != "systemctl" or words[1] not in ("enable", "disable") or words[2] != "--now":
        return None
    return UnitSwitch(words[1], words[3]) if _UNIT.fullmatch(words[3]) else None


_FORMS: Final[tuple[Callable[[str], Command | None], ...]] = (_remount, _write, _sysctl, _unit)


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
    """The command that waives a rule on a subject."""
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
        mapped = getattr(filesystem, "mapped_name", None)
        named = Known(f"/dev/mapper/{mapped.value}", mapped.source) if isinstance(mapped, Known) else None
        yield "DEVICE", named or getattr(filesystem, "device", None)
