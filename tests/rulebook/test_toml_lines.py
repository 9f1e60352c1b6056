"""Every value of a TOML text is found where it stands."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.rulebook.loading import own_rules
from fsadvisor.rulebook.mistakes import line_and_column, offsets
from tests.cases import few, tries

TEXT = '''# a comment with [brackets] and "quotes
title = "x = 1"   # [not.a.table]
"quoted key" = 'lit # eral'
dotted.key = 3
why = """
[[check]]
ask = "in a string"
"""
list = [
  1, # one ]
  [2, 3],
  { ask = "a", "expr" = 'b' },
]
[remedy]
now = ["a", "b"]
empty = []
[remedy.then]
x.y = true
[[check]]
ask = "first"
[[check]]
ask = "second"
[check.inner]
deep = 2026-11-20 10:00:00
'''


def values(document, path=()):
    if isinstance(document, dict):
        for key, value in document.items():
            yield from values(value, (*path, key))
    elif isinstance(document, list) and document:
        for at, value in enumerate(document):
            yield from values(value, (*path, at))
    else:
        yield path, document


def test_each_value_is_found_at_its_line_and_column():
    found = {path: line_and_column(TEXT, offset) for path, offset in offsets(TEXT).items()}
    assert found["title",] == (2, 9)
    assert found["quoted key",] == (3, 16)
    assert found["dotted", "key"] == (4, 14)
    assert found["why",] == (5, 7)
    assert found["list", 0] == (10, 3)
    assert found["list", 1, 1] == (11, 7)
    assert found["list", 2, "expr"] == (12, 25)
    assert found["remedy",] == (14, 1)
    assert found["remedy", "now", 1] == (15, 13)
    assert found["remedy", "then", "x", "y"] == (18, 7)
    assert found["check", 0, "ask"] == (20, 7)
    assert found["check", 1, "ask"] == (22, 7)
    assert found["check", 1, "inner", "deep"] == (24, 8)


@pytest.mark.parametrize("part", few(range(4)))
def test_each_value_of_our_rules_is_found_where_it_stands(part):
    for file in sorted(own_rules().glob("*/*.toml"))[part::4]:
        are_found(file.read_text())


def are_found(text):
    found = offsets(text)
    for path, value in values(tomllib.loads(text)):
        at = found[path]
        if isinstance(value, str):
            assert text[at] in "'\""
            assert text[at:].lstrip("\"'\n").startswith(value.lstrip("\"'\n")[:10])
        else:
            assert text.startswith((str(value), str(value).lower()), at)


@tries(200)
@given(text=st.text(alphabet="ab[]{}=.,'\"\\# \n1", max_size=40))
def test_every_key_of_any_valid_text_is_found(text):
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert {path for path, _ in values(document) if "" not in path and path} <= set(offsets(text))
