"""Sides, cells and figures made up for tests of what may be ranked, and for the reports."""

from fsadvisor.measure.compare import Cell, Side
from fsadvisor.measure.compare.matrix import comparison
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.result import Figure
from tests.report.probed import result


def image(name, **more):
    """A filesystem in an image."""
    values = {"fs_type": name.partition("-")[0], "options": "rw,relatime", "promise": "flushes", "in_image": True}
    return Side(**{"name": name, "kind": "image", **values, **more})


def path(name, fs_type="ext4", **more):
    """A path as it is."""
    return Side(**{"name": name, "kind": "mounted", "fs_type": fs_type, "options": "rw", "promise": "flushes", **more})


def device(name, above, **more):
    return Side(**{"name": name, "kind": "device", "fs_type": "", "options": "", "above": above, **more})


def figure(median, half=0.03, windows=9):
    return Figure(median=median, low=median * (1 - half), high=median * (1 + half), windows=windows)


def cell(side, job, found, **more):
    """A cell with a figure, or with the median of one, or without a result but a reason."""
    if isinstance(found, str):
        return Cell(side=side, job=JOBS[job], result=None, why=found)
    made = found if isinstance(found, Figure) or found is None else figure(found)
    return Cell(side=side, job=JOBS[job], result=result(job, figure=made, target=side.name, **more))


EXT4, XFS, BTRFS = image("ext4"), image("xfs"), image("btrfs")
UNSAFE = image("ext4-seed", options="rw,noatime,nobarrier", promise="no flushes", dangers=("nobarrier: it loses data",))
SRV, OTHER = path("/srv"), path("/data", "xfs")
DISK = device("device /dev/vda", "/srv")
SIDES = (DISK, SRV, EXT4, XFS, BTRFS, UNSAFE)
TIMES = {
    "percentiles_us": {"p50": 281.0, "p95": 342.5, "p99": 512.0, "p99.9": 12_480.0},
    "user_cpu_percent": 2.9,
    "system_cpu_percent": 11.2,
    "flushes_per_operation": 1.0,
    "amplification": 1.04,
}
PARTS = {"data": figure(520.0), "journal": figure(280.0), "flush": figure(360.0)}
CELLS = (
    cell(DISK, "random-read-32", 408_000.0),
    cell(SRV, "random-read-32", 398_000.0),
    cell(EXT4, "random-read-32", 120_000.0, **TIMES),
    cell(XFS, "random-read-32", 121_000.0),
    cell(BTRFS, "random-read-32", 90_000.0, end="budget", remarks=("It did not settle.",)),
    cell(UNSAFE, "random-read-32", 119_000.0),
    cell(SRV, "fsync-ladder", 1160.0, parts_us=PARTS, **TIMES),
    cell(EXT4, "fsync-ladder", 1600.0, parts_us=PARTS),
    cell(XFS, "fsync-ladder", 1200.0, parts_us=PARTS),
    cell(BTRFS, "fsync-ladder", 2900.0, parts_us=PARTS, end="failed", error="while writing in \x1b[31m: no room"),
    cell(UNSAFE, "fsync-ladder", 90.0, parts_us={"data": figure(90.0)}),
    cell(SRV, "create-1", 31_000.0),
    cell(EXT4, "create-1", 31_500.0),
    cell(XFS, "create-1", 30_000.0, believable=False, remarks=("Impossible: so fast.",)),
    cell(BTRFS, "create-1", 15_000.0),
    cell(UNSAFE, "create-1", figure(44_000.0, windows=3)),
)
WHOLE = comparison(SIDES, [JOBS[it] for it in ("random-read-32", "fsync-ladder", "create-1")], CELLS)
