"""md RAID: levels, members that are gone, ways to deal with the write hole, and filesystems that know the stripes."""

import json
import re

import pytest

from tests.lab.marks import thorough
from tests.lab.scenario import ask_udevd, run, settle, wait_for

pytestmark = pytest.mark.lab
SPEED = "/proc/sys/dev/raid/speed_limit_max"


@pytest.fixture
def shelf(scenario):
    """(scenario, nodes of six SAS disks), which udev puts together to nothing by itself."""
    scenario.write("/etc/udev/rules.d/64-md-raid-assembly.rules", "")
    ask_udevd("control", "--reload")
    nodes = [f"/dev/{name}" for name in scenario.attach("shelf")]
    run("modprobe", "--all", "raid0", "raid1", "raid10", "raid456")
    return scenario, nodes


def array(scenario, level, nodes, *options):
    """Make /dev/md/lab; the kernel's name of it."""
    quick = () if level == "0" or "--force" in options else ("--assume-clean",)
    members = ("--level", level, "--raid-devices", str(len(nodes)), *nodes)
    scenario.undo(forget, nodes)
    run("mdadm", "--create", "/dev/md/lab", "--run", "--quiet", *quick, *options, *members)
    scenario.undo(run, "mdadm", "--stop", "/dev/md/lab")
    settle()
    scenario.undo(settle)
    return run("readlink", "-f", "/dev/md/lab").strip().removeprefix("/dev/")


def forget(nodes):
    """Take the superblocks away, so that udev assembles nothing of them."""
    settle()
    for node in nodes:
        run("wipefs", "-aq", node)


def detail(scenario, name):
    """`mdadm --detail` as a dictionary of its `key : value` lines."""
    lines = scenario.second("mdadm", "--detail", f"/dev/{name}").split("\n")
    return {key.strip(): value.strip() for key, sep, value in (line.partition(" : ") for line in lines) if sep}


def kib(words):
    """'512K' in bytes."""
    return int(words.removesuffix("K")) * 1024


def told_stripes(scenario, name):
    """(stride, stripe width) in bytes that the ext4 was made with."""
    header = scenario.second("dumpe2fs", "-h", f"/dev/{name}")
    block = int(re.search(r"^Block size: +(\d+)", header, re.MULTILINE)[1])
    found = re.findall(r"^RAID str\w+(?: width)?: +(\d+)", header, re.MULTILINE)
    return tuple(int(number) * block for number in found) or (0, 0)


def leaves(scenario, name):
    """The disks below by lsblk, in its order."""
    tree = json.loads(scenario.second("lsblk", "-s", "-J", "-o", "NAME,TYPE", f"/dev/{name}"))
    return [one["name"] for one in tree["blockdevices"][0]["children"] if one["type"] == "disk"]


