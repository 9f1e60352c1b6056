"""What scenarios with SCSI, SATA and virtio disks share: second sources of a disk's facts, read into values."""

import json
from pathlib import Path

from fsadvisor.survey.attachment import is_same_model
from tests.lab.report import Unknown
from tests.lab.scenario import run

_COLUMNS = {
    "size": "disk.size_bytes",
    "log-sec": "disk.logical_block_bytes",
    "phy-sec": "disk.physical_block_bytes",
    "min-io": "disk.minimum_io_bytes",
    "opt-io": "disk.optimal_io_bytes",
    "rota": "disk.rotational",
    "rm": "disk.removable",
    "ro": "disk.read_only",
    "sched": "disk.scheduler",
    "rq-size": "disk.requests",
    "ra": "disk.read_ahead_kib",
}
"""lsblk's columns, and the facts that have to be the same."""


def agree_with_lsblk(scenario, report, name):
    """Every fact that lsblk tells, too, is what lsblk says; and block sizes are what the ioctls of blockdev say."""
    argv = ("lsblk", "-b", "-d", "-J", "-o", ",".join([*_COLUMNS, "disc-max", "zoned", "model"]).upper())
    (said,) = json.loads(scenario.second(*argv, f"/dev/{name}"))["blockdevices"]
    disk = f"disk:{name}"
    assert {column: report.fact(disk, fact) for column, fact in _COLUMNS.items()} == {it: said[it] for it in _COLUMNS}
    assert report.fact(disk, "disk.discards") is (said["disc-max"] > 0)
    assert report.fact(disk, "disk.zoned") is (said["zoned"] != "none")
    model = report.fact(disk, "disk.model")
    assert is_same_model(None if isinstance(model, Unknown) else model, said["model"]), (model, said["model"])
    sizes = scenario.second("blockdev", "--getss", "--getpbsz", "--getsize64", "--getra", "--getro", f"/dev/{name}")
    logical, physical, size, sectors, read_only = map(int, sizes.split())
    assert (logical, physical, size) == (said["log-sec"], said["phy-sec"], said["size"])
    assert (sectors // 2, bool(read_only)) == (said["ra"], said["ro"])


def smart(scenario, name):
    """What smartctl prints of a drive, its caches included, as lines `key: value`."""
    return pairs(scenario.second("smartctl", "-x", f"/dev/{name}", check=False))


def pairs(text):
    """Lines `key: value` as a dictionary; the first of each key."""
    found = {}
    for line in text.split("\n"):
        key, colon, value = line.partition(":")
        if colon:
            found.setdefault(key.strip(), value.strip())
    return found


def cache_type(name):
    """The file that tells the SCSI driver what to think of a disk's cache."""
    (place,) = Path(f"/sys/block/{name}/device/scsi_disk").glob("*/cache_type")
    return place


def wce(scenario, name):
    """The drive's own write cache by mode page 8: 1 or 0."""
    words = scenario.second("sdparm", "--get=WCE", "--quiet", f"/dev/{name}", check=False).split()
    return int(words[words.index("WCE") + 1])


def follow(report, rule, subject):
    """Run the commands that the report would have a person run; returns how to take them back."""
    remedy = report.verdict(rule, subject)["remedy"]
    for command in remedy["now"]:
        run("/bin/sh", "-ec", command)
    return lambda: [run("/bin/sh", "-ec", command) for command in remedy["undo"]]
