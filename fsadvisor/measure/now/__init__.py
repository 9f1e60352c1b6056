"""One look at what hurts now: the window is all that it saw, as it is written to a line of JSON and read again.

None is what could not be told, and never 0; `untold` says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure.waits.threads import Runner, Waiter  # noqa: TC001 - msgspec reads the annotation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


FORMAT: Final = "fsadvisor-window/1"


class Device(Struct, kw_only=True, omit_defaults=True):
    """A block device. Rates are per second, shares 0 to 1."""

    name: str
    below: tuple[str, ...] = ()
    """What it is made of."""
    reads: float = 0.0
    read_bytes: float = 0.0
    read_ms: float | None = None
    writes: float = 0.0
    write_bytes: float = 0.0
    write_ms: float | None = None
    requests: float | None = None
    """Reads, writes and discards, where they are not told apart."""
    request_ms: float | None = None
    flushes: float | None = None
    flush_ms: float | None = None
    flush: float | None = None
    """Flushes under way, on average."""
    busy: float = 0.0
    queue: float = 0.0
    in_flight: int = 0
    discards: float | None = None
    discard_bytes: float | None = None
    discard: float | None = None
    """Discards under way, on average."""
    called: tuple[str, ...] = ()
    """What the kernel's log calls it: its name, its port or controller, its place on the PCI bus."""
    reached_by: str = ""
    """'nbd', 'rbd', 'iscsi' or 'nvme over a network', where it is another machine's."""
    state: str = ""
    """Of a SCSI device or an NVMe controller: 'running', 'offline', 'blocked'; 'live', 'resetting', 'dead'.

    'gone' where the kernel has removed the device and it is still mounted.
    """
    mapped: str = ""
    """The device mapper's name for it."""
    suspended: bool | None = None
    pool_mode: str | None = None
    """Of a thin pool: 'rw', 'ro', 'out_of_data_space' or 'Fail'."""
    is_multipath: bool = False
    paths: int | None = None
    """Of a multipath device: those that work; None where `dmsetup` could not tell."""
    stands_on: str = ""
    """The mount point of the filesystem that holds a loop device's file."""
    md_action: str | None = None
    md_done: str | None = None
    """'12345 / 67890', in sectors."""


class Filesystem(Struct, kw_only=True, omit_defaults=True):
    """A mounted filesystem, once: by the first of its mounts. Sizes are in bytes."""

    mount_point: str
    type: str
    source: str
    device: str = ""
    """The kernel's name, '' where there is none."""
    number: str = ""
    """'major:minor' of its files."""
    mounts: int = 1
    """How often it is mounted."""
    options: tuple[str, ...] = ()
    super_options: tuple[str, ...] = ()
    wider: bool = False
    """It may live on more devices than this one, which nothing names."""
    answers: bool | None = None
    refuses: str = ""
    """The error that statfs ends with, where what is behind the mount is gone: 'ENOTCONN'."""
    size: int | None = None
    free: int | None = None
    available: int | None = None
    inodes: int | None = None
    inodes_free: int | None = None
    errors: int | None = None
    """That ext4 has counted."""
    turned: bool | None = None
    """After errors: whether the kernel turned it read-only. Linux 6.12 to 6.14 tell it in their log alone."""
    turned_at: str = ""
    """When, by the kernel's log: UTC, as ISO 8601 has it."""
    job: str | None = None
    pool_state: str | None = None
    """Of its ZFS pool: 'ONLINE', 'SUSPENDED'."""
    operations: float | None = None
    """Of NFS, per second."""
    operation_ms: float | None = None
    server_ms: float | None = None

    @property
    def names(self) -> frozenset[str]:
        """What the kernel's log calls it: its device, or its partition; nothing where it is on none (NFS, FUSE)."""
        return frozenset({self.device, self.source.rpartition("/")[2]}) if self.device else frozenset()


class Program(Struct, kw_only=True, omit_defaults=True):
    """A process that waited, ran, read or wrote. Shares are of the looks, 0 to 1."""

    pid: int
    name: str
    unit: str = ""
    places: tuple[str, ...] = ()
    """Mount points of what it writes to, or works in, and block devices that it uses themselves (/dev/sdb)."""
    groups: tuple[str, ...] = ()
    """Its control groups, of the newer hierarchy and of the older one for I/O."""
    kernel: bool = False
    waiting: float = 0.0
    syncing: float = 0.0
    running: float = 0.0
    held_back: float = 0.0
    stuck: int = 0
    """Threads that waited at one place in all looks."""
    stuck_s: float | None = None
    """How long ago one of those threads last ran."""
    frozen: int = 0
    """Those of them that wait to begin a write on a frozen filesystem."""
    frozen_at: tuple[str, ...] = ()
    """Where that can be: the file that it writes to, or else what its arguments and its directory name."""
    flushing: int = 0
    """Those of them that wait for a flush, or for a write of a journal, to end."""
    flushing_at: tuple[str, ...] = ()
    """Where that can be: the file of the call that waits, or else what its arguments and its directory name."""
    journal_full: float = 0.0
    """Waited until the journal had room again."""
    journal_at: tuple[str, ...] = ()
    """Where that can be: the file of the call that waits, or else what its arguments and its directory name."""
    for_memory: float = 0.0
    """Waited for what was swapped out, or for memory that was being freed."""
    directory: float = 0.0
    """Its threads that waited for the lock of a directory, on average."""
    works_in: str = ""
    """Its working directory, where it waited for such a lock."""
    kind: str = ""
    function: str = ""
    job: str = ""
    """Of the filesystem's own, which it has asked for: 'scrub'."""
    read_bytes: float | None = None
    write_bytes: float | None = None
    """Per second."""


