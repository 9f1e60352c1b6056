"""What is made of the kernel's events: recorded ones, and composed ones in the same form."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import Known
from fsadvisor.measure.now import Device, Filesystem, Journal, Program, Traced, Window
from fsadvisor.measure.now.traced import Trace, summed
from fsadvisor.pages.text import render
from fsadvisor.readers.kernel_traces import event, parse_kernel_trace
from fsadvisor.report.fsync_page import fsync_document, traced_blocks
from fsadvisor.survey.whole import survey
from tests.panel import build
from tests.paths import FIXTURES

DISK = "259:0"
WINDOW = Window(
    when="2026-11-24T00:00:00+00:00",
    seconds=1.0,
    filesystems=(Filesystem(mount_point="/srv/db", type="ext4", source="/dev/nvme0n1", number=DISK),),
)


def line(ms, said, task="db", thread=4194000):
    return f"{task:>16}-{thread:<7} [000] ..... {ms / 1000:12.6f}: {said}"


def told(lines):
    made = Trace()
    for one in filter(None, map(event, lines)):
        made.add(one)
    return made


def places(lines, window=WINDOW):
    return {one.mount_point: one for one in summed(told(lines), window, {DISK: frozenset({DISK})})}


def fsync(begin, end, thread=4194000, task="db"):
    return [
        line(begin, "sys_fsync(fd: 3)", task, thread),
        line(begin, "ext4_sync_file_enter: dev 259,0 ino 12 parent 2 datasync 0 ", task, thread),
        line(end, "ext4_sync_file_exit: dev 259,0 ino 12 ret 0", task, thread),
        line(end, "sys_fsync -> 0x0", task, thread),
    ]


def flush(begin, end):
    return [
        line(begin, "block_rq_issue: 259,0 FF 0 () 0 + 0 none,0,0 [kworker/0:1H]", "kworker/0:1H", 58),
        line(end, "block_rq_complete: 259,0 FF () 18446744073709551615 + 0 none,0,0 [0]", "<idle>", 0),
    ]


def write(begin, end):
    return [
        line(begin, "block_rq_issue: 259,0 WS 4096 () 800 + 8 be,0,4 [db]"),
        line(end, "block_rq_complete: 259,0 WS () 800 + 8 be,0,4 [0]", "<idle>", 0),
    ]


def commit(begin, end, locked=0):
    return [
        line(begin, "jbd2_start_commit: dev 259,0 transaction 7 sync 0", "jbd2/nvme0n1-8", 300),
        line(
            end,
            f"jbd2_run_stats: dev 259,0 tid 7 wait 0 request_delay 0 running 4 locked {locked} flushing 0 logging 0 "
            "handle_count 4 blocks 7 blocks_logged 9",
            "jbd2/nvme0n1-8",
            300,
        ),
        line(end, "jbd2_end_commit: dev 259,0 transaction 7 sync 0 head 2", "jbd2/nvme0n1-8", 300),
    ]


def in_order(*parts):
    """As the kernel writes them; equal times keep their order."""
    return sorted((one for part in parts for one in part), key=lambda one: event(one).at_s)


def test_recorded_events_of_a_loop_device_are_three_syncs_and_three_commits():
    recorded = (FIXTURES / "outputs/kernel_trace/linux-6.18.out").read_text()
    made = Trace()
    for one in parse_kernel_trace(recorded):
        made.add(one)
    assert [one.device for one in made.syncs] == ["7:0"] * 3
    assert len(made.commits["7:0"]) == 3
    assert dict(made.whole) == {(27805, "python"): 1}
    assert len(made.flushes["254:0"]) == 1


def test_each_millisecond_goes_to_one_part():
    found = places(in_order(fsync(0, 10), write(1, 3), commit(2, 9), flush(5, 8)))["/srv/db"]
    assert (found.flush_ms, found.write_ms, found.commit_ms, found.rest_ms) == (3.0, 2.0, 3.0, 2.0)
    assert (found.syncs, found.mean_ms, found.commits, found.asked, found.flushes) == (1, 10.0, 1, 1, 1)


def test_a_flush_is_begun_by_who_waited_first_and_others_join():
    found = places(in_order(fsync(0, 10, 4194001, "first"), fsync(4, 10, 4194002, "second"), flush(5, 9)))["/srv/db"]
    assert {one.name: one.flushes for one in found.programs} == {"first (has ended)": 1, "second (has ended)": 0}


def test_a_commit_tells_how_long_it_waited_for_whose_operation():
    handle = line(
        5, "jbd2_handle_stats: dev 259,0 tid 7 type 2 line_no 99 interval 80 sync 0 requested_blocks 8", "tar", 55
    )
    found = places(in_order(fsync(0, 400), [handle], commit(6, 380, locked=320)))["/srv/db"]
    assert (found.held_up_ms, found.held_up_by) == (320, "tar (pid 55)")


def test_a_sync_that_no_call_began_counts_from_entry_to_exit():
    found = places([one for one in fsync(0, 4) if "sys_" not in one])["/srv/db"]
    assert (found.syncs, found.mean_ms) == (1, 4.0)


def test_a_request_whose_end_was_not_seen_shifts_no_other():
    lost = flush(0, 1)[:1]
    found = places(in_order(lost, fsync(10, 20), flush(12, 13), fsync(30, 40), flush(33, 34)))["/srv/db"]
    assert found.flush_ms == 1.0


def test_a_task_may_be_called_anything():
    names = ("a-1 [000]", "x: y: z", "-", " ", "ü" * 7, "]:->(")
    found = places(in_order(*(fsync(10 * n, 10 * n + 4, 4194000 + n, name) for n, name in enumerate(names))))
    assert found["/srv/db"].syncs == len(names)
    assert event("-1 [000] . 1: x:") is None


def test_a_process_that_the_look_saw_goes_by_its_unit():
    mine = os.getpid()
    window = Window(
        when=WINDOW.when,
        seconds=1.0,
        filesystems=WINDOW.filesystems,
        programs=(Program(pid=mine, name="db", unit="db.service"),),
    )
    found = places(fsync(0, 4, mine), window)["/srv/db"]
    assert [one.name for one in found.programs] == [f"db (pid {mine}, db.service)"]


TIMES = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 60)), max_size=12)


@given(syncs=TIMES.filter(bool), flushes=TIMES, writes=TIMES)
def test_the_parts_add_up_and_none_is_below_zero(syncs, flushes, writes):
    calls = [fsync(begin, begin + took, 4190000 + n) for n, (begin, took) in enumerate(syncs)]
    ordered = in_order(
        *calls,
        *(flush(begin, begin + took) for begin, took in flushes),
        *(write(begin, begin + took) for begin, took in writes),
    )
    found = places(ordered)["/srv/db"]
    parts = (found.flush_ms, found.write_ms, found.commit_ms, found.rest_ms)
    assert sum(parts) == pytest.approx(found.mean_ms, abs=0.01)
    assert min(parts) > -0.002
    assert found.flushes == len(flushes)


def test_the_page_says_what_was_lost_and_what_has_no_place():
    traced = Traced(seconds=2.1, events=900, lost=40, processor_s=0.2, unplaced=3, whole={"backup (pid 4)": 2})
    window = Window(when=WINDOW.when, seconds=3.0, traced=traced)
    page = "".join(render(traced_blocks(window), margin=0))
    assert "2.1 s of the look" in page
    assert "40 before these were lost" in page
    assert "backup (pid 4) called sync or syncfs 2 times" in page
    assert "3 syncs more" in page


STACKED = replace(
    WINDOW,
    looks=90,
    processor=0.2,
    devices=(
        Device(name="dm-0", below=("sda",), writes=90.0, write_ms=1.5, flushes=9.0, flush_ms=2.0),
        Device(name="sda", writes=90.0, write_ms=1.0, flushes=9.0, flush_ms=2.0),
    ),
    filesystems=(Filesystem(mount_point="/srv/db", type="ext4", source="/dev/dm-0", device="dm-0", number=DISK),),
    programs=(
        Program(pid=7, name="etcd", places=("/srv/db",), syncing=0.9),
        Program(pid=8, name="rsync", places=("/srv/db",), write_bytes=5e7),
    ),
)


def picture(window, **kept):
    machine = build.server(drive := build.nvme(0), mounts=[build.root(drive)])
    part = [one for one in survey(machine, {}).subjects if one.kind in ("mount", "disk")]
    mount = next(one for one in part if one.kind == "mount")
    known = replace(mount.scope["mount"], **{name: Known(value, "made up") for name, value in kept.items()})
    subjects = [replace(mount, scope={**mount.scope, "mount": known}), *(one for one in part if one.kind == "disk")]
    lines = "".join(render(fsync_document(window, window.filesystems[0], subjects, ()), margin=0)).split("\n")
    assert max(map(len, lines)) <= 80
    return "\n".join(lines)


def test_the_journal_of_another_filesystem_is_not_that_of_one_without_a_device():
    nfs = Filesystem(mount_point="/srv/db", type="nfs4", source="filer:/export/sdb1")
    journals = tuple(Journal(device=name, transactions=9, requested=5) for name in ("sdb1", "sdb1-8"))
    page = picture(replace(WINDOW, filesystems=(nfs,), journals=journals))
    assert "told of no commit" in page


def test_the_picture_of_an_fsync_goes_from_the_program_down_to_the_drive():
    spent = summed(told(in_order(fsync(0, 10), write(1, 3), flush(5, 8))), STACKED, {DISK: frozenset({DISK})})
    page = picture(replace(STACKED, traced=Traced(seconds=1.0, events=9, lost=0, processor_s=0.0, places=tuple(spent))))
    assert "1 syncs, traced: mean 10.0 ms" in page
    assert "flush      3.00 ms  30 % ████▊···········" in page
    assert "etcd asks for 10 ms" in page
    assert "rsync (pid 8): writes 50.0 MB/s" in page
    assert "it adds 0.50 ms to a write" in " ".join(page.split())
    assert page.index("Program") < page.index("Journal") < page.index("dm-0:") < page.index("sda:")
    assert "flush, 3.00 ms: a drive with power-loss protection" in page


def test_a_kept_ladder_is_the_picture_where_nothing_was_traced():
    page = picture(STACKED, fsync_us=1200.0, flush_us=900.0)
    assert "A sync takes 1.20 ms here: made up" in page
    assert "flush      0.90 ms  75 %" in page
    page = picture(
        STACKED, fsync_us=14900.0, data_share_percent=33.0, journal_share_percent=56.0, flush_share_percent=11.0
    )
    assert "data       4.92 ms  33 %" in page
    assert "journal    8.34 ms  56 %" in page
    assert "journal, 8.34 ms: fewer, larger commits" in page
    assert "were not sure enough to be told apart" in " ".join(picture(STACKED, fsync_us=1200.0).split())
    assert "was not measured" in picture(STACKED)
