"""docs/trials-proof.md is what `python -m tools.trials page` makes of the rows, which hold what was asked for."""

import pytest

from tests.paths import ROOT
from tools.trials import page, rows, truth
from tools.trials.__main__ import DATA
from tools.trials.plan import GROUPS, Costs, costs_of, noisy
from tools.trials.rows import Bare, Kill, Trial

KEPT = rows.read(DATA)


def test_the_page_is_made_of_the_rows():
    assert page.text(KEPT) == (ROOT / "docs" / "trials-proof.md").read_text()


def tried(group):
    return [row for row in KEPT if isinstance(row, Trial) and row.group == group.id]


@pytest.mark.parametrize("group", GROUPS.values(), ids=lambda group: group.id)
def test_nine_of_ten_intervals_hold_the_truth(group):
    known = truth.of_group(group, KEPT)
    held = [truth.holds(it, truth.of_trial(it, group, known)) for it in tried(group)]
    assert sum(held) >= 0.9 * len(held)


@pytest.mark.parametrize("group", [it for it in GROUPS.values() if it.nothing], ids=lambda group: group.id)
def test_nine_of_ten_planted_nothings_are_called_no_difference(group):
    said = [it.kind for it in tried(group)]
    assert said.count("alike") >= 0.9 * len(said)


def test_nothing_but_names_for_the_next_start_is_left_of_the_killed():
    kills = [row for row in KEPT if isinstance(row, Kill)]
    assert not any(found for row in kills for found in row.later.values())
    assert not any(row.at_once[kind] for row in kills for kind in ("processes", "loops", "mounts", "dm"))


def bare(side, mean_us, noisy=False, number=1):
    return Bare(
        group="small",
        noisy=noisy,
        side=side,
        number=number,
        operations=10,
        mean_us=mean_us,
        bins_ns={round(mean_us * 1000): 10},
    )


def test_the_truth_is_reckoned_from_the_costs_and_what_fio_alone_takes_beyond_them():
    sides = {"default": 2260.0, "changed": 2030.0}
    known = truth.of_group(
        GROUPS["small"], [bare(side, us, noisy) for side, us in sides.items() for noisy in (False, True)]
    )
    assert (known.over_default_us, known.over_changed_us) == pytest.approx((60, 30))
    assert known.noisy == pytest.approx(2260 / 2030)
    assert truth.of_costs(Costs(write_us=1000, flush_us=500), known) == pytest.approx(1560 / 1030)


def test_without_the_long_runs_no_truth_is_told():
    assert truth.of_group(GROUPS["small"], [bare("default", 2260.0)]) is None


def test_every_second_trial_has_a_neighbour_and_the_groups_own_costs():
    group = GROUPS["large"]
    assert [noisy(at) for at in (1, 2, 3, 4)] == [False, True, False, True]
    assert costs_of(group, 2) == group.costs
    assert costs_of(group, 1) == costs_of(group, 1) != costs_of(group, 3)


def test_rows_cut_off_are_left_out_and_the_newer_of_two_counts(tmp_path):
    file = tmp_path / "console"
    first, second = bare("default", 1.0), bare("default", 2.0)
    file.write_text(f"words\r\n{rows.line(first)}\r\n{rows.line(second)}\n" + '{"type":"bare","gro')
    assert rows.joined(rows.read(file)) == [second]
