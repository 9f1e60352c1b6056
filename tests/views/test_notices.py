"""Disks that came and went, in the head line."""

from fsadvisor.pages.glyphs import columns, line, plain
from fsadvisor.tui.views.head import disks_words, notice, with_told
from tests.cases import each


def test_one_disk_is_named_and_several_are_counted():
    assert disks_words({"sdb": True}) == "disk sdb appeared"
    assert disks_words({"sdb": True, "sdc": True, "nvme0n1": False}) == "2 disks appeared, disk nvme0n1 gone"
    assert disks_words({"dm-3": False}) == "device dm-3 gone"


def test_where_room_is_short_the_key_still_stands_there():
    assert plain(notice({"sdb": True}, 60)) == "disk sdb appeared: press r to look again "
    assert plain(notice({"sdb": True}, 22)) == "disk sdb appeared: r "
    assert plain(notice({"sdb": True}, 18)) == "1 disk changed: r "
    assert plain(notice({"sdb": True}, 3)) == ""


@each("width", [40, 64, 80, 200])
def test_the_row_of_places_keeps_its_width(width):
    places = line(" 1 Overview  2 Unknowns")
    told = notice({"\x1b[31m" * 50: True}, width - columns(places) - 1)
    shown = with_told(places, told, width)
    assert columns(shown) <= width
    assert plain(shown).isprintable()
    assert plain(shown).startswith(" 1 Overview")
