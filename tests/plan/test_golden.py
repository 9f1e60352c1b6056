"""A whole plan against the files in golden/: its scripts, the fstab diff and the pages; `--accept` writes them anew."""

from pathlib import Path

import pytest

from fsadvisor.plan.documents import documents
from tests.plan import composed
from tests.plan.composed import planned

GOLDEN = Path(__file__).parent / "golden"
PLANS = {"all": composed.RULES, "watched": (composed.WATCHED,)}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_as_in_its_golden_files(name, request):
    made = {f"{name}-{it.path.replace('/', '-')}": it.text for it in documents(planned(rules=PLANS[name]))}
    if request.config.getoption("--accept"):
        GOLDEN.mkdir(exist_ok=True)
        for file, text in made.items():
            (GOLDEN / file).write_text(text, encoding="utf-8")
    there = {path.name for path in GOLDEN.iterdir() if path.name.startswith(f"{name}-")}
    assert there == set(made)
    for file, text in made.items():
        assert text == (GOLDEN / file).read_text(encoding="utf-8")
