"""Results of probes made up for the reports: a settled one, a ladder, a failed one, one with hostile names."""

from fsadvisor.measure.probe.cost import Cost
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.measure.probe.target import refused, warning

WHEN = "2026-11-21T19:40:00+00:00"


def result(job, **values):
    """A settled result of a job on /srv/data."""
    made = {
        "job": job,
        "question": JOBS[job].question if job in JOBS else job,
        "target": "/srv/data",
        "mount": "/srv",
        "when": WHEN,
        "engine": "fio 3.33",
        "headline": JOBS[job].headline.name if job in JOBS else "IOPS",
        "figure": Figure(median=289.4, low=281.2, high=297.0, windows=12),
        "end": "settled",
        "windows": 13,
        "seconds": 6.72,
        "asked_bytes": 21_000_192,
    }
    return Result(**{**made, **values})


COMMIT = result(
    "commit-fdatasync",
    voids=("window 3: another writer on vda: 18 MB more than asked",),
    percentiles_us={"p50": 281.0, "p95": 342.5, "p99": 512.0, "p99.9": 12_480.0},
    histogram_us=((250, 12), (300, 4012), (400, 801), (500, 60), (600, 0), (800, 0), (15000, 3)),
    user_cpu_percent=2.9,
    system_cpu_percent=11.2,
    flushes_per_operation=1.0,
    flushes_at=("vda",),
    disks=("vda",),
    amplification=1.04,
    pressure_percent={"cpu": 3.2, "io": 88.0},
    remarks=("The first window was 12 % slower and is left out.",),
    depends={"mount.options": "rw,relatime"},
)
LADDER = result(
    "fsync-ladder",
    figure=Figure(median=1160.0, low=1100.0, high=1221.0, windows=9),
    parts_us={
        "flush_counted": Figure(median=331.0, low=320.0, high=340.0, windows=9),
        "dsync": Figure(median=402.0, low=399.0, high=410.0, windows=9),
        "data": Figure(median=520.0, low=500.0, high=544.0, windows=9),
        "journal": Figure(median=280.0, low=260.0, high=301.0, windows=9),
        "flush": Figure(median=360.0, low=344.0, high=380.0, windows=9),
    },
    flushes_per_operation=2.0,
)
ON_A_LOOP = result(
    "fsync-ladder",
    end="budget",
    figure=Figure(median=937.0, low=905.0, high=969.0, windows=9),
    percentiles_us={"p50": 911.0, "p99": 1900.0},
    histogram_us=((1000, 400), (2000, 88)),
    voids=("window 3: another writer: the disks wrote 68.7 MiB where 1.2 MiB were asked", "window 9: it took 9.1 s"),
    parts_us={
        "data": Figure(median=28.0, low=27.0, high=29.0, windows=9),
        "journal": Figure(median=280.0, low=100.0, high=460.0, windows=9),
        "flush": Figure(median=629.0, low=610.0, high=650.0, windows=9),
        "flush_counted": Figure(median=620.0, low=600.0, high=640.0, windows=9),
        "flush_disks": Figure(median=25.0, low=24.0, high=26.0, windows=9),
        "dsync": Figure(median=402.0, low=399.0, high=410.0, windows=9),
    },
    flushes_per_operation=1.0,
    flushes_at=("loop8",),
    disk_flushes_per_operation=2.0,
    disks=("vda",),
    amplification=3.1,
    remarks=("Programs waited for the processor in 88 % of the time: a quieter hour may tell otherwise.",),
)
STREAM = result(
    "read-direct",
    figure=Figure(median=2.626e9, low=2.4e9, high=2.9e9, windows=31),
    end="budget",
    seconds=20.3,
    windows=31,
    believable=False,
    remarks=("It did not settle: the interval is ± 10 %, where ± 5 % was wanted.",),
)
FAILED = result(
    "random-write-32",
    figure=None,
    end="failed",
    error="while writing the scratch file in /srv/data: there is no space left on the filesystem (ENOSPC)",
    windows=2,
    voids=tuple(f"window {at}: the engine stalled" for at in range(1, 6)),
)
CANCELLED = result("create-1", figure=None, end="cancelled", windows=0, seconds=0.2)
EMPTY = result("free", figure=Figure(median=0.0, low=0.0, high=0.0, windows=6))
HOSTILE = result(
    "evil\x1b[31m",
    target="/srv/\u202egnp.exe\n",
    mount="/caf\udce9",
    engine="fio \x9b31m",
    error="\x1b]0;title\x07",
    remarks=("a\nb",),
    voids=("\u200b",),
    parts_us={"\x1b[2J": Figure(median=1.0, low=1.0, high=1.0, windows=6)},
    depends={"mount.options": "\ud800"},
)
SUITE = (COMMIT, LADDER, STREAM, FAILED, CANCELLED)
COST = Cost(written_bytes=11 << 30, room_bytes=512 << 20, files=4001, least_seconds=15.0, most_seconds=88.4)
FINDINGS = (
    refused("space", "/srv/data has 50 MiB free and the probe takes 512 MiB at once: make room"),
    warning("type", "/srv/\x1b[31m is on an overlay: the disk of its upper directory is measured, under the overlay"),
)
