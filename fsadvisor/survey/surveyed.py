"""What the stages of the survey have found when mounts and programs are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.storage import Subject
from fsadvisor.survey import measured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.storage import Below, Disk, Facts, Filesystem, Host, Kind, Layer
    from fsadvisor.survey.inventory import Inventory


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """The facts of the host and, by id, of everything that mounts stand on; `below` those folded under each."""

    inventory: Inventory
    disks: Mapping[str, Disk]
    layers: Mapping[str, Layer]
    filesystems: Mapping[str, Filesystem]
    below: Mapping[str, Below]
    host: Host

    def subject(self, subject: str, kind: Kind, scope: Mapping[str, Facts], under: tuple[str, ...]) -> Subject:
        """A subject by its id; `under` are the ids right below it. The host's facts are in every scope."""
        name = subject.partition(":")[2] or subject
        return Subject(id=subject, kind=kind, name=name, below=under, scope={**scope, "host": self.host})

    def disks_and_layers(self, filesystem: str) -> list[Disk | Layer]:
        """Those under a filesystem."""
        found = [self.disks.get(it) or self.layers.get(it) for it in self.inventory.stack.under(filesystem)]
        return [known for known in found if known is not None]

    def conditions(self, mount: Subject) -> Mapping[str, str]:
        """Those of today on a mount, for what was measured on it."""
        known = [block for block in mount.below if block in self.inventory.blocks]
        under = [part for block in known for part in self.disks_and_layers(block)]
        return measured.conditions(mount.scope, under)
