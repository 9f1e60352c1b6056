"""The generated pages: complete, linked, and told when they no longer fit."""

import re
from functools import cache

from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.tables import errata, table_names
from tests.paths import ROOT
from tools import rule_docs
from tools.generate_docs import left_over, stale, write

RULES = own_rulebook().rules
LINK = re.compile(r"\]\(([^()\s]+)\)")
TEXTS = {"man.8": "a", "rules/one.md": "b"}


@cache
def pages():
    return rule_docs.pages(RULES)


def anchors(page):
    headings = re.findall(r"(?m)^#+ (.*)$", page)
    return {heading.lower().replace(" ", "-") for heading in headings} | set(re.findall(r'<a id="([^"]*)">', page))


def target(page, link):
    """The path of a link's file below the checkout."""
    path = (ROOT / "docs" / page).parent / link if link else ROOT / "docs" / page
    return str(path.resolve().relative_to(ROOT))


def test_every_rule_has_a_page_and_stands_in_the_index():
    index = pages()["rules/README.md"]
    for rule in RULES:
        assert f"rules/{rule.id}.md" in pages()
        assert f"({rule.id}.md)" in index


def test_every_table_and_every_erratum_is_on_its_page():
    assert set(table_names()) <= anchors(pages()["tables.md"])
    assert {number.lower() for number in errata()} <= anchors(pages()["errata.md"])


def test_every_link_of_a_page_leads_somewhere():
    for page, link in ((page, link) for page, text in pages().items() for link in LINK.findall(text)):
        file, _, anchor = link.partition("#")
        path = target(page, file)
        generated = pages().get(path.removeprefix("docs/"))
        assert generated is not None or (ROOT / path).exists(), f"{page}: {link}"
        assert not anchor or anchor in anchors(generated), f"{page}: {link}"


def test_what_is_written_is_not_stale(tmp_path):
    write(tmp_path, TEXTS)
    assert (stale(tmp_path, TEXTS), left_over(tmp_path, TEXTS)) == ([], [])


def test_a_page_that_is_absent_or_differs_is_stale(tmp_path):
    write(tmp_path, TEXTS)
    (tmp_path / "man.8").write_text("edited")
    (tmp_path / "rules" / "one.md").unlink()
    assert stale(tmp_path, TEXTS) == ["man.8", "rules/one.md"]


def test_the_page_of_a_rule_that_is_gone_is_left_over_and_removed_by_writing(tmp_path):
    write(tmp_path, TEXTS | {"rules/gone.md": "c"})
    assert left_over(tmp_path, TEXTS) == ["rules/gone.md"]
    write(tmp_path, TEXTS)
    assert not (tmp_path / "rules" / "gone.md").exists()


def test_what_people_write_beside_the_generated_folders_is_not_left_over(tmp_path):
    write(tmp_path, TEXTS)
    (tmp_path / "adr").mkdir()
    (tmp_path / "adr" / "0001.md").write_text("why")
    assert left_over(tmp_path, TEXTS) == []
