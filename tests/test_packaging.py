"""The project installs as an ordinary package, with its rules inside."""

import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from fsadvisor import __version__
from tests.paths import ROOT
from tests.wheel import built
from tools.set_up import PIP_WHEEL

RULES = {str(file.relative_to(ROOT / "rules")) for file in (ROOT / "rules").rglob("*.toml")}
TABLES = {file.name for file in (ROOT / "fixtures" / "tables").iterdir()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(tmp_path_factory)


def held(wheel, prefix):
    return {name.removeprefix(prefix) for name in zipfile.ZipFile(wheel).namelist() if name.startswith(prefix)}


def test_the_wheel_holds_every_rule(wheel):
    assert RULES
    assert held(wheel, "fsadvisor/_rules/") == RULES


def test_the_wheel_holds_every_table_that_rules_may_cite(wheel):
    assert "errata.tsv" in TABLES
    assert held(wheel, "fsadvisor/_tables/") == TABLES


def test_the_wheel_holds_the_program_and_no_more(wheel):
    roots = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert roots - {f"fsadvisor-{__version__}.data"} == {"fsadvisor", f"fsadvisor-{__version__}.dist-info"}


@pytest.mark.long
def test_the_source_distribution_holds_what_the_wheel_is_built_from(tmp_path):
    asked = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", tmp_path]
    subprocess.run(asked, cwd=ROOT, check=True, capture_output=True)
    [sdist] = tmp_path.iterdir()
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "fsadvisor/__init__.py"} <= names
    assert {f"rules/{rule}" for rule in RULES} <= names
    assert {f"fixtures/tables/{table}" for table in TABLES} <= names


@pytest.mark.long
def test_installed_from_the_wheel_the_command_runs_and_finds_its_rules(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    python = tmp_path / "bin" / "python"
    pip = [python, PIP_WHEEL / "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", "--no-compile", wheel], check=True)
    [site_packages] = tmp_path.glob("lib/python*/site-packages")
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    version = subprocess.run([tmp_path / "bin" / "fsadvisor", "--version"], capture_output=True, text=True)
    assert (version.returncode, version.stdout.split()) == (0, ["fsadvisor", __version__])
    for asked in ("--version", "--help"):
        loaded = [python, "-X", "importtime", tmp_path / "bin" / "fsadvisor", asked]
        done = subprocess.run(loaded, capture_output=True, text=True, check=True)
        assert not {"re", "argparse", "typing", "msgspec"} & {
            line.split("|")[-1].strip() for line in done.stderr.splitlines()
        }
    assert done.stdout == (ROOT / "docs" / "help.txt").read_text()

    demo = subprocess.run([tmp_path / "bin" / "fsadvisor", "--demo", "--summary"], capture_output=True, text=True)
    assert (demo.returncode, demo.stderr) == (1, "")
    assert "critical" in demo.stdout

    where = subprocess.run(
        [python, "-c", "import fsadvisor; print(fsadvisor.__path__[0])"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    installed = Path(where.stdout.strip())
    assert installed == site_packages / "fsadvisor"
    kept = {file.name: file.read_bytes() for file in (installed / "_demo/kept").iterdir()}
    assert kept == {file.name: file.read_bytes() for file in (ROOT / "fixtures/demo").iterdir()}
    hurts = subprocess.run([tmp_path / "bin" / "fsadvisor", "doctor", "--demo"], capture_output=True, text=True)
    assert "waits" in hurts.stdout
    assert {str(file.relative_to(installed / "_rules")) for file in (installed / "_rules").rglob("*.toml")} == RULES
    assert {file.name for file in (installed / "_tables").iterdir()} == TABLES


def test_the_wheel_holds_the_rules_and_the_tables_compiled(wheel):
    inside = zipfile.ZipFile(wheel)
    for name in ("_rules.json", "_rules_examples.json"):
        assert len(json.loads(inside.read(f"fsadvisor/{name}"))) == len(RULES)
    ours = {name.removesuffix(".toml") for name in inside.namelist() if name.endswith(".toml") and "/_" not in name}
    assert "fsadvisor/drives/families" in ours
    assert {f"{name}.json" for name in ours} <= set(inside.namelist())
