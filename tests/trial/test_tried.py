"""What a trial told stands first among a rule's figures, as long as nothing has changed that it depends on."""

import pytest
from msgspec.structs import replace

from fsadvisor.machine.kept_files import PROBES, WithFile
from fsadvisor.machine.opening import open_machine
from fsadvisor.measure.probe import store
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.rulebook.advise import advise, left_of, reason
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.measured import conditions_of
from fsadvisor.survey.tried import job_of, rule_of
from fsadvisor.survey.whole import survey
from tests.paths import ROOT

RULE, PLACE = "nobarrier-unproven", "/srv/recorded/srv"


def recorded():
    return open_machine(ROOT / "fixtures" / "machines" / "ext4-nobarrier")


def result(middle, low, high, **changed):
    depends = conditions_of(survey(recorded(), {}), PLACE) | changed
    return Result(
        job=job_of(RULE),
        question="ratio of sync_us",
        target=PLACE,
        mount=PLACE,
        when="2026-11-22T02:00:00+00:00",
        engine="commit-fdatasync by fio 3.33, ext4 on loop images",
        headline="RATIO",
        figure=Figure(median=middle, low=low, high=high, windows=18),
        end="settled",
        depends=depends,
    )


def verdict(*results):
    text = "".join(store.line(one).decode() + "\n" for one in results)
    storage = survey(WithFile(recorded(), PROBES, text, PROBES), {})
    return next(it for it in advise(storage, own_rulebook().rules) if it.rule.id == RULE)


@pytest.mark.parametrize(
    ("interval", "percent", "says"),
    [
        ((1.12, 1.08, 1.15), 12.0, "faster by 8 to 15 %, tried"),
        ((0.5, 0.45, 0.55), 0.0, "slower by 45 to 55 %, tried"),
        ((1.0, 0.97, 1.03), 0.0, "no difference larger than 3 %, tried"),
    ],
)
def test_the_rules_gain_is_measured(interval, percent, says):
    found = verdict(result(*interval))
    gain = found.gain()
    assert (gain.basis, gain.figures[0].says) == ("measured", says)
    assert "loop images" in gain.figures[0].conditions
    assert PLACE in gain.figures[0].conditions
    assert found.measured.value == percent


def test_what_is_no_gain_is_never_called_one():
    assert "no gain measured here" in reason(verdict(result(0.5, 0.45, 0.55)))
    assert "12 % measured here" in reason(verdict(result(1.12, 1.08, 1.15)))


def test_what_was_not_told_is_no_result_and_hides_none():
    told = replace(result(1.12, 1.08, 1.15), when="2026-11-20T02:00:00+00:00")
    assert verdict(result(1.0, 0.85, 1.15)).measured is None
    assert verdict(told, result(1.0, 0.85, 1.15)).measured.value == 12.0


def test_gains_are_ranked_by_the_time_that_they_save():
    assert left_of(verdict(result(2.0, 1.9, 2.1)).measured) == 50
    assert left_of(verdict(result(4.0, 3.9, 4.1)).measured) == 25


def test_a_result_of_other_conditions_does_not_count():
    assert verdict(result(1.12, 1.08, 1.15, **{"host.kernel_release": "2.6.32"})).measured is None


def test_without_a_trial_nothing_is_measured():
    assert verdict().measured is None


def test_the_newest_result_that_holds_counts():
    old = replace(result(2.0, 1.9, 2.1), when="2026-11-20T02:00:00+00:00")
    stale = replace(result(3.0, 2.9, 3.1, **{"host.kernel_release": "1"}), when="2026-11-23T02:00:00+00:00")
    assert verdict(old, stale, result(1.12, 1.08, 1.15)).measured.value == 12.0


def test_only_a_trials_name_names_a_rule():
    assert rule_of(job_of(RULE)) == RULE
    assert rule_of("commit-fdatasync") == ""
