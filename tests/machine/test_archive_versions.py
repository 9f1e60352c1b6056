"""One physical server as sos 3.2, 3.6, 4.2 and 4.10, insights-client and a copy of /proc and /sys have it.

Which outputs and files each has is what the plugins block, filesys, ata, md, devicemapper, lvm2, kernel, host and
hardware of that version collect; the server is made up: two SATA SSDs, mirrored by md, LVM on it.
"""

import re
import tarfile

import pytest

from fsadvisor.facts import Unknown
from fsadvisor.machine.opening import open_machine
from fsadvisor.survey.whole import survey
from tests.machines.parts import sample
from tests.paths import CAPTURES, needs_captures

PLACES = {"sda": "ata1/host0/target0:0:0/0:0:0:0", "sdb": "ata2/host1/target1:0:0/1:0:0:0"}
LINKS = {name: f"../devices/pci0000:00/0000:00:17.0/{place}/block/{name}" for name, place in PLACES.items()} | {
    name: f"../devices/virtual/block/{name}" for name in ("md127", "dm-0", "dm-1")
}
NUMBERS = {
    "sda": "8:0",
    "sda1": "8:1",
    "sdb": "8:16",
    "sdb1": "8:17",
    "md127": "9:127",
    "dm-0": "253:0",
    "dm-1": "253:1",
}
BLOCKS = {"sda": 468851544, "sda1": 468850503, "sdb": 468851544, "sdb1": 468850503, "md127": 468719424}
BLOCKS |= {"dm-0": 52428800, "dm-1": 104857600}

TREE = """\
NAME              MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINT
sda                 8:0    0 447.1G  0 disk
`-sda1              8:1    0 447.1G  0 part
  `-md127           9:127  0   447G  0 raid1
    |-vg-root     253:0    0    50G  0 lvm   /
    `-vg-srv      253:1    0   100G  0 lvm   /srv
sdb                 8:16   0 447.1G  0 disk
`-sdb1              8:17   0 447.1G  0 part
  `-md127           9:127  0   447G  0 raid1
    |-vg-root     253:0    0    50G  0 lvm   /
    `-vg-srv      253:1    0   100G  0 lvm   /srv
"""
NEWER_TREE = (
    TREE.replace("`-", "\u2514\u2500").replace("|-", "\u251c\u2500").replace("MOUNTPOINT", "MOUNTPOINTS")
    + "                                             /srv/again\n"
)
MDSTAT = """\
Personalities : [raid1]
md127 : active raid1 sdb1[1] sda1[0]
      468719424 blocks super 1.2 [2/2] [UU]

unused devices: <none>
"""
MOUNTS = "/dev/mapper/vg-root on / type xfs (rw,relatime)\n/dev/mapper/vg-srv on /srv type xfs (rw,noatime) [srv]\n"
REPORT = "RO    RA   SSZ   BSZ   StartSec            Size   Device\n" + "".join(
    f"rw  8192   512  4096 {2048 if name[-1] == '1' else 0:10} {BLOCKS[name] * 1024:15}   /dev/{name}\n"
    for name in BLOCKS
)
DMIDECODE = "System Information\n\tManufacturer: Dell Inc.\n\tProduct Name: PowerEdge R630\n\tVersion: Not Specified\n"
DISKS = ("sda", "sdb")
MODEL = "INTEL SSDSC2KG480G8"
SMART = sample("smartctl_text", "ata-ssd").replace("008   008   010    NOW", "100   100   010    -  ")
SMART = SMART.replace("EXAMPLE DC480", MODEL)

