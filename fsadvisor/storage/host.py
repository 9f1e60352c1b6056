"""The machine as a whole, the programs on it that keep files, and what it does at this moment."""

from __future__ import annotations

from typing import Literal

from fsadvisor.facts import Fact
from fsadvisor.storage.about import ATTEST, Described, PlpVerdict, Workload, about, attested, some
from fsadvisor.version import Version


class Host(Described, frozen=True, kw_only=True):
    """The machine as a whole."""

    kernel: Fact[Version] = about("kernel version", "/proc/sys/kernel/osrelease")
    kernel_release: Fact[str] = about("kernel release as the distribution names it", "/proc/sys/kernel/osrelease")
    virtual: Fact[bool] = about("runs in a virtual machine", "systemd-detect-virt, /proc/cpuinfo, DMI")
    container: Fact[bool] = about("fsadvisor itself runs in a container", "systemd-detect-virt, /run, /proc/self/ns")
    cloud: Fact[Literal["aws", "gcp", "azure", "none"]] = about("cloud that the machine runs in", "DMI")
    instance_type: Fact[str] = some(
        "size of the machine by its cloud's name", "DMI (AWS), cloud-init's instance-data.json (Azure)"
    )
    instance_iops: Fact[int] = some(
        "operations a second that it may do for any time with all of its network disks together",
        "a table of clouds' limits",
        "operations",
    )
    instance_burst_iops: Fact[int] = some(
        "operations a second that it may do in a burst of 30 minutes with all of its network disks together",
        "a table of clouds' limits",
        "operations",
    )
    instance_throughput: Fact[int] = some(
        "bytes a second that it may move for any time with all of its network disks together",
        "a table of clouds' limits",
        "bytes",
    )
    instance_burst_throughput: Fact[int] = some(
        "bytes a second that it may move in a burst of 30 minutes with all of its network disks together",
        "a table of clouds' limits",
        "bytes",
    )
    product: Fact[str] = about("product name of the machine", "/sys/class/dmi/id/product_name")
    root_flags: Fact[tuple[str, ...]] = about("mount options given to the root by the boot loader", "/proc/cmdline")
    memory_bytes: Fact[int] = about("memory", "psutil, /proc/meminfo", "bytes")
    available_bytes: Fact[int] = about("memory that could be had without swapping", "/proc/meminfo", "bytes")
    dirty_now_bytes: Fact[int] = about("pages waiting to be written", "/proc/meminfo Dirty", "bytes")
    dirty_now_seconds: Fact[int] = about(
        "what the slowest disk in use needs to write the pages that wait now", "derived, a heuristic", "s"
    )
    stall_dirty_seconds: Fact[int] = about(
        "what the slowest disk in use needs to write the dirty pages at the peak of the last stall that watch kept;"
        " 0: none",
        "/var/lib/fsadvisor/incident.jsonl",
        "s",
    )
    stall_seen: Fact[str] = about(
        "when that was; 'never': it kept no stall with pages dirty", "/var/lib/fsadvisor/incident.jsonl"
    )
    dirty_ratio: Fact[int] = about("share of available memory where writers must wait", "vm.dirty_ratio", "percent")
    dirty_bytes: Fact[int] = about("amount where writers must wait; 0: the ratio counts", "vm.dirty_bytes", "bytes")
    dirty_background_ratio: Fact[int] = about("share where writing starts", "vm.dirty_background_ratio", "percent")
    dirty_background_bytes: Fact[int] = about("amount where writing starts", "vm.dirty_background_bytes", "bytes")
    dirty_expire_centisecs: Fact[int] = about("age at which a page is written", "vm.dirty_expire_centisecs", "1/100 s")
    dirty_writeback_centisecs: Fact[int] = about(
        "pause between two looks for pages that are old enough to be written; 0: nobody looks",
        "vm.dirty_writeback_centisecs",
        "1/100 s",
    )
    defrag_jobs: Fact[tuple[str, ...]] = about(
        "files that have e4defrag, xfs_fsr or btrfs filesystem defragment run by the clock", "cron, systemd units"
    )
    dirty_limit_bytes: Fact[int] = about(
        "most that may wait to be written, as the kernel would reckon it for all of memory",
        "derived",
        "bytes",
    )
    dirty_limit_seconds: Fact[int] = about(
        "what the slowest disk in use needs to write dirty_limit_bytes. Assumed are 1 GB/s (NVMe), 400 MB/s (SATA"
        " and SAS SSDs), 125 MB/s (a cloud's network volume) or 200 MB/s (others)",
        "derived, a heuristic",
        "s",
    )
    dirty_wanted_bytes: Fact[int] = about(
        "what the slowest disk in use writes in 4 s, 256 MiB to 4 GiB", "derived, a heuristic", "bytes"
    )
    dirty_background_wanted_bytes: Fact[int] = about(
        "what the slowest disk in use writes in 1 s, 64 MiB to 1 GiB", "derived, a heuristic", "bytes"
    )
    uptime_seconds: Fact[int] = about("time since boot", "/proc/uptime", "s")
    log_hung_tasks: Fact[int] = about(
        "tasks that waited for over two minutes, in the kernel's log of the last day", "dmesg", "lines"
    )
    io_full_avg60_percent: Fact[float] = about(
        "share of the last minute in which all tasks waited for I/O", "/proc/pressure/io", "percent"
    )
    io_stalled: Fact[bool] = about("all tasks waited for I/O in over a tenth of the last minute", "/proc/pressure/io")
    systemd: Fact[bool] = about("systemd is the service manager", "systemctl show, /run/systemd/system")
    fstrim_timer: Fact[Literal["active", "inactive"]] = about(
        "whether fstrim.timer runs, or a cron job calls fstrim", "systemctl show, /etc/cron.*"
    )
    trim_wanted: Fact[bool] = about(
        "a mounted ext4 or XFS without online discard stands on devices that take discards", "derived"
    )
    fstab_ignored: Fact[tuple[str, ...]] = some("lines of fstab that mount can't read and passes over", "/etc/fstab")
    root_redundant: Fact[bool] = some(
        "the root filesystem survives the loss of one drive: by a RAID below it, or by Btrfs or ZFS",
        "the stack in sysfs, btrfs filesystem usage, zpool status",
    )
    swap_without_redundancy: Fact[tuple[str, ...]] = some(
        "devices and files swapped to that are lost with one drive", "/proc/swaps, the stack in sysfs"
    )
    swap_on_zvol: Fact[tuple[str, ...]] = some(
        "devices and files swapped to that lie on a volume of ZFS", "/proc/swaps, the stack in sysfs"
    )
    md_arrays: Fact[int] = some("md arrays with copies or parity", "/sys/block", "arrays")
    md_inactive: Fact[tuple[str, ...]] = some(
        "md arrays that have members and were not started", "/sys/block/md*/md/array_state"
    )
    md_monitor: Fact[bool] = some("mdadm watches the arrays", "systemctl show mdmonitor.service")
    md_mail: Fact[bool] = some(
        "mdadm.conf says whom to tell (MAILADDR), or what to run (PROGRAM)", "/etc/mdadm/mdadm.conf, /etc/mdadm.conf"
    )
    md_check_scheduled: Fact[bool] = some(
        "all arrays are checked by the clock", "mdcheck_start.timer, raid-check.timer, /etc/cron.d"
    )
    runs_guests: Fact[bool] = some("libvirt, QEMU or Proxmox runs here", "running processes")
    unsafe_guests: Fact[tuple[str, ...]] = some(
        "files of guests that are configured with a disk that drops flushes (cache=unsafe)",
        "/etc/libvirt/qemu, /etc/pve/qemu-server",
    )
    guests_without_discard: Fact[tuple[str, ...]] = about(
        "guests' disks on thin storages of Proxmox that are configured without discard",
        "/etc/pve/qemu-server, /etc/pve/storage.cfg",
    )
    unguarded_storages: Fact[tuple[str, ...]] = about(
        "directories of Proxmox on a mount of their own that are used whether it is mounted or not",
        "/etc/pve/storage.cfg",
    )
    io_limits: Fact[tuple[str, ...]] = about("cgroups with an io.max limit", "/sys/fs/cgroup/**/io.max")
    block_devices: Fact[int] = about("block devices in use", "/sys/block", "devices")
    mounts: Fact[int] = about("mounts that hold people's files", "/proc/self/mountinfo", "mounts")
    services: Fact[int] = about("programs found that keep files", "running processes", "programs")
    backed_up: Fact[bool] = attested(
        "there is a backup of what is kept here, and it was restored once",
        "ask who would restore this machine when it was last done",
    )
    plp_monitored: Fact[bool] = attested(
        "capacitor health, critical warnings and controller batteries are watched, and somebody is called",
        "ask who gets the alert when a drive's power-loss protection fails",
    )
    util_linux: Fact[Version] = about("version of util-linux, which mount(8) and findmnt(8) are of", "mount --version")


