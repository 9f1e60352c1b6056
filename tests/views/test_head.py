"""The head lines, as plain text."""

import re

import pytest
from msgspec.structs import replace

from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.tui.views import head
from tests.report import composed
from tests.views.seen import look_at, look_of


def told(look, width=120, glyphs=UNICODE):
    return plain(head.head_line(look, width, glyphs))


def test_the_machine_and_what_it_comes_to():
    look = look_at("raid-lvm-crypt-server")
    line = told(look, 140)
    assert line.startswith(" raid-lvm-crypt-server  Linux 6.18.2-1-amd64 ")
    counted = r" 4 critical  \d high  \d moderate  \d+ low  7 not safe here  1 safety not known  (\d+) unknown $"
    assert int(re.search(counted, line)[1]) == look.outcomes[Outcome.UNDETERMINED]


def test_an_ordinary_user_and_missing_tools_are_said_before_the_kernel():
    look = look_at("raid-lvm-crypt-server")
    seen = replace(look, host="db1", about=replace(look.about, root=False))
    vars(seen)["missing_tools"] = ("nvme", "smartctl")
    assert told(seen, 160).startswith(" db1  not root: sees less  no nvme, smartctl  Linux")


def test_while_tools_are_asked_they_are_named_and_nothing_is_counted_as_unknown():
    look = replace(look_at("raid-lvm-crypt-server"), asking=("smartctl -x /dev/sda", "smartctl -x /dev/sdb", "lvs"))
    assert "asking smartctl and lvs …" in told(look, 160)
    assert "unknown" not in told(look, 160)
    assert "…" not in told(look, 160, ASCII)


@pytest.mark.parametrize("width", [1, 10, 20, 40, 60, 80, 200])
def test_both_lines_fit_any_width_and_the_gravest_stays(width):
    for look in (look_at("raid-lvm-crypt-server"), look_of(composed.hostile())):
        line = head.head_line(look, width, UNICODE)
        assert columns(line) <= max(width, 1)
        assert plain(line).isprintable()
    if width >= 20:
        assert "4 critical" in told(look_at("raid-lvm-crypt-server"), width)
    assert columns(head.places_line("live", width)) <= width


@pytest.mark.parametrize("width", [30, 80])
def test_every_place_is_found_under_the_mouse_where_it_stands(width):
    line = plain(head.places_line("live", width))
    for mode, key, _ in head.PLACES:
        assert head.place_at("live", width, line.index(key)) == mode
    assert head.place_at("live", width, width) is None
    assert "Live" in line
    assert ("Plan" in line) == (width == 80)


@pytest.mark.parametrize("machine", ["ext4-nobarrier", "as-it-is", "worn-nvme-database"])
def test_what_is_blocked_or_withheld_is_not_told_as_nothing_to_advise(machine):
    look = look_at(machine)
    held = [one.outcome for one in look.findings if one.outcome is not Outcome.ADVISE and not one.waiver]
    assert held
    assert "nothing to advise" not in told(look, 200)
    for outcome in held:
        assert f"  {held.count(outcome)} {SAID[outcome]}  " in told(look, 200)
