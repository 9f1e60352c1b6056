"""Numbers that no machine has break nothing: not what is reckoned, not what is printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor import readers
from fsadvisor.readers import json_text
from fsadvisor.survey.read_fact import value
from fsadvisor.survey.whole import survey
from tests.cases import each, few, tries
from tests.panel.servers import deleted_log_held
from tools.fuzz.mutations import MACHINES
from tools.fuzz.numbers import odd, shown

BY_NAME = {folder.name: folder for folder in MACHINES}
MANY_KINDS = ("pm9a3-postgresql-measured", "worn-nvme-database", "btrfs-nas", "raid-lvm-crypt-server", "lab-ext4-tuned")


@pytest.mark.parametrize("name", few(MANY_KINDS, 5))
@tries(5)
@given(random=st.randoms(use_true_random=False))
def test_an_audit_of_odd_numbers_ends_in_every_form(name, random):
    mutant = odd(BY_NAME[name], random)
    assert shown(mutant, BY_NAME) == [], mutant


@pytest.mark.long
@pytest.mark.parametrize("name", BY_NAME)
@tries(20)
@given(random=st.randoms(use_true_random=False))
def test_an_audit_of_odd_numbers_ends_in_every_form_on_every_machine(name, random):
    mutant = odd(BY_NAME[name], random)
    assert shown(mutant, BY_NAME) == [], mutant


@each("number", ["9" * 40, "-" + "9" * 40, "9" * 79, str(1 << 128)])
def test_a_whole_number_beyond_128_bits_is_none(number):
    assert readers.whole(number) is None
    assert readers.size_bytes(f"{number}k") is None
    assert json_text.integer({"a": int(number)}, "a") is None


def test_the_numbers_that_drives_count_are_read():
    assert readers.whole(str((1 << 128) - 1)) == json_text.integer({"a": (1 << 128) - 1}, "a") == (1 << 128) - 1


def test_a_device_number_beyond_64_bits_is_no_files():
    made = deleted_log_held.server()
    made.commands = {command: text.replace("2049", "9" * 20) for command, text in made.commands.items()}
    filesystems = [it.scope["filesystem"] for it in survey(made, {}).subjects if it.kind == "filesystem"]
    assert any(value(it.deleted_open_percent) for it in filesystems)


@each("number", ["1e400", "-1e400", "NaN", "Infinity", "9" * 5000])
def test_json_with_a_number_that_is_none_is_unreadable(number):
    assert "broken or cut short" in json_text.load(f'{{"a": {number}}}').learn
