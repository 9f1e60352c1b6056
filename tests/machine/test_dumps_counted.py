"""Every open dump: disks, layers and mounts counted against what lists them inside it.

`pytest tests/machine/test_dumps_counted.py -s` prints the table that docs/archives.md sums up.
"""

import re
import tarfile
import xml.etree.ElementTree as ET
from typing import NamedTuple

import pytest

from fsadvisor.machine.opening import open_machine
from fsadvisor.readers import mount_tables
from fsadvisor.survey.whole import survey
from tests.machine.test_archive_versions import mangled, write
from tests.paths import CAPTURES, needs_captures

_ROW = re.compile(
    r"^(?:[^\w\s]|\s)*(\S+)(?: +[a-z]\S*)? +(\d+:\d+) +\d+ +\S+(?: +\d+)? +([a-z][\w-]*)(?: +(/\S*|\[SWAP\]))?",
    re.MULTILINE,
)
_NOT_LOOKED_AT = ("sr", "fd", "ram", "pktcdvd")
_PATH_OF_NVME = re.compile(r"nvme\d+c\d+n\d+")
_PSEUDO = {
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs",
    "fusectl", "hugetlbfs", "mqueue", "nfsd", "proc", "pstore", "ramfs", "rpc_pipefs", "rootfs", "securityfs",
    "selinuxfs", "sysfs", "tmpfs", "tracefs", "usbfs", "fuse.gvfs-fuse-daemon", "fuse.gvfsd-fuse", "fuse.portal",
    "nsfs", "squashfs", "aufs", "iso9660", "fuseblk",
}  # fmt: skip
DUMPS = [
    path
    for places in (
        "util-linux/lsblk-dumps/*.tar.xz", "ghw/*.tar.gz", "libstorage-ng/*-mockup.xml", "checkbox/*.txt",
        "mailinglists/lsblk/*", "insights-core/lsblk*", "jc/*_lsblk-allcols.out", "util-linux/mount/*mountinfo*",
        "moby-sys/*.mountinfo",
    )
    for path in sorted(CAPTURES.glob(places))
    if path.name != "linux-bcache_7a4bf61e2ec0.txt"  # what `lsblk --inverse` prints
]  # fmt: skip


class Counts(NamedTuple):
    """Names of each kind; None where the dump does not list them."""

    disks: set | None = None
    layers: set | None = None
    whole: set | None = None
    """Disks and layers without partitions, as a listing of /sys/block has them."""
    mounts: set | None = None


def listed_by_lsblk(text):
    """The devices of a plain lsblk, each once, by number: lsblk shows mapped ones by other names than the kernel's."""
    rows = {number: (name, kind) for name, number, kind, _ in _ROW.findall(text)}
    told = {
        number: "disk" if kind == "disk" and not name.startswith("bcache") else "layer"
        for number, (name, kind) in rows.items()
        if not name.startswith(_NOT_LOOKED_AT)
    }
    return Counts(disks={it for it in told if told[it] == "disk"}, layers={it for it in told if told[it] == "layer"})


def mounted(text):
    """The mount points of what is on a device or comes by the network, less those that a later mount covers."""
    by_mountinfo = re.search(r"^\d+ \d+ \d+:\d+ ", text) is not None
    parse = mount_tables.parse_mountinfo if by_mountinfo else mount_tables.parse_proc_mounts
    table = {it.mount_point: it for it in parse(text).mounts}
    return {it.mount_point for it in table.values() if it.fs_type not in _PSEUDO}


def mockup(path, folder):
    """A tree of the files and outputs that a mock-up of libstorage-ng holds, named as sos names them."""
    texts, udev, whole = {"sos_commands/host/uptime": "up\n"}, [], set()
    for entry in ET.parse(path).getroot().iter():
        name = entry.findtext("name")
        if entry.tag not in ("File", "Command") or not name:
            continue
        lines = [it.text or "" for it in entry.findall("content") + entry.findall("stdout")]
        text = "".join(f"{it}\n" for it in lines)
        tool, _, rest = name.partition(" ")
        command = f"{tool.rpartition('/')[2]} {rest}".strip()
        if entry.tag == "File":
            texts[name.lstrip("/")] = text
        elif command.startswith("udevadm info /dev/"):
            udev.append(text)
        elif command == "ls -1 --sort=none /sys/block":
            whole = {it for it in lines if it and not it.startswith((*_NOT_LOOKED_AT, "loop"))}
        elif command in _KEPT:
            texts[f"sos_commands/x/{mangled(_KEPT[command])}"] = text
    texts["sos_commands/x/udevadm_info_--export-db"] = "\n".join(udev)
    mounts = mounted(texts["proc/mounts"]) if texts.get("proc/mounts", "").strip() else None
    (folder / "sys/block").mkdir(parents=True)
    for name in whole:
        if name.startswith("dm-"):
            (folder / "sys/block" / name).symlink_to(f"../devices/virtual/block/{name}")
    return write(folder, texts), Counts(whole=whole or None, mounts=mounts)


