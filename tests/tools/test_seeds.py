"""`make seeds`: the faults that it puts into the code."""

import tomllib

import pytest

from tests.paths import ROOT
from tools import seeds

FAULTS = tomllib.loads((ROOT / "tools/seeds.toml").read_text())["fault"]


def test_each_fault_is_found_in_one_module_and_its_tests_are_there():
    texts = [file.read_text() for file in (ROOT / "fsadvisor").rglob("*.py")]
    assert [it["what"] for it in FAULTS if sum(text.count(it["old"]) for text in texts) != 1] == []
    assert [test for it in FAULTS for test in it["tests"] if not (ROOT / test.partition("::")[0]).exists()] == []


def test_a_fault_whose_text_is_gone_is_lost(tmp_path):
    (tmp_path / "fsadvisor").mkdir()
    (tmp_path / "fsadvisor" / "twice.py").write_text("one = 1\none = 1\n")
    for text in ("two = 2", "one = 1"):
        with pytest.raises(seeds.LostError):
            seeds.module_with(text, tmp_path)
