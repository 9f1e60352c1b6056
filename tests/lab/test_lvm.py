"""LVM: linear, striped, mirrored and thin volumes, and a snapshot of the old kind."""

import json
import subprocess

import pytest

from tests.lab.scenario import run, settle, wait_for

pytestmark = pytest.mark.lab


@pytest.fixture
def group(scenario):
    """(scenario, disks) of a volume group `vg-a`, whose name device mapper writes as `vg--a`."""
    nodes = [f"/dev/{name}" for name in scenario.attach("shelf")]
    run("modprobe", "--all", "dm-mod", "dm-thin-pool", "dm-snapshot", "dm-raid")
    run("pvcreate", "-qy", *nodes)
    scenario.undo(settle)
    scenario.undo(run, "pvremove", "-q", *nodes)
    run("vgcreate", "-q", "vg-a", *nodes)
    scenario.undo(run, "vgremove", "-qfy", "vg-a")
    return scenario, nodes


def volume(name, *options):
    """Make a volume; its kernel's name."""
    run("lvcreate", "-qy", "-n", name, *options)
    return kernels(f"vg--a-{name}")


def kernels(mapped):
    """The kernel's name of a mapped device."""
    settle()
    return run("readlink", "-f", f"/dev/mapper/{mapped}").strip().removeprefix("/dev/")


def told_by_lvs(scenario):
    """The rows of lvs by the volume's name, without the brackets of hidden ones."""
    columns = "lv_name,lv_size,segtype,stripes,stripe_size,data_percent,metadata_percent,lv_health_status,lv_layout"
    said = scenario.second("lvs", "-a", "--reportformat", "json", "--units", "b", "--nosuffix", "-o", columns)
    return {row["lv_name"].strip("[]"): row for row in json.loads(said)["report"][0]["lv"]}


def targets(scenario):
    """The target types of each mapped device, by its kernel's name."""
    said = scenario.second("dmsetup", "table").strip().split("\n")
    return {kernels(line.partition(": ")[0]): line.split()[3] for line in said}


def leaves(scenario, name):
    """The disks below by lsblk."""
    tree = scenario.second("lsblk", "-s", "-n", "-l", "-o", "NAME,TYPE", f"/dev/{name}").split("\n")
    return sorted({line.split()[0] for line in tree if line.endswith(" disk")})


def check_stack(scenario, report):
    """Kinds, sizes and leaves of all layers are those that dmsetup, lvs and lsblk tell."""
    kinds = targets(scenario)
    assert {f"layer:{name}" for name in kinds} == {at for at in report.subjects if at.startswith("layer:")}
    for name, kind in kinds.items():
        facts = report.facts(f"layer:{name}")
        assert facts["layer.kind"] == f"dm-{kind}"
        assert kernels(facts["layer.mapped_name"]) == name
        assert sorted(facts["below.disks"]) == leaves(scenario, name)
        assert facts["layer.size_bytes"] == int(scenario.second("blockdev", "--getsize64", f"/dev/{name}"))
    return kinds


@pytest.mark.thorough
def test_volumes_of_each_kind_know_their_disks_and_stripes(group):
    """LVM volumes, linear, striped, RAID 1 and RAID 5, under ext4"""
    scenario, _ = group
    linear = volume("lin", "-L", "48M", "vg-a")
    striped = volume("two", "-i", "2", "-I", "64k", "-L", "96M", "vg-a")
    mirror = volume("mir", "--type", "raid1", "-m", "1", "--nosync", "-L", "48M", "vg-a")
    parity = volume("par", "--type", "raid5", "-i", "2", "-I", "32k", "-L", "64M", "vg-a")
    for name in (linear, striped, mirror, parity):
        scenario.format("ext4", f"/dev/{name}")
        if name == parity:
            run("tune2fs", "-E", "stride=0,stripe_width=0", f"/dev/{name}")
        scenario.mount(f"/dev/{name}", name)

    report = scenario.audit()

    check_stack(scenario, report)
    rows = told_by_lvs(scenario)
    for name, row in ((mirror, rows["mir"]), (parity, rows["par"])):
        assert report.fact(f"layer:{name}", "layer.lvm_health") == row["lv_health_status"] == ""
        assert report.outcome("md-degraded", f"layer:{name}") == "ok"
    assert report.fact(f"layer:{mirror}", "layer.md_level") == rows["mir"]["segtype"] == "raid1"
    assert rows["par"]["segtype"].startswith(report.fact(f"layer:{parity}", "layer.md_level"))
    assert report.fact(f"filesystem:/dev/{parity}", "below.raid_levels") == ["raid5"]
    for name, row in ((linear, "lin"), (striped, "two"), (mirror, "mir"), (parity, "par")):
        facts = report.facts(f"filesystem:/dev/{name}")
        chunk = int(rows[row]["stripe_size"])
        assert facts["filesystem.raid_chunk_bytes"] == chunk
        assert facts["filesystem.raid_stripe_bytes"] == 2 * chunk, "two disks of data each, or none"
    assert report.outcome("ext4-stripe-unknown", f"filesystem:/dev/{striped}") == "ok"
    assert report.outcome("ext4-stripe-unknown", f"filesystem:/dev/{parity}") == "withheld", "for virtio"
    scenario.keep("lab-lvm-volumes")


