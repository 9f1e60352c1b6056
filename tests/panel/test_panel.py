"""On every server of the panel, the first finding is the expert's, and what he would never say is not said."""

import functools
import importlib
import pkgutil

import pytest

from fsadvisor.facts import Unknown
from fsadvisor.report.as_text import as_text
from fsadvisor.report.findings import findings, unfolded
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook import gate
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from tests.cases import few
from tests.panel import build, servers

RULES = own_rulebook().rules
NAMES = sorted(one.name for one in pkgutil.iter_modules(servers.__path__))
SERVERS = {name: importlib.import_module(f"tests.panel.servers.{name}") for name in NAMES}
IDS = {rule.id for rule in RULES}
OTHERS_QUESTION = ('"critical_warning": 2,', '"critical_warning": 16,', '"critical_warning": 18,')
"""With one alone a drive that has not passed is no failing one: too warm, or its capacitors."""
PASSED = '"smart_status": {"passed": true}'


@functools.cache
def audited(name):
    """The storage, the verdicts and the findings of a server."""
    storage = survey(SERVERS[name].server(), {})
    verdicts = advise(storage, RULES)
    return storage, verdicts, findings(verdicts)


def said(found):
    """'rule subject' of each finding, in order, without those of small effect."""
    return [f"{one.rule.id} {one.verdicts[0].subject.id}" for one in found if not one.minor]


@pytest.mark.parametrize("name", NAMES)
def test_a_server_is_told_first_what_the_expert_would_say_and_never_what_he_would_not(name):
    first_is_the_experts(name)
    nothing_is_said_that_he_never_would(name)
    what_he_mentions_beside_is_told(name)
    no_command_rewrites_data_while_something_is_sick(name)
    each_finding_stands_once(name)
    assert len(SERVERS[name].__doc__ or "") > 60, "each server says what the expert would say"
    if not SERVERS[name].FIRST:
        one_with_nothing_wrong_gets_one_screen(name)


def first_is_the_experts(name):
    expected = list(SERVERS[name].FIRST)
    told = said(audited(name)[2])
    assert told[: len(expected)] == expected
    assert expected or not told


def nothing_is_said_that_he_never_would(name):
    never = set(getattr(SERVERS[name], "NEVER", ()))
    assert never <= IDS
    told = {one.rule.id for one in audited(name)[2] if not one.minor}
    assert not never & told


def what_he_mentions_beside_is_told(name):
    told = {f"{one.rule.id} {each.subject.id}" for one in unfolded(audited(name)[2]) for each in one.verdicts}
    assert set(getattr(SERVERS[name], "BESIDE", ())) <= told


def no_command_rewrites_data_while_something_is_sick(name):
    for verdict in audited(name)[1]:
        if verdict.calls_for_action and verdict.rule.remedy.rewrites and verdict.instructions().now:
            scope = verdict.subject.scope
            for fact, well in gate.OPEN.items():
                space, _, field = fact.partition(".")
                assert space not in scope or getattr(scope[space], field).value is well


def each_finding_stands_once(name):
    every = unfolded(audited(name)[2])
    assert len(every) == len({id(one) for one in every})
    for finding in every:
        below = [(one.rule.id, one.outcome, one.truths) for one in (*finding.consequences, *finding.waiting)]
        assert len(below) == len(set(below)), "what waits for one finding on several disks is told once"


def one_with_nothing_wrong_gets_one_screen(name):
    storage, verdicts, _ = audited(name)
    text = "".join(as_text(storage, verdicts, Provenance(version="1", root=True)))
    assert len(text.splitlines()) <= 24, text
    assert max(map(len, text.splitlines())) <= 80
    assert not any(verdict.outcome is Outcome.ADVISE and verdict.rule.severity != "low" for verdict in verdicts), (
        "nothing at moderate or above is advised on a healthy server"
    )


def judging(made):
    """The first question to a drive that says that it has passed, and nothing is wrong with it."""
    said = made.commands
    asked = (it for it in sorted(said) if it.startswith("smartctl") and " -d " not in it and PASSED in said[it])
    return next((it for it in asked if not any(other in said[it] for other in OTHERS_QUESTION)), None)