_KEPT = {"multipath -d -v 2 -ll": "multipath -ll", "dmsetup table": "dmsetup table"}


def opened(path, folder):
    """Where fsadvisor looks, and what the dump lists itself."""
    if path.name.endswith("-mockup.xml"):
        return mockup(path, folder)
    if path.name.endswith((".tar.xz", ".tar.gz")):
        with tarfile.open(path) as tar:
            texts = {
                it.name: tar.extractfile(it).read().decode() for it in tar if it.isfile() and _WANTED.search(it.name)
            }
            whole = {it.name.rpartition("/")[2] for it in tar if re.search(r"(^|/)sys/block/[^/]+$", it.name)}
        listing = next((text for name, text in texts.items() if name.endswith("-basic")), None)
        mounts = next((text for name, text in sorted(texts.items()) if "mount" in name or "mtab" in name), None)
        told = (
            listed_by_lsblk(listing)
            if listing
            else Counts(whole={it for it in whole if not it.startswith((*_NOT_LOOKED_AT, "loop"))})
        )
        return path, told._replace(mounts=mounted(mounts) if mounts else None)
    text = path.read_text(errors="replace")
    if "mountinfo" in path.name:
        return write(folder, {"proc/self/mountinfo": text}), Counts(mounts=mounted(text))
    if path.parent.name == "checkbox":
        records = (it for it in text.split("\n\n") if "E: SUBSYSTEM=block" in it and "E: DEVTYPE=disk" in it)
        names = {re.match(r"P: \S*/(\S+)\n", it.lstrip())[1] for it in records}
        whole = {it for it in names if not it.startswith((*_NOT_LOOKED_AT, "loop")) and not _PATH_OF_NVME.fullmatch(it)}
        return write(folder, {"sos_commands/x/udevadm_info_--export-db": text}), Counts(whole=whole)
    return write(folder, {"sos_commands/block/lsblk": text}), listed_by_lsblk(text)


_WANTED = re.compile(r"(?:-basic|proc/self/mount(?:s|info)|etc/mtab)$")


def looked(place):
    subjects = [it.id for it in survey(open_machine(place), {}).subjects]
    return {
        kind: {it.partition(":")[2] for it in subjects if it.startswith(f"{kind}:")}
        for kind in ("disk", "layer", "filesystem", "mount")
    }


def differences(told, seen, configured):
    """What is counted otherwise, in words; a mount of fstab's is seen, too, and a tmpfs that is /tmp."""
    both = seen["disk"] | seen["layer"]
    found = []
    for kind, names in (("disk", told.disks), ("layer", told.layers)):
        if names is not None and len(names) != len(seen[kind]):
            found.append(f"{kind}s: {len(names)} listed, {len(seen[kind])} seen")
    if told.whole is not None and told.whole != both & told.whole | seen["disk"]:
        found.append(f"not seen: {sorted(told.whole - both)}, no disks: {sorted(seen['disk'] - told.whole)}")
    if told.mounts is not None:
        more = seen["mount"] - told.mounts - configured
        found += [f"mounts not seen: {sorted(told.mounts - seen['mount'])}"] if told.mounts - seen["mount"] else []
        found += [f"no mounts: {sorted(more)}"] if more else []
    return "; ".join(found)


def names_of(folder):
    """Mount points of fstab and of tmpfs."""
    lines = [
        line.split()
        for it in ("etc/fstab", "proc/mounts", "proc/self/mountinfo")
        if (folder / it).is_file()
        for line in (folder / it).read_text().splitlines()
    ]
    return {row[1] for row in lines if len(row) > 2} | {row[4] for row in lines if len(row) > 9} | {"/tmp"}


@pytest.mark.long
@needs_captures
@pytest.mark.parametrize("dump", DUMPS, ids=[f"{it.parent.name}/{it.name}" for it in DUMPS])
def test_an_open_dump_is_counted_as_it_lists_itself(dump, tmp_path):
    place, told = opened(dump, tmp_path)
    seen = looked(place)
    listed = ", ".join(f"{len(names)} {kind}" for kind, names in told._asdict().items() if names is not None)
    counts = ", ".join(f"{len(names)} {kind}s" for kind, names in seen.items())
    print(f"{dump.parent.name}/{dump.name}: {counts}; it lists {listed}")
    assert differences(told, seen, names_of(tmp_path)) == ""