class Service(Described, frozen=True, kw_only=True):
    """A program that keeps its files on this machine."""

    program: Fact[str] = about("postgresql, mysql, mongodb, …", "process names")
    directory: Fact[str] = about("where its files are", "process arguments and working directory, known places")
    workload: Fact[Workload] = about("what such a program does to a filesystem", "its kind")
    mount_point: Fact[str] = about("mount that the directory is on", "/proc/self/mountinfo")
    container: Fact[str] = some("container that it runs in", "/proc/PID/cgroup, the engine's names")
    in_container_layer: Fact[bool] = about(
        "its files are in the container's own writable layer, and end with it",
        "mountinfo of the container and the host",
    )
    nocow: Fact[bool] = some("its directory has the no-copy-on-write flag (Btrfs)", "FS_IOC_GETFLAGS")
    nocow_file: Fact[bool] = some(
        "a file that it keeps overwriting has the flag, too; an old file does not take it", "FS_IOC_GETFLAGS"
    )
    own_checksums: Fact[bool] = some("the program finds damaged pages by its own checksums", ATTEST, attested=True)
    snapshots_needed: Fact[bool] = attested(
        "snapshots of its directory are taken, or will be",
        "ask who backs the program up whether snapshots of its directory are part of it",
    )
    settings_differ: Fact[tuple[str, ...]] = some(
        "what the program says is in force, where its files say otherwise", "its own client, with --ask-programs"
    )
    settings_changed: Fact[bool] = some(
        "a configuration file of it was changed after it started, so that the file may say what is not in force",
        "stat, /proc/PID/stat",
    )
    server_version: Fact[Version] = some("version of the server", "PG_VERSION, mysqld --version")
    edition: Fact[Literal["mysql", "mariadb"]] = some("MySQL or MariaDB", "mysqld --version")
    direct_io: Fact[bool] = some(
        "reads and writes its data files past the page cache", "debug_io_direct, innodb_flush_method"
    )
    buffer_bytes: Fact[int] = some("its own cache", "shared_buffers, innodb_buffer_pool_size", "bytes")
    buffer_percent: Fact[int] = some("its own cache, of all memory", "the same, memory", "percent")
    caches_percent: Fact[int] = some(
        "its own cache and the most that ZFS's (ARC) may take, of all memory", "the same, arcstats c_max", "percent"
    )
    log_directory: Fact[str] = some("where its write-ahead log is", "pg_wal, innodb_log_group_home_dir, --wal-dir")
    log_apart: Fact[bool] = some("no disk holds both its files and its write-ahead log", "the stack in sysfs")
    log_lost_before_files: Fact[bool] = about(
        "its files survive the loss of one drive, its write-ahead log does not", "the stack in sysfs"
    )
    log_on_mount: Fact[bool] = some("its write-ahead log is on the same mount as its files", "/proc/self/mountinfo")
    commit_plp: Fact[PlpVerdict] = some(
        "weakest PLP of the disks that its commits wait for: those below its log (where it has none: below its files)",
        "log_directory, disk.plp",
    )
    commit_flush_ms_avg: Fact[float] = some(
        "average time of a cache flush since boot, of the slowest of those disks that gets any",
        "log_directory, /sys/block/D/stat",
        "ms",
    )
    quota_used_percent: Fact[int] = some(
        "how full the project quota is that its directory is under; 0 without one",
        "statvfs of the directory",
        "percent",
    )
    quota_level_percent: Fact[int] = some(
        "the same, or as it was at the last look until more than 2 % were freed", "statvfs, kept looks", "percent"
    )
    shares_disk: Fact[bool] = about("another program's files are on one of its disks", "the stack in sysfs")
    fsync: Fact[bool] = some("PostgreSQL flushes at all", "postgresql.conf and what it includes")
    full_page_writes: Fact[bool] = some("PostgreSQL logs whole pages, against torn ones", "postgresql.conf")
    synchronous_commit: Fact[str] = some("what PostgreSQL waits for before it acknowledges", "postgresql.conf")
    wal_sync_method: Fact[str] = some("how PostgreSQL flushes its log", "postgresql.conf")
    fastest_wal_sync_method: Fact[str] = some("the method that pg_test_fsync finds fastest here", "pg_test_fsync")
    wal_init_zero: Fact[bool] = some("PostgreSQL fills new log files with zeros", "postgresql.conf")
    wal_recycle: Fact[bool] = some("PostgreSQL renames old log files to use them again", "postgresql.conf")
    io_method: Fact[str] = some("how PostgreSQL 18 reads", "postgresql.conf")
    checkpoint_flush_after_bytes: Fact[int] = some(
        "after how much a checkpoint asks the kernel to write; 0: never", "postgresql.conf", "bytes"
    )
    innodb_flush_method: Fact[str] = some("how InnoDB writes and flushes", "my.cnf, mysqld --version")
    innodb_doublewrite: Fact[str] = some("InnoDB's guard against torn pages: ON, OFF, DETECT_ONLY, FAST", "my.cnf")
    innodb_flush_log_at_trx_commit: Fact[int] = some("1: a commit waits for the disk", "my.cnf")
    appendonly: Fact[bool] = some("Redis keeps a log of writes", "redis.conf")
    appendfsync: Fact[str] = some("when Redis flushes that log", "redis.conf")
    unsafe_no_fsync: Fact[bool] = some("etcd does not flush", "arguments of etcd")
    guest_cache: Fact[Literal["unsafe", "writeback", "none", "writethrough", "directsync"]] = some(
        "how QEMU uses the host's cache for the disks of a guest, of several the least safe; 'unsafe' drops flushes",
        "arguments of QEMU",
    )
    flushes_ignored: Fact[bool] = some(
        "Samba is configured to answer clients' flushes without doing them (strict sync = no)", "smb.conf"
    )
    loss_tolerated: Fact[bool] = attested(
        "the last second of acknowledged writes may be lost in a crash", "ask who owns the data"
    )
    storage_driver: Fact[str] = some("how Docker keeps the layers of containers", "/var/lib/docker/image")
    extents: Fact[int] = some("extents in which its largest files lie", "FS_IOC_FIEMAP", "extents")
    extents_per_gib: Fact[int] = some(
        "extents per GiB of its largest files, where they are not compressed", "FS_IOC_FIEMAP", "extents"
    )
    largest_folder: Fact[int] = some("entries in its fullest directory", "its directory", "names")