@pytest.mark.parametrize(
    ("level", "disks", "chunk"),
    [
        thorough("0", 2, 65536),
        thorough("1", 2, 0),
        ("10", 4, 524288),
        thorough("5", 3, 65536),
        thorough("6", 4, 131072),
    ],
)
def test_an_array_tells_its_level_and_an_ext4_on_it_knows_its_stripes(shelf, level, disks, chunk):
    """md RAID 0, 1, 5, 6 and 10 under an ext4 that mke2fs told of the stripes"""
    scenario, nodes = shelf
    name = array(scenario, level, nodes[:disks], *([f"--chunk={chunk // 1024}"] if chunk else []))
    scenario.format("ext4", f"/dev/{name}")
    scenario.mount(f"/dev/{name}", "data")

    report = scenario.audit()

    facts, said = report.facts(f"layer:{name}"), detail(scenario, name)
    filesystem = report.facts(f"filesystem:/dev/{name}")
    assert facts["layer.md_level"] == said["Raid Level"] == f"raid{level}"
    assert facts["layer.md_chunk_bytes"] == (kib(said["Chunk Size"]) if chunk else 0) == chunk
    assert facts["layer.members"] == int(said["Total Devices"]) == disks
    assert facts["layer.size_bytes"] == int(said["Array Size"].split()[0]) * 1024
    assert sorted(facts["below.disks"]) == sorted(leaves(scenario, name))
    assert facts["below.raid_levels"] == [f"raid{level}"]
    assert facts["below.any_write_back"] is True
    assert all(report.fact(f"disk:{leaf}", "disk.write_cache") == "write back" for leaf in facts["below.disks"])
    stride, width = told_stripes(scenario, name)
    assert (filesystem["filesystem.stripe_unit_bytes"], filesystem["filesystem.raid_chunk_bytes"]) == (stride, chunk)
    assert filesystem["filesystem.raid_stripe_bytes"] == filesystem["filesystem.stripe_width_bytes"] == width
    copies = level != "0"
    assert facts.get("layer.md_degraded") == (0 if copies else None)
    assert facts["layer.md_consistency"] == (said["Consistency Policy"] if copies else "none")
    assert ("layer.md_stripe_cache" in facts) is (level in "56")
    assert report.outcome("md-write-hole", f"layer:{name}") == ("advise" if level in "56" else None)
    assert report.outcome("md-degraded", f"layer:{name}") == ("ok" if copies else None)
    assert report.outcome("ext4-stripe-unknown", f"filesystem:/dev/{name}") == ("ok" if chunk else None)


@pytest.mark.thorough
def test_a_parity_raid_whose_ext4_knows_no_stripes_and_the_remedies(shelf):
    """md RAID 5 with a bitmap, and an ext4 that was told of no stripes"""
    scenario, nodes = shelf
    name = array(scenario, "5", nodes[:3], "--chunk=64", "--bitmap=internal")
    scenario.format("ext4", f"/dev/{name}", "-b", "4096", "-E", "stride=1,stripe_width=1")
    run("tune2fs", "-E", "stride=0,stripe_width=0", f"/dev/{name}")
    scenario.mount(f"/dev/{name}", "data")
    layer, filesystem = f"layer:{name}", f"filesystem:/dev/{name}"

    report = scenario.audit()

    assert told_stripes(scenario, name) == (0, 0)
    assert report.fact(filesystem, "filesystem.stripe_unit_bytes") == 0
    assert report.outcome("ext4-stripe-unknown", filesystem) == "withheld", "virtio may be thin"
    assert "bitmap:" in scenario.second_file("/proc/mdstat")
    assert report.fact(layer, "layer.md_consistency") == detail(scenario, name)["Consistency Policy"] == "bitmap"
    assert report.fact(layer, "layer.md_stripe_cache") == 256
    assert report.outcome("md-small-stripe-cache", layer) == "blocked", "for want of memory"
    scenario.keep("lab-raid5-ext4-without-stripes")

    run("tune2fs", "-E", "stride=16,stripe_width=32", f"/dev/{name}")
    scenario.write(f"/sys/block/{name}/md/stripe_cache_size", "4096")
    run("mdadm", "--grow", "--bitmap=none", f"/dev/{name}")
    scenario.undo(run, "mdadm", "--grow", "--bitmap=internal", f"/dev/{name}")
    after = scenario.audit()

    assert told_stripes(scenario, name) == (65536, 131072)
    assert after.outcome("ext4-stripe-unknown", filesystem) == "ok"
    assert after.outcome("md-small-stripe-cache", layer) == "ok"
    assert after.fact(layer, "layer.md_stripe_cache") == 4096
    assert after.fact(layer, "layer.md_consistency") == detail(scenario, name)["Consistency Policy"] == "resync"


