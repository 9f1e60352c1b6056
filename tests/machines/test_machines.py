"""Recorded machines get the verdicts that were reviewed, and hold nothing that no code asks for."""

import pytest

from tests.cases import each
from tests.machines.replay import FOLDERS, GOLDEN, audit, golden


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_recorded_machine_gets_the_verdicts_that_were_reviewed(folder, accepting):
    for name, text in golden(folder).items():
        kept = folder / name
        if accepting:
            kept.write_text(text)
        assert text == kept.read_text(), f"{kept}: review with --accept"


@each("folder", FOLDERS)
def test_nothing_is_recorded_that_no_code_asks_for(folder):
    machine, _, _ = audit(folder)

    assert [place for place in machine.unused() if place not in GOLDEN] == []


def test_four_machines_at_least_are_recorded():
    assert len(FOLDERS) >= 4
