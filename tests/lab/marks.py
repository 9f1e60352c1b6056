"""Marks for single cases of a parametrised scenario."""

import pytest


def thorough(*values, **options):
    """A case that only `make lab ARGS=--thorough` runs."""
    return pytest.param(*values, marks=pytest.mark.thorough, **options)
