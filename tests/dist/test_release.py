"""What goes with a release: its part of the changelog, and what its archive is made of."""

import json

import pytest

from fsadvisor import __version__
from tests.paths import ROOT
from tools.dist import release

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- new\n\n## [1.2.0] - 2026-01-01\n\n- old\n"
METADATA = "Metadata-Version: 2.4\nName: An_Example\nVersion: 1.5\nLicense-Expression: MIT\n\nwords\n"


@pytest.fixture
def whole(tmp_path):
    """A directory with its own Python, in small."""
    folder = tmp_path / "fsadvisor"
    packages = folder / "lib/python3.13/site-packages"
    (packages / "an_example-1.5.dist-info").mkdir(parents=True)
    (packages / "an_example-1.5.dist-info/METADATA").write_text(METADATA)
    (folder / "bin").mkdir()
    (folder / "bin/python3.13").write_bytes(b"program")
    (folder / "lib/libz.so.1").write_bytes(b"library")
    return folder


def test_the_notes_are_the_versions_own_part_and_else_what_is_unreleased():
    assert release.notes(CHANGELOG, "1.2.0") == "# fsadvisor 1.2.0\n\n- old\n"
    assert release.notes(CHANGELOG, "1.3.0") == "# fsadvisor 1.3.0\n\n### Added\n\n- new\n"
    with pytest.raises(ValueError, match="no heading"):
        release.notes("# Changelog\n", "1.3.0")
    assert "###" in release.notes((ROOT / "CHANGELOG.md").read_text(), __version__)


def test_the_bill_names_packages_interpreter_and_libraries_with_where_they_are_from(whole):
    bill = release.bill(whole, "3.13.5")
    named = {one["name"]: one for one in bill["components"]}
    assert named.keys() == {"an-example", "python", "libz.so.1"}
    assert named["an-example"]["purl"] == "pkg:pypi/an-example@1.5"
    assert named["an-example"]["licenses"] == [{"license": {"name": "MIT"}}]
    assert named["python"]["version"] == "3.13.5"
    assert len(named["libz.so.1"]["hashes"][0]["content"]) == 64
    assert bill["dependencies"][0]["dependsOn"] == [one["bom-ref"] for one in bill["components"]]


def test_the_bill_is_the_same_twice_and_another_where_a_byte_is_another(whole):
    first = release.bill(whole, "3.13.5")
    assert release.bill(whole, "3.13.5") == first
    (whole / "lib/libz.so.1").write_bytes(b"another")
    assert release.bill(whole, "3.13.5")["serialNumber"] != first["serialNumber"]


@pytest.mark.long
def test_the_bill_is_valid_cyclonedx(whole):
    validation = pytest.importorskip("cyclonedx.validation.json", reason="cyclonedx-python-lib is not installed")
    schema = pytest.importorskip("cyclonedx.schema")
    validator = validation.JsonStrictValidator(schema.SchemaVersion.V1_6)
    assert validator.validate_str(json.dumps(release.bill(whole, "3.13.5"))) is None


def test_what_differs_between_two_directories_is_named(tmp_path):
    for name, text in {"a/same": "1", "b/same": "1", "a/other": "1", "b/other": "2", "a/gone": "1"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert release.same(tmp_path / "a", tmp_path / "b") == ["gone", "other"]
