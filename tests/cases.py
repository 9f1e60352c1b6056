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


def each(names, cases):
    """The cases one after another in one test: cheap ones, of which each as a test of its own would cost more to tell.

    What fails is told with its case.
    """
    names, cases = (names,) if isinstance(names, str) else names, tuple(cases)
    assert cases, "no case at all"

    def in_one(test):
        def of_all(*itself, **more):
            for case in cases:
                values = case if len(names) > 1 else (case,)
                try:
                    test(*itself, **more, **dict(zip(names, values, strict=True)))
                except Exception as error:
                    error.add_note(f"with {', '.join(names)} = {case!r}")
                    raise

        of_all.__name__, of_all.__doc__ = test.__name__, test.__doc__
        return of_all

    return in_one
