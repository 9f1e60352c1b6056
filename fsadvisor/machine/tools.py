"""External tools: how they are called so that no disk wakes or flushes.

libext2fs calls fsync on each device that it opens, for reading too, to be rid of old errors (e2fsprogs 1.46 and later):
of a disk under a database that is a flush, and dumpe2fs asks for nothing of it. A seccomp filter of the thread, which
the tools that it starts inherit, answers fsync and fdatasync with 0 and does nothing.

https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import WAKE, Cause, Unknown

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv


def left_asleep(argv: Argv) -> Argv:
    """The command that asks a disk nothing while it is in standby: smartctl then asks for the power mode first.

    ATA has CHECK POWER MODE for that, SCSI REQUEST SENSE; NVMe drives have no platters, and the option is ignored.
    """
    return (argv[0], "-n", "standby", *argv[1:]) if argv[0] == "smartctl" else argv


def suspended(argv: Argv) -> Unknown | None:
    """Why not to ask smartctl at all: to open a device that the kernel has suspended resumes it (sd_open)."""
    if argv[:1] != ("smartctl",):
        return None
    status = f"/sys/block/{argv[-1].rpartition('/')[2]}/device/power/runtime_status"
    try:
        asleep = Path(status).read_text(encoding="ascii").startswith("suspend")
    except (OSError, ValueError):
        return None
    return Unknown(Cause.ASLEEP, WAKE, status) if asleep else None


_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_CALL_AT, _MACHINE_AT = 0, 4
_DO_NOTHING, _ALLOW = 0x00050000, 0x7FFF0000
_NUMBERS: Final = {
    "x86_64": (0xC000003E, 74, 75),
    "aarch64": (0xC00000B7, 82, 83),
    "riscv64": (0xC00000F3, 82, 83),
    "ppc64le": (0xC0000015, 118, 148),
    "s390x": (0x80000016, 118, 148),
}
"""The kernel's name of the machine -> its AUDIT_ARCH, and its numbers of fsync and fdatasync."""


def forbid_syncs() -> bool:
    """What this thread starts from now on syncs nothing; False where the kernel has no such filter, or we no rights.

    Only root is let: without rights a tool opens no disk, unless its user is in the group disk.
    """
    import ctypes

    if os.uname().machine not in _NUMBERS:
        return False
    filter_ = _seccomp_filter(*_NUMBERS[os.uname().machine])
    program = ctypes.create_string_buffer(filter_)
    told = struct.pack("@HP", len(filter_) // 8, ctypes.addressof(program))
    words = (ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.c_char_p(told))
    return int(ctypes.CDLL(None).prctl(_PR_SET_SECCOMP, *words)) == 0


def _seccomp_filter(machine: int, fsync: int, fdatasync: int) -> bytes:
    """Instructions of the kernel's classic BPF: what it does, how far to jump if so, if not, and with what."""
    steps = (
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 0, 4, machine),
        (_LOAD, 0, 0, _CALL_AT),
        (_EQUAL, 1, 0, fsync),
        (_EQUAL, 0, 1, fdatasync),
        (_RETURN, 0, 0, _DO_NOTHING),
        (_RETURN, 0, 0, _ALLOW),
    )
    return b"".join(struct.pack("@HBBI", *step) for step in steps)
