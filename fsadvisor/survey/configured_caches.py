"""Flushes that a configuration has dropped: of guests that may not run, and of Samba's clients.

Only names of files, and of a line what it sets, come back: the rest may hold passwords.

https://libvirt.org/formatdomain.html#hard-drives-floppy-disks-cdroms, https://pve.proxmox.com/wiki/Manual:_qm.conf,
https://www.samba.org/samba/docs/current/man-html/smb.conf.5.html (strict sync)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.survey.programs import RunningProgram

UNSAFE_GUESTS: Final[Argv] = (
    "grep", "-rslE", "cache=['\"]?unsafe", "/etc/libvirt/qemu/", "/etc/pve/qemu-server/",
)  # fmt: skip
_HOSTS_OF_GUESTS: Final = ("libvirt", "qemu", "proxmox-cluster")

_SPACE: Final = "[[:space:]]*"
_LINES: Final = (
    f"^{_SPACE}(strict{_SPACE}sync{_SPACE}={_SPACE}[a-z0-9]+|include{_SPACE}=|config{_SPACE}backend{_SPACE}=)"
)
SAMBA: Final[Argv] = ("grep", "-siEo", _LINES, "/etc/samba/smb.conf")
_IGNORED: Final = re.compile(r"strict\s*sync\s*=\s*(no|false|0|off)", re.IGNORECASE)


def runs_guests(programs: Iterable[RunningProgram] | Unknown) -> Fact[bool]:
    """Whether a program that runs guests was found."""
    if isinstance(programs, Unknown):
        return programs
    return Known(any(it.program.name in _HOSTS_OF_GUESTS for it in programs), "running processes")


def unsafe_guests(machine: Machine, hosted: Fact[bool]) -> Fact[tuple[str, ...]]:
    """The files of guests with a disk that drops flushes; asked where guests are run."""
    if isinstance(hosted, Unknown) or not hosted.value:
        return NOT_APPLICABLE
    answer = machine.run([UNSAFE_GUESTS])[0]
    if isinstance(answer, Unknown):
        return answer
    found = tuple(sorted(it for it in answer.text.split("\n") if it.startswith("/")))
    if not found and not machine.root:
        return Unknown(Cause.DENIED, "run as root", answer.source)
    return Known(found, ", ".join(UNSAFE_GUESTS[-2:]))


def flushes_ignored(machine: Machine) -> Fact[bool]:
    """Whether Samba answers a client's flush without doing it, for one share at least."""
    answer = machine.run([SAMBA])[0]
    if isinstance(answer, Unknown):
        return answer
    if _IGNORED.search(answer.text):
        return Known(True, SAMBA[-1])
    told = answer.text.lower()
    if "include" in told or "backend" in told or "sync" not in told:
        learn = "run `testparm -sv` and look for strict sync: without a line it was no before Samba 4.7"
        return Unknown(Cause.NOT_EXPOSED, learn, answer.source)
    return Known(False, SAMBA[-1])
