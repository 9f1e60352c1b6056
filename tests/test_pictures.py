"""The pictures of the docs are of the explorer as it is."""

import re
from html import unescape

from tests.paths import ROOT
from tools.screens.docs import pictures

HINT = "run `make pictures`, and look at what has changed"


def test_every_picture_is_what_the_explorer_shows_now_and_every_one_is_linked():
    text = (ROOT / "docs/explore.md").read_text() + (ROOT / "README.md").read_text()
    drawn = dict(pictures())
    for name, picture in drawn.items():
        assert (ROOT / f"docs/explorer/{name}.svg").read_text() == picture, f"{name}: {HINT}"
        assert f"explorer/{name}.svg" in text
    told = unescape(re.sub(r"<[^>]+>", "", drawn["doctor"])).replace("\xa0", " ")
    assert "fsfreeze --unfreeze /srv/mail" in told
    assert {one.stem for one in (ROOT / "docs/explorer").glob("*.svg")} == drawn.keys()
