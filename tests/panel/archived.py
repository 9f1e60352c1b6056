"""A server in memory as an unpacked sos archive of it: the files and outputs that sos 4 copies, by its names."""

import re
from pathlib import Path

_COPIED = (
    "/proc/",
    "/sys/block/",
    "/sys/fs/",
    "/sys/devices/",
    "/etc/fstab",
    "/etc/cron",
    "/etc/systemd/",
    "/etc/lvm/",
)
_OUTPUTS = {
    re.compile(r"nvme id-ctrl (?P<path>\S+) .*"): "nvme id-ctrl -H {path}",
    re.compile(r"nvme id-ns (?P<path>\S+) .*"): "nvme id-ns -H {path}",
    re.compile(r"nvme smart-log (?P<path>\S+) .*"): "nvme smart-log {path}",
    re.compile(r"smartctl .* (?P<path>/\S+)"): "smartctl -a {path} -j",
    re.compile(r"dumpe2fs -h (?P<path>\S+)"): "dumpe2fs -h {path}",
    re.compile(r"xfs_info (?P<path>\S+)"): "xfs_info {path}",
    re.compile(r"dmsetup table"): "dmsetup table",
    re.compile(r"systemd-detect-virt"): "systemd-detect-virt",
}


def write(machine, place):
    """Write the tree of the archive below `place`; the top is returned."""
    top = place / "sosreport-small"
    _file(top, "/sos_commands/host/uptime", "up 1 day\n")
    for path, text in machine.files.items():
        if isinstance(text, str) and path.startswith(_COPIED):
            _file(top, _resolved(machine, path), text)
    for path, target in machine.links.items():
        if path.startswith("/sys/"):
            (top / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            (top / path[1:]).symlink_to(target)
    for command, text in machine.commands.items():
        for asked, kept in _OUTPUTS.items():
            if isinstance(text, str) and (found := asked.fullmatch(command)):
                _output(top, kept.format(**found.groupdict()), text)
    _output(top, "udevadm info --export-db", "".join(_udev(machine)))
    _output(top, "lsblk -O -P", "".join(_lsblk(machine)))
    return top


def _file(top, path, text):
    place = top / path[1:]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def _output(top, command, text):
    name = re.sub(r"[^\w\-./]+", "_", command).replace("/", ".").strip(" ._-")
    _file(top, f"/sos_commands/block/{name}", text)


def _device(machine, name):
    """Where the kernel keeps a disk below /sys; md and dm have no link in memory."""
    link = machine.links.get(f"/sys/block/{name}", f"../devices/virtual/block/{name}")
    return link.replace("..", "/sys", 1)


def _resolved(machine, path):
    if not path.startswith("/sys/block/"):
        return path
    name, _, rest = path.removeprefix("/sys/block/").partition("/")
    return f"{_device(machine, name)}/{rest}"


def _names(machine):
    return sorted({path.split("/")[3] for path in machine.files if path.startswith("/sys/block/")})


def _partitions(machine, name):
    folders = {Path(path).parts[4] for path in machine.files if path.startswith(f"/sys/block/{name}/{name}")}
    return sorted(folders)


def _udev(machine):
    for name in _names(machine):
        at = _device(machine, name).removeprefix("/sys")
        yield _record(machine, at, f"/sys/block/{name}", name, "disk")
        for part in _partitions(machine, name):
            yield _record(machine, f"{at}/{part}", f"/sys/block/{name}/{part}", part, "partition")


def _record(machine, at, folder, name, kind):
    major, minor = machine.files[f"{folder}/dev"].strip().split(":")
    more = {"DM_NAME": f"{folder}/dm/name", "DM_UUID": f"{folder}/dm/uuid", "PARTN": f"{folder}/partition"}
    told = "".join(f"E: {key}={machine.files[path].strip()}\n" for key, path in more.items() if path in machine.files)
    return (
        f"P: {at}\nN: {name}\nE: DEVNAME=/dev/{name}\nE: DEVTYPE={kind}\nE: MAJOR={major}\nE: MINOR={minor}\n"
        f"E: SUBSYSTEM=block\n{told}\n"
    )


def _lsblk(machine):
    for name in _names(machine):
        slaves = [path.split("/")[5] for path in machine.files if path.startswith(f"/sys/block/{name}/slaves/")]
        for parent in slaves or [""]:
            yield f'NAME="{name}" KNAME="{name}" PKNAME="{parent}"\n'
        for part in _partitions(machine, name):
            yield f'NAME="{part}" KNAME="{part}" PKNAME="{name}"\n'
