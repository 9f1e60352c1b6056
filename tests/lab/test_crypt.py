"""dm-crypt: LUKS2 and plain, its flags and units, and what a recording must never hold; a deep stack."""

import json
import re

import pytest

from tests.lab.marks import thorough
from tests.lab.scenario import RESULTS, run, settle

pytestmark = pytest.mark.lab
KEY = "/run/lab/key"
FAST = ("--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file", KEY)
QUEUES = ("--perf-no_read_workqueue", "--perf-no_write_workqueue")


@pytest.fixture
def keyed(scenario):
    """A scenario with a key to open volumes by."""
    run("modprobe", "dm-crypt")
    scenario.write(KEY, "what is kept secret in the lab" * 4)
    return scenario


def luks(scenario, device, name, *options, sector=512):
    """Make and open a LUKS2 volume; its kernel's name."""
    run("cryptsetup", "luksFormat", "-q", "--type", "luks2", "--sector-size", str(sector), *FAST, device)
    scenario.undo(run, "wipefs", "-aq", device)
    run("cryptsetup", "open", "--key-file", KEY, *options, device, name)
    scenario.undo(settle)
    scenario.undo(run, "cryptsetup", "close", name)
    return kernels(name)


def kernels(mapped):
    """The kernel's name of a mapped device."""
    settle()
    return run("readlink", "-f", f"/dev/mapper/{mapped}").strip().removeprefix("/dev/")


def status(scenario, name):
    """`cryptsetup status` as a dictionary."""
    lines = scenario.second("cryptsetup", "status", name).split("\n")
    return {key.strip(): value.strip() for key, sep, value in (line.partition(":") for line in lines) if sep}


def flags_of(scenario, name):
    """The flags, by dm-crypt's own words."""
    return sorted(status(scenario, name).get("flags", "").replace("discards", "allow_discards").split())


@pytest.mark.parametrize(
    ("sector", "options"),
    [
        thorough(512, ()),
        thorough(4096, ("--allow-discards",)),
        (4096, ("--allow-discards", *QUEUES)),
        thorough(512, QUEUES),
    ],
)
def test_encryption_tells_its_unit_and_flags(keyed, sector, options):
    """LUKS2 on NVMe, by units of 512 and 4096 bytes, with and without discards and work queues"""
    scenario = keyed
    (disk,) = scenario.attach("nvme")
    name = luks(scenario, f"/dev/{disk}", "secret", *options, sector=sector)
    scenario.format("ext4", f"/dev/{name}")
    scenario.mount(f"/dev/{name}", "data")
    layer = f"layer:{name}"

    report = scenario.audit()

    facts, said = report.facts(layer), status(scenario, "secret")
    assert facts["layer.kind"] == "dm-crypt"
    assert facts["layer.mapped_name"] == "secret"
    assert facts["layer.crypt_sector_bytes"] == int(said["sector size"].split()[0]) == sector
    assert sorted(facts["layer.crypt_flags"]) == flags_of(scenario, "secret")
    assert facts["layer.size_bytes"] == int(said["size"].split()[0]) * 512
    assert facts["layer.misaligned"] is (int(said["offset"].split()[0]) % 8 != 0) is False
    assert facts["below.disks"] == [disk] == [said["device"].removeprefix("/dev/")]
    takes = scenario.second("lsblk", "-b", "-n", "-d", "-o", "DISC-MAX", f"/dev/{name}").strip() != "0"
    assert facts["below.any_discards"] is takes is ("--allow-discards" in options)
    queued = report.outcome("crypt-through-workqueues", layer)
    assert queued == ("ok" if QUEUES[0] in options else "blocked"), "a drive that calls itself QEMU's is a virtual one"
    if options:
        return
    run("cryptsetup", "refresh", "--key-file", KEY, *QUEUES, "secret")
    after = scenario.audit()
    assert sorted(after.fact(layer, "layer.crypt_flags")) == flags_of(scenario, "secret") != []
    assert after.outcome("crypt-through-workqueues", layer) == "ok"
    run("cryptsetup", "refresh", "--key-file", KEY, "secret")
    assert flags_of(scenario, "secret") == []


