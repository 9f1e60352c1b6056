"""Block caches that write back: bcache, dm-cache, dm-writecache; the cache's drive holds the only copy."""

import json
from pathlib import Path

import pytest

from tests.lab.scenario import run, settle, wait_for

pytestmark = pytest.mark.lab
RULE = "writeback-cache-on-one-drive"


@pytest.fixture
def drives(scenario):
    """(scenario, consumer SSD, SSD of a protected family, two hard disks)."""
    ssds, hdds = scenario.attach("sata-ssd"), scenario.attach("sata-hdd")
    run("modprobe", "--all", "bcache", "dm-cache", "dm-cache-smq", "dm-writecache", "raid1")
    return scenario, *(f"/dev/{name}" for name in (*ssds, *hdds))


def leaves(scenario, name):
    """The disks below by lsblk."""
    tree = scenario.second("lsblk", "-s", "-n", "-l", "-o", "NAME,TYPE", f"/dev/{name}").split("\n")
    return sorted({line.split()[0] for line in tree if line.endswith(" disk")} - {name})


def check_cache(scenario, report, name, kind, mode):
    """The layer is of this kind and mode, and its leaves are the disks behind and the cache's."""
    facts = report.facts(f"layer:{name}")
    assert (facts["layer.kind"], facts["layer.cache_mode"]) == (kind, mode)
    assert sorted(facts["below.disks"]) == leaves(scenario, name)
    filesystem = report.facts(f"filesystem:/dev/{name}")
    assert sorted(filesystem["below.disks"]) == leaves(scenario, name)
    return facts


def bare(path):
    return path.removeprefix("/dev/")


@pytest.fixture
def bcache(drives):
    """(scenario, cache's and backing device) with an ext4 on a bcache that writes back."""
    scenario, ssd, _, hdd, _ = drives
    scenario.undo(settle)
    scenario.undo(run, "wipefs", "-aq", ssd, hdd)
    run("make-bcache", "--writeback", "--bucket", "64k", "-B", hdd, "-C", ssd)
    register(ssd)
    register(hdd)
    folder = Path("/sys/block/bcache0/bcache")
    wait_for("the cache at work", lambda: folder.exists() and (folder / "state").read_text().strip() != "no cache")
    scenario.undo(stop, folder.resolve())
    settle()
    scenario.format("ext4", "/dev/bcache0")
    return scenario, ssd, hdd, folder


def register(device):
    """Tell bcache of a device, where udev has not yet."""
    settle()
    if not Path(f"/sys/block/{bare(device)}/bcache").exists():
        Path("/sys/fs/bcache/register").write_text(device)


def stop(folder):
    """Stop the device and its cache."""
    (folder / "stop").write_text("1")
    for one in Path("/sys/fs/bcache").glob("*-*"):
        (one / "stop").write_text("1")
    wait_for("the end of bcache", lambda: not list(Path("/sys/fs/bcache").glob("*-*")) and not folder.exists())


@pytest.mark.thorough
def test_a_bcache_that_writes_back_on_a_consumer_ssd(bcache):
    """bcache in writeback mode on one consumer SSD, before a hard disk"""
    scenario, ssd, hdd, folder = bcache
    point = scenario.mount("/dev/bcache0", "data")
    run("dd", "if=/dev/zero", f"of={point}/file", "bs=64k", "count=64", "oflag=direct", "status=none")

    report = scenario.audit()

    assert "[writeback]" in scenario.second_file(folder / "cache_mode")
    assert scenario.second_file(folder / "state") == "dirty"
    facts = check_cache(scenario, report, "bcache0", "bcache", "writeback")
    assert sorted(facts["below.disks"]) == sorted((bare(ssd), bare(hdd)))
    assert facts["layer.cache_redundant"] is False
    assert report.outcome(RULE, "layer:bcache0") == "advise"
    assert report.fact("filesystem:/dev/bcache0", "below.any_unprotected_cache") is True
    scenario.keep("lab-bcache-writeback")

    scenario.write(folder / "cache_mode", "writethrough")
    (folder / "writeback_percent").write_text("0")  # as fast as the disk takes it
    wait_for("all written back", lambda: (folder / "dirty_data").read_text().strip() in ("0", "0.0k"), 60)
    after = scenario.audit()
    check_cache(scenario, after, "bcache0", "bcache", "writethrough")
    assert after.outcome(RULE, "layer:bcache0") == "ok"
    (folder / "detach").write_text("1")
    wait_for("no cache", lambda: (folder / "state").read_text().strip() == "no cache")
    (folder / "cache_mode").write_text("writeback")
    alone = scenario.audit()
    assert alone.fact("layer:bcache0", "below.disks") == leaves(scenario, "bcache0") == [bare(hdd)]
    assert alone.outcome(RULE, "layer:bcache0") == "ok", "nothing is cached"


