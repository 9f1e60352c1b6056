"""Recorded machines give the reports that were reviewed, and hold nothing that no code asks for."""

import pytest

from tests.machines.replay import FOLDERS, audit, reports

GOLDEN = ("report.json", "report.txt")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_recorded_machine_gives_its_golden_reports(folder, request):
    for name, text in reports(folder).items():
        golden = folder / name
        if request.config.getoption("--accept"):
            golden.write_text(text)
        assert text == golden.read_text(), f"{golden}: review with --accept"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_nothing_is_recorded_that_no_code_asks_for(folder):
    machine, _, _ = audit(folder)

    assert [place for place in machine.unused() if place not in GOLDEN] == []


def test_four_machines_at_least_are_recorded():
    assert len(FOLDERS) >= 4
