"""A whole plan against the files in golden/: its scripts, the fstab diff and the pages; `--accept` writes them anew."""

from pathlib import Path

import pytest

from fsadvisor.plan.documents import documents
from fsadvisor.plan.shell import start
from tests.plan import composed
from tests.plan.composed import planned

GOLDEN = Path(__file__).parent / "golden"
PLANS = {
    "all": (composed.RULES, composed.TEXTS),
    "watched": ((composed.WATCHED,), composed.TEXTS),
    "kept": ((composed.KEPT,), composed.KEPT_TEXTS),
    "fstab": ((composed.FSTAB_ONLY,), composed.TEXTS),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_as_in_its_golden_files(name, accepting):
    rules, texts = PLANS[name]
    plan = planned(rules=rules, texts=texts)
    made = {f"{name}-{it.path.replace('/', '-')}": it.text for it in documents(plan)}
    if accepting:
        GOLDEN.mkdir(exist_ok=True)
        for file, text in made.items():
            (GOLDEN / file).write_text(text, encoding="utf-8")
    there = {path.name for path in GOLDEN.iterdir() if path.name.startswith(f"{name}-")}
    assert there == set(made)
    for file, text in made.items():
        assert text == (GOLDEN / file).read_text(encoding="utf-8")


def test_a_function_of_the_scripts_comes_with_those_that_it_uses_and_no_other():
    text = start("# reload_udev would be too much\nkeep_copy x y || stop 'no'\nexpect what values sum_of x\n")
    made = [line.partition("(")[0] for line in text.splitlines() if line.endswith("() {")]
    assert made == ["stop", "is", "expect", "sum_of", "keep_copy"]
