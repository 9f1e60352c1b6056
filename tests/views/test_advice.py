"""The ranked advice, as rows of plain text."""

import pytest
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.tui.views import advice
from fsadvisor.tui.views.advice import Choice
from fsadvisor.tui.views.snapshot import finding_key
from tests.cases import each, few
from tests.report import composed
from tests.views.seen import snapshot_from, snapshot_of, text


def rows_text(snapshot, width=100, **more):
    return text(one for row in advice.rows(snapshot, width, UNICODE, **more) for one in row.lines)


def test_a_row_says_rank_severity_title_kind_and_where():
    first = advice.rows(snapshot_from("raid-lvm-crypt-server"), 100, UNICODE)[0]
    assert text(first.lines).startswith("█  1 critical losing    md0: raid1 is degraded")
    assert "risk; on layer md0 (md)" in text(first.lines)
    narrow = advice.rows(snapshot_from("raid-lvm-crypt-server"), 60, UNICODE)[0]
    assert text(narrow.lines).startswith("█  1 critical md0: raid1 is degraded")


SEVERITIES = ("critical", "high", "moderate", "low")


@each("machine", ["old-storage-server", "raid-lvm-crypt-server", "worn-nvme-database", "btrfs-nas"])
def test_advice_is_sorted_by_the_urgency_that_its_row_names_and_by_severity_within_it(machine):
    snapshot = snapshot_from(machine)
    shown = [(advice.urgency(snapshot, one), SEVERITIES.index(one.rule.severity)) for one in snapshot.findings]
    named = [word for word, _ in shown if word.partition(" ")[0] not in ("from", "after")]
    groups = list(dict.fromkeys(named))
    assert named == sorted(named, key=groups.index), "each urgency stands together"
    assert groups == sorted(groups, key=[*advice.URGENCIES.values(), "", "unsafe"].index)
    for group in set(groups) - {"gain"}:
        severities = [severity for word, severity in shown if word == group]
        assert severities == sorted(severities)


def test_what_follows_from_another_finding_says_from_which_and_stands_below_all_others():
    snapshot = snapshot_from("old-storage-server")
    told = rows_text(snapshot, 120).splitlines()
    (row,) = [one for one in told if "shut down by the kernel after an error" in one]
    assert " critical from 1 " in row
    assert "SMART health check failed" in told[0]
    (waiting,) = [one for one in told if "fstrim.timer is inactive" in one]
    assert " after 1 " in waiting
    folded = [finding_key(one) in snapshot.below for one in snapshot.findings]
    assert folded == sorted(folded), "nothing stands below what is folded"


def test_withheld_blocked_and_chosen_are_said_in_words():
    snapshot = snapshot_from("btrfs-two-devices")
    assert "not safe here: a safety check says no" in rows_text(snapshot)
    assert "to prove first" in rows_text(snapshot_from("pm9a3-postgresql-volatile"))
    chosen = Choice()
    chosen.add(snapshot.findings[:1])
    assert "● 1 " in rows_text(snapshot, chosen=chosen) or "●1 " in rows_text(snapshot, chosen=chosen)
    assert "in the plan" in rows_text(snapshot, chosen=chosen)
    assert "in the plan" not in rows_text(snapshot)


def test_narrowed_rows_keep_their_rank():
    snapshot = snapshot_from("raid-lvm-crypt-server")
    only = snapshot.relations.advice_on(snapshot.relations.stack("mount:/var/log"))
    rows = advice.rows(snapshot, 100, UNICODE, only=only)
    assert [row.key for row in rows] == [finding_key(snapshot.findings[at]) for at in only]
    assert f" {only[0] + 1} " in plain(rows[0].lines[0])
    title = plain(advice.title(snapshot, only, "/var/log", 0))
    assert title == f"Advice for /var/log  {len(only)} of {len(snapshot.findings)}; Esc shows all"


def test_advice_on_a_disk_belongs_to_the_mounts_above_it_and_the_reverse():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    on_disk = snapshot.relations.advice_on(["disk:nvme0n1"])
    assert on_disk
    assert set(on_disk) <= set(snapshot.relations.advice_on(snapshot.relations.stack("mount:/")))
    everything = snapshot.relations.advice_on(snapshot.relations.stack("disk:nvme0n1"))
    assert everything == snapshot.relations.advice_on(snapshot.subjects.keys() - {"host"})


def test_a_healthy_machine_is_told_calmly_with_what_could_not_be_told():
    snapshot = snapshot_from("lab-multipath")
    told = text(advice.nothing(snapshot, None, 60))
    assert "Nothing calls for action." in told
    passed, open_ = snapshot.outcomes[Outcome.OK], snapshot.outcomes[Outcome.UNDETERMINED]
    assert passed > open_ > 0
    assert f"{passed} checks passed. {open_} not known: 2 lists them." in told


def test_while_tools_are_asked_nothing_is_called_healthy():
    snapshot = snapshot_of(composed.empty(), asking=("smartctl -x /dev/sda", "nvme list"))
    assert "so far; 2 answers still to come" in text(advice.nothing(snapshot, None, 60))


def still_asked(storage):
    """The same machine, with all that only a person could say still being asked instead."""

    def asked(facts):
        changed = {
            one: Unknown(Cause.BEING_ASKED, "")
            for one in facts.__struct_fields__
            if getattr(getattr(facts, one), "cause", None) is Cause.NOT_ATTESTED
        }
        return replace(facts, **changed)

    def scope(subject):
        return {namespace: asked(facts) for namespace, facts in subject.scope.items()}

    return replace(storage, subjects=tuple(replace(one, scope=scope(one)) for one in storage.subjects))


def test_a_finding_that_waits_for_an_answer_is_being_checked_not_withheld():
    snapshot, asking = snapshot_from("pm9a3-postgresql-volatile"), ("nvme list",)
    assert "being checked" not in rows_text(replace(snapshot, asking=asking))
    waiting = snapshot_of(still_asked(snapshot.storage), asking=asking)
    assert "being checked" in rows_text(waiting)
    assert "to prove first" not in rows_text(waiting)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", few([20, 40, 79, 160], 2))
@pytest.mark.parametrize("height", [0, 1])
def test_rows_are_alike_in_height_and_fit_whatever_the_names(width, glyphs, height):
    snapshot = snapshot_of(composed.hostile())
    rows = advice.rows(snapshot, width, glyphs, height=height)
    assert rows
    for row in rows:
        assert len(row.lines) == (1 if height else 2)
        assert all(columns(one) <= width and plain(one).isprintable() for one in row.lines)
