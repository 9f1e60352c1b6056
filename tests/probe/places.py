"""Places made up for the guard: a good one, and what can be wrong with it."""

from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Known, Unknown
from fsadvisor.measure.probe.cost import Cost
from fsadvisor.measure.probe.target import DataFolder, Drive, PoolBelow, ProbePlace, Quota, Raid, Room

NOT_TOLD = Unknown(Cause.DENIED, "run as root", "a test")
GIB = 1 << 30


def known(value):
    return Known(value, "a test")


COST = Cost(written_bytes=2 * GIB, room_bytes=256 << 20, files=1, least_seconds=6, most_seconds=30)
ROOM = Room(where="/srv", size_bytes=100 * GIB, available_bytes=50 * GIB, inodes=1_000_000, inodes_free=900_000)
DRIVE = Drive(
    name="nvme0n1",
    size_bytes=known(1000 * GIB),
    virtual=known(False),
    rotational=known(False),
    percentage_used=known(3),
    smart_passed=known(True),
    critical_warning=known(0),
    day_bytes=known(40 * GIB),
)
RAID = Raid(name="md0", degraded=known(False), action=known("idle"))
POOL = PoolBelow(name="dm-3", fill_percent=known(40.0), metadata_percent=known(10.0))
GOOD = ProbePlace(
    target="/srv/data",
    kind=known("folder"),
    may_write=known(True),
    mount_point=known("/srv"),
    fs_type=known("ext4"),
    read_only=known(False),
    shut_down=known(False),
    errors=known(0),
    room=known(ROOM),
    behind=known(()),
    quota=known(None),
    memory_bytes=NOT_APPLICABLE,
    on_battery=known(False),
    drives=known((DRIVE,)),
    raids=known((RAID,)),
    pools=known((POOL,)),
    data_folder=known(None),
    busy=known("nobody"),
)


def with_room(**values):
    return replace(GOOD, room=known(replace(ROOM, **values)))


def with_drive(**values):
    return replace(GOOD, drives=known((replace(DRIVE, **values),)))


def with_raid(**values):
    return replace(GOOD, raids=known((replace(RAID, **values),)))


def with_pool(**values):
    return replace(GOOD, pools=known((replace(POOL, **values),)))


def with_fact(**values):
    return replace(GOOD, **{name: known(value) for name, value in values.items()})


DATA = DataFolder(program="postgresql", folder="/srv/data")
FULL_QUOTA = Quota(bytes_left=10 << 20, inodes_left=None)
