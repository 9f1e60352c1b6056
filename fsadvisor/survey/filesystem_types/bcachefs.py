"""Bcachefs, as far as its mounts tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Fact, Unknown
from fsadvisor.survey.filesystem_types import Devices, FilesystemType

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.storage import Filesystem
    from fsadvisor.survey.block import BlockDevice, BlockTree


def _devices(
    _machine: Machine,
    mount: MountEntry,
    _device: BlockDevice | None,
    tree: BlockTree,
    _listed: Any,  # noqa: ANN401 - nothing is listed
) -> Devices:
    """All are in the source of the mount, with colons between them."""
    several = [tree.named(path) for path in mount.source.split(":")]
    return Devices(tuple(device.name for device in several if device), all(several))


def _own_copies(_filesystem: Filesystem) -> Fact[bool]:
    return Unknown(Cause.NOT_EXPOSED, "", "how many replicas it keeps")


BCACHEFS: Final = FilesystemType(
    name="bcachefs",
    devices=_devices,
    uuid_in_common=True,
    own_copies=_own_copies,
    own_read_ahead=True,
    quotas="none",
)
