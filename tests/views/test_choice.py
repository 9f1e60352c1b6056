"""What is chosen for a plan keeps meaning the same verdicts, however later snapshots gather them into findings."""

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.machine.port import Reply
from fsadvisor.tui.views import plan
from fsadvisor.tui.views.advice import Choice, pairs_of, the_chosen
from tests.report import composed
from tests.views.seen import snapshot_of

DISKS = ("sda", "sdb", "sdc", "sdd")


def snapshot_with(names, protected=()):
    """Disks with an ext4 each, mounted without barriers: advice for all of them, gathered by what is known of each."""
    on = composed.host()
    subjects = [
        one
        for name in names
        for one in composed.mounted(name, f"/srv/{name}", on, barriers=False, protected=name in protected)
    ]
    disks = [composed.disk(name, on, plp="proven" if name in protected else "unknown") for name in names]
    return snapshot_of(composed.machine("made up", on, *disks, *subjects))


def planned_for(snapshot, choice):
    found = plan.gathered(snapshot, choice.pairs, lambda path: Reply("", path))
    return {pair for one in found.findings for pair in pairs_of(one)}, set(found.gone)


@given(st.data())
def test_a_later_look_plans_for_what_was_chosen_and_for_nothing_else(data):
    before = snapshot_with(data.draw(st.lists(st.sampled_from(DISKS), unique=True, min_size=1)))
    after = snapshot_with(
        data.draw(st.lists(st.sampled_from(DISKS), unique=True)), data.draw(st.sets(st.sampled_from(DISKS)))
    )
    choice = Choice()
    choice.add(data.draw(st.lists(st.sampled_from(before.findings), max_size=2)))
    there = {pair for one in after.findings for pair in pairs_of(one)}

    planned, gone = planned_for(after, choice)

    assert planned == set(choice.pairs) & there
    assert gone == set(choice.pairs) - there


def test_a_disk_that_joins_a_finding_is_not_planned_for_and_the_row_says_of_how_many_it_is_chosen():
    before, after = snapshot_with(("sdb", "sdc")), snapshot_with(DISKS)
    choice = Choice()
    choice.add(before.findings)
    (grown,) = (one for one in after.findings if one.rule.id == "nobarrier-unproven")
    assert choice.of(grown) == 2
    assert len(grown.verdicts) == 4
    assert choice.turn(grown)
    assert choice.of(grown) == 4
    assert not choice.turn(grown)
    assert choice.of(grown) == 0


def test_the_findings_of_a_plan_hold_the_chosen_subjects_alone():
    snapshot = snapshot_with(DISKS)
    choice = Choice()
    choice.add(snapshot_with(("sdc",)).findings)
    assert {subject.name for one in the_chosen(snapshot.findings, choice.pairs) for subject in one.subjects} == {
        subject.name for one in snapshot_with(("sdc",)).findings for subject in one.subjects
    }