def cached(scenario, ssd, hdd, kind, *options):
    """Put an SSD before a volume on a hard disk by LVM; the kernel's name of the volume."""
    scenario.undo(settle)
    scenario.undo(run, "pvremove", "-qy", ssd, hdd)
    run("vgcreate", "-qy", "vg0", hdd, ssd)
    scenario.undo(run, "vgremove", "-qfy", "vg0")
    run("lvcreate", "-qy", "-n", "data", "-L", "128M", "vg0", hdd)
    scenario.format("ext4", "/dev/vg0/data")
    run("lvcreate", "-qy", "-n", "fast", "-L", "64M", "vg0", ssd)
    run("lvchange", "-qan", "vg0/fast")
    run("lvconvert", "-qy", "--type", kind, "--cachevol", "fast", *options, "vg0/data")
    settle()
    return bare(run("readlink", "-f", "/dev/vg0/data").strip())


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "options", "remedy"),
    [
        ("cache", ("--cachemode", "writeback"), ("lvchange", "-qy", "--cachemode", "writethrough", "vg0/data")),
        ("writecache", (), ("lvconvert", "-qy", "--uncache", "vg0/data")),
    ],
)
def test_a_volume_with_a_cache_that_writes_back(drives, kind, options, remedy):
    """LVM volume on a hard disk with a dm-cache or dm-writecache in writeback mode on one consumer SSD"""
    scenario, ssd, _, hdd, _ = drives
    name = cached(scenario, ssd, hdd, kind, *options)
    scenario.mount(f"/dev/{name}", "data")

    report = scenario.audit()

    facts = check_cache(scenario, report, name, f"dm-{kind}", "writeback")
    assert sorted(facts["below.disks"]) == sorted((bare(ssd), bare(hdd)))
    assert facts["layer.cache_redundant"] is False
    said = json.loads(scenario.second("lvs", "--reportformat", "json", "-o", "segtype,cache_mode", "vg0/data"))
    row = said["report"][0]["lv"][0]
    assert (row["segtype"], row["cache_mode"]) == (kind, "writeback" if kind == "cache" else "")
    assert f" {kind} " in scenario.second("dmsetup", "table", "vg0-data")
    assert report.outcome(RULE, f"layer:{name}") == "advise"
    if kind == "cache":
        scenario.keep("lab-dm-cache-writeback")

    run(*remedy)
    settle()
    after = scenario.audit()
    assert after.outcome(RULE, f"layer:{name}") == ("ok" if kind == "cache" else None)
    if kind == "cache":
        check_cache(scenario, after, name, "dm-cache", "writethrough")
        run("lvchange", "-qy", "--cachemode", "writeback", "vg0/data")
        assert " writeback " in scenario.second("dmsetup", "table", "vg0-data")
    else:
        assert after.fact(f"layer:{name}", "layer.kind") == "dm-linear"


def test_a_cache_by_hand_writes_back_unless_told_otherwise(drives):
    """dm-cache made by dmsetup on a mirror of SSDs, with no word on its mode"""
    scenario, one, other, hdd, _ = drives
    scenario.undo(run, "wipefs", "-aq", one, other)
    scenario.undo(settle)
    run("mdadm", "--create", "/dev/md/fast", "--run", "--quiet", "--assume-clean", "-l1", "-n2", one, other)
    scenario.undo(run, "mdadm", "--stop", "/dev/md/fast")
    settle()
    for device in ("/dev/md/fast", hdd):
        run("dd", "if=/dev/zero", f"of={device}", "bs=1M", "count=16", "status=none")
    run("dmsetup", "create", "meta", "--table", "0 16384 linear /dev/md/fast 0")
    scenario.undo(run, "dmsetup", "remove", "--retry", "meta")
    run("dmsetup", "create", "fast", "--table", "0 262144 linear /dev/md/fast 16384")
    scenario.undo(run, "dmsetup", "remove", "--retry", "fast")
    table = f"0 524288 cache /dev/mapper/meta /dev/mapper/fast {hdd} 512 0 default 0"
    run("dmsetup", "create", "my cache", "--table", table)
    scenario.undo(run, "dmsetup", "remove", "--retry", "my cache")
    settle()
    name = bare(run("dmsetup", "info", "-C", "--noheadings", "-o", "blkdevname", "my cache").strip())
    scenario.format("ext4", f"/dev/{name}")
    scenario.mount(f"/dev/{name}", "data")

    report = scenario.audit()

    assert " writeback " in scenario.second("dmsetup", "status", "my cache")
    assert " cache 2" in scenario.second("dmsetup", "table", "my cache")
    facts = check_cache(scenario, report, name, "dm-cache", "writeback")
    assert facts["layer.mapped_name"] == r"my\x20cache"
    assert facts["layer.cache_redundant"] is True
    assert report.outcome(RULE, f"layer:{name}") == "ok"