class Group(Struct, kw_only=True, omit_defaults=True):
    """A control group that has a limit of I/O, or waited. Shares are of the time."""

    path: str
    limit: str = ""
    """The limit that is nearest, in words."""
    device: str = ""
    of_limit: float | None = None
    """What it did, of that limit, 0 to 1 and somewhat above."""
    io_some: float | None = None
    memory_some: float | None = None
    memory_hits: int | None = None
    """How often its memory reached its limit."""
    memory_limit: int | None = None
    memory_used: int | None = None


class Logged(Struct, kw_only=True, omit_defaults=True):
    """Lines of one kind about one device in the kernel's log of the last hour. Times are UTC, as ISO 8601 has it."""

    pattern: str
    """Of readers/kernel_log.toml."""
    kind: str
    says: str
    device: str = ""
    count: int = 1
    first: str
    """Of all that is in the log."""
    last: str
    doubtful: bool = False
    """Perhaps of the loop device that had the name before."""


class Journal(Struct, kw_only=True, omit_defaults=True):
    """An ext4's journal in the window."""

    device: str
    transactions: int
    requested: int
    """Those that somebody waited for."""
    commit_us: float | None = None
    """The kernel's running mean."""


class TracedProgram(Struct, kw_only=True, omit_defaults=True):
    """Who called fsync and its like, as the kernel's events have it."""

    name: str
    """With its number and its unit."""
    syncs: int
    mean_ms: float
    flushes: int = 0
    """Of the drive, which its call was the first to wait for."""
    file: str = ""
    """One that it synced, where it was still open after the look."""


class TracedPlace(Struct, kw_only=True, omit_defaults=True):
    """A filesystem's syncs. The mean's parts, in ms, add up to it; what is in an earlier part is in no later one."""

    mount_point: str
    """Or the device number, where no mount has it."""
    syncs: int
    median_ms: float
    p99_ms: float
    longest_ms: float
    mean_ms: float
    flush_ms: float
    write_ms: float
    commit_ms: float
    rest_ms: float
    flushes: int = 0
    programs: tuple[TracedProgram, ...] = ()
    commits: int = 0
    asked: int = 0
    """Those of the commits that began while a sync waited."""
    held_up_ms: int | None = None
    """The longest that a commit waited for an operation that had begun before."""
    held_up_by: str = ""


class Traced(Struct, kw_only=True, omit_defaults=True):
    """What --trace adds."""

    seconds: float
    events: int
    lost: int
    processor_s: float
    """What reading them took; the kernel's own part is not in it."""
    places: tuple[TracedPlace, ...] = ()
    whole: dict[str, int] = {}
    """Calls of sync and syncfs, which write a whole filesystem or all, by who called."""
    unplaced: int = 0


class Window(Struct, kw_only=True, omit_defaults=True):
    """What was seen in `seconds` up to `when`."""

    format: str = FORMAT
    when: str
    """UTC, as ISO 8601 has it."""
    seconds: float
    looks: int = 0
    root: bool = False
    processors: int | None = None
    processor: float | None = None
    user: float | None = None
    system: float | None = None
    interrupts: float | None = None
    steal: float | None = None
    iowait: float | None = None
    """Of idle time; unreliable."""
    own: float = 0.0
    """Of one processor, that the look took."""
    cpu_some: float | None = None
    cpu_full: float | None = None
    io_some: float | None = None
    io_full: float | None = None
    memory_some: float | None = None
    memory_full: float | None = None
    swap_bytes: float | None = None
    dirty: int | None = None
    """The most that was seen, with what is under writeback, in bytes."""
    dirty_limit: int | None = None
    running: float | None = None
    waiting: float | None = None
    kinds: dict[str, float] = {}
    threads: float | None = None
    """How many there were."""
    waiters: tuple[Waiter, ...] = ()
    runners: tuple[Runner, ...] = ()
    directory_waiting: float | None = None
    """Threads that waited for the lock of a directory, on average."""
    devices: tuple[Device, ...] = ()
    uncounted: tuple[str, ...] = ()
    """What devices are made of and that came or went meanwhile, or whose counters began anew."""
    filesystems: tuple[Filesystem, ...] = ()
    programs: tuple[Program, ...] = ()
    groups: tuple[Group, ...] = ()
    journals: tuple[Journal, ...] = ()
    log: tuple[Logged, ...] | None = None
    """None where the log may not be read."""
    memory_available: float | None = None
    """Of all memory, 0 to 1."""
    memory_free: float | None = None
    """The same, before or after, whichever is less; or that of a NUMA node with what it soon gives back."""
    traced: Traced | None = None
    untold: tuple[str, ...] = ()

    def log_of_device(self, device: Device, *kinds: str) -> Iterator[Logged]:
        """What the log told of a device, by any of the names that it has for it."""
        names = {device.name, *device.called}
        return (told for told in self.log or () if told.kind in kinds and told.device in names)

    def log_left_out(self) -> int:
        """How many more lines on I/O errors there were than the log holds."""
        return sum(told.count for told in self.log or () if told.kind == "left-out")

    def log_of_filesystem(self, devices: Iterable[str], *kinds: str) -> Iterator[Logged]:
        """What the log told of a filesystem, by the names of its devices; jbd2 adds an inode."""
        names = frozenset(devices)
        for told in self.log or ():
            if told.kind in kinds and names & {told.device, told.device.rpartition("-")[0]}:
                yield told