LISTING = "".join(f"lrwxrwxrwx 1 0 0 0 Jan 1 00:00 {name} -> {target}\n" for name, target in LINKS.items())
SIZES = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/x 52403200 26201600 26201600 50% /\n"
INODES = "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/x 26214400 100000 26114400 1% /\n"
MAPPED = """\
Name    Maj Min Stat Open Targ Event  UUID
vg-root 253   0 L--w    1    1      0 LVM-aaaaBBBB
vg-srv  253   1 L--w    1    1      0 LVM-aaaaCCCC
"""
TABLES = "vg-root: 0 104857600 linear 9:127 2048\nvg-srv: 0 209715200 linear 9:127 104859648\n"
EVERY = {
    "block": {"lsblk": TREE, "ls -lanR /sys/block": LISTING}
    | {f"parted -s /dev/{name} print": f"Model: ATA {MODEL[:16]} (scsi)\n" for name in DISKS},
    "filesys": {"mount -l": MOUNTS, "df -al": SIZES, "df -ali": INODES},
    "devicemapper": {"dmsetup info -c": MAPPED, "dmsetup table": TABLES},
    "ata": {f"smartctl -a /dev/{name}": SMART for name in DISKS},
    "kernel": {"uname -a": "Linux db7 3.10.0-123.el7.x86_64 #1 SMP x86_64 GNU/Linux\n"},
    "hardware": {"dmidecode": DMIDECODE},
}
FILES = {
    "proc/partitions": "major minor  #blocks  name\n\n"
    + "".join(f"{NUMBERS[it].replace(':', ' ')} {BLOCKS[it]} {it}\n" for it in BLOCKS),
    "proc/mdstat": MDSTAT,
    "proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu vme sse2\n",
}
UDEV = "".join(
    f"P: {LINKS[name][2:]}\nN: {name}\nE: DEVTYPE=disk\nE: MAJOR={NUMBERS[name].split(':')[0]}\n"
    f"E: MINOR={NUMBERS[name].split(':')[1]}\nE: SUBSYSTEM=block\n\n"
    for name in LINKS
)
PAIRS_ONCE = "".join(
    f'NAME="{name}" KNAME="{name}" PKNAME="{parent}" MAJ:MIN="{NUMBERS[name]}" MOUNTPOINTS="" '
    f'MODEL="{"" if parent else MODEL[:16]}" VENDOR="{"" if parent else "ATA     "}"\n'
    for name, parent in {"sda": "", "sda1": "sda", "sdb": "", "sdb1": "sdb", "md127": "sda1"}.items()
)
NEWER = EVERY | {
    "block": EVERY["block"] | {"blockdev --report": REPORT},
    "devices": {"udevadm info --export-db": UDEV},
    "host": {"hostnamectl status": "   Static hostname: db7\n           Chassis: server\n"},
    "hardware": {},
}
JSON = {
    f"smartctl -a /dev/{name} -j": sample("smartctl", "ata-ssd")
    .replace("/dev/sda", f"/dev/{name}")
    .replace("EXAMPLE DC480", MODEL)
    .replace('"value": 8,', '"value": 100,')
    .replace('"worst": 8,', '"worst": 100,')
    .replace('"when_failed": "now"', '"when_failed": ""')
    for name in DISKS
}
VERSIONS = {
    "sos 3.2": EVERY,
    "sos 3.6": NEWER,
    "sos 4.2": NEWER | {"block": NEWER["block"] | {"lsblk -O -P": PAIRS_ONCE}},
    "sos 4.10": NEWER
    | {
        "block": {"lsblk": NEWER_TREE, "lsblk -O -P": PAIRS_ONCE, "blockdev --report": REPORT},
        "ata": JSON,
    },
}


def mangled(command):
    """Sos's and insights-client's name for an output."""
    return command.replace(":", "_").replace(" ", "_").replace("/", ".")


def write(top, texts):
    for name, text in texts.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return top


def sos(top, version):
    outputs = VERSIONS[version].items()
    texts = {f"sos_commands/{plugin}/{mangled(it)}": text for plugin, all_ in outputs for it, text in all_.items()}
    return write(top, FILES | texts)


def seen(place):
    storage = survey(open_machine(place), {})
    return {subject.id: subject for subject in storage.subjects}


def known(subject, fact):
    kind, name = fact.split(".")
    return getattr(getattr(subject.scope[kind], name), "value", None)


def assert_whole(subjects):
    """Both disks, the mirror and its volumes, each standing on what it stood on."""
    stack = {name: subject.below for name, subject in subjects.items() if name.startswith(("disk:", "layer:"))}
    assert stack == {
        "disk:sda": (),
        "disk:sdb": (),
        "layer:sda1": ("disk:sda",),
        "layer:sdb1": ("disk:sdb",),
        "layer:md127": ("layer:sda1", "layer:sdb1"),
        "layer:dm-0": ("layer:md127",),
        "layer:dm-1": ("layer:md127",),
    }
    assert known(subjects["layer:md127"], "layer.md_level") == "raid1"
    assert known(subjects["disk:sda"], "disk.size_bytes") == BLOCKS["sda"] * 1024
    assert [it for it in subjects if it.startswith("mount:")] == ["mount:/", "mount:/srv"]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_sos_has_the_disks_the_stack_and_the_verdict_on_power_loss(tmp_path, version):
    subjects = seen(sos(tmp_path, version))
    assert_whole(subjects)
    assert [known(subjects[f"disk:{name}"], "disk.plp") for name in DISKS] == ["proven", "proven"]
    assert {known(subjects[f"layer:{name}"], "layer.kind") for name in ("dm-0", "dm-1")} == {"dm-linear"}
    assert known(subjects["layer:md127"], "layer.md_degraded") == 0
    assert known(subjects["host"], "host.virtual") is False
    assert str(known(subjects["host"], "host.kernel")) == "3.10.0"
    assert known(subjects["mount:/"], "filesystem.used_percent") == 50


