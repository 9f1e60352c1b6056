"""What a trial has to be before a rule's gain is made of it."""

from msgspec.structs import replace

from fsadvisor.measure.trial import TrialComparison, TrialOutcome
from fsadvisor.measure.trial.change import Own, of_rule
from fsadvisor.measure.trial.testbed import MountedSide
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.tried import Ratio
from tests.cases import each

RULE = next(rule for rule in own_rulebook().rules if rule.id == "access-times-written")


def stand(side, *options, cache="write back"):
    return MountedSide(side=side, mkfs=("mkfs.ext4",), options=options, loop="loop3", direct_io=True, write_cache=cache)


STANDS = (stand("default", "rw", "relatime"), stand("again", "rw", "relatime"), stand("changed", "rw", "noatime"))
FOUND = TrialComparison(
    gain=Ratio(middle=1.12, low=1.08, high=1.15, blocks=18),
    control=None,
    bare=None,
    sides={},
    blocks=18,
    left_out=0,
    voids=(),
    end="settled",
    error="",
    seconds=60.0,
)


def outcome(found=FOUND, stands=STANDS, kind="ext4"):
    return TrialOutcome(
        change=of_rule(RULE, Own(mount_point="/srv", fs_type="ext4"), kind, ""),
        place="/srv",
        on_device=False,
        mount="/srv",
        when="2026-11-22T02:00:00+00:00",
        matters=0.05,
        stands=stands,
        comparison=found,
    )


def test_a_trial_to_its_end_on_the_mounts_own_type_counts():
    assert outcome().doubt("ext4") == ""
    assert outcome(replace(FOUND, end="budget")).doubt("ext4") == ""


@each(
    ("one", "own_type", "says"),
    [
        (outcome(replace(FOUND, end="cancelled")), "ext4", "before every image had stood for every side"),
        (outcome(replace(FOUND, end="failed")), "ext4", "before every image had stood for every side"),
        (outcome(None), "ext4", "not told"),
        (outcome(replace(FOUND, gain=Ratio(middle=1.0, low=0.8, high=1.2, blocks=9))), "ext4", "not told"),
        (outcome(kind="xfs"), "ext4", "tried on xfs, and the mount is ext4"),
        (outcome(), "", "the mount is not known"),
        (outcome(stands=(STANDS[0], stand("changed", "rw", "relatime"))), "ext4", "or it was not taken"),
        (outcome(stands=(STANDS[0], stand("changed", "rw", "noatime", cache="write through"))), "ext4", "no flush"),
    ],
)
def test_any_other_does_not(one, own_type, says):
    assert says in one.doubt(own_type)
