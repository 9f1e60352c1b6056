"""From a kept result to the report: a machine whose ladder has run says what its flushes cost."""

import json

from msgspec import structs

from fsadvisor.facts import Known
from fsadvisor.report.as_json import as_json
from fsadvisor.report.as_text import as_text
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.measured import conditions_of
from fsadvisor.survey.whole import survey
from tests.survey.test_measured import PROBES, interval
from tests.told import disk, machine

MOUNT = "36 1 259:0 / /srv rw,relatime shared:1 - ext4 /dev/nvme0n1 rw"
NVME = "pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0"
HALF_OF_THE_TIME = "0 0 0 0 100000 0 800000 50000 0 60000 60000 0 0 0 0 1000000 3000000"
RULE = "flushes-without-protection"


def storage(files=()):
    nvme = disk("nvme0n1", where=NVME, number="259:0", stat=HALF_OF_THE_TIME)
    found = survey(machine(nvme, mounts=[MOUNT], files={"/proc/uptime": "7200.00 9000.00\n", **dict(files)}), {})
    subjects = [unprotected(it) if it.kind == "disk" else it for it in found.subjects]
    return structs.replace(found, subjects=tuple(subjects))


def unprotected(subject):
    """The disk as its own tools would tell of it."""
    told = structs.replace(subject.scope["disk"], plp=Known("absent", "nvme id-ctrl"))
    return structs.replace(subject, scope={**subject.scope, "disk": told})


def ladder():
    parts = {"data": interval(440.0), "journal": interval(360.0), "flush": interval(360.0)}
    result = {
        "schema": "fsadvisor/probe/1",
        "job": "fsync-ladder",
        "mount": "/srv",
        "when": "2026-11-21T12:00:00+00:00",
        "engine": "fio 3.33",
        "figure": interval(1160.0),
        "believable": True,
        "parts_us": parts,
        "depends": conditions_of(storage(), "/srv"),
    }
    return {PROBES: json.dumps(result)}


def verdict(found):
    return next(it for it in advise(found, own_rulebook().rules) if it.rule.id == RULE)


def test_the_gain_is_documented_until_the_ladder_has_run_and_measured_then():
    before, after = verdict(storage()), verdict(storage(ladder()))

    assert before.outcome is after.outcome
    assert before.calls_for_action
    assert before.gain().basis == "documented"
    assert after.measured.value == 31.0
    assert after.rank() < before.rank()


def test_both_reports_say_what_was_measured_and_when():
    found = storage(ladder())
    about = Provenance(version="x", root=True)
    verdicts = advise(found, own_rulebook().rules)
    text = " ".join("".join(as_text(found, verdicts, about, full=True)).split())
    document = json.loads(b"".join(as_json(found, verdicts, about)))
    told = next(it for it in document["verdicts"] if it["rule"] == RULE)

    assert told["gain"]["basis"] == "measured"
    assert told["gain"]["figures"][0]["source"] == "measured here"
    assert "31 % measured here" in told["because"]
    assert "31 % at most: share of an fsync that flushes its cache" in text
    assert "`fsadvisor probe fsync-ladder` on 2026-11-21, fio 3.33, on /srv" in text