@pytest.mark.thorough
def test_a_raid_whose_member_failed_and_the_rebuild_onto_a_spare(shelf):
    """md RAID 5 that lost a disk, and then rebuilds onto a new one"""
    scenario, nodes = shelf
    scenario.undo(forget, nodes[3:4])
    name = array(scenario, "5", nodes[:3], "--bitmap=none")
    scenario.format("ext4", f"/dev/{name}")
    scenario.mount(f"/dev/{name}", "data")
    layer = f"layer:{name}"
    run("mdadm", f"/dev/{name}", "--fail", nodes[0])
    run("mdadm", f"/dev/{name}", "--remove", nodes[0])

    gone = scenario.audit()

    assert "degraded" in detail(scenario, name)["State"]
    assert "[3/2] [_UU]" in scenario.second_file("/proc/mdstat")
    assert gone.fact(layer, "layer.md_degraded") == 1
    assert gone.fact(layer, "layer.members") == len(leaves(scenario, name)) == 2
    assert gone.outcome("md-degraded", layer) == "advise"
    scenario.keep("lab-raid5-degraded")

    scenario.write("/proc/sys/dev/raid/speed_limit_min", "10")
    scenario.write(SPEED, "10")
    run("mdadm", f"/dev/{name}", "--add", nodes[3])
    rebuilding = scenario.audit()
    assert "recovery = " in scenario.second_file("/proc/mdstat")
    assert "recovering" in detail(scenario, name)["State"]
    assert rebuilding.fact(layer, "layer.md_degraded") == 1
    assert rebuilding.outcome("md-degraded", layer) == "advise", "until the rebuild is done"

    scenario.write(SPEED, "200000")
    run("mdadm", "--wait", f"/dev/{name}", check=False)
    whole = scenario.audit()
    assert whole.fact(layer, "layer.md_degraded") == 0
    assert whole.outcome("md-degraded", layer) == "ok"


@pytest.mark.thorough
def test_a_mirror_that_lost_a_disk(shelf):
    """md RAID 1 that lost a disk"""
    scenario, nodes = shelf
    name = array(scenario, "1", nodes[:2], "--bitmap=internal")
    run("mdadm", f"/dev/{name}", "--fail", nodes[1])

    report = scenario.audit()

    assert "[2/1] [U_]" in scenario.second_file("/proc/mdstat")
    assert detail(scenario, name)["Failed Devices"] == "1"
    assert report.fact(f"layer:{name}", "layer.md_degraded") == 1
    assert report.outcome("md-degraded", f"layer:{name}") == "advise"


@pytest.mark.thorough
def test_what_a_resync_counts_is_no_damage_and_what_a_check_counts_is(shelf):
    """md RAID 5 after the resync of its creation, and after a check of what was damaged then"""
    scenario, nodes = shelf
    for node in nodes[:3]:
        run("dd", "if=/dev/urandom", f"of={node}", "bs=1M", "count=24", "status=none")
    scenario.write("/proc/sys/dev/raid/speed_limit_min", "200000")
    name = array(scenario, "5", nodes[:3], "--force", "--size=16M", "--bitmap=none")
    layer, folder = f"layer:{name}", f"/sys/block/{name}/md"
    run("mdadm", "--wait", f"/dev/{name}", check=False)

    resynced = scenario.audit()

    written_anew = int(scenario.second_file(f"{folder}/mismatch_cnt"))
    assert resynced.fact(layer, "layer.md_mismatches") == written_anew > 0
    assert resynced.fact(layer, "layer.md_last_action") == "resync"
    assert resynced.outcome("md-mismatches", layer) == "ok"

    checked(scenario, folder, "check")
    assert scenario.second_file(f"{folder}/mismatch_cnt") == "0"
    offset = int(scenario.second_file(f"{folder}/dev-{nodes[0].removeprefix('/dev/')}/offset"))
    run("dd", "if=/dev/urandom", f"of={nodes[0]}", "bs=512", f"seek={offset}", "count=8", "oflag=direct", "status=none")
    checked(scenario, folder, "check")
    damaged = scenario.audit()
    assert damaged.fact(layer, "layer.md_mismatches") == int(scenario.second_file(f"{folder}/mismatch_cnt")) == 8
    assert damaged.outcome("md-mismatches", layer) == "advise"

    checked(scenario, folder, "repair")
    repaired = scenario.audit()
    assert repaired.fact(layer, "layer.md_last_action") == "repair"
    assert repaired.outcome("md-mismatches", layer) == "ok"
    assert repaired.fact(layer, "layer.md_action") == "idle"

    run("mdadm", "--stop", "/dev/md/lab")
    run("mdadm", "--assemble", "/dev/md/lab", "--readonly", "--update=resync", *nodes[:3])
    settle()
    dirty = scenario.audit()
    name = run("readlink", "-f", "/dev/md/lab").strip().removeprefix("/dev/")
    assert "resync=PENDING" in scenario.second_file("/proc/mdstat")
    assert dirty.fact(f"layer:{name}", "layer.md_action") == "pending"
    assert dirty.outcome("md-resync-pending", f"layer:{name}") == "advise"

    run("mdadm", "--readwrite", "/dev/md/lab")
    run("mdadm", "--wait", f"/dev/{name}", check=False)
    assert scenario.audit().outcome("md-resync-pending", f"layer:{name}") == "ok"
    scenario.tell(
        claim="mismatch_cnt is of the last check",
        seen=f"{written_anew} sectors after the resync of a new RAID 5 of used disks: all of what it wrote anew",
    )


