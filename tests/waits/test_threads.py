"""Threads: what they waited for, told by where in the kernel they were."""

import os

from fsadvisor.facts import Known, Unknown
from fsadvisor.measure.waits.threads import LEAST_SAMPLES, Watch, functions_of, kind_of, threads, watch
from tests.cases import each
from tests.waits.made import DIRECTORY, FSYNC, JOURNALLING, NOT_KNOWN, look, moment


@each(
    ("where", "kind"),
    [
        (FSYNC, "journal"),
        (JOURNALLING, "disk"),
        (DIRECTORY, "lock"),
        ("[<0>] folio_wait_bit_common+0x1/0x2\n[<0>] nfs_wb_all+0x1/0x2", "network"),
        ("[<0>] request_wait_answer+0x1/0x2\n[<0>] fuse_simple_request+0x1/0x2", "network"),
        ("[<0>] __mutex_lock.constprop.0+0x1/0x2", "lock"),
        ("[<0>] xlog_wait_on_iclog+0x1/0x2\n[<0>] xfs_log_force_seq+0x1/0x2", "journal"),
        ("[<0>] io_schedule+0x1/0x2\n[<0>] rq_qos_wait+0x1/0x2", "disk"),
        ("[<0>] kernel_clone+0x1/0x2", "other"),
        ("jbd2_log_wait_commit", "journal"),
        ("rwsem_down_read_slowpath", "lock"),
        ("?? nonsense", "not told"),
    ],
)
def test_the_place_in_the_kernel_tells_what_is_waited_for(where, kind):
    assert kind_of(functions_of(where)) == kind


def test_means_are_over_all_looks():
    found = threads(
        [look(at, ("a",), [("w", FSYNC), ("j", JOURNALLING)] if at % 2 else [("w", FSYNC)]) for at in range(10)]
    ).value
    assert (found.running, found.waiting, found.looks) == (1.0, 1.5, 10)
    assert (found.kinds["journal"].value, found.kinds["disk"].value) == (1.0, 0.5)
    assert (found.waiters[0].function, found.waiters[0].waiting) == ("jbd2_log_wait_commit", 1.0)
    assert found.runners[0].share == 1.0


def test_few_looks_tell_nothing():
    assert isinstance(threads([look()] * (LEAST_SAMPLES - 1)), Unknown)


def test_a_place_that_may_not_be_read_leaves_all_kinds_unknown_but_not_the_number():
    found = threads([look(at, (), [("w", FSYNC), ("x", None)]) for at in range(10)]).value
    assert found.waiting == 2.0
    assert all(isinstance(one, Unknown) for one in found.kinds.values())


def test_a_thread_that_had_gone_on_may_have_waited_for_anything():
    found = threads([look(at, (), [("w", FSYNC), ("x", "")]) for at in range(10)]).value
    assert (found.kinds["journal"], found.kinds["gone on"].value) == (
        Known(1.0, "/proc/PID/task/TID/stack"),
        1.0,
    )


def test_where_not_all_processes_are_seen_nothing_is_said_of_them():
    assert threads([*[look()] * 20, look(unknown=NOT_KNOWN)]) == NOT_KNOWN


def test_only_looks_between_both_moments_count():
    moments = iter([moment(1.0), moment(2.0)])
    looks = iter([look(0.5), look(1.5), look(2.5)])
    seen = Watch(take=lambda: next(moments), sample=lambda: next(looks))
    seen.take_sample()
    seen.begin()
    seen.take_sample()
    seen.take_sample()
    seen.end()
    assert [one.at_s for one in seen.inside()] == [1.5]


def test_this_machine_is_watched_and_our_own_threads_are_not_among_those_seen():
    seen = Watch()
    watch(seen, 0.05, lambda _: None)
    assert seen.before.pulse.at_s < seen.after.pulse.at_s
    assert seen.samples
    for one in seen.samples:
        assert one.threads > 0
        assert os.getpid() not in {pid for pid, _, _ in one.running}
