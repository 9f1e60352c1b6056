"""How long a disk of the network holds requests when its session or controller is lost, before it fails them.

Of a disk below multipath another path takes over, and a short time is right: see multipath.recovery.

https://github.com/open-iscsi/open-iscsi/blob/master/README (8.2), drivers/nvme/host/fabrics.c (ctrl_loss_tmo)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import NOT_APPLICABLE, Fact, Known, Unknown
from fsadvisor.survey import read_fact
from fsadvisor.survey.attachment import paths_of

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.block import BlockDevice

_SESSION: Final = re.compile(r"/(session\d+)/")
_CONTROLLER: Final = re.compile(r"/nvme-fabrics/ctl/(nvme\d+)/")
NO_END: Final = 0


def seconds(machine: Machine, device: BlockDevice) -> Fact[int]:
    """The longest of its paths; NO_END where one is never given up."""
    if session := _SESSION.search(device.hardware):
        files = [f"/sys/class/iscsi_session/{session[1]}/recovery_tmo"]
    else:
        controllers = (_CONTROLLER.search(f"{place}/") for place in paths_of(machine, device))
        files = [f"/sys/class/nvme/{it[1]}/ctrl_loss_tmo" for it in controllers if it is not None]
    if not files:
        return NOT_APPLICABLE
    told = [_read(machine, file) for file in files]
    unknown = next((it for it in told if isinstance(it, Unknown)), None)
    known = [it for it in told if isinstance(it, Known)]
    endless = next((it for it in known if it.value == NO_END), None)
    return endless or unknown or max(known, key=lambda it: it.value)


def _read(machine: Machine, file: str) -> Fact[int]:
    """open-iscsi's -1 and the NVMe driver's 'off' are no end."""
    word = read_fact.text(machine, file)
    if read_fact.value(word) in ("off", "-1"):
        return read_fact.derive(word, lambda _: NO_END)
    return read_fact.number(machine, file)
