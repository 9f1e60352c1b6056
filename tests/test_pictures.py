"""The pictures of the docs are of the explorer as it is."""

import re
from html import unescape

import pytest

from tests.cases import few
from tests.paths import ROOT
from tools.screens.docs import SERIES, pictures

HINT = "run `make pictures`, and look at what has changed"


@pytest.mark.parametrize("machine_and_places", few([(one,) for one in SERIES], len(SERIES)))
def test_every_picture_is_what_the_explorer_shows_now(machine_and_places):
    for name, picture in pictures([machine_and_places]):
        assert (ROOT / f"docs/explorer/{name}.svg").read_text() == picture, f"{name}: {HINT}"
        told = unescape(re.sub(r"<[^>]+>", "", picture)).replace("\xa0", " ")
        assert name != "doctor" or "fsfreeze --unfreeze /srv/mail" in told


def test_every_picture_is_linked_and_of_a_known_name():
    text = (ROOT / "docs/explore.md").read_text() + (ROOT / "README.md").read_text()
    names = {name for *_, places in SERIES for name, _ in places}
    assert {one.stem for one in (ROOT / "docs/explorer").glob("*.svg")} == names
    assert [name for name in names if f"explorer/{name}.svg" not in text] == []
