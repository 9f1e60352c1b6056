"""Sessions that replay windows which a test wrote down, and a clock that they move."""

import datetime as dt

from msgspec import structs

from fsadvisor.measure.probe import DiskWork, EngineError, ProbeWindow
from fsadvisor.measure.probe.jobs import Headline, Io, Job, Ladder
from fsadvisor.measure.probe.measure import Surroundings, Where

COMMIT = Job(
    id="commit", title="", work=Io(operation="write", pattern="random", sync="fsync"), headline=Headline.SYNC_US
)
READ = Job(id="read", title="", work=Io(operation="read", pattern="random"), headline=Headline.IOPS)
WRITE = Job(id="write", title="", work=Io(operation="write", pattern="random", depth=32), headline=Headline.IOPS)
LADDER = Job(id="fsync-ladder", title="", work=Ladder(), headline=Headline.SYNC_US)
HERE = Where(target="/srv/data", mount="/srv", write_back=True, depends={"kernel": "6.12"})


def disks(**more):
    nothing = dict.fromkeys(("flushes", "write_ios", "written_bytes", "read_ios", "read_bytes"), 0)
    return DiskWork(**{**nothing, "flush_us": 0.0, **more})


def synced(us, operations=400, *, flushes=2, wrote=1.3, **more):
    """A window of commits that took so long each."""
    asked = operations * 4096
    work = disks(
        flushes=flushes * operations,
        sent_flushes=flushes * operations,
        flush_us=operations * us / 2,
        written_bytes=int(asked * wrote),
    )
    fields = {"seconds": operations * us / 1e6, "operations": operations, "asked_bytes": asked, "disks": work}
    return ProbeWindow(**{**fields, "sync_ns": {round(us * 1000): operations}, **more})


def counted(rate, seconds=0.5, **more):
    """A window of operations at a rate."""
    operations = round(rate * seconds)
    return ProbeWindow(**{"seconds": seconds, "operations": operations, "asked_bytes": operations * 4096, **more})


class Clock:
    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


class Played:
    """Gives the windows one after the other, then says `at_end`, or the last one again and again."""

    engine = "a script"

    def __init__(self, clock, windows, at_end=None, beside=0.1):
        self.clock, self.windows, self.at_end, self.beside = clock, list(windows), at_end, beside
        self.asked = []

    def window(self, seconds):
        self.asked.append(seconds)
        if len(self.asked) > len(self.windows) and self.at_end:
            raise EngineError(self.at_end)
        window = self.windows[min(len(self.asked), len(self.windows)) - 1]
        self.clock.seconds += window.seconds + self.beside
        return window


def around(clock, **more):
    """What the loop asks of the world, with the clock's time."""
    noon = dt.datetime(2026, 11, 21, 13, 0, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    return Surroundings(**{"clock": clock, "now": lambda: noon, **more})


def with_disks(window, **more):
    """The same window over disks that did something else."""
    return structs.replace(window, disks=structs.replace(window.disks, **more))
