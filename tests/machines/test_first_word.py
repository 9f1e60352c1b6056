"""docs/first-word.md: the first finding of every recorded machine, and why it is the right one."""

import re

from fsadvisor.report.findings import findings
from fsadvisor.rulebook.ranking import ORDER
from tests.machines.replay import FOLDERS, audit
from tests.paths import ROOT

PAGE = ROOT / "docs" / "first-word.md"
_ROW = re.compile(r"^\| ((?!machine )[a-z][a-z0-9-]+) \| (.*?) ?\| (.*) \|$", re.MULTILINE)
_ORDER = re.compile(r"^\| \d \| ([a-z].*?) \|$", re.MULTILINE)


def first_word(folder):
    """The rule and the subject of its first finding, as the page writes them."""
    first = next((one for one in findings(audit(folder)[2]) if not one.minor), None)
    return f"`{first.rule.id}` {first.verdicts[0].subject.name}" if first else "nothing"


def test_the_page_says_of_every_machine_what_is_said_first_and_why(accepting):
    text = PAGE.read_text()
    if accepting:
        reasons = {name: why for name, _, why in _ROW.findall(text)}
        rows = [f"| {it.name} | {first_word(it)} | {reasons.get(it.name, '')} |" for it in FOLDERS]
        head, _, _ = text.partition("| machine |")
        text = "\n".join(
            [f"{head}| machine | first finding | why an expert says it first |", "|---|---|---|", *rows, ""]
        )
        PAGE.write_text(text)
    told = _ROW.findall(text)
    assert {name: first for name, first, _ in told} == {it.name: first_word(it) for it in FOLDERS}
    assert [name for name, _, why in told if len(why) < 30] == [], "each is defended"


def test_the_page_has_the_order_as_it_is():
    assert _ORDER.findall(PAGE.read_text()) == list(ORDER.values())
