"""The verdicts on captures of real drives, against what is known of them."""

import functools

import pytest

from tests.paths import needs_captures
from tests.survey.truth_table import CACHE, FITTING, rows

pytestmark = needs_captures
DEVICE = {"nvme id-ctrl", "nvme ocp smart-add-log", "smartctl"}


@functools.cache
def all_rows():
    return list(rows())


def of(truth):
    return [row for row in all_rows() if row.truth["plp"] == truth]


def test_a_drive_without_protection_is_neither_proven_nor_claimed():
    assert of("no")
    assert [(row.file, row.verdict) for row in of("no") if row.verdict in ("proven", "claimed")] == []


def test_what_is_proven_rests_on_the_devices_own_word():
    proven = [row for row in all_rows() if row.verdict == "proven"]
    assert proven
    for row in proven:
        assert set(row.rests_on) & DEVICE, row.file


def test_a_verdict_against_the_truth_is_a_failure_that_the_drive_reports():
    wrong = [row for row in of("yes") if row.verdict not in (*FITTING["yes"], "unknown")]
    assert {(row.found.model, row.verdict) for row in wrong} <= {("SAMSUNG MZWLL3T2HAJQ-00005", "failed")}


@pytest.mark.parametrize(("truth", "share"), [("yes", 0.95), ("no", 0.95)])
def test_most_drives_get_the_verdict_that_is_true(truth, share):
    fitting = [row for row in of(truth) if row.verdict in FITTING[truth]]
    assert len(fitting) >= share * len(of(truth)) > 0


def test_the_volatile_cache_is_told_as_it_is():
    wrong = [row.file for row in all_rows() if row.found.volatile_cache is not CACHE[row.truth["volatile_write_cache"]]]
    assert wrong == []