def test_an_insights_archive_has_them_too(tmp_path):
    texts = {f"insights_commands/{mangled(it)}": text for all_ in EVERY.values() for it, text in all_.items()}
    assert_whole(seen(write(tmp_path / "insights-db7", FILES | texts).parent))


SUSE_COLUMNS = "NAME,KNAME,MAJ:MIN,FSTYPE,LABEL,RO,RM,MODEL,SIZE"
SUSE_TREE = "NAME         KNAME MAJ:MIN FSTYPE LABEL RO RM MODEL SIZE\n" + "".join(
    f"{match[1] + match[2]:20}{name} {match[3]} x 0 0 1G\n"
    for match in re.finditer(r"^([ |`-]*)(\S+) +(\d+:\d+)", TREE, re.MULTILINE)
    for name, number in NUMBERS.items()
    if number == match[3]
)


def section(kind, name, content):
    return f"#==[ {kind} ]{'=' * 40}#\n# {name}\n{content}\n\n"


def test_a_supportconfig_archive_has_them_in_its_sections(tmp_path):
    files = {path: "".join(f"{it}\n" for it in text.splitlines() if it) for path, text in FILES.items()}
    commands = {
        f"/usr/bin/lsblk -i -o '{SUSE_COLUMNS}'": SUSE_TREE,
        "/usr/bin/mount": MOUNTS.replace(" [srv]", ""),
        "/sbin/dmsetup table": TABLES,
        "/sbin/udevadm info -e": UDEV.replace(
            "E: SUBSYSTEM=block", f"E: ID_MODEL_ENC={MODEL[:16]}\nE: SUBSYSTEM=block"
        ),
        "/usr/bin/hostnamectl status": NEWER["host"]["hostnamectl status"],
    }
    disk_io = [section("Configuration File", f"/{path}", text) for path, text in files.items()]
    disk_io += [section("Command", command, text) for command, text in commands.items()]
    smart = {f"scc_db7/smartmon-{it}": section("Command", f"/usr/sbin/smartctl --all /dev/{it}", SMART) for it in DISKS}
    texts = {"scc_db7/basic-environment.txt": "", "scc_db7/fs-diskio.txt": "=== header ===\n\n" + "".join(disk_io)}
    folder = write(tmp_path, texts | smart)
    with tarfile.open(tmp_path / "scc_db7.txz", "w:xz") as tar:
        tar.add(folder / "scc_db7", "scc_db7")
    for place in (folder, folder / "scc_db7", tmp_path / "scc_db7.txz"):
        subjects = seen(place)
        assert_whole(subjects)
        assert [known(subjects[f"disk:{name}"], "disk.plp") for name in DISKS] == ["proven", "proven"]


def test_a_bare_copy_of_proc_and_sys_is_a_machine(tmp_path):
    node = tmp_path / "nodes" / "worker-0"
    mounts = "/dev/mapper/vg-root / xfs rw 0 0\n/dev/mapper/vg-srv /srv xfs rw 0 0\n"
    write(node, FILES | {"proc/mounts": mounts})
    for name, target in LINKS.items():
        write(node, {f"sys/{target[3:]}/dev": NUMBERS[name]})
        (node / "sys/block").mkdir(exist_ok=True)
        (node / "sys/block" / name).symlink_to(target)
    subjects = seen(tmp_path)
    assert [it for it in subjects if it.startswith("disk:")] == ["disk:sda", "disk:sdb"]
    assert subjects["layer:sda1"].below == ("disk:sda",)
    assert isinstance(subjects["layer:dm-0"].scope["layer"].kind, Unknown)
    assert [it for it in subjects if it.startswith("mount:")] == ["mount:/", "mount:/srv"]


def test_a_device_of_which_only_the_name_is_told_has_no_kind(tmp_path):
    kinds = {"dm-0", "md127"}
    subjects = seen(write(tmp_path, FILES | {"sos_commands/host/uptime": "up\n"}))
    assert {it.removeprefix("layer:") for it in subjects if it.startswith("layer:")} >= kinds
    assert [it for it in subjects if it.startswith("disk:")] == ["disk:sda", "disk:sdb"]
    assert isinstance(subjects["layer:dm-0"].scope["layer"].kind, Unknown)


