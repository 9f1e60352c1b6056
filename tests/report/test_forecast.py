"""Forecasts' reports against the files in golden_forecast/; `--accept` writes them anew."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from fsadvisor.pages import markdown
from fsadvisor.pages.glyphs import width
from fsadvisor.pages.text import render
from fsadvisor.report import forecast_json, forecast_page, svg
from fsadvisor.report.schema import schema
from tests.paths import ROOT
from tests.report import forecasts

GOLDEN = Path(__file__).parent / "golden_forecast"
REMARKS = ("btrfs under web failed: while making btrfs: \x1b[31mno room",)


def text(study, alone=(), remarks=()):
    return "".join(render(forecast_page.document(study, "/srv/\x1b[31m", remarks, alone), margin=2))


REPORTS = {
    "several.txt": lambda: text(forecasts.SEVERAL, remarks=REMARKS),
    "one-device.txt": lambda: text(forecasts.EMPTY, forecasts.ONE_DEVICE.alone),
    "several.json": lambda: forecast_json.as_json(forecasts.SEVERAL, "/srv/\x1b[31m\udcff", REMARKS),
    "one-device.json": lambda: forecast_json.as_json(forecasts.EMPTY, "/srv", (), forecasts.ONE_DEVICE.alone),
    "several.md": lambda: "".join(markdown.render(forecast_page.blocks(forecasts.SEVERAL, REMARKS))),
    "several.svg": lambda: svg.forecast_svg(forecasts.SEVERAL),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_forecast_is_what_its_golden_file_says(name, accepting):
    written = REPORTS[name]()
    golden = GOLDEN / name
    if accepting:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(written, encoding="utf-8")
    assert written == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [it for it in REPORTS if it.endswith(".txt")])
def test_text_fits_80_columns_and_shows_no_control_characters(name):
    lines = REPORTS[name]().split("\n")
    assert all(width(line) <= 80 for line in lines)
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("name", [it for it in REPORTS if it.endswith(".json")])
def test_json_is_of_the_published_shape(name):
    jsonschema.Draft202012Validator(schema("forecast")).validate(json.loads(REPORTS[name]()))


def test_the_committed_schema_is_that_of_the_program():
    assert json.loads((ROOT / "docs" / "forecast.schema.json").read_text()) == json.loads(
        json.dumps(schema("forecast"))
    )


def test_the_picture_is_well_formed_loads_nothing_and_holds_no_strangers_markup():
    picture = svg.forecast_svg(forecasts.SEVERAL)
    root = ET.fromstring(picture)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names <= {"svg", "title", "style", "g", "path", "text", "polyline", "circle"}
    assert "href" not in picture
    assert "url(" not in picture
    assert any("[red]" in (element.text or "") for element in root.iter())


def test_one_device_gives_bounds_and_says_what_cannot_be_fitted():
    said = " ".join(text(forecasts.EMPTY, forecasts.ONE_DEVICE.alone).split())
    assert "cannot be told apart" in said
    assert "in 2014: class II" in said
    assert "below 1 ms" in said
