"""Late patterns find what the regular expression itself finds, and compile none that can't fit."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor import drives
from fsadvisor.patterns import LatePattern, late
from fsadvisor.readers import kernel_log
from tests.cases import each, tries

OURS = sorted(
    {
        *(row.model.pattern for row in (*drives.families(), *drives.table())),
        *(row.models.pattern for row in drives.pages()),
        *(row.match.pattern for row in kernel_log.patterns()),
    }
)
HARD = [
    r"(ab|c)d|e",
    r"a\|b",
    r"X[(]A|B",
    r"(a)?b",
    r"(a)+b",
    r"(a){2}b",
    r"ab?c|d*",
    r"(a|b)?",
    r"^a|^(b )?c",
    "a{0,2}b",
    "ab+",
]


@each("pattern", HARD)
def test_what_begins_oddly_is_found_as_the_expression_finds_it(pattern):
    for text in ("", "a", "aab", "abd", "b", "B", "b c", "c", "cd", "e", "d", "ac", "abc", "a|b", "X(A", "aa", "abb"):
        assert bool(LatePattern(pattern).match(text)) is bool(re.match(pattern, text, re.ASCII)), text
        assert bool(LatePattern(pattern).fullmatch(text)) is bool(re.fullmatch(pattern, text, re.ASCII)), text


@tries(50)
@given(st.data())
def test_no_text_that_fits_a_pattern_of_ours_is_passed_over(data):
    for pattern in data.draw(st.lists(st.sampled_from(OURS), min_size=5, max_size=20, unique=True)):
        text = data.draw(st.from_regex(re.compile(pattern, re.ASCII)))
        assert bool(LatePattern(pattern).match(text)) is bool(re.match(pattern, text, re.ASCII)), (pattern, text)


def test_a_model_that_fits_no_row_compiles_few_of_them():
    rows = [LatePattern(row.model.pattern) for row in drives.families()]
    assert not any(row.match("nothing of this name") for row in rows)
    assert sum(row._compiled is not None for row in rows) < len(rows) // 5


@each("call", ["match", "fullmatch", "search", "findall"])
def test_a_late_pattern_answers_as_a_compiled_one_does(call):
    late_one, compiled = late(r"([a-z]+)=\d", re.IGNORECASE), re.compile(r"([a-z]+)=\d", re.IGNORECASE)
    for text in ("A=1", "A=1 b=2", " b=3", "none"):
        assert str(getattr(late_one, call)(text)) == str(getattr(compiled, call)(text))
    assert late_one.groups == compiled.groups == 1
    assert late_one.sub("x", "A=1, b=2") == "x, x"


def test_a_late_pattern_that_is_wrong_says_so_when_it_is_used():
    with pytest.raises(re.error):
        late("(").match("")
