"""A server in memory as an unpacked sos archive of it: the files and outputs that sos 4 copies, by its names."""

import re
from pathlib import Path

_COPIED = re.compile(
    r"/proc/(?:self/mountinfo|fs/.*|meminfo|cmdline|cpuinfo|pressure/.*|mdstat|diskstats|partitions)"
    r"|/sys/block/[^/]+/(?:queue|md|loop)/.*|/sys/block/sd[a-z]+/device/(?:timeout|state)|/sys/fs/xfs/.*"
    r"|/sys/class/dmi/id/.*|/etc/(?:fstab|crypttab|mdadm.conf|cron[^/]*/.*|systemd/.*|lvm/.*|sysctl.*)"
)
_OUTPUTS = {
    re.compile(r"nvme id-ctrl (?P<path>\S+) .*"): "nvme id-ctrl -H {path}",
    re.compile(r"nvme id-ns (?P<path>\S+) .*"): "nvme id-ns -H {path}",
    re.compile(r"nvme smart-log (?P<path>\S+) .*"): "nvme smart-log {path}",
    re.compile(r"smartctl .* (?P<path>/\S+)"): "smartctl -a {path} -j",
    re.compile(r"dumpe2fs -h (?P<path>\S+)"): "dumpe2fs -h {path}",
    re.compile(r"xfs_info (?P<path>\S+)"): "xfs_info {path}",
    re.compile(r"dmsetup table"): "dmsetup table",
    re.compile(r"dmesg"): "dmesg",
}


def write(machine, place):
    """Write the tree of the archive below `place`; the top is returned."""
    top = place / "sosreport-small"
    _file(top, "/sos_commands/host/uptime", "up 1 day\n")
    for path, text in machine.files.items():
        if isinstance(text, str) and _COPIED.fullmatch(path):
            _file(top, _resolved(machine, path), text)
    for path, target in machine.links.items():
        if path.startswith("/sys/"):
            (top / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            (top / path[1:]).symlink_to(target)
    for command, text in machine.commands.items():
        for asked, kept in _OUTPUTS.items():
            if isinstance(text, str) and (found := asked.fullmatch(command)):
                _output(top, kept.format(**found.groupdict()), text)
    for command, lines in _told(machine):
        _output(top, command, "".join(lines))
    return top


def _told(machine):
    """(command, lines) of what the archive has in other words than the machine is asked in."""
    yield "udevadm info --export-db", _udev(machine)
    yield "lsblk -O -P", _lsblk(machine)
    yield "df -al -x autofs", _df(machine, "1K-blocks", ("size", "free", "available"), 1024)
    yield "df -aliT -x autofs", _df(machine, "Inodes", ("inodes", "inodes_free", "inodes_free"), 1)
    yield "sysctl -a", _sysctl(machine)
    words = [machine.commands.get(f"systemd-detect-virt --{kind}", "") for kind in ("container", "vm")]
    if all(isinstance(word, str) and word for word in words):
        kind = next((word.strip() for word in words if word != "none\n"), "")
        chassis = "vm" if words[1] != "none\n" else "container" if kind else "server"
        yield (
            "hostnamectl status",
            (f"           Chassis: {chassis}\n", f"    Virtualization: {kind}\n" if kind else ""),
        )
    timer = machine.commands.get("systemctl show fstrim.timer --property=Id,LoadState,ActiveState,UnitFileState")
    if isinstance(timer, str):
        states = dict(line.split("=", 1) for line in timer.split())
        yield (
            "systemctl list-unit-files",
            (f"fstrim.timer {states['UnitFileState']} enabled\n", "\n1 unit files listed.\n"),
        )
        active = f"  fstrim.timer loaded {states['ActiveState']} waiting Discard unused blocks\n"
        yield "systemctl list-units --all", (active, "\n1 loaded units listed.\n")


def _df(machine, unit, keys, scale):
    yield f"Filesystem {unit} Used Available Use% Mounted on\n"
    for point, told in machine.spaces.items():
        total, free, available = (told[key] // scale for key in keys)
        yield f"/dev/x {total} {total - free} {available} 7% {point}\n"


def _sysctl(machine):
    for path, text in machine.files.items():
        if path.startswith("/proc/sys/"):
            yield f"{path.removeprefix('/proc/sys/').replace('/', '.')} = {text.strip()}\n"


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
    more = {
        "ID_MODEL": f"{folder}/device/model",
        "DM_NAME": f"{folder}/dm/name",
        "DM_UUID": f"{folder}/dm/uuid",
        "PARTN": f"{folder}/partition",
    }
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
