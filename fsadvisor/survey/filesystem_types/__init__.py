"""What a type of filesystem is to this program: how it is recognized, read, made, mounted and measured.

Each is a module here, and a line in `registry`.

A type that leaves all fields as they are here is on one block device, is told of by its mounts alone, and is not made.

Whether the kernel stopped writing to a filesystem by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import read_fact
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fsadvisor.machine.port import Answer, Argv, Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.storage import Filesystem
    from fsadvisor.survey.block import BlockDevice, BlockTree


Facts: TypeAlias = "Mapping[str, Any]"
"""Fields of storage.Filesystem, or of storage.Service, by name."""
MOUNTINFO = "/proc/self/mountinfo"


class Superblock(Struct, frozen=True, kw_only=True, gc=False):
    """One filesystem and the mounts that show it, the one of its top first.

    `devices` are kernel names; `followed` says whether they are all of them, `log` which is that of an external log.
    `upper` is the directory that an overlay writes to, `directory` that of a Btrfs in sysfs.
    """

    id: str
    type: str
    source: str
    number: str
    mounts: tuple[MountEntry, ...]
    devices: tuple[str, ...]
    followed: bool
    log: str | None = None
    upper: str | None = None
    directory: str | None = None


class Devices(NamedTuple):
    """The kernel's names of the devices under a mount, and whether those are all; its directory in sysfs, if any.

    `log` is the name among them of the one that holds only the log or journal.
    """

    names: tuple[str, ...]
    all_known: bool
    directory: str | None = None
    log: str | None = None


class Variant(Struct, frozen=True, kw_only=True):
    """A filesystem that `compare` makes: as it comes (no `suffix`), or with options that people set for speed."""

    says: str
    suffix: str = ""
    options: tuple[str, ...] = ()
    mkfs: tuple[str, ...] = ()
    dangers: tuple[str, ...] = ()


def nothing_listed(_machine: Machine) -> None:
    """Nothing has to be known of all filesystems of the type to find the devices of one."""


def own_device(
    _machine: Machine,
    _mount: MountEntry,
    device: BlockDevice | None,
    _tree: BlockTree,
    _listed: Any,  # noqa: ANN401 - what `listed` of the same type gave
) -> Devices:
    """The mounted device alone."""
    return Devices((device.name,) if device else (), device is not None)


def no_commands(_block: Superblock) -> tuple[Argv, ...]:
    """Nothing to ask of tools."""
    return ()


def no_commands_for_devices(_machine: Machine, _device: str, _listed: Any) -> tuple[Argv, ...]:  # noqa: ANN401 - as above
    """No tool has to be asked to find the devices."""
    return ()


def no_facts(_machine: Machine, _block: Superblock, _kernel: Fact[Version]) -> Facts:
    """Nothing but what every filesystem has."""
    return {}


def no_program_facts(_machine: Machine, _program: str, _directory: Fact[str]) -> Facts:
    """Nothing that is particular to the files of programs on it."""
    return {}


def member_alone(_machine: Machine, device: str) -> tuple[str, ...]:
    """The device that is mounted."""
    return (device,)


def no_ids(_machine: Machine, _device: str) -> tuple[str, ...]:
    """It has no directories of its own in sysfs by UUID."""
    return ()


def nothing_alike(_filesystem: Filesystem) -> tuple[str, ...]:
    """What mkfs does without being told."""
    return ()


def no_copies(_filesystem: Filesystem) -> Fact[bool]:
    """It is on what is given to it, once."""
    return read_fact.shared_fact(False, "the type of the filesystem")


class FilesystemType(Struct, frozen=True, kw_only=True):
    """One type. Reading comes first, then making and measuring."""

    name: str
    """As mount tables have it."""
    on_devices: bool = True
    """False where no device is named by its mounts: its disks are found otherwise, or not at all."""
    listed: Callable[[Machine], Any] = nothing_listed
    """What has to be known of all of the type, asked once; `devices` and `commands_for_devices` get it."""
    devices: Callable[[Machine, MountEntry, BlockDevice | None, BlockTree, Any], Devices] = own_device
    """The devices under a mount, of which the block device with its number or name is given."""
    commands_for_devices: Callable[[Machine, str, Any], tuple[Argv, ...]] = no_commands_for_devices
    """What `devices` will ask of tools, by the name of the device that is mounted."""
    devices_by: str = ""
    """The tool that tells of more than one device, if it is not the mount table."""
    devices_untold: bool = False
    """It may be on more devices than the one that is mounted, which nothing names; then it is larger than that one."""
    uuid_in_common: bool = False
    """All its devices have one UUID by design."""
    members: Callable[[Machine, str], tuple[str, ...]] = member_alone
    """The devices, by the one that is mounted, as far as sysfs alone tells: nothing may read a disk that sleeps."""
    uuids: Callable[[Machine, str], tuple[str, ...]] = no_ids
    """By what its statistics are called in sysfs, by a device."""
    commands: Callable[[Superblock], tuple[Argv, ...]] = no_commands
    """What `facts` will ask of tools."""
    facts: Callable[[Machine, Superblock, Fact[Version]], Facts] = no_facts
    """What its superblock, mount options and tools tell; the kernel's version decides what some of it means."""
    program_facts: Callable[[Machine, str, Fact[str]], Facts] = no_program_facts
    """What it tells of a program's directory."""
    own_copies: Callable[[Filesystem], Fact[bool]] = no_copies
    """Whether one keeps copies on several devices by itself."""
    has_inode_table: bool = False
    """statvfs counts inodes of which there is a limited number."""
    keeps_a_reserve: bool = False
    """A share of its blocks, which can be changed, is for root alone."""
    own_read_ahead: bool = False
    """It has a read-ahead of its own (it may be on several devices), and not that of the block device."""
    trimmed_from_outside: bool = False
    """It sends no discards for free space unless it is mounted so or fstrim asks."""
    unprinted_defaults: tuple[str, ...] = ()
    """Options in force that the kernel prints only where they have another value."""
    printed_as: tuple[tuple[str, str], ...] = ()
    """(option, what the kernel prints instead) where other types print it as it is."""

    quotas: Literal["quotactl", "own", "none", "not told"] = "quotactl"
    """Who tells what a quota leaves: the system call, facts of its own, nobody as there are none, or nobody we know."""
    syncs_unnamed_alike: bool = False
    """A sync of a file without a name does what it does for one with a name."""
    places_are_offsets: bool = False
    """Where it says that a file's blocks lie is where they lie on its one device."""
    mkfs_quiet: tuple[str, ...] | None = None
    """What keeps mkfs.NAME quiet, and lets it overwrite; None where scratch filesystems of the type are not made."""
    mkfs_at_once: tuple[str, ...] = ()
    """What keeps mkfs from leaving work for later, when it is measured, and from discards."""
    mkfs_alike: Callable[[Filesystem], tuple[str, ...]] = nothing_alike
    """Arguments of mkfs that make the like of one; what is not known is mkfs's own choice."""
    least_bytes: int = 0
    """What mkfs wants at least."""
    helper_options: tuple[str, ...] = ()
    """It is mounted by a tool of its own, which these keep from leaving a daemon."""
    flushes_after_sync: bool = False
    """A sync ends with a flush unless it is told not to."""
    no_flush_options: tuple[str, ...] = ()
    """Mount options with which it sends no flushes."""
    in_papers: bool = False
    """Papers and guides publish figures of it, so that `forecast` measures it beside theirs."""
    variants: tuple[Variant, ...] = ()
    """What `compare` makes of it."""