def checked(scenario, folder, action):
    """Let md check or repair to the end."""
    scenario.write(f"{folder}/sync_action", action)
    wait_for(f"end of {action}", lambda: scenario.second_file(f"{folder}/sync_action") == "idle")


@pytest.mark.parametrize(
    ("level", "options", "policy"),
    [thorough("5", ("--consistency-policy=ppl",), "ppl"), thorough("6", ("--write-journal",), "journal")],
)
def test_a_log_closes_the_write_hole(shelf, level, options, policy):
    """md RAID 5 with a partial parity log, and RAID 6 with a journal"""
    scenario, nodes = shelf
    members = nodes[:3] if policy == "ppl" else nodes[:4]
    if policy == "journal":
        options = (*options, nodes[5])
        scenario.undo(forget, nodes[5:])
    name = array(scenario, level, members, *options)

    report = scenario.audit()

    layer = f"layer:{name}"
    assert report.fact(layer, "layer.md_consistency") == detail(scenario, name)["Consistency Policy"] == policy
    assert report.outcome("md-write-hole", layer) == "ok"
    assert sorted(report.fact(layer, "below.disks")) == sorted(leaves(scenario, name)), "the journal's disk is a leaf"
    if policy == "journal":
        assert "(J)" in scenario.second_file("/proc/mdstat")
        assert report.fact(layer, "layer.members") == 5


@pytest.mark.thorough
@pytest.mark.parametrize(("options", "unit", "outcome"), [((), 65536, "ok"), (("-d", "noalign"), 0, "withheld")])
def test_an_xfs_on_a_striped_array(shelf, options, unit, outcome):
    """md RAID 0 of six disks under XFS, made with and without the stripes"""
    scenario, nodes = shelf
    name = array(scenario, "0", nodes, "--chunk=64")
    scenario.format("xfs", f"/dev/{name}", *options)
    point = scenario.mount(f"/dev/{name}", "data")

    report = scenario.audit()

    said = scenario.second("xfs_info", point)
    block, sunit, swidth = (int(re.search(rf"\b{key}=(\d+)", said)[1]) for key in ("bsize", "sunit", "swidth"))
    facts = report.facts(f"filesystem:/dev/{name}")
    assert facts["filesystem.stripe_unit_bytes"] == sunit * block == unit
    assert swidth * block == 6 * unit
    assert (facts["filesystem.raid_chunk_bytes"], facts["filesystem.raid_stripe_bytes"]) == (65536, 6 * 65536)
    assert report.outcome("xfs-stripe-mismatch", f"filesystem:/dev/{name}") == outcome
