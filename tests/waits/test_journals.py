"""What journals did between two moments."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import Known, Unknown
from fsadvisor.measure.waits.journals import BtrfsWork, XfsWork, bounds, works
from fsadvisor.readers import ext4_reports
from tests.waits.made import NOT_KNOWN, moment

INFO = "{number} transactions ({number} requested), each up to 8192 blocks\naverage: \n  {mean}ms logging transaction\n"
XFS = "log {0} {0} {1} {0} {0}\npush_ail {0} {1} 0 0 0 0 0 0 0 0\n"
BTRFS = "commits {}\ncur_commit_ms 0\nlast_commit_ms 1\nmax_commit_ms 9\ntotal_commit_ms {}\n"


ONE = (1, 0)
PRINTED = {100: lambda j: 10 * j, 250: lambda j: 4 * j, 300: lambda j: j * 10 // 3 + bool(j), 1000: lambda j: j}
"""What a number of ticks is in ms by jiffies_to_msecs of kernels with so many a second."""


def info(durations, hz=1000):
    """As the kernel prints it: each transaction timed in ticks, from a moment within one; the mean cut to ticks."""
    number = len(durations)
    if not number:
        return "0 transactions (0 requested), each up to 8192 blocks\n"
    ticks = sum(int(start + ms * hz / 1000) for ms, start in durations)
    return INFO.format(number=number, mean=PRINTED[hz](ticks // number))


DURATIONS = st.tuples(st.floats(0, 500), st.floats(0, 0.999))


@given(
    before=st.lists(DURATIONS, max_size=40),
    within=st.lists(DURATIONS, min_size=1, max_size=40),
    hz=st.sampled_from(tuple(PRINTED)),
)
def test_the_true_mean_of_the_windows_transactions_lies_within_its_bounds(before, within, hz):
    then, now = (
        ext4_reports.parse_jbd2_info(info(before, hz)),
        ext4_reports.parse_jbd2_info(info([*before, *within], hz)),
    )
    found = bounds(then, now, "logging_ms", "made up").value
    assert found.low <= sum(ms for ms, _ in within) / len(within) + 1e-9
    assert found.high >= sum(ms for ms, _ in within) / len(within) - 1e-9


def test_the_delay_of_requests_is_of_the_transactions_that_were_requested():
    text = "{} transactions ({} requested), each up to 8192 blocks\naverage: \n  {}ms request delay\n"
    then, now = (
        ext4_reports.parse_jbd2_info(text.format(1000, 1, 2)),
        ext4_reports.parse_jbd2_info(text.format(2000, 11, 91)),
    )
    found = bounds(then, now, "request_delay_ms", "made up").value
    assert found.low <= 100 <= found.high
    assert found.high - found.low < 5


def test_a_journal_that_did_nothing_is_left_out():
    quiet = moment(0.0, jbd2={"vda1-8": info([ONE])})
    assert works(quiet, moment(5.0, jbd2={"vda1-8": info([ONE])})) == ()


def test_a_mount_that_was_made_anew_meanwhile_is_not_known():
    (found,) = works(moment(0.0, jbd2={"vda1-8": info([ONE] * 9)}), moment(5.0, jbd2={"vda1-8": info([ONE])}))
    assert isinstance(found, Unknown)


def test_waits_for_the_log_of_xfs_are_counted_across_the_wrap_of_32_bits():
    before = moment(0.0, xfs={"sdb1": XFS.format((1 << 32) - 10, 5)})
    (found,) = works(before, moment(5.0, xfs={"sdb1": XFS.format(90, 8)}))
    assert found.value == XfsWork(
        device="sdb1", log_writes=100, forces=100, forces_slept=100, no_buffer=3, space_slept=Known(3, "xfs of sdb1")
    )


def test_counters_of_xfs_that_somebody_cleared_are_not_known():
    before = moment(0.0, xfs={"sdb1": XFS.format(1000, 5)})
    (found,) = works(before, moment(5.0, xfs={"sdb1": XFS.format(3, 0)}))
    assert isinstance(found, Unknown)


def test_commits_of_btrfs_are_those_of_the_window():
    before, after = moment(0.0, btrfs={"u": BTRFS.format(3, 100)}), moment(5.0, btrfs={"u": BTRFS.format(7, 2100)})
    (found,) = works(before, after)
    assert found.value == BtrfsWork(uuid="u", commits=4, commit_ms=500.0, busy=0.4)


def test_only_the_journals_that_are_asked_for_are_told():
    names = ("vda1-8", "dm-3-8", "sdc-8")
    before = moment(0.0, jbd2={name: info([ONE]) for name in names}, btrfs={"u": BTRFS.format(3, 100)})
    after = moment(5.0, jbd2={name: info([ONE, ONE]) for name in names}, btrfs={"u": BTRFS.format(4, 200)})
    for wanted, device in itertools.product((frozenset({"dm-3"}), frozenset({"vda1"})), ("dm-3", "vda1")):
        found = [one.value.device for one in works(before, after, wanted)]
        assert (device in found) == (device in wanted)
    assert [one.value.uuid for one in works(before, after, frozenset({"u"}))] == ["u"]


def test_journals_that_could_not_be_listed_are_told_of_whatever_is_watched():
    before, after = (replace(moment(at), jbd2={"": NOT_KNOWN}) for at in (0.0, 5.0))
    assert works(before, after) == (NOT_KNOWN,)
    assert works(before, after, frozenset({"vda1"})) == (NOT_KNOWN,)
