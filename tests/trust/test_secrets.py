"""Secrets that were planted in every source: no output has one, and a recording has no identity either."""

import base64
import functools
import stat
import tempfile
import urllib.parse
from pathlib import Path

import pytest

from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.pages.glyphs import UNICODE
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from fsadvisor.tui.views import advice, finding, head, keys, overview, plan, storage_tree, subject, unknowns
from fsadvisor.tui.views.advice import Choice, pairs_of
from fsadvisor.tui.views.snapshot import finding_key
from tests.cases import few
from tests.command import in_text as fsadvisor
from tests.trust.planted import IDENTITIES, SECRETS, SETTINGS, planted
from tests.views.seen import snapshot_from

MACHINES = (
    "san-host",
    "raid-lvm-crypt-server",
    "database-lab",
    pytest.param("worn-nvme-database", marks=pytest.mark.long),
    pytest.param("old-storage-server", marks=pytest.mark.long),
)
RULES = own_rulebook().rules


@pytest.fixture(scope="module", params=MACHINES)
def live(request, tmp_path_factory):
    return planted(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def recorded(live):
    """The recording of that machine."""
    recording = RecordingMachine(RecordedMachine(live))
    survey(recording, {})
    for path in SETTINGS:
        recording.settings(path)
    recording.read("/etc/hostname")
    recording.write(live.parent / "recorded")
    return live.parent / "recorded"


@functools.cache
def forms(secret):
    """The ways in which it may be written, in small letters."""
    return tuple(form.casefold() for form in _written(secret))


def _written(secret):
    raw = secret.encode()
    yield secret
    yield raw.hex()
    yield from (base64.b64encode(b"x" * at + raw)[4 * (at > 0) : -4].decode() for at in range(3))
    yield urllib.parse.quote(secret, safe="")
    yield from ("".join(as_escape(sign) if not sign.isalnum() else sign for sign in secret) for as_escape in ESCAPES)


ESCAPES = (
    lambda sign: f"\\x{ord(sign):02x}",
    lambda sign: f"\\{ord(sign):03o}",
    lambda sign: f"\\u{ord(sign):04x}",
    lambda sign: f"%{ord(sign):02X}",
)


def found(text, secrets):
    text = text.casefold()
    return [what for what, secret in secrets.items() if any(form in text for form in forms(secret))]


@functools.cache
def of_plan(folder):
    """All files of the plan for the machine."""
    with tempfile.TemporaryDirectory() as place:
        done = fsadvisor("--on", folder, "plan", "--out", f"{place}/plan")
        assert done.returncode == 0, done.stderr
        return done.stderr + "".join(path.read_text() for path in Path(place).rglob("*") if path.is_file())


def test_what_is_planted_is_where_it_is_looked_for(live):
    text = "".join(path.read_text() for path in live.rglob("*") if path.is_file())
    removed_at_the_source = {"program's argument", "program's second argument", *(it for it in SECRETS if "'s " in it)}
    there = set(found(text, SECRETS)) | removed_at_the_source
    assert set(SECRETS) - there <= {"password with escapes"} | removed_at_the_source
    assert set(IDENTITIES) - set(found(text, IDENTITIES)) <= {"volume group", "logical volume"}


@pytest.mark.parametrize(
    "words",
    [("--text",), ("--json",), ("--html",), ("facts", "*", "--values"), ("plan",), ("plan", "--json")],
    ids=" ".join,
)
def test_no_output_has_a_secret(live, words):
    done = fsadvisor("--on", str(live), *words)
    assert done.stdout, done.stderr
    assert found(done.stdout + done.stderr, SECRETS) == []


def test_no_file_of_a_plan_has_a_secret(live):
    assert found(of_plan(str(live)), SECRETS) == []


def overviews(snapshot, machine):
    yield overview.screen(snapshot, machine.name, overview.Shape(200, 100, 1), UNICODE)
    yield head.head_line(snapshot, 200, UNICODE)
    yield list(storage_tree.tree(snapshot, UNICODE, storage_tree.Folds()).rows(200))
    yield list(keys.entries(snapshot, RULES)) + [keys.show(one) for one in snapshot.storage.subjects]


def findings(snapshot, _machine):
    yield list(advice.rows(snapshot, 200, UNICODE))
    for one in snapshot.verdicts:
        yield finding.page(snapshot, f"{one.rule.id}\n{one.subject.id}", UNICODE)
    yield from (finding.page(snapshot, finding_key(one), UNICODE) for one in snapshot.findings)


def subjects(snapshot, _machine):
    for one in snapshot.subjects:
        rows = subject.rows(snapshot, one, 200, UNICODE)
        yield [
            subject.more(snapshot, one, UNICODE),
            *(subject.detail(snapshot, one, row.key, UNICODE) for row in rows),
            rows,
        ]


def tasks(snapshot, _machine):
    every = unknowns.tasks(snapshot)
    yield list(unknowns.rows(every, 200, UNICODE))
    for one in every:
        yield unknowns.document(one, {rule.id: rule for rule in RULES}, "", live=True)


def plans(snapshot, machine):
    pairs = Choice(pair for one in snapshot.findings for pair in pairs_of(one)).pairs
    gathered = plan.gathered(snapshot, pairs, machine.read)
    yield list(plan.rows(gathered, 200, UNICODE))
    yield plan.pages(gathered, UNICODE)


@pytest.mark.parametrize("pages", few([overviews, findings, subjects, tasks, plans], 4), ids=lambda it: it.__name__)
def test_no_page_of_the_explorer_has_a_secret(live, pages):
    machine = RecordedMachine(live)
    shown = [repr(one) for one in pages(snapshot_of_live(live), machine)]
    assert shown
    assert found("\n".join(shown), SECRETS) == []


@functools.cache
def snapshot_of_live(live):
    return snapshot_from(RecordedMachine(live))


def test_a_recording_has_neither_secrets_nor_identities(recorded):
    for path in recorded.rglob("*"):
        told = str(path.relative_to(recorded)) + (path.read_bytes().decode("latin-1") if path.is_file() else "")
        assert found(told, SECRETS | IDENTITIES) == [], path


def test_a_recording_gives_the_same_verdicts(live, recorded):
    assert gist(recorded) == gist(live)


def gist(folder):
    verdicts = advise(survey(RecordedMachine(folder), {}), RULES)
    return sorted((it.rule.id, it.subject.kind, it.outcome.value) for it in verdicts)


def test_a_recording_is_for_its_owner_alone(recorded):
    for path in (recorded, *recorded.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
