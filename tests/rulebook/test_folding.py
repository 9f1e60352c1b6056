"""What stands behind what: by urgency, severity and place alone, whatever the rules are about."""

from msgspec.structs import replace

from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.ranking import behind
from fsadvisor.rulebook.rule import Outcome
from tests.cases import each
from tests.machines.replay import RULES

LIKE = next(rule for rule in RULES if rule.id == "drive-failing")


def rule(name, urgency="", severity="critical", kind="risk", explained_by=(), *, rewrites=False):
    remedy = replace(LIKE.remedy, rewrites=rewrites)
    parts = {"urgency": urgency, "severity": severity, "kind": kind, "explained_by": explained_by}
    return replace(LIKE, id=name, remedy=remedy, **parts)


def at(place, *below):
    return replace(imagined(LIKE, {}), id=place, kind=place.partition(":")[0], below=below)


DISK, FILESYSTEM, OTHER, HOST = at("disk:a"), at("filesystem:a", "disk:a"), at("disk:b"), at("host")
GAIN = rule("gain", kind="gain")


def stands(*calling, waived=(), outcome=Outcome.ADVISE):
    """Rule -> (why, the rule it stands behind, on what)."""
    verdicts = [(one, outcome, subject) for one, subject in calling]
    found = behind(verdicts, [DISK, FILESYSTEM, OTHER, HOST], frozenset(waived))
    return {about[0]: (it.why, it.rule.id, it.subject.id) for about, it in found.items()}


@each(
    ("urgency", "severity", "tuned", "rewritten"),
    [
        ("losing", "critical", "waits", "waits"),
        ("losing", "high", "waits", "waits"),
        ("losing", "moderate", "", ""),
        ("errors", "critical", "waits", "waits"),
        ("errors", "high", "waits", "waits"),
        ("errors", "low", "", ""),
        ("stall", "critical", "", "waits"),
        ("stall", "high", "", "waits"),
        ("stall", "moderate", "", ""),
        ("power-cut", "critical", "", ""),
        ("", "critical", "", ""),
    ],
)
def test_a_gain_waits_for_severe_loss_and_a_rewrite_for_free_space_too(urgency, severity, tuned, rewritten):
    sick = rule("sick", urgency, severity)
    for rewrites, waits in ((False, tuned), (True, rewritten)):
        gain = rule("gain", kind="gain", rewrites=rewrites)
        expected = {"gain": ("first", "sick", "disk:a")} if waits else {}
        assert stands((sick, DISK), (gain, FILESYSTEM)) == expected


def test_a_risk_waits_for_nothing():
    assert stands((rule("sick", "losing"), DISK), (rule("risk", rewrites=True), FILESYSTEM)) == {}


def test_nothing_waits_for_what_is_not_advised_or_is_waived_there():
    sick = rule("sick", "losing")
    assert stands((sick, DISK), (GAIN, FILESYSTEM), outcome=Outcome.WITHHELD) == {}
    assert stands((sick, DISK), (GAIN, FILESYSTEM), waived=[("sick", "disk:a")]) == {}
    assert stands((sick, DISK), (GAIN, FILESYSTEM), waived=[("sick", "disk:b"), ("gain", "disk:a")]) != {}


def test_what_is_sick_elsewhere_keeps_nothing_waiting():
    sick = rule("sick", "losing")
    assert stands((sick, OTHER), (GAIN, FILESYSTEM)) == {}
    assert stands((sick, FILESYSTEM), (GAIN, DISK)) == {"gain": ("first", "sick", "filesystem:a")}
    assert stands((sick, DISK), (GAIN, DISK)) == {"gain": ("first", "sick", "disk:a")}


def test_a_host_touches_all_that_is_on_it():
    sick, other = rule("sick", "losing"), rule("other", "losing")
    assert stands((sick, HOST), (GAIN, DISK)) == {"gain": ("first", "sick", "host")}
    assert stands((sick, OTHER), (other, DISK), (GAIN, HOST)) == {"gain": ("first", "sick", "disk:b")}
    assert stands((sick, HOST), (other, DISK), (GAIN, DISK)) == {"gain": ("first", "other", "disk:a")}


def test_a_chain_of_causes_is_told_below_its_outermost():
    one, two = rule("one", explained_by=("two",)), rule("two", explained_by=("three",))
    found = stands((rule("three"), DISK), (two, DISK), (one, FILESYSTEM))
    assert found == {"two": ("cause", "three", "disk:a"), "one": ("cause", "three", "disk:a")}


def test_what_follows_from_what_waits_waits_with_it():
    sick, gain = rule("sick", "losing"), rule("gain", kind="gain")
    found = stands((sick, DISK), (gain, DISK), (rule("follows", explained_by=("gain",)), FILESYSTEM))
    assert found["follows"] == ("first", "sick", "disk:a")


def test_what_waits_for_what_follows_from_a_cause_waits_for_the_cause():
    errors = rule("errors", "errors", explained_by=("cause",))
    found = stands((rule("cause"), DISK), (errors, DISK), (GAIN, FILESYSTEM))
    assert found["gain"] == ("first", "cause", "disk:a")


def test_rules_that_explain_each_other_are_cut_where_the_circle_closes():
    one, two = rule("one", explained_by=("two",)), rule("two", explained_by=("one",))
    assert set(stands((one, DISK), (two, DISK))) == {"one", "two"}
