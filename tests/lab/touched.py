"""What is written in a guest, by fanotify and by looks before and after, and what its disks are told, by tracepoints.

fanotify names each file of each filesystem that anybody wrote to or closed after writing, those of /proc, /sys and /dev
too. It does not hear of names that come and go (on an overlay only with file handles, which Linux 6.1 has not), so
these are seen by the times of their directories.
"""

import contextlib
import ctypes
import os
import re
import stat
import struct
from pathlib import Path

from fsadvisor.machine import untouched
from tests.lab.scenario import run

_libc = ctypes.CDLL(None, use_errno=True)
_NONBLOCK, _CLOEXEC, _UNLIMITED = 0x2, 0x1, 0x10
_MODIFY, _CLOSE_WRITE = 0x2, 0x8
_ADD, _FILESYSTEM = 0x1, 0x100
_EVENT = struct.Struct("=IBBHQii")
_NO_FILES = {"nsfs", "9p", "autofs", "bpf", "pstore"}

TRACING = Path("/sys/kernel/tracing")
_REQUEST = re.compile(r"block_rq_issue: (?P<disk>\d+,\d+) (?P<what>\w+) \d+ \(")


class Writes:
    """Files that were written to since it began, by other processes than this one."""

    def __init__(self, scenario):
        self._descriptor = _checked(_libc.fanotify_init(_NONBLOCK | _CLOEXEC | _UNLIMITED, os.O_RDONLY | os.O_NONBLOCK))
        scenario.undo(os.close, self._descriptor)
        self.watched = {}
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            point, kind = line.split()[4], line.partition(" - ")[2].split()[0]
            if kind not in _NO_FILES:
                words = (_ADD | _FILESYSTEM, ctypes.c_uint64(_MODIFY | _CLOSE_WRITE), -100, point.encode())
                _checked(_libc.fanotify_mark(self._descriptor, *words))
                self.watched[point] = kind

    def seen(self):
        """Their paths, and by which process each was written, as far as it still runs."""
        found = {}
        with contextlib.suppress(BlockingIOError):
            while events := os.read(self._descriptor, 1 << 16):
                while events:
                    length, *_, descriptor, pid = _EVENT.unpack_from(events)
                    events = events[length:]
                    path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
                    os.close(descriptor)
                    if pid not in (os.getpid(), 0):
                        found.setdefault(path, _name(pid))
        return found


def _checked(answer):
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def _name(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "ended"


def state(*tops):
    """What lies below these: inode, mode, size, all times; looked at without touching an access time."""
    found, waiting = {}, [os.fsencode(top) for top in tops]
    while waiting:
        path = waiting.pop()
        status = os.lstat(path)
        times = (status.st_mtime_ns, status.st_ctime_ns, status.st_atime_ns)
        found[os.fsdecode(path)] = (status.st_ino, status.st_mode, status.st_size, *times)
        if stat.S_ISDIR(status.st_mode):
            waiting += [path + b"/" + os.fsencode(name) for name in untouched.names_in(path)]
    return found


def changed(before, after):
    """Paths that came, went or changed."""
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}


def inodes_in_use(mount_point):
    """Of an overlay: of its upper layer, in which whatever is made, changed or taken away takes one."""
    room = os.statvfs(mount_point)
    return room.f_files - room.f_ffree


class Requests:
    """What the kernel sends to disks from now on."""

    def __init__(self, scenario):
        if not (TRACING / "events").exists():
            run("mount", "-t", "tracefs", "nodev", str(TRACING))
        scenario.write(str(TRACING / "events/block/block_rq_issue/enable"), "1")
        (TRACING / "trace").write_text("")

    def changing(self):
        """Disk -> the kinds of requests that change something on it: writes, discards, flushes, erasures."""
        found = {}
        for request in _REQUEST.finditer((TRACING / "trace").read_text()):
            if set(request["what"]) & set("WDFE"):
                found.setdefault(request["disk"], set()).add(request["what"])
        return found
