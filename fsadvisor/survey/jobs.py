"""What runs by the clock: cron's files and systemd's own units of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv, Machine

_FOLDERS = (
    "/etc/crontab", "/etc/anacrontab", "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly",
    "/etc/cron.monthly", "/etc/systemd/system", "/var/spool/cron",
)  # fmt: skip
DEFRAGMENTING: Argv = ("grep", "-rslE", "^[^#]*(e4defrag|xfs_fsr|btrfs fi[a-z]* defrag)", *_FOLDERS)
"""Only names of files come back, since jobs may hold passwords."""
_NOTHING_FOUND = (1, 2)
"""2: some of the folders are not there."""


def defragmenting(machine: Machine) -> Fact[tuple[str, ...]]:
    """The files of jobs that defragment; only root sees them all."""
    answer = machine.run([DEFRAGMENTING])[0]
    if isinstance(answer, Unknown):
        return answer
    found = tuple(sorted(name for name in answer.text.split("\n") if name.startswith("/")))
    if not found and not machine.root:
        return Unknown(Cause.DENIED, "run as root", answer.source)
    if not found and answer.status not in _NOTHING_FOUND:
        return Unknown(Cause.UNREADABLE, "retry", answer.source)
    return Known(found, answer.source)
