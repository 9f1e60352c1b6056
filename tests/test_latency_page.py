"""docs/latency.md is what `python -m tools.paper page` makes of the points beside it."""

from pathlib import Path

import pytest

from fsadvisor.report import svg
from tests.paths import ROOT
from tools.paper import page

DATA = ROOT / "fixtures" / "latency"


def test_the_page_is_made_of_the_points():
    assert "".join(page.text(*page.read(DATA))) == (ROOT / "docs" / "latency.md").read_text()


@pytest.mark.parametrize("workload", ["web", "mail", "file-server"])
def test_each_picture_is_made_of_the_points(workload):
    _, found = page.read(DATA)
    drawn = (ROOT / "docs" / "latency" / f"{workload}.svg").read_text()
    assert svg.forecast_svg(page.only(found, workload)) == drawn


def test_writing_the_page_anew_changes_nothing(tmp_path):
    page.write(DATA, tmp_path)
    written = [file.relative_to(tmp_path) for file in tmp_path.rglob("*") if file.is_file()]
    assert Path("latency.md") in written
    for file in written:
        assert (tmp_path / file).read_text() == (ROOT / "docs" / file).read_text()
