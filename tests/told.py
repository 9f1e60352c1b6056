"""A machine that says what a test tells it, for composed storage stacks."""

import datetime as dt
import json

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.machine.redaction import settings_about_storage
from fsadvisor.machine.runner import missing_tool

_NOT_THERE = Unknown(Cause.NOT_EXPOSED, "")
_EVERYWHERE = ("find", "grep", "systemctl")


class ToldMachine:
    """Files and links by path, outputs by command line, processes, room and inode flags."""

    def __init__(
        self, files=(), links=(), commands=(), processes=(), spaces=(), flags=(), extents=(), root=True, udev=""
    ):
        self.files, self.links, self.commands = dict(files), dict(links), dict(commands)
        self.running, self.spaces, self.inode_flags = list(processes), dict(spaces), dict(flags)
        self.file_extents = dict(extents)
        self.statuses, self.hidden_below = {}, {}
        self.installed = set()
        """Tools that say nothing to what they are not told to answer; others are missing."""

        self.root = root
        self.udev_text = udev
        self.name = "a composed machine"
        self.today = self.looked_on = dt.date(2026, 11, 20)

    def read(self, path):
        return self._reply(self.files.get(path, _NOT_THERE), path)

    def entries(self, path):
        inside = (one.removeprefix(f"{path}/") for one in (*self.files, *self.links) if one.startswith(f"{path}/"))
        return tuple(sorted({one.split("/")[0] for one in inside})) or _NOT_THERE

    def link(self, path):
        return self._reply(self.links.get(path, _NOT_THERE), path)

    def run(self, commands):
        asked = [(" ".join(argv), self._silence(argv)) for argv in commands]
        return [self._reply(self.commands.get(it, none), it, self.statuses.get(it, 0)) for it, none in asked]

    def _silence(self, argv):
        if argv[0] in _EVERYWHERE:
            return _NOT_THERE
        return Unknown(Cause.NOT_EXPOSED, "", " ".join(argv)) if argv[0] in self.installed else missing_tool(argv)

    def expect(self, commands):
        pass

    def udev(self):
        return Reply(self.udev_text, "udev")

    def processes(self, names):
        return Reply(json.dumps([one for one in self.running if one["name"] in names]), "psutil")

    def counters(self):
        return Reply(json.dumps({"memory": {"total": 64 << 30, "available": 32 << 30}, "io": {}}), "psutil")

    def space(self, mount_point):
        room = self.spaces.get(mount_point)
        return Reply(json.dumps(room), "statvfs") if room else _NOT_THERE

    def flags(self, path):
        return self._reply(self.inode_flags.get(path, _NOT_THERE), f"flags of {path}")

    def settings(self, path):
        answer = self.read(path)
        return answer if isinstance(answer, Unknown) else Reply(settings_about_storage(path, answer.text), path)

    def extents(self, path):
        found = self.file_extents.get(path)
        return Reply(json.dumps(found), f"extents below {path}") if found else _NOT_THERE

    def hidden(self, mount_point, _above):
        found = self.hidden_below.get(mount_point)
        return Reply(json.dumps(found), f"below the mount at {mount_point}") if found else _NOT_THERE

    @staticmethod
    def _reply(answer, source, status=0):
        return answer if isinstance(answer, Unknown) else Reply(answer, source, status)


def disk(
    name, where="pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0", number="8:0", cache="write back", **more
):
    """(files, links) of a disk in sysfs; `more` are files of its folder, '__' for '/'."""
    folder = f"/sys/block/{name}"
    files = {
        f"{folder}/dev": number,
        f"{folder}/size": str(1 << 21),
        f"{folder}/ro": "0",
        f"{folder}/removable": "0",
        f"{folder}/hidden": "0",
        f"{folder}/queue/write_cache": cache,
        f"{folder}/queue/rotational": "0",
        f"{folder}/queue/fua": "0",
        f"{folder}/queue/discard_max_bytes": "4096",
        f"{folder}/queue/physical_block_size": "4096",
        f"{folder}/device/model": "SOME DISK",
    }
    files |= {f"{folder}/{key.replace('__', '/')}": value for key, value in more.items()}
    return files, {folder: f"../devices/{where}/block/{name}"}


def partition(parent, name, number, start=2048):
    """Files of a partition, on a disk with physical blocks of 4 KiB."""
    folder = f"/sys/block/{parent}/{name}"
    return {
        f"{folder}/dev": number,
        f"{folder}/size": "4096",
        f"{folder}/start": str(start),
        f"{folder}/alignment_offset": str(-start * 512 % 4096),
    }


def stacked(name, number, slaves, **more):
    """Files of a device made of others."""
    folder = f"/sys/block/{name}"
    files = {f"{folder}/dev": number, f"{folder}/size": "4096", f"{folder}/queue/write_cache": "write back"}
    files |= {f"{folder}/slaves/{slave}": "" for slave in slaves}
    return files | {f"{folder}/{key.replace('__', '/')}": value for key, value in more.items()}


BARE_METAL = {
    "systemd-detect-virt --vm": "none\n",
    "systemd-detect-virt --container": "none\n",
    "mount --version": "mount from util-linux 2.38.1 (libmount 2.38.1: selinux, btrfs, verity, namespaces, debug)\n",
}


def machine(*parts, mounts=(), fstab="", commands=(), **more):
    """Put disks, partitions and stacked devices together with mountinfo lines."""
    files, links = {}, {}
    for part in parts:
        if isinstance(part, tuple):
            files |= part[0]
            links |= part[1]
        else:
            files |= part
    files |= {
        "/proc/self/mountinfo": "".join(f"{line}\n" for line in mounts),
        "/etc/fstab": fstab,
        "/proc/sys/kernel/osrelease": "6.12.0",
    }
    files = _journals(mounts, files) | files | dict(more.pop("files", ()))
    return ToldMachine(files, links, BARE_METAL | dict(commands), **more)


def _journals(mounts, files):
    """A journal inside each ext4, as jbd2 shows it."""
    numbers = {line.split()[2] for line in mounts if " - ext4 " in line}
    folders = [path.removesuffix("/dev") for path, text in files.items() if path.endswith("/dev") and text in numbers]
    return {f"/proc/fs/jbd2/{folder.rpartition('/')[2]}-8/info": "" for folder in folders}
