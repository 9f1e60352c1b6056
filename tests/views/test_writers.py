"""Which processes write, and which wait in fsync."""

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.tui.views.live_limit import WriterHistory
from tests.views.pulses import SYNCING, WAITING, processes, stacks


def test_what_was_written_before_we_looked_does_not_count():
    writers = WriterHistory()
    writers.add(processes(0.0, {7: 5000}))
    assert writers.writing().writers == ()
    writers.add(processes(1.0, {7: 9096}))
    (one,) = writers.writing().writers
    assert (one.pid, one.write_bytes, one.minute_bytes) == (7, 4096, 4096)


def test_who_wrote_most_in_the_minute_stands_first_and_a_minute_later_is_forgotten():
    writers = WriterHistory()
    writers.add(processes(0.0, {7: 0, 8: 0}))
    writers.add(processes(1.0, {7: 10, 8: 20}))
    assert [one.pid for one in writers.writing().writers] == [8, 7]
    writers.add(processes(30.0, {7: 100}))
    assert [one.pid for one in writers.writing().writers] == [7, 8]
    writers.add(processes(62.0, {}))
    assert [one.pid for one in writers.writing().writers] == [7]


def test_a_number_that_another_process_was_given_begins_anew():
    writers = WriterHistory()
    writers.add(processes(0.0, {7: 1000}, names={7: "old"}))
    writers.add(processes(1.0, {7: 300}, names={7: "new"}, started=2))
    (one,) = writers.writing().writers
    assert (one.name, one.minute_bytes) == ("new", 300)


def test_what_an_ended_child_wrote_is_not_counted_for_its_parent_again():
    writers = WriterHistory()
    writers.add(processes(0.0, {1000: 0, 7: 0}, parents={7: 1000}))
    writers.add(processes(1.0, {7: 500}, parents={7: 1000}))
    writers.add(processes(2.0, {1000: 600}, gone={7}))
    (parent,) = writers.writing().writers
    assert (parent.pid, parent.minute_bytes) == (1000, 100)


def test_waiting_in_fsync_is_told_as_looks_out_of_looks():
    writers = WriterHistory()
    writers.add(processes(0.0, {7: 0}))
    writers.add(processes(1.0, {7: 1}))
    for at, texts in enumerate([(SYNCING, WAITING), (WAITING,), (), (SYNCING,)]):
        writers.sample(stacks(1.0 + at / 10, {7: texts}))
    (one,) = writers.writing().writers
    assert (one.waited, one.samples) == (2, 4)


def test_the_kernel_s_counters_may_fall_but_what_is_told_is_never_negative():
    writers = WriterHistory()
    writers.add(processes(0.0, {7: 1000}))
    writers.add(processes(1.0, {7: 10}))
    assert writers.writing().writers == ()


@given(st.lists(st.dictionaries(st.integers(1, 5), st.integers(0, 1 << 40), max_size=5), max_size=8))
def test_no_course_of_counters_makes_a_rate_negative(courses):
    writers = WriterHistory()
    before = {}
    for at, written in enumerate(courses):
        writers.add(processes(float(at), written, gone=set(before) - set(written), cancelled=at % 3))
        writers.sample(stacks(at + 0.5, dict.fromkeys(written, (SYNCING,))))
        before = written
        for one in writers.writing().writers:
            assert one.write_bytes >= 0
            assert one.minute_bytes >= one.cancelled_bytes >= 0
            assert one.waited <= one.samples


@given(io=st.text(max_size=80), stat=st.text(max_size=80), stack=st.text(max_size=80))
def test_no_text_of_a_process_makes_it_fail(io, stat, stack):
    writers = WriterHistory()
    for at in (0.0, 1.0):
        pulse = processes(at, {7: int(at)})
        pulse.io[7] += io
        pulse.stat[7] = pulse.stat[7][: len(stat)] + stat
        writers.add(pulse)
        writers.sample(stacks(at, {7: (SYNCING + stack,)}))
        writers.writing()
