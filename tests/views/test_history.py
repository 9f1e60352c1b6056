"""What changed since the last run."""

import datetime as dt

import pytest
from hypothesis import given, strategies
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.glyphs import UNICODE, plain
from fsadvisor.pages.screen import laid
from fsadvisor.report import history
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.tui.views import subject
from tests.report import composed
from tests.views.seen import snapshot_of, text

THEN = dt.datetime(2026, 11, 20, 22, 1, tzinfo=dt.UTC)
NOW = THEN + dt.timedelta(days=1)


def machine(**disk):
    on = composed.host()
    return composed.machine("example", on, composed.disk("sda", on, **disk))


def since(before, now, host="here"):
    kept = history.gist_of(history.text_of(history.gist("here", before, THEN)))
    return history.history(kept, history.gist(host, now, NOW))


def test_a_fact_that_is_another_is_told_with_both_values():
    found = since(machine(write_cache="write back"), machine(write_cache="write through"))
    assert [one.words for one in found.changes] == ["write_cache: write back -> write through"]
    assert found.since == THEN


def test_what_moves_all_the_time_is_left_out():
    before, now = machine(written_bytes=1, flushes=5), machine(written_bytes=2, flushes=6)
    assert since(before, now).changes == ()


def test_what_is_not_known_before_or_now_is_no_change():
    dark = Unknown(Cause.DENIED, "run as root", "smartctl")
    assert since(machine(smart_passed=dark), machine(smart_passed=False)).changes == ()
    assert since(machine(smart_passed=True), machine(smart_passed=dark)).changes == ()


def test_what_came_and_what_went_is_told():
    on = composed.host()
    other = composed.machine("example", on, composed.disk("sdb", on))
    found = since(machine(), other)
    assert {(one.subject, one.now) for one in found.changes} == {("disk:sdb", "is new"), ("disk:sda", "is gone")}


@pytest.mark.parametrize("blind_first", [True, False])
def test_where_disks_could_not_be_listed_none_has_come_or_gone(blind_first):
    blind = composed.machine("example", composed.host(block_devices=Unknown(Cause.DENIED, "run as root", "/sys/block")))
    before, now = (blind, machine()) if blind_first else (machine(), blind)
    assert since(before, now).changes == ()


def test_another_machine_has_no_history_here():
    assert since(machine(), machine(), host="elsewhere") is None


def test_a_file_that_is_not_ours_tells_nothing():
    for content in (b"", b"{", b"[]", b'{"schema":"x","machine":"","when":"2026-11-20T22:01:00Z","subjects":{}}'):
        assert history.gist_of(content) is None


def test_names_that_are_no_text_are_kept_and_compared():
    for storage in (composed.hostile(), composed.busy(), composed.many(20), composed.blind()):
        assert since(storage, storage).changes == ()


def test_every_moving_fact_is_in_the_catalogue():
    assert set(catalogue()) >= history.MOVING


def test_the_subject_shows_what_changed_on_its_rows_in_full_and_in_the_list_of_all():
    now = machine(write_cache="write through")
    found = since(machine(write_cache="write back"), now)
    snapshot = snapshot_of(now, history=found)
    row = next(row for row in subject.rows(snapshot, "disk:sda", 120, UNICODE) if row.key == "fact\ndisk.write_cache")
    assert "changed was write back" in " ".join(text(row.lines).split())
    page = text(laid(subject.detail(snapshot, "disk:sda", row.key, UNICODE).blocks, 100))
    assert f"changed since {found.moment}: write back -> write through" in page
    assert f"Changed since {found.moment}" in text(laid(subject.more(snapshot, "disk:sda", UNICODE).blocks, 80))
    assert "1 changed since" in plain(subject.title(snapshot, "disk:sda"))


@given(strategies.text(max_size=400), strategies.text(max_size=400))
def test_any_two_texts_are_a_change_just_when_they_differ_in_what_is_kept(one, other):
    found = since(machine(udev_model=one), machine(udev_model=other))
    kept = [history.plain_text(text) for text in (one, other)]
    assert bool(found.changes) == (kept[0] != kept[1])


def test_a_value_that_the_catalogue_has_another_type_for_now_is_told_all_the_same():
    kept = history.gist("here", machine(size_bytes=1), THEN)
    odd = replace(kept, facts={**kept.facts, "disk:sda": {**kept.facts["disk:sda"], "disk.size_bytes": "a text"}})
    found = history.history(odd, history.gist("here", machine(size_bytes=1024), NOW))
    assert [one.now for one in found.changes] == ["1 KiB"]
