"""The sentences: what they rest on, and that nothing unknown decides."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import TRUE, Known, Unknown
from fsadvisor.measure.waits.rules import COUNTS, MEANS, RULES, Measures
from fsadvisor.measure.waits.sentence import WindowMeasures, measured, sentences
from fsadvisor.measure.waits.window import window
from tests.cases import each
from tests.waits.made import FSYNC, NOT_KNOWN, disk, look, measures, moment, stat, syncing

SHARES = st.floats(0, 1) | st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 0.9, 1.0])
NUMBERS = st.floats(0, 100) | st.sampled_from([0.1, 0.5, 1.0, 2.0])
NAMES = Measures.__struct_fields__
BY_ID = {rule.id: rule for rule in RULES}
KNOWN = st.fixed_dictionaries({name: NUMBERS if name in COUNTS else SHARES for name in NAMES})
SOME = st.sets(st.sampled_from(NAMES))
CALM = dict.fromkeys(NAMES, 0.0)
IDLE = {"processor": 0.1, "disk_most": 0.1, "waiting": 8.0}


def told(found):
    return sentences(WindowMeasures(measures=found, of={}))


def holding(found):
    return {rule.id for rule in RULES if rule.holds(found) is TRUE}


@each(
    ("sentence", "known"),
    [
        ("memory", {"memory_some": 0.3, "memory_lacking": 0.3}),
        ("flushes", {"flush": 0.6, "io_some": 0.4}),
        ("flushes", {"flush": 0.6, "io_some": 0.0, "lock_waiting": 1.0}),
        ("disk", {"disk": 0.97, "queue": 31.0, "io_some": 0.9}),
        ("latency", {"disk": 0.97, "queue": 1.0, "io_some": 0.9}),
        ("background", {"disk": 0.97, "io_some": 0.01, "disk_waiting_most": 0.1, "lock_waiting_most": 0.0}),
        ("processor", {"processor": 0.99}),
        ("steal", {"steal": 0.4}),
        ("quota", {"processor": 0.2, "cpu_some": 0.9}),
        ("thread", {"processor": 0.51, "steadiest": 1.0}),
        ("each other", {**IDLE, "disk_waiting_most": 0.2, "lock_waiting": 6.0}),
        ("each other", {**IDLE, "disk_waiting_most": 0.2, "lock_traced": 6.0}),
        ("elsewhere", IDLE),
        ("nothing", {"processor": 0.01, "disk_most": 0.0, "waiting": 0.0}),
        ("mixed", {**CALM, "processor": 0.4, "disk": 0.3, "disk_most": 0.6}),
        ("mixed", {**CALM, "processor": 0.4, "disk_most": 0.6, "memory_some": 0.9}),
        ("not told", {"processor": 0.4, "disk": 0.3}),
        ("not told", {}),
    ],
)
def test_what_is_known_supports_its_sentence(sentence, known):
    assert [one.id for one in told(measures(**known))] == [sentence]


def test_several_limits_at_once_are_all_told_the_gravest_first():
    found = measures(flush=0.7, disk=0.9, queue=4.0, io_some=0.9, processor=0.9)
    assert [one.id for one in told(found)] == ["flushes", "disk", "processor"]


def test_the_stronger_sentence_stands_for_the_weaker_that_it_implies():
    found = measures(**IDLE, disk_waiting_most=0.0, lock_waiting=3.0)
    assert holding(found) == {"each other", "elsewhere"}
    assert [one.id for one in told(found)] == ["each other"]


@given(known=KNOWN)
def test_what_implies_another_never_holds_without_it(known):
    held = holding(measures(**known))
    assert all(BY_ID[one].implies in held for one in held if BY_ID[one].implies)


@given(known=KNOWN, forgotten=SOME)
def test_forgetting_a_measure_never_makes_a_sentence(known, forgotten):
    whole = measures(**known)
    assert holding(replace(whole, **dict.fromkeys(forgotten, NOT_KNOWN))) <= holding(whole)


@given(known=KNOWN, forgotten=SOME)
def test_evidence_is_what_was_measured_and_meets_its_threshold(known, forgotten):
    found = measures(**{name: value for name, value in known.items() if name not in forgotten})
    for sentence in told(found):
        for one in sentence.evidence:
            assert one.measured == getattr(found, one.condition.name)
            assert one.holds is one.condition.holds(found)
            if sentence.id in BY_ID:
                assert one.holds is TRUE
                assert isinstance(one.measured, Known)
        if sentence.id in BY_ID:
            asked = [{one.name for one in group} for group in BY_ID[sentence.id].groups]
            named = {one.condition.name for one in sentence.evidence}
            assert all(group & named for group in asked)


@given(known=KNOWN, forgotten=SOME)
def test_what_cannot_be_told_names_only_what_is_not_known(known, forgotten):
    found = measures(**{name: value for name, value in known.items() if name not in forgotten})
    (first, *_) = told(found)
    if first.id == "not told":
        assert first.evidence
        assert all(isinstance(one.measured, Unknown) for one in first.evidence)
    if first.id == "mixed":
        assert all(isinstance(one.measured, Known) for one in first.evidence)


def test_every_measure_has_its_words_and_some_rule_asks_it():
    assert set(MEANS) == set(Measures.__struct_fields__)
    assert {one.name for rule in RULES for one in rule.conditions} == set(MEANS)


def test_a_machine_that_waits_for_flushes_is_told_so_with_the_disk():
    (first,) = sentences(measured(syncing()))
    assert (first.id, first.evidence[0].of) == ("flushes", "vda")
    assert first.evidence[0].measured == Known(0.72, "/proc/diskstats")


def test_a_disk_that_went_away_meanwhile_leaves_the_busiest_unknown():
    before = moment(0.0, disk("vda") + disk("sdb", number=1), cpu=stat())
    after = moment(10.0, disk("vda", busy_ms=9900) + disk("sdb", number=2), cpu=stat(100, 1900))
    found = measured(window(before, after, [look(at / 2) for at in range(20)]))
    assert isinstance(found.measures.disk_most, Unknown)
    assert "sdb" in found.measures.disk_most.learn


def test_flushes_side_by_side_are_no_share_of_the_time():
    before, after = moment(0.0, disk()), moment(10.0, disk(flushes=9000, flush_ms=14_000), io_us=9_000_000)
    (first, *_) = sentences(measured(window(before, after, ())))
    assert first.says == "Flushes are the limit (vda, 1.4 at a time)"


def test_an_older_kernel_that_counts_no_flushes_is_never_said_to_be_idle():
    old = " 253 0 vda 0 0 0 0 0 0 0 0 0 0 0\n"
    before, after = moment(0.0, old, cpu=stat()), moment(10.0, old, cpu=stat(10, 1990))
    (first,) = sentences(measured(window(before, after, [look(at / 2) for at in range(20)])))
    assert first.id == "not told"
    assert {one.condition.name for one in first.evidence} == {"disk_most"}


def test_a_window_that_is_too_short_supports_nothing():
    (first,) = sentences(measured(window(moment(0.0), moment(0.2), [look(0.1, waiting=[("a", FSYNC)])])))
    assert first.id == "not told"