@pytest.mark.parametrize("name", few(NAMES, 6))
def test_where_a_drive_begins_to_fail_only_what_is_lost_already_stands_before_it(name):
    made = SERVERS[name].server()
    if (asked := judging(made)) is None:
        return  # a server without a drive that judges itself
    made.commands[asked] = made.commands[asked].replace(PASSED, PASSED.replace("true", "false"))
    told = findings(advise(survey(made, {}), RULES))
    at = next(at for at, one in enumerate(told) if one.rule.id == "drive-failing")
    assert {one.rule.urgency for one in told[:at]} <= {"losing"}


def test_the_panel_is_large_enough():
    assert len(NAMES) >= 150


@pytest.mark.parametrize(("name", "sick"), [("nas_reallocated_and_cable", True), ("hdd_eight_reallocated", False)])
def test_the_health_gate_counts_a_hard_disk_with_many_replaced_sectors_as_sick(name, sick):
    disks = [it.scope["disk"] for it in audited(name)[0].subjects if it.kind == "disk"]
    assert any(it.failing.value for it in disks) is sick


def test_an_lvm_mirror_of_which_lvs_tells_nothing_is_not_taken_for_whole():
    made = SERVERS["lvm_mirror_degraded"].server()
    made.commands = {asked: said for asked, said in made.commands.items() if not asked.startswith("lvs")}
    (mirror,) = (it.scope["layer"] for it in survey(made, {}).subjects if it.id == "layer:dm-4")
    assert isinstance(mirror.incomplete, Unknown)


def test_paths_to_one_disk_are_neither_one_drive_nor_several():
    drives = [build.sas(at) for at in range(2)]
    layer, told = build.multipath(drives, 2)
    halves = [build.volume(f"dm-{at}", f"253:{at}", ["dm-0"], f"mpatha-part{at}") for at in (1, 2)]
    told["dmsetup table"] += "".join(f"mpatha-part{at}: 0 800000000 linear 253:0 {at * 2048}\n" for at in (1, 2))
    array = build.md("md0", "9:0", "raid1", ["dm-1", "dm-2"])
    mounts = [build.Mount("/srv", "md0", "9:0")]
    made = build.server(*drives, layers=[layer, *halves, array], mounts=mounts, commands=told)
    (below,) = (it.scope["below"] for it in survey(made, {}).subjects if it.id == "layer:md0")
    assert isinstance(below.one_drive, Unknown)


def test_a_pool_with_one_device_beside_copies_keeps_some_of_its_data_once():
    made = SERVERS["zfs_disk_added_beside_raidz2"].server()
    (pool,) = (it.scope["filesystem"] for it in survey(made, {}).subjects if it.id == "filesystem:zfs at /tank")
    assert pool.one_copy_spread.value
    assert pool.zfs_data_vdevs.value == "mixed"


@pytest.mark.parametrize("warning", [*range(1, 32), 32, 48])
def test_an_nvme_drive_that_warns_is_told_once_for_each_of_its_causes(warning):
    """smartctl calls it failed for any bit. Bit 1 is heat, bit 4 the capacitors, others are of a failing drive."""
    drive = build.nvme(0, build.PM9A3, log={"critical_warning": warning})
    build.said(drive, smart_status={"passed": False})
    place = "/var/lib/postgresql"
    mounts = [build.root(drive), build.on(drive, place)]
    made = build.server(drive, mounts=mounts, programs=[("postgres", place)], files=build.postgresql(place))
    storage = survey(made, {})
    expected = [
        *(["drive-failing disk:nvme0n1"] if warning & 0b101101 else []),
        *(["power-loss-protection-failed disk:nvme0n1"] if warning & 0b10000 else []),
        *(["drive-too-hot disk:nvme0n1"] if warning & 0b10 else []),
    ]
    assert said(findings(advise(storage, RULES))) == expected
    (disk,) = (it.scope["disk"] for it in storage.subjects if it.kind == "disk")
    assert disk.failing.value is (warning != 0b10)
