"""What is printed for each recorded machine, at 80 columns, in the field's words: no old one, none of our insides."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import fsadvisor
from fsadvisor.pages.text import render
from fsadvisor.report import short_page
from fsadvisor.report.as_html import as_html
from fsadvisor.report.as_text import as_text
from fsadvisor.report.findings import findings
from fsadvisor.report.sections import main_and_minor
from fsadvisor.rulebook.language import misworded
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.storage.catalogue import catalogue
from tests.cases import each, few
from tests.machines.replay import FOLDERS, audit
from tests.report import composed

INTERNAL = re.compile(r"\b(withheld|undetermined|blocked|seed \d+)\b|Believe:|\(E\d+\)|from memory:", re.IGNORECASE)
CODE = Path(fsadvisor.__file__).parent
TERMS = CODE / "rulebook" / "language.py"
LOG_MESSAGE = "blocked for more than"
"""The kernel's own words, which a rule says to search for."""


def words_only(found):
    """Without what is said of long sentences: evidence is a list, and its line breaks are the terminal's."""
    return [one for one in found if not one.startswith("a sentence")]


def old_words(text):
    plain = text.replace(LOG_MESSAGE, "")
    return [*words_only(misworded(plain)), *(found[0] for found in INTERNAL.finditer(plain))]


@pytest.mark.parametrize("full", [False, True], ids=["short", "full"])
@pytest.mark.parametrize("folder", few(FOLDERS, 12), ids=lambda folder: folder.name)
def test_no_old_word_and_no_internal_one_is_printed(folder, full):
    _, storage, verdicts = audit(folder)
    text = " ".join("".join(as_text(storage, verdicts, composed.ABOUT, full=full)).split())
    assert old_words(text.replace(folder.name, "")) == []


@pytest.mark.parametrize("folder", few(FOLDERS, 12), ids=lambda folder: folder.name)
def test_the_html_report_says_none_either(folder):
    _, storage, verdicts = audit(folder)
    html = "".join(as_html(storage, verdicts, composed.ABOUT))
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", html, flags=re.DOTALL)
    assert old_words(" ".join(text.split()).replace(folder.name, "")) == []


ROOT = CODE.parent
RECORDED = {"compare", "coverage", "latency", "probes", "proof", "tables", "trials-proof", "waits"}
"""Pages of docs/ that quote what was measured or published with its conditions."""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PAGES += sorted(page for page in (ROOT / "docs").glob("*.md") if page.stem not in RECORDED)
NOT_PROSE = re.compile(r"```.*?```|<!--.*?-->|^(?:\||#| {4}|\*\*.*→|.*→.*$).*?$|\]\([^)]*\)", re.DOTALL | re.MULTILINE)
"""Examples, tables, headings, ways of a fact through the code, and where a link leads."""


@each("page", PAGES)
def test_the_pages_say_the_fields_words_in_short_sentences(page):
    text = NOT_PROSE.sub("\n", page.read_text(encoding="utf-8"))
    assert [words for words in misworded(text) if "published guide" not in words] == []


def messages(path):
    """Each text of a module that has more than a word, with 'value' for what stands in braces, but for docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = set()
    for node in ast.walk(tree):  # what holds something comes before it
        if isinstance(node, ast.Expr):
            own.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            own.update(id(part) for part in node.values)
            yield "".join(part.value if isinstance(part, ast.Constant) else "value" for part in node.values)
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value and id(node) not in own
        ):
            yield node.value


@cache
def misworded_messages():
    """(module, text, its faults) of the messages that have any: half of a second each to read them all."""
    each = ((path, text, (*misworded(text),)) for path in CODE.rglob("*.py") for text in messages(path))
    return tuple((path, text, faults) for path, text, faults in each if faults)


def test_no_message_or_label_of_the_program_has_an_old_word():
    found = {
        f"{path.relative_to(CODE)}: {words}"
        for path, _, faults in misworded_messages()
        if path != TERMS
        for words in words_only(faults)
    }
    assert found == set()


NO_PROSE = re.compile(r"[{}$]|\n {2}")
"""In scripts, style sheets and tables."""


def test_each_sentence_of_a_message_is_read_once():
    found = {
        f"{path.relative_to(CODE)}: {words}"
        for path, text, faults in misworded_messages()
        if re.search(r"[.;:,]", text) and not NO_PROSE.search(text)
        for words in faults
        if words.startswith("a sentence")
    }
    assert found == set()


def test_what_is_not_advised_has_a_name_that_says_why():
    said = [SAID[one] for one in (Outcome.WITHHELD, Outcome.BLOCKED, Outcome.UNDETERMINED)]
    assert said == ["safety not known", "not safe here", "not known"]


def test_an_old_word_and_an_internal_one_are_noticed():
    assert old_words("Its folder") != []
    assert old_words("moderate gain, withheld: sda") == ["withheld"]
    assert old_words("blocked for more than 120 seconds") == []


LABEL = re.compile(r"^(Impact|Note|Fix[^:]*|Expected: [^:]*): ")
"""What stands before a finding's sentence, such as 'Fix (replace or add hardware): '."""


@pytest.mark.parametrize("folder", few(FOLDERS, 12), ids=lambda folder: folder.name)
def test_each_sentence_of_a_finding_is_read_once(folder):
    for finding in main_and_minor(findings(audit(folder)[2]))[0]:
        text = "".join(render(short_page.document(finding, 1, None), 80))
        paragraphs = re.findall(r"^   (?:Impact|Note|Fix|Expected)\b.*(?:\n     \S.*)*", text, re.MULTILINE)
        assert len(paragraphs) >= 2
        for paragraph in paragraphs:
            said = LABEL.sub("", " ".join(paragraph.split()))
            assert [*misworded(said)] == [], finding.rule.id


def test_what_a_fact_means_is_said_in_the_fields_words():
    assert {it.name: wrong for it in catalogue().values() if (wrong := list(misworded(it.doc)))} == {}
