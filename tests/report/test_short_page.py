"""A report is one screen of what it comes to, and findings that fit a screen each."""

import re
from statistics import median

import pytest

from fsadvisor.pages.document import Commands
from fsadvisor.pages.glyphs import width
from fsadvisor.pages.text import render
from fsadvisor.report import sections, short_page
from fsadvisor.report.as_text import as_text
from fsadvisor.report.findings import findings
from fsadvisor.report.sections import main_and_minor
from fsadvisor.report.short_page import ADVICE, sentences
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from tests.cases import few
from tests.machines.replay import FOLDERS, audit
from tests.panel import build
from tests.report import composed

SCREEN = 24
BEFORE = 57.5
"""Lines of the median report of the recorded machines on 2026-11-23, when a finding was told with all its evidence."""

INTERNAL = ("seed 0", "because: ", "Believe", "from memory", "withheld, documented")


def found_on(folder):
    return main_and_minor(findings(audit(folder)[2]))[0]


def report_of(folder):
    _, storage, verdicts = audit(folder)
    return "".join(as_text(storage, verdicts, composed.ABOUT))


@pytest.mark.parametrize("folder", few(FOLDERS, 6), ids=lambda folder: folder.name)
def test_the_first_screen_is_sorted_by_severity_below_each_of_its_titles(folder):
    told = [one for block in sections.overview(found_on(folder), 200) for one in render((block,), 200)]
    severities = ("critical", "high", "moderate", "low")
    last, by_gain = 0, False
    for one in told:
        grave = re.match(r" +[0-9]+  ([a-z]+)", one)
        if grave is None or "measured here" in one:
            last = 0
            by_gain = grave is None and "Gains that were measured here" in one
            continue
        assert by_gain or severities.index(grave[1]) >= last, one
        last = severities.index(grave[1])


@pytest.mark.parametrize("folder", few(FOLDERS, 6), ids=lambda folder: folder.name)
def test_a_finding_fits_a_screen_but_for_its_commands(folder):
    for finding in found_on(folder):
        blocks = list(short_page.document(finding, 1, None))
        commands = sum(len(block.lines) + 1 for block in blocks if isinstance(block, Commands))
        assert len(list(render(blocks, 80))) - commands <= SCREEN, finding.rule.id


@pytest.mark.parametrize("folder", few(FOLDERS, 6), ids=lambda folder: folder.name)
def test_what_a_report_comes_to_fits_a_screen_and_a_line_each(folder):
    first = report_of(folder).partition("\n\n1. ")[0].splitlines()
    overview = first[first.index("") :] if "" in first else []
    assert all(width(line) <= 80 for line in overview)
    assert len(overview) <= SCREEN + 10
    if not found_on(folder):
        assert len(first) <= SCREEN


@pytest.mark.parametrize("folder", few(FOLDERS, 6), ids=lambda folder: folder.name)
def test_a_report_has_no_internal_word(folder):
    text = " ".join(report_of(folder).split())
    assert not [word for word in INTERNAL if word in text]
    assert not re.search(r"\(E\d+", text)


@pytest.mark.parametrize("folder", few(FOLDERS, 6), ids=lambda folder: folder.name)
def test_a_finding_has_commands_or_says_what_to_do_or_why_not(folder):
    for finding in found_on(folder):
        text = "".join(render(short_page.document(finding, 1, None), 80))
        assert re.search(r"^   Fix\b", text, re.MULTILINE), finding.rule.id
        asked = [truth.name for ask, truth in finding.answers() if ask.part == "safety"]
        if set(asked) - {"TRUE"}:
            assert re.search(r"^   Fix: not yet, (not safe here|safety not known)\.", text, re.MULTILINE)
            assert "; undo" not in text


def test_what_to_do_is_told_whole_of_all_rules_but_two():
    longer = {
        rule.id
        for rule in own_rulebook().rules
        if len(" ".join(rule.remedy.advice.split())) + max((len(way.advice) for way in rule.remedy.ways), default=0)
        > ADVICE
    }
    assert longer <= {"flushes-on-protected-nvme", "md-write-hole"}


@pytest.mark.long
def test_the_median_report_has_half_the_lines_that_it_had():
    assert median(len(report_of(folder).splitlines()) for folder in FOLDERS) <= BEFORE / 2


def test_sentences_are_whole_and_the_first_is_always_told():
    text = "One is `a. B` here. Two is 3.5 ms. Three.\n\nFour."
    assert sentences(text, 1) == "One is `a. B` here."
    assert sentences(text, 40) == "One is `a. B` here. Two is 3.5 ms."
    assert sentences(text, 400) == "One is `a. B` here. Two is 3.5 ms. Three."
    assert sentences("One. Two is longer.", 5, 10) == "One. Two is longer."
    assert sentences("", 40) == ""


def page_of(made):
    storage = survey(made, {})
    return " ".join("".join(as_text(storage, advise(storage, own_rulebook().rules), composed.ABOUT)).split())


def test_a_disk_that_is_gone_is_told_with_what_is_mounted_from_it():
    disks = [build.hdd(at, device__state="offline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    array = build.md("md0", "9:0", "raid0", ["sdb", "sdc"])
    made = build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
    assert "On 2 disks: sdb and sdc; /srv stands on them" in page_of(made)


def test_a_filesystem_on_a_volume_is_told_by_the_volumes_name_in_words_and_commands():
    disk = build.sata(0, attributes=build.PROTECTED)
    data = build.volume("dm-0", "253:0", [disk.partition(2)[0]], "vg0-data")
    mount = build.Mount("/srv", "dm-0", "253:0", files={"/sys/fs/ext4/dm-0/errors_count": "7"})
    page = page_of(build.server(disk, layers=[data], mounts=[build.root(disk), mount]))
    assert "On filesystem vg0-data on /srv" in page
    assert "dm-0" not in page.partition("1. ")[2].partition("Evidence")[0]
