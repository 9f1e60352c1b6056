"""Gains that a probe tells: the probes are there, and the rules that wait for them speak when they have run."""

from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.rulebook.advise import Outcome, judge
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.storage.catalogue import catalogue
from tests.cases import each

RULES = {rule.id: rule for rule in own_rulebook().rules}
MEASURED = [rule for rule in RULES.values() if rule.gain and rule.gain.measure]


@each("rule", MEASURED)
def test_what_would_measure_a_gain_is_a_probe(rule):
    assert [job for job in rule.gain.measure.split() if job not in JOBS] == []


@each("rule", [it for it in MEASURED if it.measured])
def test_the_fact_that_tells_a_gain_is_set_by_the_probes_that_are_named(rule):
    assert catalogue()[rule.gain.measured].source == f"`fsadvisor probe {rule.gain.measure}`"


def test_facts_of_probes_name_probes_that_there_are():
    named = [entry.source for entry in catalogue().values() if entry.source.startswith("`fsadvisor probe")]

    assert len(named) > 10
    assert {job for source in named for job in source.strip("`").split()[2:]} <= set(JOBS)


def on(rule, **changed):
    """What a rule says of its first example that advises, with other facts."""
    example = next(it for it in rule.examples if it.expect is Outcome.ADVISE)
    facts = {**example.facts, **{name.replace("__", "."): value for name, value in changed.items()}}
    return judge(rule, imagined(rule, {name: value for name, value in facts.items() if value is not None}))


@each(
    ("share", "of_the_time", "outcome"),
    [
        (36.0, 0.8, Outcome.ADVISE),
        (36.0, None, Outcome.ADVISE),
        (None, 31.0, Outcome.ADVISE),
        (4.0, 0.8, Outcome.OK),
        (None, 0.8, Outcome.UNDETERMINED),
        (4.0, None, Outcome.UNDETERMINED),
    ],
)
def test_flushes_of_a_protected_drive_count_by_the_ladder_or_by_the_time_since_boot(share, of_the_time, outcome):
    rule = RULES["flushes-on-protected-nvme"]

    assert on(rule, disk__flush_share_percent=share, disk__flush_time_percent=of_the_time).outcome is outcome


def test_the_ladder_s_share_is_the_gain_of_flushes_that_protect_nothing():
    verdict = on(RULES["flushes-on-protected-nvme"], disk__flush_share_percent=36.0)

    assert verdict.measured.value == 36
    assert verdict.gain().basis == "measured"


@each(
    ("faster", "outcome"),
    [
        ("O_DSYNC", Outcome.ADVISE),
        ("neither", Outcome.OK),
        ("fdatasync", Outcome.OK),
        (None, Outcome.UNDETERMINED),
    ],
)
def test_postgresql_s_way_to_sync_waits_for_the_probes(faster, outcome):
    assert on(RULES["postgresql-slower-wal-sync-method"], mount__faster_sync=faster).outcome is outcome
