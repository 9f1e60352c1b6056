"""Programs that keep files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsadvisor.facts import Fact
from fsadvisor.storage.about import ATTEST, about, attested, some
from fsadvisor.storage.words import Workload
from fsadvisor.version import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A program that keeps its files on this machine."""

    program: Fact[str] = about("postgresql, mysql, mongodb, …", "process names")
    directory: Fact[str] = about("where its files are", "process arguments and working folder, known places")
    workload: Fact[Workload] = about("what such a program does to a filesystem", "its kind")
    mount_point: Fact[str] = about("mount that the folder is on", "/proc/self/mountinfo")
    nocow: Fact[bool] = some("its folder has the no-copy-on-write flag (Btrfs)", "FS_IOC_GETFLAGS")
    nocow_file: Fact[bool] = some(
        "a file that it keeps overwriting has the flag, too; an old file does not take it", "FS_IOC_GETFLAGS"
    )
    own_checksums: Fact[bool] = some("the program finds damaged pages by its own checksums", ATTEST, attested=True)
    snapshots_needed: Fact[bool] = attested(
        "snapshots of its folder are taken, or will be",
        "ask who backs the program up whether snapshots of its folder are part of it",
    )
    server_version: Fact[Version] = some("version of the server", "PG_VERSION, mysqld --version")
    edition: Fact[Literal["mysql", "mariadb"]] = some("which of the two it is", "mysqld --version")
    direct_io: Fact[bool] = some(
        "reads and writes its data files past the page cache", "debug_io_direct, innodb_flush_method"
    )
    buffer_bytes: Fact[int] = some("its own cache", "shared_buffers, innodb_buffer_pool_size", "bytes")
    buffer_percent: Fact[int] = some("its own cache, of all memory", "the same, memory", "percent")
    log_directory: Fact[str] = some("where its write-ahead log is", "pg_wal, innodb_log_group_home_dir, --wal-dir")
    log_apart: Fact[bool] = some("no disk holds both its files and its write-ahead log", "the stack in sysfs")
    log_on_mount: Fact[bool] = some("that log is on the same mount as its files", "/proc/self/mountinfo")
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
    loss_tolerated: Fact[bool] = attested(
        "the last second of acknowledged writes may be lost in a crash", "ask who owns the data"
    )
    storage_driver: Fact[str] = some("how Docker keeps the layers of containers", "/var/lib/docker/image")
    extents: Fact[int] = some("pieces in which its largest files lie", "FS_IOC_FIEMAP", "extents")
    extents_per_gib: Fact[int] = some("the same per GiB, where they are not compressed", "FS_IOC_FIEMAP", "extents")
    largest_folder: Fact[int] = some("names in its fullest folder", "its folder", "names")
