"""Whole reports against the files in golden/; `--accept` writes them anew."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.text import render
from fsadvisor.report.as_html import as_html
from fsadvisor.report.as_json import as_json
from fsadvisor.report.as_text import as_text, fact_list
from fsadvisor.report.rule_page import document, markdown
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.storage.catalogue import matching
from fsadvisor.survey.whole import survey
from tests.paths import FIXTURES
from tests.report import composed

GOLDEN = Path(__file__).parent / "golden"


def text(storage, **options):
    verdicts = advise(storage, composed.rules(), every=True)
    return as_text(storage, verdicts, composed.ABOUT, **options)


def json(storage):
    return (line.decode() for line in as_json(storage, advise(storage, composed.rules()), composed.ABOUT))


def html(storage, rules):
    return as_html(storage, advise(storage, rules), composed.ABOUT)


def recorded(name):
    return replace(survey(open_machine(FIXTURES / "machines" / name), {}), machine=name)


def rule(rule_id):
    (found,) = [one for one in composed.rules() if one.id == rule_id]
    return found


def explained(one):
    return render(document(one).blocks)


REPORTS = {
    "busy.txt": lambda: text(composed.busy()),
    "busy_narrow.txt": lambda: text(composed.busy(), width=50),
    "busy_all.txt": lambda: text(composed.busy(), every=True),
    "busy.json": lambda: json(composed.busy()),
    "busy.html": lambda: html(composed.busy(), composed.rules()),
    "ext4-nobarrier.html": lambda: html(recorded("ext4-nobarrier"), own_rulebook().rules),
    "hostile.txt": lambda: text(composed.hostile()),
    "hostile.json": lambda: json(composed.hostile(sorted(set(composed.HOSTILE) - {"long"}))),
    "empty.txt": lambda: text(composed.empty()),
    "empty.json": lambda: json(composed.empty()),
    "blind.txt": lambda: text(composed.blind()),
    "many.txt": lambda: text(composed.many(100)),
    "explain_risk.txt": lambda: explained(rule("barriers-off")),
    "explain_gain.txt": lambda: explained(rule("flush-to-protected-cache")),
    "rule_risk.md": lambda: markdown(rule("barriers-off")),
    "rule_gain.md": lambda: markdown(rule("flush-to-protected-cache")),
    "facts.txt": lambda: fact_list(matching("disk.*cache")),
    "facts_here.txt": lambda: fact_list(matching("plp"), composed.busy()),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_what_its_golden_file_says(name, accepting):
    written = "".join(REPORTS[name]()).replace(str(Path(__file__).parent), "tests/report")
    golden = GOLDEN / name
    if accepting:
        golden.write_text(written, encoding="utf-8")
    assert written == golden.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_report():
    assert {file.name for file in GOLDEN.iterdir()} == set(REPORTS)
