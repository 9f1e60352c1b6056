"""What is supposed of a machine reaches all that follows from it, and nothing else."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Known, Unknown
from fsadvisor.machine.opening import open_machine
from fsadvisor.report.as_json import own_facts
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.storage import Supposition
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.survey.attested import SUPPOSED
from fsadvisor.survey.whole import survey
from fsadvisor.version import Version
from tests.cases import few, tries
from tests.paths import FIXTURES

MACHINES = [
    "pm9a3-postgresql-volatile",
    "worn-nvme-database",
    "raid-lvm-crypt-server",
    "old-storage-server",
    "btrfs-nas",
    "lab-thin-pool-nearly-full",
    "lab-nvme-nobarrier",
    "san-host",
]
RULEBOOK = own_rulebook()


@cache
def opened(name):
    return open_machine(FIXTURES / "machines" / name)


@cache
def real(name):
    return survey(opened(name), {})


def supposed(name, *suppositions):
    return survey(opened(name), {}, suppositions)


def scope(storage, subject):
    return next(one.scope for one in storage.subjects if one.id == subject)


def outcomes(storage):
    return {(one.rule.id, one.subject.id): one.outcome for one in advise(storage, RULEBOOK.rules, every=True)}


@cache
def real_outcomes(name):
    return outcomes(real(name))


@cache
def facts(name):
    """Every fact of every subject: subject, name, fact."""
    return [(one.id, fact, found) for one in real(name).subjects for fact, found in own_facts(one)]


def values(entry):
    """Values that a fact may have."""
    if entry.choices:
        return st.sampled_from(entry.choices)
    return {
        Kind.YES_NO: st.booleans(),
        Kind.WHOLE: st.integers(0, 1 << 50),
        Kind.REAL: st.floats(0, 1e9),
        Kind.TEXT: st.text(max_size=5),
        Kind.VERSION: st.builds(Version, st.integers(2, 7), st.integers(0, 20)),
        Kind.TEXTS: st.lists(st.text(max_size=5), max_size=2).map(tuple),
    }[entry.kind]


@st.composite
def suppositions(draw, name):
    subject, fact, _ = draw(st.sampled_from(facts(name)))
    return Supposition(subject, fact, draw(values(catalogue()[fact])))


@pytest.mark.parametrize("name", MACHINES)
def test_supposing_what_is_already_so_changes_nothing(name):
    same = [
        Supposition(subject, fact, found.value if isinstance(found, Known) else None)
        for subject, fact, found in facts(name)
    ]
    assert supposed(name, *same) == real(name)


@pytest.mark.parametrize("name", few(MACHINES))
@tries(10)
@given(data=st.data())
def test_undoing_what_was_supposed_gives_the_real_look_back(name, data):
    supposed(name, *data.draw(st.lists(suppositions(name), max_size=4)))
    assert supposed(name) == real(name)


@pytest.mark.parametrize("name", MACHINES)
@tries(10)
@given(data=st.data())
def test_every_fact_that_is_supposed_is_so_afterwards(name, data):
    chosen = data.draw(suppositions(name))
    namespace, _, field = chosen.fact.partition(".")
    fact = getattr(scope(supposed(name, chosen), chosen.subject)[namespace], field)
    assert isinstance(fact, Known)
    assert fact.value == chosen.value


@pytest.mark.parametrize("name", few(MACHINES))
@tries(20)
@given(data=st.data())
def test_supposing_that_facts_are_not_known_adds_no_advice(name, data):
    chosen = data.draw(st.lists(st.sampled_from(facts(name)), min_size=1, max_size=6))
    before = real_outcomes(name)
    after = outcomes(supposed(name, *(Supposition(subject, fact, None) for subject, fact, _ in chosen)))
    for at, outcome in after.items():
        if outcome is Outcome.ADVISE:
            assert before[at] is Outcome.ADVISE, at
        if outcome in CALLS_FOR_ACTION:
            assert before[at] in CALLS_FOR_ACTION, at


def test_a_disk_whose_protection_is_supposed_proven_protects_what_stands_on_it():
    name = "lab-nvme-nobarrier"
    disks = [one.id for one in real(name).subjects if one.kind == "disk"]
    made = supposed(name, *(Supposition(at, "disk.plp", "proven") for at in disks))
    below = [one.scope["below"] for one in made.subjects if one.kind == "mount" and "below" in one.scope]
    followed = [one for one in below if isinstance(one.disks, Known)]
    assert followed
    assert all(one.all_plp_proven.value is True for one in followed)
    assert ("nobarrier-unproven", Outcome.ADVISE) in {(at[0], it) for at, it in outcomes(real(name)).items()}
    assert ("nobarrier-unproven", Outcome.ADVISE) not in {(at[0], it) for at, it in outcomes(made).items()}


def test_a_supposed_fact_says_that_it_is_supposed():
    made = supposed(MACHINES[0], Supposition("host", "host.virtual", True))
    found = scope(made, "host")["host"].virtual
    assert found in (Known(True, SUPPOSED), scope(real(MACHINES[0]), "host")["host"].virtual)


def test_another_kernel_reaches_what_is_derived_from_it():
    name = "pm9a3-postgresql-volatile"
    made = supposed(name, Supposition("host", "host.kernel", Version(3, 10)))
    assert all(one.scope["host"].kernel == Known(Version(3, 10), SUPPOSED) for one in made.subjects)
    assert outcomes(made) != outcomes(real(name))


def test_of_two_suppositions_on_the_same_fact_the_last_counts():
    name = MACHINES[0]
    disk = next(one.id for one in real(name).subjects if one.kind == "disk")
    made = supposed(name, Supposition(disk, "disk.plp", "proven"), Supposition(disk, "disk.plp", None))
    assert isinstance(scope(made, disk)["disk"].plp, Unknown)


def test_what_is_supposed_of_a_subject_that_is_not_there_changes_nothing():
    name = MACHINES[0]
    assert supposed(name, Supposition("disk:none", "disk.plp", "proven")) == real(name)


def test_that_it_is_not_known_whether_a_machine_is_virtual_decides_nothing_about_its_drives():
    before, after = (
        outcomes(real("san-host")),
        outcomes(supposed("san-host", Supposition("host", "host.virtual", None))),
    )
    assert ("nobarrier-unproven", "filesystem:/dev/nvme1n1") in before
    assert {at for at, it in after.items() if it is Outcome.ADVISE} <= {
        at for at, it in before.items() if it is Outcome.ADVISE
    }
