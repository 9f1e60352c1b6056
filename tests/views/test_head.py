"""The head lines, as plain text."""

import re

import pytest
from msgspec.structs import replace

from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.report import as_json
from fsadvisor.report.as_text import in_a_line
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.shape import SEVERITIES
from fsadvisor.tui.views import head
from tests.cases import each
from tests.report import composed
from tests.views.seen import snapshot_from, snapshot_of


def told(snapshot, width=120, glyphs=UNICODE):
    return plain(head.head_line(snapshot, width, glyphs))


def test_the_machine_and_what_it_comes_to():
    snapshot = snapshot_from("raid-lvm-crypt-server")
    line = told(snapshot, 170)
    assert line.startswith(" raid-lvm-crypt-server  Linux 6.18.2-1-amd64 ")
    counted = r" 4 critical  5 high  5 moderate  1 safety not known  (\d+) unknown  7 also possible  16 follow $"
    assert int(re.search(counted, line)[1]) == snapshot.outcomes[Outcome.UNDETERMINED]


def test_an_ordinary_user_and_missing_tools_are_said_before_the_kernel():
    snapshot = snapshot_from("raid-lvm-crypt-server")
    seen = replace(snapshot, host="db1", about=replace(snapshot.about, root=False))
    vars(seen)["missing_tools"] = ("nvme", "smartctl")
    assert told(seen, 180).startswith(" db1  not root: sees less  no nvme, smartctl  Linux")


def test_while_tools_are_asked_they_are_named_and_nothing_is_counted_as_unknown():
    snapshot = replace(
        snapshot_from("raid-lvm-crypt-server"), asking=("smartctl -x /dev/sda", "smartctl -x /dev/sdb", "lvs")
    )
    assert "asking smartctl and lvs …" in told(snapshot, 160)
    assert "unknown" not in told(snapshot, 160)
    assert "…" not in told(snapshot, 160, ASCII)


@each("width", [1, 10, 20, 40, 60, 80, 200])
def test_both_lines_fit_any_width_and_the_gravest_stays(width):
    for snapshot in (snapshot_from("raid-lvm-crypt-server"), snapshot_of(composed.hostile())):
        line = head.head_line(snapshot, width, UNICODE)
        assert columns(line) <= max(width, 1)
        assert plain(line).isprintable()
    if width >= 20:
        assert "4 critical" in told(snapshot_from("raid-lvm-crypt-server"), width)
    assert columns(head.places_line("live", width)) <= width


@pytest.mark.parametrize("width", [30, 80])
def test_every_place_is_found_under_the_mouse_where_it_stands(width):
    line = plain(head.places_line("live", width))
    for mode, key, _ in head.PLACES:
        assert head.place_at("live", width, line.index(key)) == mode
    assert head.place_at("live", width, width) is None
    assert "Live" in line
    assert ("Plan" in line) == (width == 80)


@each("machine", ["ext4-nobarrier", "as-it-is", "worn-nvme-database", "old-storage-server"])
def test_head_report_and_summary_count_each_finding_once_and_the_same(machine):
    snapshot = snapshot_from(machine)
    told_of = re.findall(r"  (\d+) ([a-z ]+?)(?=  | $)", told(snapshot, 250))
    numbers = {what: int(number) for number, what in told_of}
    assert numbers.pop("unknown") == snapshot.outcomes[Outcome.UNDETERMINED]
    assert sum(numbers.values()) == len(snapshot.findings)
    line = "".join(in_a_line(snapshot.storage, snapshot.verdicts, snapshot.about))
    for what, number in numbers.items():
        said = [int(one) for one in re.findall(rf"(\d+) {what}", line.partition(";")[0])]
        assert sum(said) == number, line
    counted = as_json.summary(snapshot.storage, snapshot.verdicts, snapshot.about).findings
    assert {one: numbers.get(one, 0) for one in SEVERITIES} == {one: getattr(counted, one) for one in SEVERITIES}
    assert "nothing to advise" not in told(snapshot, 200)