_LOOK = "`fsadvisor doctor`"


class Now(Described, frozen=True, kw_only=True):
    """One thing that was looked at."""

    what: Fact[Literal["machine", "device", "filesystem", "program", "group"]] = about("kind of thing", _LOOK)
    name: Fact[str] = about("its name: a device, a mount point, a process, a control group", _LOOK)
    seconds: Fact[float] = about("how long the look took", _LOOK, "s")
    # the machine
    processor_percent: Fact[float] = some("processors busy", "/proc/stat", "percent")
    steal_percent: Fact[float] = some("the hypervisor ran others", "/proc/stat", "percent")
    processor_some_percent: Fact[float] = some("a thread waited for a processor", "/proc/pressure/cpu", "percent")
    io_some_percent: Fact[float] = about("a thread waited for I/O", "/proc/pressure/io", "percent")
    memory_some_percent: Fact[float] = some("a thread waited for memory", "/proc/pressure/memory", "percent")
    memory_full_percent: Fact[float] = some("all threads waited for memory", "/proc/pressure/memory", "percent")
    memory_lacking_percent: Fact[float] = some(
        "a thread waited for memory that the machine lacks",
        "/proc/pressure/memory, memory.pressure, /proc/meminfo and that of NUMA nodes",
        "percent",
    )
    swapped_bytes: Fact[float] = some("read from and written to swap, per second", "/proc/vmstat", "bytes")
    dirty_percent: Fact[float] = some(
        "dirty pages and those under writeback, of the limit at which writers must wait", "/proc/vmstat", "percent"
    )
    held_back_percent: Fact[float] = some(
        "looks in which a program was held back in its writes, of the one that was most", "/proc/PID/stack", "percent"
    )
    memory_waiting_percent: Fact[float] = some(
        "looks in which a program waited for swap or free memory, of the one that waited most",
        "/proc/PID/stack",
        "percent",
    )
    memory_available_percent: Fact[float] = some("memory that is available, of all", "/proc/meminfo", "percent")
    log_hung_tasks: Fact[int] = some("tasks of which the log says that they hung, last hour", "dmesg", "tasks")
    directory_waiting: Fact[float] = some(
        "threads that waited for the lock of a directory, on average", "/proc/PID/stack"
    )
    lock_waiting: Fact[float] = some("threads that waited for a lock of the kernel, on average", "/proc/PID/stack")
    # a device
    busy_percent: Fact[float] = some("time with a request under way", "/proc/diskstats", "percent")
    queue: Fact[float] = some("requests under way, on average", "/proc/diskstats")
    in_flight: Fact[int] = some("requests begun and not ended at the end of the look", "/proc/diskstats", "requests")
    below_answers: Fact[bool] = some("no filesystem that it stands on fails to answer statfs", "statfs(2)")
    completed: Fact[int] = some("reads, writes, discards and flushes that ended", "/proc/diskstats")
    requests: Fact[float] = some("reads and writes per second", "/proc/diskstats")
    moved_bytes: Fact[int] = some("read and written, per second", "/proc/diskstats", "bytes")
    latency_ms: Fact[float] = some("what a read or write took, on average", "/proc/diskstats", "ms")
    flush_ms: Fact[float] = some("what a flush took, on average", "/proc/diskstats", "ms")
    flush_percent: Fact[float] = some("flushes under way on average, of one", "/proc/diskstats", "percent")
    discard_percent: Fact[float] = some("discards (TRIM) under way on average, of one", "/proc/diskstats", "percent")
    discards: Fact[float] = some("discards (TRIM) per second", "/proc/diskstats")
    in_a_discard: Fact[bool] = some(
        "nothing ended, and all who waited there sent discards", "/proc/diskstats, /proc/PID/stack"
    )
    reached_by: Fact[str] = some("how a disk of another machine is reached: nbd, rbd, iscsi, …", "/sys/block")
    log_errors: Fact[int] = some("lines of the kernel's log on errors of it, last hour", "dmesg", "lines")
    log_resets: Fact[int] = some("lines of the kernel's log on its resets and time-outs, last hour", "dmesg", "lines")
    mover_percent: Fact[float] = some(
        "of what programs read and wrote there, the share of those that moved most", "/proc/PID/io", "percent"
    )
    movers: Fact[int] = some(
        "programs that moved most: one, those with a fifth each, or those of one unit", "/proc/PID/io", "programs"
    )
    others_waiting_percent: Fact[float] = some(
        "looks in which another program at work there waited for it, of the one that waited most",
        "/proc/PID/stack",
        "percent",
    )
    below_idle: Fact[bool] = some(
        "what it is made of is known to have a request or flush under way in less than half of the time",
        "/proc/diskstats",
    )
    device_state: Fact[str] = some(
        "state of a SCSI device or an NVMe controller, where it is not one of several paths",
        "/sys/block/DEVICE/device/state",
    )
    waits_elsewhere: Fact[bool] = some(
        "all programs that wait are known to work on other storage", "/proc/PID/stack, /proc/PID/fdinfo"
    )
    suspended: Fact[bool] = some("the device mapper holds all requests back", "/sys/block/DEVICE/dm/suspended")
    pool_mode: Fact[str] = some("how a thin pool works: rw, ro, out_of_data_space or Fail", "`dmsetup status`")
    paths: Fact[int] = some("paths of a multipath device that work", "`dmsetup status`", "paths")
    md_action: Fact[str] = some("work of the array's own", "/sys/block/DEVICE/md/sync_action, dmsetup status")
    # a filesystem
    type: Fact[str] = some("type of the filesystem", "/proc/self/mountinfo")
    answers: Fact[bool] = some("statfs returned within its time-out", "statfs(2)")
    statfs: Fact[str] = some("how statfs ended: answered, no answer, or an error such as ENOTCONN", "statfs(2)")
    frozen_waiters: Fact[int] = some("threads that waited all the time to begin a write", "/proc/PID/stack", "threads")
    turned_read_only: Fact[bool] = some(
        "the kernel turned it read-only, or shut it down, because of an error",
        "/proc/self/mountinfo, /sys/fs/ext4/DEVICE/errors_count",
    )
    available_percent: Fact[float] = some("space that programs may still use, of all", "statfs(2)", "percent")
    available_bytes: Fact[int] = some("space that programs may still use", "statfs(2)", "bytes")
    inodes_free: Fact[int] = some("inodes that are free", "statfs(2)", "inodes")
    pool_state: Fact[str] = some("state of its ZFS pool", "/proc/spl/kstat/zfs/POOL/state")
    job: Fact[str] = some("work of the filesystem's own that runs", "/sys/fs/btrfs/UUID/exclusive_operation, threads")
    log_damage: Fact[int] = some("lines of the kernel's log on damage of it, last hour", "dmesg", "lines")
    journal_full_percent: Fact[float] = some(
        "looks in which a program waited for space in the journal, of the one that waited most",
        "/proc/PID/stack",
        "percent",
    )
    network_ms: Fact[float] = some(
        "what an operation took from its beginning to its end", "/proc/self/mountstats", "ms"
    )
    # a program
    waiting_percent: Fact[float] = some("looks in which a thread of it waited in state D", "/proc/PID/stack", "percent")
    sync_percent: Fact[float] = some("looks in which a thread of it waited in a sync", "/proc/PID/stack", "percent")
    waits_in: Fact[str] = some("the kernel's function that it waits in most", "/proc/PID/stack")
    waits_for: Fact[str] = some(
        "what that function is of: disk, lock, journal, network (a server's or FUSE's), other", "/proc/PID/stack"
    )
    kernel_thread: Fact[bool] = some("it is a thread of the kernel", "/proc/PID/cmdline")
    stuck_threads: Fact[int] = some("threads that waited at one place in all looks", "/proc/PID/stack", "threads")
    # a control group
    limit_percent: Fact[float] = some("what it did, of its nearest limit", "io.max, blkio.throttle.*", "percent")
    group_memory_percent: Fact[float] = some("a task of it waited for memory", "memory.pressure", "percent")
    memory_limit_hits: Fact[int] = some("times that its memory reached its limit", "memory.events", "times")
    memory_limit_percent: Fact[float] = some(
        "memory that it uses, of its own limit", "memory.current, memory.usage_in_bytes", "percent"
    )
