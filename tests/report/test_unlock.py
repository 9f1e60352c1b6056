"""Advice that is held back says right below its head what would unlock it."""

import pytest

from tests.command import in_text
from tests.paths import FIXTURES


@pytest.mark.parametrize(
    ("machine", "rule", "says"),
    [
        ("pm9a3-postgresql-volatile", "PLP is proven", "fsadvisor attest --checklist plp nvme0n1"),
        ("hdd-mail-server", "", ""),
    ],
)
def test_the_line_below_the_head_is_the_command_that_unlocks(machine, rule, says):
    lines = in_text("--on", FIXTURES / "machines" / machine, "--text").stdout.split("\n")
    text = " ".join(" ".join(lines).split())
    assert ("To unlock" in text) == bool(says)
    if says:
        head, _, after = text.partition(" To unlock: ")
        assert rule in head
        assert after.startswith("answer ")
        assert says in after.partition(" Fix: ")[0]
