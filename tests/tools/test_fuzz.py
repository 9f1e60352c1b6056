"""`make fuzz`: the same seed gives the same inputs, and what fails is told and kept."""

import itertools
from random import Random

import pytest

from tests.cases import few
from tools.fuzz.__main__ import PARTS, main
from tools.fuzz.part import Failure
from tools.fuzz.texts import endless, samples


@pytest.mark.long
def test_a_seed_gives_the_same_inputs_again():
    first, again, other = (list(itertools.islice(endless(samples(), Random(seed)), 12)) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("name", few(PARTS, every=len(PARTS)))  # inputs of each: tests/trust/test_fuzz.py
def test_every_part_tries_inputs_and_nothing_fails(name, tmp_path, capsys):
    assert main(["--minutes", "0", "--seed", "1", "--save", str(tmp_path), "--parts", name]) == 0
    assert capsys.readouterr().out == f"{name}: 1 inputs, 0 failures, seed 1\n"


def test_what_fails_is_told_once_and_kept(tmp_path, capsys):
    def failing(random):
        for number in (1, 2, 2):
            yield [Failure(f"law {number}", f"input\udcff {random.random()}")]

    assert main(["--seed", "5", "--save", str(tmp_path / "new"), "--parts", "planted"], {"planted": failing}) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "planted: 3 inputs, 2 failures, seed 5"
    assert [it.name for it in sorted((tmp_path / "new").iterdir())] == ["planted-5-1.txt", "planted-5-2.txt"]
    assert (tmp_path / "new" / "planted-5-1.txt").read_bytes().startswith(b"law 1\n\ninput\xff 0.")
