"""A hard disk below 512 GiB of memory, calm now; watch kept a stall of the night with 14 GB dirty: bound them."""

from fsadvisor.machine.kept_files import INCIDENT
from tests.panel import build

FIRST = ("long-writeback host",)
KEPT = '{"when":"2026-11-25T02:10:05+00:00","seconds":5.0,"io_full":0.61,"dirty":14000000000}\n'


def server():
    disk = build.hdd(0)
    return build.server(disk, mounts=[build.root(disk)], memory=512, files=[(INCIDENT, KEPT)])
