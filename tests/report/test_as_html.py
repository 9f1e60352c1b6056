"""The report as one HTML file."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.glyphs import clean
from fsadvisor.report.as_html import as_html
from fsadvisor.report.as_json import as_json
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from tests.command import in_text as run
from tests.paths import FIXTURES
from tests.report import composed

ANY_TEXT = st.text(st.characters(exclude_categories=()))
MACHINES = {"busy": composed.busy, "hostile": composed.hostile, "empty": composed.empty, "blind": composed.blind}
RECORDED = ["ext4-nobarrier", "pm9a3-postgresql-volatile", "lab-nvme-volatile-cache", "old-storage-server"]
ELEMENTS = """
html head meta title style body header main footer section article h1 h2 h3 h4 p div span small strong code pre a ul li
table caption thead tbody tr th td details summary
"""
PHRASING = ("span", "small", "strong", "code", "a")
CLASSES = """
finding badge critical high moderate low aside source sum asks answer yes no unknown facts expression
overview checks
"""
BREAKING = [
    '"><script>alert(1)</script>',
    "' onload='alert(1)",
    "</title></style></table><img src=//x.test/y>",
    "<!-- ]]>",
    "&lt;b&gt;&#60;",
    "javascript:alert(1)",
]


class Page(HTMLParser):
    """What a parser makes of a document: elements with attributes, headings, and the text between."""

    def __init__(self, document):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.open, self.others, self.style = [], [], [], [], ""
        self.feed(document)
        self.close()

    def handle_starttag(self, tag, attributes):
        assert "p" not in self.open or tag in PHRASING, "a browser would end the paragraph here"
        self.elements.append((tag, dict(attributes)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open[-1:] == ["style"]:
            self.style += text
        else:
            self.texts.append(text)

    def handle_comment(self, text):
        self.others.append(text)

    def unknown_decl(self, text):
        self.others.append(text)

    handle_pi = unknown_decl

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


def written(storage, about=composed.ABOUT, rules=None, *, every=False):
    return "".join(as_html(storage, advise(storage, rules or composed.rules(), every=every), about))


def recorded(name):
    return survey(open_machine(FIXTURES / "machines" / name), {})


def assert_only_ours(page):
    """No element and no attribute has come from what a stranger wrote."""
    assert page.open == []
    assert page.others == []
    for tag, attributes in page.elements:
        assert tag in ELEMENTS.split()
        for name, value in attributes.items():
            if name == "class":
                assert set(value.split()) <= set(CLASSES.split())
            elif name == "id":
                assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", value)
            elif name == "href":
                assert re.fullmatch(r"#finding-[0-9]+|https?://[^\s\"'<>]+", value)
            else:
                assert (tag, name) in {
                    ("html", "lang"), ("meta", "charset"), ("meta", "name"), ("meta", "content"),
                    ("meta", "http-equiv"), ("th", "scope"), ("a", "rel"),
                }  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES)
def test_the_document_is_well_formed_and_printable_and_made_of_our_elements_alone(machine):
    document = written(MACHINES[machine](), replace(composed.ABOUT, rule_errors=composed.BROKEN), every=True)
    assert all(line.isprintable() for line in document.split("\n"))
    assert_only_ours(Page(document))


@given(ANY_TEXT, ANY_TEXT)
@example(BREAKING[0], BREAKING[1])
@example(BREAKING[2], BREAKING[3])
@example(BREAKING[4], BREAKING[5])
def test_what_strangers_write_becomes_text_and_nothing_else(name, text):
    on = composed.host(product=text)
    unknown = Unknown(Cause.UNREADABLE, text, name)
    storage = composed.machine(
        name,
        on,
        composed.disk(f"sd{name}", on, model=text, plp=unknown),
        *composed.mounted(text, name, on, barriers=False, protected=False, workload=unknown),
    )
    page = Page(written(storage, every=True))
    assert_only_ours(page)
    assert " ".join(clean(f'"{text}"', None).split()) in page.text


@pytest.mark.parametrize("machine", RECORDED)
def test_everything_that_the_json_says_of_findings_and_subjects_stands_there(machine):
    storage, rules = recorded(machine), own_rulebook().rules
    page = without_ticks(Page(written(storage, rules=rules)).text)
    report = json.loads(b"".join(as_json(storage, advise(storage, rules), composed.ABOUT)))
    calls = [one for one in report["verdicts"] if one["verdict"] in ("advise", "withheld", "blocked")]
    assert calls
    lacking = {
        text
        for one in [
            *calls,
            *(rule for rule in report["rules"] if "why" in rule),
            *report["subjects"],
            *report["unknown"],
        ]
        for text in texts(one)
        if without_ticks(clean(text, None)) not in page and without_ticks(text) not in page
    }
    assert lacking == set()
    rest = {one["rule"] for one in report["verdicts"]} | {
        one["title"] for one in report["verdicts"] if "title_here" not in one
    }
    assert {text for text in rest if without_ticks(text) not in page} == set()


def without_ticks(text):
    return " ".join(text.replace("`", "").split())


SAID_OTHERWISE = {
    "title",  # with the values of all the subjects of a finding: tests/report/test_titles.py
    "title_here",
    "advice",  # with the names of what is here: tests/report/test_advice_words.py
    "because",  # what is urgent, in words
    "table",  # its link
    "errata",  # `fsadvisor explain` alone tells what guides say
    "seed",
    "rank",
    "truths",
    "cause",
    "verdict",
    "part",
    "kind",
    "applicability",
    "needs",
    "unknown",
    "expect",
    "below",
    "no_commands",
    "subject",
}
"""What stands there in other words: the order, marks, the badge, names instead of ids, and asks of their own."""


def texts(value, key=""):
    """Every text below a JSON value that has to stand in the page as it is; paragraphs one by one."""
    if key in SAID_OTHERWISE:
        return
    if isinstance(value, dict):
        for name, member in value.items():
            yield from texts(member, name)
    elif isinstance(value, list):
        for member in value:
            yield from texts(member, key)
    elif isinstance(value, str):
        yield from re.split(r"\n\s*\n", value.strip())


@pytest.mark.long
def test_a_thousand_alike_disks_keep_all_their_commands():
    on = composed.host()
    storage = composed.machine("m", on, *(composed.disk(f"sd{at}", on, plp="proven") for at in range(1000)))
    page = Page(written(storage)).text
    assert "The same for 997 more" in page
    assert all(f"/sys/block/sd{at}/queue/write_cache" in page for at in range(1000))


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_is_loaded_from_elsewhere_and_nothing_runs(machine):
    page = Page(written(MACHINES[machine]()))
    policies = [attributes["content"] for _, attributes in page.elements if "http-equiv" in attributes]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]
    assert "url(" not in page.style
    assert "@import" not in page.style
    assert not any(name in attributes for _, attributes in page.elements for name in ("src", "srcset", "style"))


def test_headings_go_down_one_by_one_and_every_table_names_its_columns():
    page = Page(written(composed.busy(), every=True))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert {attributes.get("scope") for tag, attributes in page.elements if tag == "th"} == {"col", "row"}
    assert sum(tag == "table" for tag, _ in page.elements) == sum(tag == "caption" for tag, _ in page.elements)


def test_sizes_stand_there_to_the_byte_and_long_texts_uncut():
    on = composed.host(product="x" * 4000)
    page = Page(written(composed.machine("m", on, composed.disk("sda", on)))).text
    assert "3.49 TiB (3,840,755,982,336 bytes)" in page
    assert "x" * 4000 in page


def test_the_command_line_prints_it_and_other_commands_say_that_they_have_none():
    report = run("--on", str(FIXTURES / "machines" / "ext4-nobarrier"), "--html")
    assert report.returncode == 1
    assert report.stdout.startswith('<!DOCTYPE html>\n<html lang="en">')
    refused = run("facts", "--html")
    assert refused.returncode == 2
    assert refused.stderr == ("fsadvisor: facts takes no --html; what it takes: fsadvisor facts --help\n")