@pytest.fixture
def pool(group):
    """(scenario, volume) with an ext4 on a thin volume in a pool of 96 MiB."""
    scenario, _ = group
    run("lvcreate", "-qy", "--type", "thin-pool", "-L", "96M", "-n", "pool", "vg-a")
    name = volume("thin", "-V", "512M", "-T", "vg-a/pool")
    return scenario, name


def written(point, megabytes):
    """Fill a filesystem to that point."""
    run("dd", "if=/dev/zero", f"of={point}/full", "bs=1M", f"count={megabytes}", "conv=fsync", "status=none")


@pytest.mark.thorough
def test_a_thin_pool_tells_how_full_it_is_and_when_it_is_too_full(pool):
    """LVM thin pool that fills up under an ext4"""
    scenario, name = pool
    scenario.format("ext4", f"/dev/{name}", "-J", "size=4", "-E", "lazy_itable_init=0,lazy_journal_init=0")
    point = scenario.mount(f"/dev/{name}", "data")
    layer = f"layer:{kernels('vg--a-pool-tpool')}"

    before = scenario.audit()

    kinds = check_stack(scenario, before)
    assert set(kinds.values()) == {"thin", "thin-pool", "linear"}
    row = told_by_lvs(scenario)["pool"]
    assert before.fact(layer, "layer.fill_percent") == float(row["data_percent"])
    assert before.fact(layer, "layer.pool_metadata_percent") == float(row["metadata_percent"])
    assert before.outcome("thin-pool-nearly-full", layer) == "ok"
    assert before.fact(f"filesystem:/dev/{name}", "below.any_thin") is True

    written(point, 72)
    full = scenario.audit()
    assert full.fact(layer, "layer.fill_percent") == float(told_by_lvs(scenario)["pool"]["data_percent"]) > 80
    assert full.outcome("thin-pool-nearly-full", layer) == "advise"
    scenario.keep("lab-thin-pool-nearly-full")

    run("lvextend", "-q", "-L", "+96M", "vg-a/pool")
    run("lvextend", "-q", "--poolmetadatasize", "+4M", "vg-a/pool")
    after = scenario.audit()
    assert after.fact(layer, "layer.fill_percent") == float(told_by_lvs(scenario)["pool"]["data_percent"]) < 80
    assert after.outcome("thin-pool-nearly-full", layer) == "ok"


@pytest.mark.thorough
def test_room_comes_back_to_a_pool_by_fstrim(pool):
    """LVM thin pool under an XFS, trimmed"""
    scenario, name = pool
    run("lvextend", "-q", "-L", "256M", "vg-a/pool")  # room for XFS's log
    scenario.format("xfs", f"/dev/{name}")
    point = scenario.mount(f"/dev/{name}", "data")
    written(point, 64)
    layer = f"layer:{kernels('vg--a-pool-tpool')}"
    filled = scenario.audit().fact(layer, "layer.fill_percent")
    run("rm", f"{point}/full")
    run("fstrim", point)

    report = scenario.audit()

    assert report.fact(layer, "layer.fill_percent") == float(told_by_lvs(scenario)["pool"]["data_percent"])
    assert report.fact(layer, "layer.fill_percent") < filled - 20
    assert report.fact(f"filesystem:/dev/{name}", "below.any_discards") is True
    assert report.outcome("xfs-stripe-mismatch", f"filesystem:/dev/{name}") is None


