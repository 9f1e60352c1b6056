"""Programs that keep files."""

from __future__ import annotations

from dataclasses import dataclass

from fsadvisor.facts import Fact
from fsadvisor.storage.about import ATTEST, about, attested, some
from fsadvisor.storage.words import Workload


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