@pytest.mark.thorough
def test_a_recording_holds_no_key(keyed):
    """LUKS2 with its key in the keyring and in the table, and plain dm-crypt"""
    scenario = keyed
    ring, table, plain = (f"/dev/{name}" for name in scenario.attach("shelf")[:3])
    luks(scenario, ring, "ring")
    luks(scenario, table, "table", "--disable-keyring")
    made = ("--type", "plain", "--cipher", "aes-xts-plain64", "--key-size", "512", "--key-file", KEY)
    run("cryptsetup", "open", *made, plain, "plain")
    scenario.undo(run, "cryptsetup", "close", "plain")
    settle()

    report = scenario.audit()

    for name, kind in (("ring", "LUKS2"), ("table", "LUKS2"), ("plain", "PLAIN")):
        said = status(scenario, name)
        facts = report.facts(f"layer:{kernels(name)}")
        assert said["type"] == kind
        assert facts["layer.crypt_sector_bytes"] == int(said["sector size"].split()[0])
        assert facts["below.disks"] == [said["device"].removeprefix("/dev/")]
    scenario.keep("lab-encrypted-three-ways")
    keys = re.findall(r"\b[0-9a-f]{64,}\b", run("dmsetup", "table", "--showkeys"))
    assert len(keys) == 2, "of the table and of plain; a keyring's is not shown"
    identities = re.findall(r"cryptsetup:([0-9a-f-]{36})", run("dmsetup", "table"))
    kept = "".join(path.read_text() for path in (RESULTS / "captures").rglob("*") if path.is_file())
    for secret in (*keys, *identities, "what is kept secret"):
        assert secret not in kept
        assert secret not in json.dumps(report.whole)


@pytest.mark.thorough
def test_a_deep_stack_is_followed_in_order(keyed):
    """XFS on LVM on LUKS on md RAID 1 on partitions"""
    scenario = keyed
    nodes = [f"/dev/{name}" for name in scenario.attach("sata-ssd")]
    run("modprobe", "raid1")
    for node in nodes:
        scenario.undo(settle)
        scenario.undo(run, "wipefs", "-aq", node)
        run("parted", "--script", node, "mklabel", "gpt", "mkpart", "part", "1MiB", "401MiB")
        scenario.undo(run, "wipefs", "-aq", f"{node}1")
    settle()
    members = [f"{node}1" for node in nodes]
    run("mdadm", "--create", "/dev/md/deep", "--run", "--quiet", "--assume-clean", "-l1", "-n2", *members)
    scenario.undo(run, "mdadm", "--stop", "/dev/md/deep")
    luks(scenario, "/dev/md/deep", "secret")
    run("pvcreate", "-q", "/dev/mapper/secret")
    run("vgcreate", "-q", "deep", "/dev/mapper/secret")
    scenario.undo(run, "vgchange", "-qan", "deep")
    run("lvcreate", "-qy", "-n", "root", "-l", "90%FREE", "deep")
    top = kernels("deep-root")
    scenario.format("xfs", f"/dev/{top}")
    scenario.mount(f"/dev/{top}", "data")

    report = scenario.audit()

    tree = json.loads(scenario.second("lsblk", "-s", "-J", "-o", "NAME,KNAME,TYPE", f"/dev/{top}"))["blockdevices"][0]
    at = f"filesystem:/dev/{top}"
    kinds = []
    check_below(report, at, [tree], kinds)
    assert kinds == ["lvm", "crypt", "raid1", "part", "disk", "part", "disk"]
    assert report.fact(at, "below.disks") == [node.removeprefix("/dev/") for node in nodes]
    assert report.fact(at, "below.raid_levels") == ["raid1"]
    assert report.fact(at, "below.transports") == ["sata"]
    assert report.fact(f"layer:{top}", "layer.misaligned") is False
    scenario.keep("lab-xfs-lvm-luks-raid1")


def check_below(report, at, devices, kinds):
    """The report names the same devices below as lsblk, down to the disks."""
    expected = {f"{'disk' if one['type'] == 'disk' else 'layer'}:{one['kname']}" for one in devices}
    assert set(report.subjects[at]["below"]) == expected
    for one in devices:
        kinds.append(one["type"])
        check_below(
            report, f"{'disk' if one['type'] == 'disk' else 'layer'}:{one['kname']}", one.get("children", []), kinds
        )
