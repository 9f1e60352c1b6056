"""What journals did between two moments."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Known, Unknown
from fsadvisor.readers import jbd2_info
from fsadvisor.waits.journals import BtrfsWork, XfsWork, bounds, works
from tests.waits.made import moment

INFO = "{number} transactions ({number} requested), each up to 8192 blocks\naverage: \n  {mean}ms logging transaction\n"
XFS = "log {0} {0} {1} {0} {0}\npush_ail {0} {1} 0 0 0 0 0 0 0 0\n"
BTRFS = "commits {}\ncur_commit_ms 0\nlast_commit_ms 1\nmax_commit_ms 9\ntotal_commit_ms {}\n"


def info(durations):
    """As the kernel prints it: the mean cut down to whole milliseconds."""
    number = len(durations)
    if not number:
        return "0 transactions (0 requested), each up to 8192 blocks\n"
    return INFO.format(number=number, mean=sum(durations) // number)


@given(before=st.lists(st.integers(0, 500), max_size=40), within=st.lists(st.integers(0, 500), min_size=1, max_size=40))
def test_the_true_mean_of_the_windows_transactions_lies_within_its_bounds(before, within):
    then, now = jbd2_info.parse(info(before)), jbd2_info.parse(info([*before, *within]))
    found = bounds(then, now, "logging_ms", "made up").value
    assert found.low <= sum(within) / len(within) <= found.high


def test_a_journal_that_did_nothing_is_left_out():
    quiet = moment(0.0, jbd2={"vda1-8": info([1])})
    assert works(quiet, moment(5.0, jbd2={"vda1-8": info([1])})) == ()


def test_a_mount_that_was_made_anew_meanwhile_is_not_known():
    (found,) = works(moment(0.0, jbd2={"vda1-8": info([1] * 9)}), moment(5.0, jbd2={"vda1-8": info([1])}))
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
    before = moment(0.0, jbd2={name: info([1]) for name in names}, btrfs={"u": BTRFS.format(3, 100)})
    after = moment(5.0, jbd2={name: info([1, 1]) for name in names}, btrfs={"u": BTRFS.format(4, 200)})
    for wanted, device in itertools.product((frozenset({"dm-3"}), frozenset({"vda1"})), ("dm-3", "vda1")):
        found = [one.value.device for one in works(before, after, wanted)]
        assert (device in found) == (device in wanted)
    assert [one.value.uuid for one in works(before, after, frozenset({"u"}))] == ["u"]
