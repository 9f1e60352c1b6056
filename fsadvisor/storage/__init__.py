"""What a machine's storage is made of: hosts, disks, layers, filesystems, mounts, services; each a subject.

Every field is a Fact and says with `about` what it means, where it comes from and its unit; that line feeds
the type check of rules, `fsadvisor facts` and the docs. Fields with a default of NOT_APPLICABLE belong to some
subjects of the kind only (an ext4, a partition).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from fsadvisor.facts import Known
from fsadvisor.storage.disk import Disk
from fsadvisor.storage.filesystem import Filesystem, Mount
from fsadvisor.storage.host import Host, Now, Service
from fsadvisor.storage.layer import Below, Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from fsadvisor.storage.about import Kind


__all__ = [
    "Below",
    "Disk",
    "Facts",
    "Filesystem",
    "Host",
    "Ignored",
    "Layer",
    "Mount",
    "Now",
    "Service",
    "Storage",
    "Subject",
    "Supposition",
    "Tried",
    "Waiver",
    "by_name",
]


class Waiver(Struct, frozen=True, kw_only=True):
    """A finding of a rule on a subject that somebody has accepted, up to and with the day `until`."""

    rule: str
    subject: str
    by: str
    on: date
    until: date
    because: str
    link: str = ""
    place: str
    """Where it stands in the file: 'waiver 2'."""

    @property
    def what(self) -> str:
        """The waiver in words."""
        return f"{self.rule} on {self.subject}, by {self.by}"


class Ignored(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An attestation, waiver or result that does not count, and why; `place` is where it stands in the file."""

    place: str
    what: str
    why: str


class Tried(Struct, frozen=True, kw_only=True):
    """What following a rule's advice brought in a trial on scratch filesystems here."""

    rule: str
    subjects: frozenset[str]
    """Ids of the mount that it was tried for and of what is below it."""
    percent: float
    """How much faster it was, the middle; 0 where there is no difference that matters, or it was slower."""
    says: str
    """'faster by 8 to 15 %'."""
    how: str
    """Where, when and by what."""


class Supposition(Struct, frozen=True):
    """A fact of a subject, taken to be something else than it is: 'disk:sda', 'disk.plp', 'proven'.

    The fact is the subject's own ('below.any_thin' of a layer or a filesystem, never of a mount on it). `value` is of
    the type that the catalogue says; None supposes that the fact is not known.
    """

    subject: str
    fact: str
    value: Any


Facts: TypeAlias = Host | Disk | Below | Layer | Filesystem | Mount | Service | Now


class Subject(Struct, frozen=True, kw_only=True, gc=False):
    """Something that rules speak of: its facts, and what it stands on.

    `id` is unique ('disk:vda', 'mount:/srv'), `name` is for people, `below` holds the ids right below. `scope` maps
    the first part of a fact name ('mount', 'filesystem', 'below', 'host') to the facts that a rule on this subject
    may ask.
    """

    id: str
    kind: Kind
    name: str
    below: tuple[str, ...]
    scope: Mapping[str, Facts]


def by_name(subjects: Iterable[Subject]) -> dict[str, Subject]:
    """Subjects by all that people call them: id, name, device with /dev, mount points. Of one name, the first."""
    return {name: subject for subject in reversed(tuple(subjects)) for name in _names(subject)}


def _names(subject: Subject) -> Iterator[str]:
    yield from (subject.id, subject.name, f"/dev/{subject.name}")
    filesystem = subject.scope.get("filesystem")
    if subject.kind == "filesystem" and isinstance(filesystem, Filesystem):
        yield from filesystem.mount_points.value if isinstance(filesystem.mount_points, Known) else ()


class Storage(Struct, frozen=True, kw_only=True):
    """The whole machine: what it is called and every subject, the host first, bottom up.

    `waivers` are the findings that people have accepted; `ignored` is what they said that does not count,
    `tried` what trials of rules told.
    """

    machine: str
    subjects: tuple[Subject, ...]
    waivers: tuple[Waiver, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    tried: tuple[Tried, ...] = ()
