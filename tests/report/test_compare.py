"""Comparisons against the files in golden_compare/; `--accept` writes them anew."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from msgspec import structs

from fsadvisor.measure.compare.matrix import comparison
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.pages.glyphs import width
from fsadvisor.pages.text import render
from fsadvisor.report import compare_figures, compare_page, svg
from fsadvisor.report.compare_figures import Circumstances
from fsadvisor.report.schema import schema
from tests.cases import each
from tests.compare.compared import CELLS, DISK, EXT4, SIDES, SRV, WHOLE, XFS, cell, image
from tests.paths import ROOT
from tests.report import probed

GOLDEN = Path(__file__).parent / "golden_compare"
ABOUT = Circumstances(
    when="2026-11-22T01:00:00+00:00",
    state="done",
    command="fsadvisor compare /srv --markdown --yes",
    image_folder="/srv",
    image_bytes=448 << 20,
    seconds=6.0,
    width=0.05,
    seed=7,
)
EVIL = "/srv/\x1b[31m<script>alert(1)</script>|`x` \u202e"
HOSTILE = comparison(
    (EXT4, image("xfs", note=EVIL), structs.replace(SRV, name=EVIL, options="rw,\x07", dangers=(EVIL,))),
    [JOBS["random-read-32"]],
    [
        cell(EXT4, "random-read-32", 100.0, remarks=(EVIL,)),
        cell(image("xfs"), "random-read-32", EVIL),
        cell(structs.replace(SRV, name=EVIL), "random-read-32", 50.0),
    ],
)
EMPTY = comparison((EXT4, XFS), [JOBS["mail"]], [])
STOPPED = structs.replace(ABOUT, state="cancelled")
BROKEN = structs.replace(ABOUT, state="failed", failed="the measuring process was killed by SIGKILL")


def text(found, about=ABOUT):
    return "".join(render(compare_page.document(found, about), margin=2))


def markdown(found, about=ABOUT):
    return "".join(compare_page.markdown(found, about))


def as_json(found, about=ABOUT):
    return compare_figures.as_json(found, about, probed.COST, probed.FINDINGS)


REPORTS = {
    "whole.txt": lambda: text(WHOLE),
    "whole.md": lambda: markdown(WHOLE, structs.replace(ABOUT, picture="a picture.svg")),
    "whole.json": lambda: as_json(WHOLE),
    "whole.svg": lambda: svg.compare_svg(WHOLE, ABOUT),
    "hostile.txt": lambda: text(HOSTILE),
    "hostile.md": lambda: markdown(HOSTILE),
    "hostile.json": lambda: as_json(HOSTILE),
    "hostile.svg": lambda: svg.compare_svg(HOSTILE, ABOUT),
    "stopped.txt": lambda: text(EMPTY, STOPPED),
    "broken.md": lambda: markdown(EMPTY, BROKEN),
    "before.txt": lambda: "".join(render(compare_page.before([it.name for it in SIDES], 3, "/srv"), margin=2)),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_comparison_is_what_its_golden_file_says(name, accepting):
    written = REPORTS[name]()
    golden = GOLDEN / name
    if accepting:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(written, encoding="utf-8")
    assert written == golden.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_comparison():
    assert {file.name for file in GOLDEN.iterdir()} == set(REPORTS)


@each("name", [it for it in REPORTS if it.endswith(".txt")])
def test_text_fits_80_columns(name):
    assert all(width(line) <= 80 for line in REPORTS[name]().split("\n"))


@each("name", REPORTS)
def test_no_form_shows_control_characters(name):
    assert all(line.isprintable() for line in REPORTS[name]().split("\n"))


@pytest.mark.parametrize("name", [it for it in REPORTS if it.endswith(".json")])
def test_json_is_of_the_published_shape(name):
    jsonschema.Draft202012Validator(schema("compare")).validate(json.loads(REPORTS[name]()))


def test_the_committed_schema_is_that_of_the_program():
    assert json.loads((ROOT / "docs" / "compare.schema.json").read_text()) == json.loads(json.dumps(schema("compare")))


@pytest.mark.parametrize("name", [it for it in REPORTS if it.endswith(".svg")])
def test_the_picture_is_xml_that_loads_and_runs_nothing(name):
    written = REPORTS[name]()
    root = ET.fromstring(written)
    kinds = {it.tag.rpartition("}")[2] for it in root.iter()}
    assert kinds <= {"svg", "title", "desc", "style", "rect", "text", "g", "line"}
    assert not any("href" in attribute for it in root.iter() for attribute in it.attrib)
    assert "url(" not in written


def test_the_picture_tells_best_and_tie_in_words_too():
    words = [it.text for it in ET.fromstring(svg.compare_svg(WHOLE, ABOUT)).iter() if it.tag.endswith("}text")]
    assert {"best", "tie", "behind", "no rival", "ceiling", "not ranked"} <= set(words)


def test_a_stranger_s_name_is_no_markup():
    page = markdown(HOSTILE)
    assert "<script>" not in page.replace("\\<", "")
    rows = [line for line in page.splitlines() if line.startswith("| workload")]
    assert rows[0].replace("\\|", "").count("|") == len(HOSTILE.sides) + 2


def test_every_side_and_workload_is_in_every_form():
    for written in (text(WHOLE), markdown(WHOLE), as_json(WHOLE)):
        assert all(side.name in written.replace("\\_", "_") for side in SIDES)
        assert all(row.job.id in written for row in WHOLE.rows)


def test_what_syncs_without_a_flush_stands_in_a_group_of_its_own():
    told = text(WHOLE)
    assert "in images on /srv, whose syncs end with no flush" in told
    assert "in images on /srv, whose syncs end with a flush" in told


def test_who_is_best_is_told_per_ground_and_that_nobody_is_at_everything():
    told = " ".join(text(WHOLE).split())
    assert "Nobody is best at everything in images on /srv: ext4 is at create-1; xfs is at fsync-ladder;" in told


def test_it_says_what_a_device_may_be_compared_by():
    told = " ".join(text(WHOLE).split())
    assert f"/srv does 91.9 to 104 % of what {DISK.name} does, random-read-32." in told
    assert "Nothing is written to a device" in told


def test_every_remark_is_told_once():
    told = text(comparison(SIDES, [JOBS["random-read-32"]], CELLS))
    assert told.count("It did not settle.") == 1
