"""Labels that tell which process made something."""

import os

import pytest

from fsadvisor.measure.probe.processes import label, may_live


def test_its_maker_lives_until_its_number_is_given_again():
    boot, number, start = label().split("-")
    assert number == str(os.getpid())
    assert may_live(label())
    assert not may_live(f"{boot}-{number}-{int(start) + 1}")
    assert not may_live(f"{boot}-4194305-{start}")  # more than the kernel's most, PID_MAX_LIMIT


def test_nobody_of_another_boot_lives():
    assert not may_live(f"0123456f-{os.getpid()}-{label().split('-')[2]}")


@pytest.mark.parametrize("other", ["", "mine", "0123456g-1-1"])
def test_of_what_is_no_label_nothing_is_known(other):
    assert may_live(other)