@pytest.mark.thorough
def test_a_snapshot_of_the_old_kind_slows_its_origin_and_fills_up(group):
    """LVM snapshot of the old kind on a linear volume"""
    scenario, _ = group
    origin = volume("lin", "-L", "64M", "vg-a")
    scenario.format("ext4", f"/dev/{origin}", "-E", "lazy_itable_init=0,lazy_journal_init=0")  # writes no more later
    point = scenario.mount(f"/dev/{origin}", "data")
    snapshot = volume("snap", "-s", "-L", "12M", "vg-a/lin")
    written(point, 10)
    before = float(told_by_lvs(scenario)["snap"]["data_percent"])

    report = scenario.audit()

    kinds = check_stack(scenario, report)
    assert (kinds[origin], kinds[snapshot]) == ("snapshot-origin", "snapshot")
    filled = float(told_by_lvs(scenario)["snap"]["data_percent"])
    assert 80 < before <= report.fact(f"layer:{snapshot}", "layer.fill_percent") <= filled, "ext4 writes by itself"
    assert report.outcome("old-style-snapshot", f"layer:{snapshot}") == "advise"
    assert report.outcome("snapshot-nearly-full", f"layer:{snapshot}") == "advise"
    scenario.keep("lab-lvm-snapshot")

    run("lvremove", "-qfy", "vg-a/snap")
    settle()
    after = scenario.audit()
    assert targets(scenario)[origin] == "linear"
    assert after.fact(f"layer:{origin}", "layer.kind") == "dm-linear"
    assert not {rule for rule, _ in after.advice()} & {"old-style-snapshot", "snapshot-nearly-full"}


def drives(report, at):
    """The disks at the ends of what a subject stands on."""
    below = report.subjects[at]["below"]
    return {it for one in below for it in drives(report, one)} if below else {at.removeprefix("disk:")}


def guest(scenario, caches):
    """A real QEMU, stopped before its first instruction, with these disks (path: cache); until the end."""
    disks = [f"file={path},format=raw,if=none,id=d{n},cache={caches[path]}" for n, path in enumerate(caches)]
    argv = ["qemu-system-x86_64", "-machine", "none", "-S", "-nodefaults", "-display", "none", "-monitor", "none"]
    process = subprocess.Popen([*argv, *(word for disk in disks for word in ("-drive", disk))])
    scenario.undo(process.wait)
    scenario.undo(process.terminate)
    return process


def opened(scenario, process):
    """What it has open; a file that it closes meanwhile makes ls fail."""
    return scenario.second("ls", "-l", f"/proc/{process.pid}/fd", check=False)


@pytest.mark.kernels
def test_guests_on_volumes_are_followed_to_their_drives_beside_one_on_a_file(group):
    """LVM volumes and a file as disks of a real QEMU, cache=none and unsafe: each followed to its drives"""
    scenario, _ = group
    striped, dropped = volume("two", "-i", "2", "-L", "96M", "vg-a"), volume("lin", "-L", "48M", "vg-a")
    other = volume("files", "-L", "96M", "vg-a")
    scenario.format("ext4", f"/dev/{other}")
    point = scenario.mount(f"/dev/{other}", "images")
    run("truncate", "-s", "8M", f"{point}/disk.raw")
    places = {"/dev/vg-a/two": "none", "/dev/mapper/vg--a-lin": "unsafe", f"{point}/disk.raw": "writeback"}
    process = guest(scenario, places)
    wait_for("its disks to be open", lambda: f"{point}/disk.raw" in opened(scenario, process))

    report = scenario.audit()

    volumes = {"service:qemu /dev/vg-a/two": striped, "service:qemu /dev/mapper/vg--a-lin": dropped}
    for at, name in volumes.items():
        assert f"/dev/{name}" in opened(scenario, process)
        assert sorted(drives(report, at)) == leaves(scenario, name)
    files = f"service:qemu {point}"
    assert report.fact(files, "service.mount_point") == point
    told = {at: report.fact(at, "service.guest_cache") for at in (*volumes, files)}
    assert list(told.values()) == list(places.values())
    unsafe = {at for at in told if report.outcome("vm-cache-unsafe", at) == "advise"}
    assert unsafe == {"service:qemu /dev/mapper/vg--a-lin"}
    assert report.fact(f"layer:{striped}", "layer.kind") == f"dm-{targets(scenario)[striped]}"
