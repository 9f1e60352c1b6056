"""The README shows what the program really prints."""

from tests.command import fsadvisor
from tests.paths import ROOT
from tests.test_cli import MACHINE


def test_the_sample_in_the_readme_is_the_beginning_of_the_real_report():
    sample = (ROOT / "README.md").read_text().partition("```text\n")[2].partition("```")[0]
    printed = fsadvisor("--on", str(MACHINE.removeprefix(f"{ROOT}/"))).stdout.decode()
    assert len(sample.splitlines()) > 20
    assert printed.startswith(sample)


def test_the_readme_is_short_and_every_page_stands_in_the_index():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150
    index = (ROOT / "docs" / "README.md").read_text()
    pages = {path.name for path in (ROOT / "docs").iterdir() if path.suffix in (".md", ".json")} - {"README.md"}
    assert {page for page in pages if f"]({page})" not in index} == set()


def test_every_way_onto_a_server_was_tried_in_every_root():
    rows = (ROOT / "docs" / "install.md").read_text().partition("<!-- ways")[2].partition("<!-- end")[0].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row.startswith("| ")]
    assert cells[0][1:] == ["archive", "pyz", ".deb", ".rpm", "pipx", "make"]
    assert len(cells) > 8
    assert not [
        row for row in cells[1:] if len(row) != 7 or not all(cell.startswith(("yes", "no: ")) for cell in row[1:])
    ]
