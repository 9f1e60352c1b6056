"""What this machine counts, asked of the machine that runs the tests."""

import os
import subprocess
import sys
import time

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Unknown
from fsadvisor.machine.kernel_events import Changed, changed, changes
from fsadvisor.machine.pulse import Processes, block_devices, pulse
from fsadvisor.machine.symptoms import not_run_for
from fsadvisor.readers import block_files, process_files, system_counters
from tests.waiting import END_S, in_state


def test_a_pulse_is_what_the_readers_read():
    before, taken, after = block_devices(), pulse(), block_devices()
    assert not isinstance(block_files.parse_diskstats(taken.diskstats.text), Unknown)
    assert not isinstance(system_counters.parse_vmstat(taken.vmstat.text), Unknown)
    assert before & after <= set(taken.devices) <= before | after  # others come and go
    assert taken.page_bytes >= 4096


def test_only_processes_that_wrote_since_are_told_again(tmp_path):
    script = "import os,sys\nfor line in sys.stdin: os.pwrite(f, b'x'*8192, 0); os.fsync(f); print(flush=True)"
    script = f"import os; f = os.open({str(tmp_path / 'file')!r}, os.O_RDWR | os.O_CREAT)\n{script}"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        asked = Processes()
        tell(writer)
        first = asked.pulse()
        still = asked.pulse()
        tell(writer)
        last = asked.pulse()
        writer.stdin.close()
        writer.wait()
        gone = asked.pulse()
    assert {os.getpid(), writer.pid} <= set(first.io)
    assert process_files.parse_process_stat(first.stat[writer.pid]).parent == os.getpid()
    assert writer.pid not in still.io
    assert (
        process_files.parse_process_io(last.io[writer.pid]).write_bytes
        >= process_files.parse_process_io(first.io[writer.pid]).write_bytes
    )
    assert writer.pid in gone.gone
    assert first.seen >= len(first.io)


def tell(writer):
    writer.stdin.write("\n")
    writer.stdin.flush()
    assert writer.stdout.readline() == "\n"


def test_where_threads_wait_is_told_of_those_that_wrote_or_why_not():
    asked = Processes()
    asked.pulse()
    told = asked.stacks()
    assert told.unknown is not None or all(isinstance(text, str) for texts in told.stacks.values() for text in texts)


def test_disks_that_could_not_be_listed_have_neither_come_nor_gone():
    one, two = frozenset(("sda",)), frozenset(("sda", "sdb"))
    assert list(changes((None, two, None, two, one))) == [Changed((), ("sdb",))]


def test_a_disk_that_came_and_one_that_went_are_told():
    assert changed(frozenset(("sda", "sdb")), frozenset(("sda", "sdc"))) == Changed(("sdc",), ("sdb",))
    assert changed(frozenset(("sda",)), frozenset(("sda", "loop7", "ram0", "zram1"))) is None


@given(st.frozensets(st.text(max_size=5)), st.frozensets(st.text(max_size=5)))
def test_what_is_told_to_have_changed_has(before, after):
    told = changed(before, after)
    if told is not None:
        assert set(told.appeared) <= after - before
        assert set(told.gone) <= before - after


def test_how_long_a_program_has_not_run_is_told_by_the_clock_of_its_own_processor():
    """Their clocks differ by the time that interrupts and a hypervisor took from each."""
    code = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); os.write(1, b'.'); os.read(0, 1)"
    for cpu in os.sched_getaffinity(0):
        began = time.monotonic()
        argv = [sys.executable, "-c", code, str(cpu)]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as waits:
            waits.stdout.read(1)
            assert in_state(waits.pid, "S")
            asked = (not_run_for(waits.pid, [waits.pid]) for _ in range(END_S))
            waited = next(it for it in asked if it is not None)  # none where the processor was busy for too long
            assert 0 < waited <= time.monotonic() - began
            waits.stdin.close()