COLUMNS = """\
NAME        MAJ:MIN RM SIZE RO TYPE MOUNTPOINT KNAME FSTYPE RA
sda           8:0    0  20G  0 disk            sda          4096
��sda1        8:1    0   1G  0 part /boot      sda1  xfs    4096
��sda2        8:2    0  19G  0 part            sda2         4096
  ��vg-root 253:0    0  17G  0 lvm  /          dm-0  xfs    4096
loop0         7:0    0  17M  1 loop /snap/x    loop0 squash 128
sr0          11:0    1   1G  0 rom             sr0          128
"""


def test_columns_that_may_be_empty_name_no_device_and_lines_of_a_tree_may_be_damaged(tmp_path):
    losetup = "/dev/loop0: [64768]:1234 (/srv/image)\n/dev/loop1: [64768]:1235 (/srv/other (deleted))\n"
    subjects = seen(write(tmp_path, {"sos_commands/block/lsblk": COLUMNS, "sos_commands/block/losetup_-a": losetup}))
    below = {it: subject.below for it, subject in subjects.items() if it.startswith(("disk:", "layer:"))}
    assert below == {
        "disk:sda": (),
        "layer:sda1": ("disk:sda",),
        "layer:sda2": ("disk:sda",),
        "layer:dm-0": ("layer:sda2",),
        "layer:loop0": (),
        "layer:loop1": (),
    }


def test_the_table_of_mounts_may_be_that_of_another_process_or_mtab(tmp_path):
    for place in ("proc/self/mounts", "proc/1/mounts", "etc/mtab"):
        tree = write(
            tmp_path / place.replace("/", "-"), FILES | {"sos_commands/x/y": "", place: "/dev/sda1 /srv xfs rw 0 0\n"}
        )
        assert "mount:/srv" in seen(tree)


def test_without_anything_that_lists_partitions_a_disk_is_no_disk_without_them(tmp_path):
    tree = {"sys/devices/pci0/block/sda/queue/scheduler": "none\n", "sos_commands/host/uptime": "up\n"}
    write(tmp_path, tree)
    (tmp_path / "sys/block").mkdir()
    (tmp_path / "sys/block/sda").symlink_to("../devices/pci0/block/sda")
    assert isinstance(open_machine(tmp_path).entries("/sys/block/sda"), Unknown)


def test_memory_and_the_single_paths_of_an_nvme_are_no_disks(tmp_path):
    paths = {
        "nvme2n1": "virtual/nvme-subsystem/nvme-subsys2",
        "nvme2c2n1": "pci0000:00/nvme/nvme2",
        "ram0": "virtual/block",
    }
    records = [f"P: /devices/{at}/{it}\nE: SUBSYSTEM=block\nE: DEVTYPE=disk\n" for it, at in paths.items()]
    write(tmp_path, {"sos_commands/devices/udevadm_info_--export-db": "\n".join(records)})
    assert [it for it in seen(tmp_path) if it != "host"] == ["disk:nvme2n1"]


@needs_captures
@pytest.mark.parametrize(
    "name", [f"mailinglists/lsblk/{it}" for it in ("linux-raid_938ca7f7269a", "linux-nvme_e6b7e979455e")]
)
def test_each_device_of_an_lsblk_from_a_mail_is_there_with_what_it_stands_on(tmp_path, name):
    text = (CAPTURES / f"{name}.txt").read_text()
    subjects = seen(write(tmp_path, {"sos_commands/block/lsblk": text}))
    listed = set(re.findall(r"(?<!\S)\d+:\d+ .*(?:disk|part|lvm|crypt|raid10)\b", text))
    assert len({it.split()[0] for it in listed}) == sum(it.startswith(("disk:", "layer:")) for it in subjects)
    assert all(subject.below for it, subject in subjects.items() if it.startswith("layer:"))


@needs_captures
@pytest.mark.parametrize("dump", ["simple-lvm", "simple-nvme"])
def test_a_dump_of_util_linux_has_the_devices_and_mounts_that_its_lsblk_listed(dump):
    subjects = seen(CAPTURES / "util-linux/lsblk-dumps" / f"{dump}.tar.xz")
    with tarfile.open(CAPTURES / "util-linux/lsblk-dumps" / f"{dump}.tar.xz") as tar:
        listed = tar.extractfile(f"{dump}/lsblk-{dump}-basic").read().decode()
    rows = re.findall(r"^\W*\S+ +(\S+) +\d+:\d+ +\d +\S+ (\w+) *(/\S*)?$", listed, re.MULTILINE)
    assert {f"disk:{name}" for name, kind, _ in rows if kind == "disk"} == {it for it in subjects if it[:5] == "disk:"}
    assert {f"layer:{name}" for name, kind, _ in rows if kind != "disk"} == {
        it for it in subjects if it[:6] == "layer:"
    }
    assert {f"mount:{point}" for *_, point in rows if point} <= set(subjects)