def option(mount: MountEntry, name: str) -> str | None:
    """The value of an option of the superblock."""
    return next((it.partition("=")[2] for it in mount.super_options if it.startswith(f"{name}=")), None)


_MOUNTINFO = "/proc/self/mountinfo"
_STOPPED_OPTIONS = ("emergency_ro", "shutdown")
"""What ext4 adds to its options since 6.15 and 6.14."""
_EMERGENCY_RO = Version(6, 15)
_HIDDEN = "which kernels before 6.15 may say even if writes fail after an error"


def by_options(block: Superblock, seeds: Fact[bool]) -> Fact[bool]:
    """A Btrfs, and what an ext4 prints; `seeds` says that its format itself allows no writes.

    After an error the superblock is read-only while its mounts keep their rw; who remounts it read-only changes both.
    """
    options = block.mounts[0].super_options
    if any(word in options for word in _STOPPED_OPTIONS):
        return read_fact.shared_fact(True, _MOUNTINFO)
    if "ro" not in options:
        return read_fact.shared_fact(False, _MOUNTINFO)
    if any(mount.options == mount.super_options for mount in block.mounts):
        return Unknown(Cause.NOT_EXPOSED, "", "/proc/mounts, which does not tell the mount's ro from the superblock's")
    if not all("rw" in mount.options for mount in block.mounts):
        return read_fact.shared_fact(False, _MOUNTINFO)
    return read_fact.derive(seeds, lambda read_only_by_format: not read_only_by_format)


def ext4_shut_down(block: Superblock, seeds: Fact[bool], errors: Fact[int], kernel: Fact[Version]) -> Fact[bool]:
    """After an error in an ext4: kernels that neither make the superblock read-only nor print emergency_ro hide it.

    Commit d3476f3dad4a (6.12, and in the stable series: Debian's 6.1.192 has it) left the superblock rw after an error;
    /proc/mounts and /proc/fs/ext4 then say rw though every write fails. No error in memory, nothing stopped it.
    """
    shown = by_options(block, seeds)
    if isinstance(shown, Unknown) or shown.value or "ro" in block.mounts[0].super_options:
        return shown
    if isinstance(kernel, Known) and kernel.value >= _EMERGENCY_RO:
        return shown
    if isinstance(errors, Unknown):
        return errors
    if errors.value:
        return Unknown(
            Cause.NOT_EXPOSED, "make a file on it, and see whether that fails", f"{_MOUNTINFO}: rw, {_HIDDEN}"
        )
    return Known(False, f"{_MOUNTINFO}, {errors.source}")


def xfs_shut_down(answer: Answer) -> Fact[bool]:
    """An XFS: after a shutdown nothing in it can be opened, not even by xfs_info, and its options say nothing."""
    if isinstance(answer, Unknown):
        return answer
    failed = answer.status != 0 and answer.text.rstrip().endswith(": Input/output error")
    if failed or (answer.status == 0 and answer.text.startswith("meta-data=")):
        return Known(failed, answer.source)
    return Unknown(Cause.NOT_EXPOSED, "", answer.source)


def btrfs_seeds(writeable: Iterable[Fact[bool]]) -> Fact[bool]:
    """A Btrfs on seed devices, none of which may be written, is read-only by itself."""
    for fact in writeable:
        if isinstance(fact, Unknown) or fact.value:
            return read_fact.derive(fact, lambda _: False)
    return Known(True, "/sys/fs/btrfs/*/devinfo/*/writeable")
