"""Who may hear of it when a drive's power-loss protection fails: what runs here, and what that does not tell.

Nothing here is a yes: smartd reads an NVMe drive's critical warning, not its capacitor health, and whether somebody
reads what it sends is not written anywhere; our own timer acts, and calls nobody.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import systemd_units
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.facts import Fact
    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.storage import Disk

_SMARTD: Final = ("smartd.service", "smartmontools.service")
"""Debian has the second, and the first as another name of it."""

_TIMER: Final = "fsadvisor-write-cache.timer"
WATCHERS: Argv = ("systemctl", "show", *_SMARTD, _TIMER, "--property=Id,LoadState,ActiveState,UnitFileState")

_BY_SMARTD: Final = (
    "ask who reads what smartd sends, and look in /etc/smartd.conf whether it watches this drive (it runs, and tells of"
    " a critical warning, not of capacitor health or of a controller's battery)"
)
_BY_TIMER: Final = (
    f"ask who would hear of it (every ten minutes {_TIMER} looks at the drives in its rules and sets those that fail to"
    " 'write back', but calls nobody)"
)


def monitored(machine: Machine, disks: Iterable[Disk], now: Fact[bool]) -> Fact[bool]:
    """The fact as it was, with what runs here said to whoever is to answer; asked where a drive may have protection."""
    worth = any(look.value(it.transport) == "nvme" and look.value(it.plp) in ("proven", "claimed") for it in disks)
    if not (worth and isinstance(now, Unknown) and now.cause is Cause.NOT_ATTESTED):
        return now
    record = look.command_record(machine, WATCHERS, systemd_units.parse_systemctl_show)
    words = [] if isinstance(record, Unknown) else list(_running(record))
    rest = now.learn[now.learn.index(", then say it") :]
    return replace(now, learn="; ".join(words) + rest) if words else now


def _running(shown: systemd_units.SystemctlShow) -> Iterator[str]:
    active = {unit.get("Id") for unit in shown.units if unit.get("ActiveState") == "active"}
    if active.intersection(_SMARTD):
        yield _BY_SMARTD
    if _TIMER in active:
        yield _BY_TIMER
