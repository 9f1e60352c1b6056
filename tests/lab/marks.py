"""Marks for single cases of a parametrised scenario, and what depends on the guest's kernel."""

import platform
import re

import pytest

KERNEL = tuple(int(number) for number in re.findall(r"\d+", platform.release())[:2])
"""Its series, such as (6, 12)."""


def thorough(*values, **options):
    """A case that only `make lab ARGS=--thorough` runs."""
    return pytest.param(*values, marks=[pytest.mark.thorough, *options.pop("marks", ())], **options)


def before(*series):
    """A mark for what the kernel no longer does from this series on."""
    return pytest.mark.skipif(series <= KERNEL, reason=f"Debian's kernels refuse it since {'.'.join(map(str, series))}")


def since(*series):
    """A mark for what the kernel does from this series on."""
    return pytest.mark.skipif(series > KERNEL, reason=f"the kernel does it since {'.'.join(map(str, series))}")
