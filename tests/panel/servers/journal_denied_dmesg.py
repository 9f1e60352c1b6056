"""dmesg may not be read even by root (a container's policy), the journal may: nothing is in it. The expert: nothing."""

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers.kernel_log import JOURNAL_ARGV
from tests.panel import build

FIRST = ()


def server():
    drive = build.sata(attributes=build.PROTECTED)
    made = build.server(drive, mounts=[build.root(drive), build.on(drive, "/srv", "xfs")])
    made.commands |= {
        "dmesg": Unknown(Cause.DENIED, "run as root"),
        " ".join(JOURNAL_ARGV): "[    0.000000] kernel: Linux\n",
    }
    return made
