"""Composed machines with a database: the case of seed 000, told twice, and one in a cloud."""

import json

from fsadvisor.machine.kept_files import PROBES
from fsadvisor.survey.measured import conditions_of
from fsadvisor.survey.whole import survey
from tests.machines import parts

_PM9A3 = "SAMSUNG MZQL23T8HCLS-00A07"
_SIZE = 3840755982336
_DATA = "/var/lib/postgresql"


def _postgresql(*, vwc, cache, options="defaults", said=()):
    """Seed 000's server: one PM9A3, ext4 mounted with these options, and PostgreSQL committing all day.

    Flushes take 0.36 ms and 31 % of the time: 360 of the 1160 µs that the seed gives for an fsync.
    """
    chosen = options != "defaults"
    in_force = _AS_THE_SEED_SAYS if chosen else parts.EXT4_OPTIONS
    disk = parts.nvme(
        "nvme0n1",
        _PM9A3,
        _SIZE,
        "259:0",
        cache=cache,
        stat=parts.stat(744_000_000, 267_840) if vwc & 1 else parts.stat(0, 0),
    )
    return parts.machine(
        disk,
        parts.partition("nvme0n1", "nvme0n1p1", "259:1", 100 * parts.GIB),
        parts.partition("nvme0n1", "nvme0n1p2", "259:2", 3477 * parts.GIB, start=209717248),
        mounts=[
            parts.mounted(29, "259:1", "/", "rw,relatime", "ext4", "/dev/nvme0n1p1", "rw,errors=remount-ro"),
            parts.mounted(
                40, "259:2", _DATA, f"rw,{'noatime' if chosen else 'relatime'}", "ext4", "/dev/nvme0n1p2", "rw"
            ),
        ],
        fstab=f"LABEL=root / ext4 errors=remount-ro 0 1\nLABEL=pgdata {_DATA} ext4 {options} 0 2\n",
        files=parts.HOST_FILES
        | parts.ext4_files("nvme0n1p1", commits=90_000, commit_us=410)
        | parts.ext4_files("nvme0n1p2", in_force, commits=26_000_000, commit_us=1160)
        | {"/proc/meminfo": parts.meminfo(32), "/proc/sys/kernel/osrelease": "6.5.0-45-generic"}
        | _POSTGRESQL_FILES
        | (parts.attested(*said, model=_PM9A3) if said else {}),
        commands=parts.nvme_answers("/dev/nvme0n1", _PM9A3, _SIZE, vwc=vwc, capacitors=100)
        | parts.ext4_answers("/dev/nvme0n1p1", size_bytes=100 * parts.GIB)
        | parts.ext4_answers("/dev/nvme0n1p2", size_bytes=3477 * parts.GIB)
        | parts.host_answers(fstrim_timer=True),
        udev=parts.udev("nvme0n1", _PM9A3),
        processes=[parts.process(2001, "postgres", f"{_DATA}/16/main")],
        spaces={"/": parts.room(100 * parts.GIB, 31), _DATA: parts.room(3477 * parts.GIB, 60)},
        flags={f"{_DATA}/16/main": "0x80000"},
        extents={f"{_DATA}/16/main": parts.extents(200, 40)},
    )


_AS_THE_SEED_SAYS = "rw bsddf delalloc nobarrier auto_da_alloc user_xattr acl errors=continue commit=60 data=writeback"
_POSTGRESQL_FILES = {
    f"{_DATA}/16/main/PG_VERSION": "16\n",
    f"{_DATA}/16/main/postgresql.conf": "shared_buffers = 8GB\nwal_sync_method = fdatasync\n",
}


def pm9a3_postgresql_volatile():
    """The drive says that its cache is volatile: the kernel flushes, and each commit waits for it."""
    return _postgresql(vwc=7, cache="write back")


def pm9a3_postgresql_attested():
    """The first, where people have said all that the drive can't: the override is advised, nobarrier is not."""
    facts = ("datasheet_plp", "firmware_trusted", "path_covered", "runbook", "swap_policy")
    said = [(f"disk.{fact}", "disk:nvme0n1", "true") for fact in facts]
    said += [
        ("host.plp_monitored", "host", "true"),
        ("host.backed_up", "host", "true"),
        ("filesystem.timestamps_expendable", "filesystem:/dev/nvme0n1p2", "true"),
    ]
    return _postgresql(vwc=7, cache="write back", said=said)


def pm9a3_postgresql_no_volatile():
    """The drive says that it has no volatile cache: the kernel sends no flushes, and barriers cost nothing."""
    return _postgresql(vwc=6, cache="write through")


def pm9a3_postgresql_as_seed_000_says():
    """The same drive, mounted as the seed tells: what it promised is not there, what it risks is."""
    return _postgresql(vwc=6, cache="write through", options="data=writeback,noatime,nodiratime,nobarrier,commit=60")


def pm9a3_postgresql_measured():
    """The first, with its log's files not used again, and probed: gains have the figures of this machine.

    Some results are no facts any more, or none: the kernel was renewed since the root's, reads were too far apart, and
    a line is damaged.
    """
    machine = _postgresql(vwc=7, cache="write back")
    machine.files[f"{_DATA}/16/main/postgresql.conf"] += "wal_recycle = off\n"
    now = conditions_of(survey(machine, {}), _DATA)
    then = conditions_of(survey(machine, {}), "/") | {"host.kernel_release": "6.5.0-41-generic"}
    steps = {"data": _interval(95), "journal": _interval(560), "flush": _interval(505)}
    results = [
        _result("/", "commit-fdatasync", "2026-08-02", 930, then),
        _result(_DATA, "commit-fdatasync", "2026-11-20", 640, now, percentiles_us={"p50": 632.0, "p99": 1810.0}),
        _result(_DATA, "commit-fdatasync-append", "2026-11-20", 1190, now),
        _result(_DATA, "commit-dsync", "2026-11-20", 410, now),
        _result(_DATA, "fsync-ladder", "2026-11-20", 1160, now, parts_us=steps),
        _result(_DATA, "random-read-1", "2026-11-20", 88, now, half=0.4),
    ]
    machine.files[PROBES] = "".join(f"{json.dumps(one)}\n" for one in results) + '{"schema": "fsadvisor/probe/1", "jo\n'
    return machine


def _interval(median, half=0.03):
    return {"median": median, "low": median * (1 - half), "high": median * (1 + half), "windows": 9}


def _result(mount, job, day, median, depends, *, half=0.03, **more):
    """A line as the probe keeps it, but for what a recording leaves out."""
    return {
        "schema": "fsadvisor/probe/1",
        "job": job,
        "mount": mount,
        "when": f"{day}T02:40:00+00:00",
        "engine": "fio 3.33",
        "figure": _interval(median, half),
        "end": "settled" if half < 0.05 else "budget",
        "believable": True,
        "depends": depends,
        **more,
    }


MACHINES = {
    "pm9a3-postgresql-measured": pm9a3_postgresql_measured,
    "pm9a3-postgresql-attested": pm9a3_postgresql_attested,
    "pm9a3-postgresql-as-seed-000-says": pm9a3_postgresql_as_seed_000_says,
    "pm9a3-postgresql-volatile": pm9a3_postgresql_volatile,
    "pm9a3-postgresql-no-volatile": pm9a3_postgresql_no_volatile,
}
