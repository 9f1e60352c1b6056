"""The page of a subject, as plain text: no terminal."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.pages.screen import laid
from fsadvisor.report.as_json import own_facts
from fsadvisor.tui.views import finding, subject
from fsadvisor.tui.views.rows import matching
from fsadvisor.tui.views.snapshot import finding_key
from fsadvisor.tui.views.storage_tree import stack
from tests.cases import each, few
from tests.report import composed
from tests.views.seen import snapshot_from, snapshot_of, text

MACHINES = ("ext4-nobarrier", "lab-xfs-lvm-luks-raid1", "san-host", "lab-fstab-that-would-not-boot")
NOT_KNOWN = {"options_not_in_force": Unknown(Cause.UNREADABLE, "", "fstab")}
DATA = "mount:/srv/lab/data"


def titles(rows):
    return [subject.opened(row.key)[1] for row in rows if subject.opened(row.key)[0] == subject.PART]


def said(rows):
    return text(row.lines[0] for row in rows)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_fact_and_every_verdict_of_every_subject_has_a_row(machine):
    snapshot = snapshot_from(machine)
    for one in snapshot.storage.subjects:
        keys = [subject.opened(row.key) for row in subject.rows(snapshot, one.id, 100, UNICODE)]
        assert {what for kind, what in keys if kind == subject.FACT} == {name for name, _ in own_facts(one)}
        shown = {what for kind, what in keys if kind == subject.VERDICT}
        for verdict in snapshot.verdicts_on(one.id):
            alike = [it for it in snapshot.findings if it.rule is verdict.rule and one in it.subjects]
            assert (finding_key(alike[0]) if alike else f"{verdict.rule.id}\n{one.id}") in shown
        stack = snapshot.relations.stack(one.id)
        assert all(any(it.id in stack for it in finding.found(snapshot, key).subjects) for key in shown)


GRAVE = ("critical", "high", "moderate", "low")


@each(
    ("machine", "here", "leads"),
    [
        ("old-storage-server", "mount:/old", "sdb: SMART health check failed"),
        ("old-storage-server", "mount:/pool", "a Btrfs device is missing"),
        ("lab-ext4-stopped", "mount:/srv/lab/data", "has recorded 3 errors on disk"),
        ("lab-ext4-stopped", "disk:vda", "has recorded 3 errors on disk"),
        ("lab-raid5-degraded", "mount:/srv/lab/data", "md127: raid5 is degraded"),
        ("lab-raid5-degraded", "disk:sdb", "md127: raid5 is degraded"),
    ],
)
def test_a_page_opens_with_the_gravest_of_what_is_below_it_or_above_it_and_leads_there(machine, here, leads):
    snapshot = snapshot_from(machine)
    rows = subject.rows(snapshot, here, 100, UNICODE)
    assert subject.opened(rows[0].key)[0] == subject.PART
    assert leads in plain(rows[1].lines[0])
    kind, what = subject.opened(rows[1].key)
    assert kind == subject.VERDICT
    assert finding.found(snapshot, what).title in plain(rows[1].lines[0])
    parts = {row.key: at for at, row in enumerate(rows) if subject.opened(row.key)[0] == subject.PART}
    for key, at in parts.items():
        if "\nAdvice" in key:
            end = next((other for other in sorted(parts.values()) if other > at), len(rows))
            graves = [GRAVE.index(plain(row.lines[0]).split()[0]) for row in rows[at + 1 : end]]
            assert graves == sorted(graves)


def test_the_verdicts_on_a_subject_are_those_that_a_walk_through_all_finds():
    snapshot = snapshot_from("san-host")
    for one in snapshot.storage.subjects:
        walked = [(seen.rule.id, seen.outcome) for seen in snapshot.verdicts if seen.subject.id == one.id]
        assert [(seen.rule.id, seen.outcome) for seen in snapshot.verdicts_on(one.id)] == walked


def test_facts_stand_in_parts_and_what_is_not_known_apart():
    rows = subject.rows(snapshot_from("ext4-nobarrier"), "disk:vda", 100, UNICODE)
    assert titles(rows)[:3] == ["Advice on what stands on it", "The stack", "What it is, and how it is set"]
    assert "Not known, and what would tell" in titles(rows)
    assert "What only a person can say" in titles(rows)


def test_a_fact_is_told_in_full_with_its_meaning_and_its_source():
    snapshot = snapshot_from("lab-xfs-lvm-luks-raid1")
    page = text(laid(subject.detail(snapshot, "disk:sda", "fact\ndisk.write_cache", UNICODE).blocks, 80))
    assert "whether the kernel believes in a volatile cache" in page
    assert "write back" in page
    assert "queue/write_cache" in page


def test_a_fact_that_is_not_known_tells_why_and_the_cure():
    snapshot = snapshot_from("ext4-nobarrier")
    page = text(laid(subject.detail(snapshot, "disk:vda", "fact\ndisk.runbook", UNICODE).blocks, 200))
    assert "not known, only a person can say" in page
    assert "to learn it: " in page


def test_a_search_finds_facts_by_name_by_meaning_and_what_is_not_known():
    rows = subject.rows(snapshot_from("ext4-nobarrier"), "disk:vda", 100, UNICODE)
    assert any(row.key == "fact\ndisk.write_cache" for row in matching(rows, "believes"))
    assert matching(rows, "not known")


def test_the_stack_is_drawn_down_to_the_hardware_and_marks_the_subject():
    snapshot = snapshot_from("lab-xfs-lvm-luks-raid1")
    storeys = stack(snapshot, "layer:dm-0", UNICODE)
    assert [one.subject for one in storeys] == [
        *(DATA, "filesystem:/dev/dm-1", "layer:dm-1", "layer:dm-0", "layer:md127"),
        *("layer:sda1", "disk:sda", "layer:sdb1", "disk:sdb"),
    ]
    marked = [plain(one.line) for one in storeys if "this one" in plain(one.line)]
    assert len(marked) == 1
    assert "dm-0" in marked[0]


def test_a_stack_of_many_is_cut_and_still_holds_the_subject():
    on = composed.host()
    many = [found for at in range(90) for found in composed.mounted("sda", f"/srv/{at}", on)]
    parts = {one.id: one for one in many}.values()
    snapshot = snapshot_of(composed.machine("many", on, composed.disk("sda", on), *parts))
    storeys = stack(snapshot, "disk:sda", UNICODE)
    assert len(storeys) <= 42
    assert any(one.subject == "disk:sda" for one in storeys)
    assert "more line" in plain(storeys[-1].line)


def test_a_mount_has_its_options_beside_those_of_fstab_with_trouble_first():
    page = text(laid(subject.more(snapshot_from("lab-fstab-that-would-not-boot"), DATA, UNICODE).blocks, 80)).split(
        "\n"
    )
    head = next(at for at, line in enumerate(page) if line.split() == ["in", "force", "configured"])
    assert page[head + 1].split() == ["noatime", "relatime", "✗", "not", "in", "force"]
    assert page[head + 2].split() == ["commit=30", "commit=60", "✗", "not", "in", "force"]
    assert ["barrier", "barrier=1", "✓", "as", "configured"] in [line.split() for line in page]


def test_where_it_is_not_known_whether_an_option_is_in_force_none_is_called_so():
    on = composed.host()
    asked_for = {"options": ("rw", "barrier"), "configured_options": ("rw", "barrier=0", "noatime")}
    snapshot = snapshot_of(composed.machine("x", on, *composed.mounted("sda", "/srv", on, **asked_for, **NOT_KNOWN)))
    lines = text(laid(subject.more(snapshot, "mount:/srv", UNICODE).blocks, 80)).split("\n")
    told = [line.split() for line in lines]
    assert ["rw", "rw", "✓", "as", "configured"] in told
    assert ["barrier", "barrier=0", "?", "not", "known"] in told
    assert ["noatime", "?", "not", "known"] in told


def test_a_disk_has_the_evidence_for_a_power_loss_and_what_would_settle_it():
    page = text(laid(subject.more(snapshot_from("lab-xfs-lvm-luks-raid1"), "disk:sda", UNICODE).blocks, 80))
    assert "Power loss" in page
    assert "absent, what was acknowledged and not flushed is lost" in page
    assert "What would settle it:" in page


def test_below_a_list_the_power_loss_verdict_stands_under_a_title():
    snapshot = snapshot_from("lab-xfs-lvm-luks-raid1")
    key = subject.key_of(subject.PART, "The stack")
    page = text(laid(subject.detail(snapshot, "disk:sda", key, UNICODE, with_more=True).blocks, 80))
    assert "What a power loss would do\n  sda: absent" in page


def test_what_stands_on_disks_names_their_power_loss_verdicts():
    page = text(laid(subject.more(snapshot_from("lab-xfs-lvm-luks-raid1"), "layer:md127", UNICODE).blocks, 80))
    assert "What a power loss would do to the disks below" in page
    assert "sda: absent, what was acknowledged" in page
    assert "sdb: " in page


def test_a_subject_that_has_gone_has_no_rows_and_a_title_that_says_so():
    snapshot = snapshot_from("ext4-nobarrier")
    assert subject.rows(snapshot, "disk:gone", 80, UNICODE) == []
    assert plain(subject.title(snapshot, "disk:gone")) == "disk:gone: not there any more"
    assert subject.more(snapshot, "disk:gone", UNICODE).blocks == ()


def test_the_subjects_of_a_finding_can_be_listed():
    snapshot = snapshot_of(composed.many(3))
    one = next(one for one in snapshot.findings if len(one.verdicts) == 3)
    rows = subject.subject_rows(snapshot, f"{one.rule.id}\n{one.verdicts[0].subject.id}")
    assert [row.key for row in rows] == [seen.id for seen in one.subjects]


@pytest.mark.parametrize(("width", "every"), few([(30, 7), (30, 1), (78, 1), (100, 1)]))
@pytest.mark.parametrize("glyphs", few([UNICODE, ASCII]))
def test_hostile_names_stay_text_within_the_width(width, every, glyphs):
    """Of the narrowest each so many-th fact is told in full."""
    snapshot = snapshot_of(composed.hostile())
    for one in snapshot.storage.subjects:
        rows = subject.rows(snapshot, one.id, width, glyphs)
        lines = [row.lines[0] for row in rows]
        lines += laid(subject.more(snapshot, one.id, glyphs).blocks, width)
        for row in rows[::every] if width == 30 else ():
            lines += laid(subject.detail(snapshot, one.id, row.key, glyphs).blocks, width)
        assert all(columns(line) <= width for line in lines)
        assert all(plain(line).isprintable() for line in lines)
        assert said(rows)
