"""What was left after the power was cut: the table, and what contradicts the claims that fsadvisor's rules rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.lab.cut_disks import DISKS, WORKLOADS, CutDisk

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]

ABOUT = """Each disk has a volatile write cache that empties only when told to (nbdkit's cache filter). This is the
worst that such a cache can do. A real one also writes back by itself, in an order of its own. Then filesystems without
barriers are damaged, too. A guest writes on all disks at once and acknowledges each write after fsync has
returned. Then QEMU is killed, and after it the caches. A second guest mounts what is left. QEMU 7.2's NVMe takes a
write with FUA for a plain one: what was acknowledged last may be lost there, although the filesystem asked rightly.
"""

_BY_NAME = {disk.name: disk for disk in DISKS}


def _series(row: Row) -> tuple[int, ...]:
    return tuple(int(part) for part in row["kernel"].split(".")[:2])


def loses(disk: CutDisk, row: Row) -> bool:
    """Whether acknowledged writes are expected to be lost."""
    return row["workload"][0] in disk.loses and (disk.fixed is None or _series(row) < disk.fixed)


def most_lost(disk: CutDisk) -> int:
    """How many acknowledged writes a disk that flushes may lose: the last one, if it takes FUA for a plain write."""
    return 1 if disk.bus == "nvme" and disk.tell != "drive" else 0


def _sentence(row: Row) -> str:
    disk = _BY_NAME[row["disk"]]
    what = f"power cut, {disk.what}, {WORKLOADS[row['workload']]}, kernel {row['kernel']}"
    missing = row["acknowledged"] - row["whole"]
    if row["failed"]:
        return f"{what}: could not be tried: {row['failed']}"
    if loses(disk, row):
        return "" if missing else f"{what}: nothing was lost, though no flush was sent: the cut proves nothing"
    if row["refused"]:
        return f"{what}: does not mount: {row['refused']}"
    if row["damaged"] or missing > most_lost(disk):
        return (
            f"{what}: {missing} of {row['acknowledged']} acknowledged writes are lost, {row['damaged']} of them damaged"
        )
    if row["check"] and not disk.needs_check:
        return f"{what}: its check is not content: {row['check']}"
    return ""


def wrong(rows: Sequence[Row]) -> list[str]:
    """What contradicts the claims, a sentence each."""
    return [sentence for row in rows if (sentence := _sentence(row))]


def _cell(row: Row) -> str:
    if row["failed"]:
        return "not tried"
    lost = row["acknowledged"] - row["whole"]
    said = f"{lost} of {row['acknowledged']}"
    return f"**{said}**" if lost else said


def _after(rows: Sequence[Row]) -> str:
    if any(row["refused"] for row in rows):
        return "does not mount"
    if any(row["check"] for row in rows):
        return "mounts, needs repair"
    return "mounts, sound" if _BY_NAME[rows[0]["disk"]].kind != "nilfs2" else "mounts"


def markdown(rows: Sequence[Row]) -> str:
    """The table: acknowledged writes that were lost, by workload, and what the filesystem was like afterwards."""
    titles = " | ".join(f"lost: {words}" for words in WORKLOADS.values())
    lines = [
        f"| filesystem | kernel | {titles} | afterwards |",
        "| --- | --- |" + " ---: |" * len(WORKLOADS) + " --- |",
    ]
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        for disk in DISKS:
            own = {row["workload"]: row for row in rows if (row["kernel"], row["disk"]) == (kernel, disk.name)}
            if own:
                cells = " | ".join(_cell(own[workload]) if workload in own else "" for workload in WORKLOADS)
                lines.append(f"| {disk.what} | {kernel} | {cells} | {_after(list(own.values()))} |")
    return "\n".join(lines)
