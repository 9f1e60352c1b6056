"""What is said once is drawn by every form: each topic's page as text, HTML, Markdown and lines of a screen."""

from dataclasses import dataclass

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.pages import html, markdown, screen, text
from fsadvisor.pages.document import DrawnLines, Heading, Table
from fsadvisor.pages.glyphs import line, plain
from fsadvisor.report import compare_page, finding_page, forecast_page, power_loss, probe_page, rule_page, waits_page
from fsadvisor.report.findings import findings
from fsadvisor.report.sections import not_told
from fsadvisor.rulebook.advise import advise
from tests.cases import each
from tests.report import composed, forecasts, probed, test_compare, test_waits_page


@dataclass
class Found:
    """What rules say of a composed machine."""

    storage: object

    @property
    def verdicts(self):
        return advise(self.storage, composed.rules())

    @property
    def pages(self):
        found = findings(self.verdicts)
        return [block for at, one in enumerate(found, 1) for block in finding_page.document(one, at, None)]


BUSY, HOSTILE = Found(composed.busy()), Found(composed.hostile())
TOPICS = {
    "finding": lambda: BUSY.pages,
    "finding-hostile": lambda: HOSTILE.pages,
    "rule": lambda: [block for rule in composed.rules() for block in rule_page.document(rule).blocks],
    "order": rule_page.order,
    "power-loss": lambda: power_loss.blocks(BUSY.storage),
    "cures": lambda: not_told(BUSY.verdicts),
    "waits": lambda: waits_page.document(test_waits_page.accounted("contended")),
    "probe": lambda: probe_page.results(probed.SUITE, JOBS),
    "compare": lambda: compare_page.document(test_compare.WHOLE, test_compare.ABOUT),
    "compare-tables": lambda: compare_page.blocks(test_compare.HOSTILE, test_compare.ABOUT),
    "forecast": lambda: forecast_page.document(forecasts.SEVERAL, "/srv", (), forecasts.ONE_DEVICE.alone),
    "forecast-tables": lambda: forecast_page.blocks(forecasts.SEVERAL),
}
FORMS = {
    "text": lambda blocks: "".join(text.render(blocks)),
    "html": lambda blocks: "\n".join(html.render(blocks, 3)),
    "markdown": lambda blocks: "".join(markdown.render(blocks)),
    "screen": lambda blocks: "\n".join(plain(one) for one in screen.laid(blocks, 500)),
}


def words(written):
    return "".join(sign for sign in written if sign.isalnum())


@each("form", FORMS)
@each("topic", TOPICS)
def test_every_form_draws_every_topic_with_its_titles_and_no_control_character(topic, form):
    blocks = list(TOPICS[topic]())
    written = FORMS[form](blocks)
    assert all(one.isprintable() for one in written.split("\n"))
    titles = [one.text for one in blocks if isinstance(one, Heading)]
    assert all(words(one) in words(written) for one in titles if one.isascii() and one.replace(" ", "").isalnum())


def test_a_table_is_aligned_where_columns_count():
    table = Table(("side", "median"), ((line("ext4"), line("1,200 µs")), (line("a longer name"), line("3 µs"))))
    expected = "  side           median  \n  ext4           1,200 µs\n  a longer name  3 µs    "
    assert "\n".join(plain(one) for one in screen.laid([table], 80)) == expected
    assert "".join(text.render([table])) == "".join(f"{one.rstrip()}\n" for one in expected.split("\n"))


def test_what_is_drawn_stays_as_it_is_in_every_form():
    drawn = DrawnLines((line("  ██░ 50 %"),))
    assert all("  ██░ 50 %" in write([drawn]) for write in FORMS.values())


def test_no_line_of_a_stranger_ends_a_block_of_markdown():
    written = "".join(markdown.render([DrawnLines((line("```"), line("[x](http://stranger)")))]))
    assert written == "````\n```\n[x](http://stranger)\n````\n"


def inner(markup):
    return [it for block in MarkdownIt("commonmark").parse(markup) for it in block.children or ()]


STRANGE = st.text(alphabet="`<>a b[]()!*_\\\n\u202e\x1b~#-|&:/", max_size=24)


@given(STRANGE)
@example("```<img src=x>`")
def test_a_text_of_a_stranger_is_neither_markup_nor_link_in_markdown(told):
    written = markdown.plain(told)
    assert written.isprintable()
    assert {it.type for it in inner(f"x {written}")} <= {"text", "code_inline"}


@given(STRANGE)
@example("a ``<img src=x>`` b")
def test_code_of_a_stranger_is_one_piece_of_code_in_markdown(told):
    told = " ".join(told.split()) or "a"
    (piece,) = inner(markdown.code(told))
    assert (piece.type, piece.content.strip()) == ("code_inline", told.strip())


def test_a_heading_of_a_stranger_has_no_control_character():
    for write in (FORMS["markdown"], FORMS["text"]):
        assert "\x1b" not in write([Heading("\x1b]0;x\x07\u202eweb")])
