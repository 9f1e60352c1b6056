"""How many cases are tried: in `make test` a few that stand for the others, in `make long` all, and more."""

import pytest
from hypothesis import settings


def tries(usual):
    """Settings of a test of properties that needs more or fewer examples than others, of which the usual are 100."""
    return settings(max_examples=max(1, usual * settings().max_examples // 100))


def few(cases, every=4):
    """The cases as parameters; only each so many-th in `make test`."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if at % every == 0 else pytest.mark.long)
        for at, case in enumerate(cases)
    ]
