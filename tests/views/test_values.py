"""What a person types as the value of a fact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.tui.views.values import NoValueError, hint, typed
from fsadvisor.version import Version
from tests.cases import each


def entry(name):
    return catalogue()[name]


def of(kind, unit=""):
    """Any fact of a kind and unit."""
    return next(one for one in catalogue().values() if (one.kind, one.unit) == (kind, unit) and not one.choices)


@each(
    ("kind", "unit", "text", "value"),
    [
        (Kind.YES_NO, "", "yes", True),
        (Kind.YES_NO, "", " No ", False),
        (Kind.WHOLE, "bytes", "512", 512),
        (Kind.WHOLE, "bytes", "512 MiB", 512 << 20),
        (Kind.WHOLE, "bytes", "4GiB", 4 << 30),
        (Kind.WHOLE, "bytes", "1.5 k", 1536),
        (Kind.WHOLE, "bytes", "2 GB", 2_000_000_000),
        (Kind.WHOLE, "bytes", "1,024", 1024),
        (Kind.WHOLE, "KiB", "128", 128),
        (Kind.WHOLE, "KiB", "4 MiB", 4096),
        (Kind.WHOLE, "MiB", "1 GiB", 1024),
        (Kind.WHOLE, "percent", "20 %", 20),
        (Kind.WHOLE, "s", "2 min", 120),
        (Kind.WHOLE, "1/100 s", "5 s", 500),
        (Kind.WHOLE, "1/100 s", "3000", 3000),
        (Kind.REAL, "µs", "1.5 ms", 1500.0),
        (Kind.REAL, "µs", "80 us", 80.0),
        (Kind.REAL, "bytes/s", "2 MB/s", 2_000_000.0),
        (Kind.WHOLE, "errors", "1 error", 1),
        (Kind.VERSION, "", "6.6", Version(6, 6)),
        (Kind.VERSION, "", "v5.14.0-427.el9", Version(5, 14, 0)),
        (Kind.TEXTS, "", "noatime, discard", ("noatime", "discard")),
        (Kind.TEXTS, "", "none", ()),
        (Kind.TEXT, "", "anything at all", "anything at all"),
    ],
)
def test_values_are_typed_in_the_units_that_people_write(kind, unit, text, value):
    wanted = pytest.approx(value) if kind is Kind.REAL else value
    assert typed(of(kind, unit), text) == wanted


@pytest.mark.parametrize(
    ("kind", "unit", "text", "value"),
    [(Kind.WHOLE, "bytes", "512 MiB", 512 << 20), (Kind.WHOLE, "s", "2 min", 120), (Kind.YES_NO, "", "yes", True)],
)
def test_whole_numbers_are_exact(kind, unit, text, value):
    found = typed(of(kind, unit), text)
    assert (found, type(found)) == (value, type(value))


@each(
    ("kind", "unit", "text", "complaint"),
    [
        (Kind.YES_NO, "", "perhaps", "neither yes nor no"),
        (Kind.WHOLE, "bytes", "many", "is no number"),
        (Kind.WHOLE, "bytes", "5 ms", "is no unit of"),
        (Kind.WHOLE, "bytes", "4 GiBs", "did you mean 'gib'"),
        (Kind.WHOLE, "errors", "0.5", "is no whole number of errors"),
        (Kind.WHOLE, "errors", "5 MiB", "is not the unit of"),
        (Kind.WHOLE, "bytes", "1e300", "out of all proportion"),
        (Kind.REAL, "µs", "nan", "is no number"),
        (Kind.REAL, "µs", "inf", "is no number"),
        (Kind.VERSION, "", "six", "no version such as"),
        (Kind.TEXT, "", "  ", "say the value"),
        (Kind.TEXT, "", "x" * 5000, "longer than"),
    ],
)
def test_what_is_no_value_is_refused_with_the_reason(kind, unit, text, complaint):
    with pytest.raises(NoValueError, match=complaint):
        typed(of(kind, unit), text)


def test_a_choice_that_is_nearly_right_is_named():
    with pytest.raises(NoValueError, match="did you mean 'write back'"):
        typed(entry("disk.write_cache"), "writeback")


def told(one, text):
    """The value, or the reason why it is none."""
    try:
        return typed(one, text)
    except NoValueError as error:
        return str(error)


@given(st.text(max_size=20))
def test_whatever_is_typed_is_a_value_or_a_reason(text):
    for kind in Kind:
        one = next(it for it in catalogue().values() if it.kind is kind)
        assert told(one, text) != ""


def test_every_fact_has_a_hint():
    assert all(hint(one) for one in catalogue().values())
