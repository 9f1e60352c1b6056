"""From counters to rates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.measure.waits.rates import RateHistory, memory_left, rates
from fsadvisor.readers.block_files import IoCounters
from tests.cases import each
from tests.views.pulses import VMSTAT, pulse
from tests.waits.made import NOT_KNOWN, moment

ZERO = IoCounters(
    reads=0,
    read_bytes=0,
    read_ms=0,
    writes=0,
    write_bytes=0,
    write_ms=0,
    in_flight=0,
    io_ms=0,
    weighted_io_ms=0,
    discards=0,
    discard_bytes=0,
    discard_ms=0,
    flushes=0,
    flush_ms=0,
)
COUNTERS = st.builds(
    IoCounters,
    **{one: st.integers(0, 1 << 33) for one in IoCounters.__struct_fields__[:11]},
    **{one: st.none() | st.integers(0, 1 << 33) for one in IoCounters.__struct_fields__[11:]},
)


def test_rates_are_per_second_and_times_per_request():
    now = structs.replace(
        ZERO, reads=20, read_bytes=81920, read_ms=10, writes=4, write_ms=40, io_ms=1000, flushes=2, flush_ms=3
    )
    told = rates(ZERO, now, 2.0)
    assert (told.reads, told.read_bytes, told.read_ms) == (10, 40960, 0.5)
    assert (told.write_ms, told.busy, told.flushes, told.flush_ms) == (10, 0.5, 1, 1.5)


def test_what_took_no_request_took_no_time_that_could_be_told():
    told = rates(ZERO, ZERO, 1.0)
    assert told.read_ms is None
    assert told.flush_ms is None
    assert not told.active


def test_an_older_kernel_does_not_count_flushes_and_is_not_said_to_send_none():
    old = structs.replace(ZERO, discards=None, discard_bytes=None, discard_ms=None, flushes=None, flush_ms=None)
    told = rates(old, structs.replace(old, reads=1), 1.0)
    assert told.flushes is None
    assert told.discards is None


def test_counters_that_begin_anew_tell_nothing():
    assert rates(structs.replace(ZERO, writes=9), ZERO, 1.0) is None


def test_a_time_that_wraps_goes_on():
    before = structs.replace(ZERO, write_ms=(1 << 32) - 10)
    now = structs.replace(ZERO, writes=2, write_ms=10)
    assert rates(before, now, 1.0).write_ms == 10


@given(before=COUNTERS, now=COUNTERS, seconds=st.floats(-1, 1e6))
def test_no_rate_is_ever_negative(before, now, seconds):
    told = rates(before, now, seconds)
    if told is not None:
        numbers = [value for value in structs.asdict(told).values() if value is not None]
        assert all(number >= 0 for number in numbers)
        assert told.busy <= 1


def test_the_first_moment_has_no_rates_and_the_second_has():
    history = RateHistory()
    assert history.add(pulse(0.0, {"sda": 0})).disks is None
    assert history.add(pulse(2.0, {"sda": 20})).disks["sda"].writes == 10


def test_a_disk_that_came_or_was_replaced_has_no_rates_at_first():
    history = RateHistory()
    history.add(pulse(0.0, {"sda": 5}))
    assert set(history.add(pulse(1.0, {"sda": 6, "sdb": 9})).disks) == {"sda"}
    assert set(history.add(pulse(2.0, {"sda": 7, "sdb": 0})).disks) == {"sda"}
    assert history.moments[-1].known == {"sda", "sdb"}


def test_an_idle_disk_costs_no_reading_and_has_zero_rates():
    history = RateHistory()
    history.add(pulse(0.0, {"sda": 5, "sdb": 5}))
    told = history.add(pulse(1.0, {"sda": 6, "sdb": 5})).disks
    assert not told["sdb"].active
    assert told["sdb"].flushes == 0


@pytest.mark.parametrize(("columns", "discards", "flushes"), [(11, None, None), (15, 0, None), (17, 0, 0)])
def test_an_idle_disk_of_an_older_kernel_is_not_said_to_discard_or_flush_nothing(columns, discards, flushes):
    line = " ".join(["8 0 sda", *"0" * columns])
    history = RateHistory()
    for at in range(2):
        one = structs.replace(pulse(float(at), {"sda": 0}), diskstats=Reply(f"{line}\n", "/proc/diskstats"))
        told = history.add(one).disks
    assert (told["sda"].discards, told["sda"].flushes) == (discards, flushes)


def test_partitions_are_not_told():
    history = RateHistory()
    one = pulse(0.0, {"sda": 5, "sda1": 5})
    history.add(structs.replace(one, devices=("sda",)))
    assert history.moments[-1].known == {"sda"}


def test_dirty_memory_is_told_in_bytes_with_its_limits():
    history = RateHistory()
    memory = history.add(pulse(0.0, {})).memory
    assert (memory.dirty, memory.limit, memory.background) == (100 * 4096, 1000 * 4096, 500 * 4096)


def test_what_the_kernel_does_not_expose_stays_unknown():
    absent = Unknown(Cause.NOT_EXPOSED, "", "/proc/pressure/io")
    history = RateHistory()
    moment = history.add(structs.replace(pulse(0.0, {}), pressure=absent, vmstat=absent, diskstats=absent))
    assert moment.pressure is absent
    assert moment.memory is absent
    assert moment.unread is absent


@pytest.mark.parametrize("field", ["diskstats", "vmstat", "pressure"])
@given(text=st.text(max_size=200), junk=st.binary(max_size=50))
def test_no_text_of_the_kernel_s_files_makes_a_moment_fail(field, text, junk):
    history = RateHistory()
    history.add(pulse(0.0, {"sda": 1}))
    damaged = pulse(1.0, {"sda": 2})
    answer = getattr(damaged, field)
    answer = structs.replace(answer, text=VMSTAT[:9] + text + junk.decode("utf-8", "surrogateescape"))
    history.add(structs.replace(damaged, **{field: answer}))
    history.add(pulse(2.0, {"sda": 3}))
    assert len(history.moments) == 3


def node(free, file=0, kernel=0, total=100):
    """Of a NUMA node."""
    sizes = {"MemTotal": total, "MemFree": free, "Inactive(file)": file, "SReclaimable": kernel}
    return Reply("".join(f"Node 1 {name}: {size} kB\n" for name, size in sizes.items()), "node1/meminfo")


@each(
    ("nodes", "free"),
    [
        ((), 0.6),
        ((node(free=90), node(free=2)), 0.02),
        # full of page cache, and of the kernel's own that it can give back
        ((node(free=90), node(free=2, file=40, kernel=9)), 0.51),
        ((node(free=90), node(free=0, total=0)), 0.6),
        ((node(free=90), Reply("", "n")), None),
        ((node(free=90), NOT_KNOWN), None),
    ],
)
def test_a_program_may_be_bound_to_the_node_that_has_least_memory_left(nodes, free):
    assert memory_left(moment(0.0, nodes=nodes).pulse).free == free
