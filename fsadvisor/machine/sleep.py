"""How tools are asked about disks so that one that sleeps stays asleep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor.facts import WAKE, Cause, Unknown

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv


def left_alone(argv: Argv) -> Argv:
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
