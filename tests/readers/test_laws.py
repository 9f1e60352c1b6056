"""What holds for every reader, whatever it is given."""

import functools
import inspect
import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Unknown
from tests.cases import each, tries
from tests.paths import FIXTURES
from tests.plain import plain
from tests.readers.discover import readers

READERS = readers()


def check(parse, text):
    record = parse(text)
    if isinstance(record, Unknown):
        assert record.learn
        assert record.cause.value in ("unreadable", "not_exposed", "denied", "asleep")
    else:
        json.dumps(plain(record), allow_nan=False)
        hash(record)


@functools.cache
def samples(name):
    found = sorted((FIXTURES / "outputs" / name).glob("*.out"))
    assert found, f"put a recorded output into fixtures/outputs/{name}/NAME.out"
    return found


@functools.cache
def text_of(path):
    return path.read_bytes().decode("utf-8", "surrogateescape")


PLACE = st.integers(0, 1 << 20)
JUNK = st.text(max_size=20) | st.sampled_from(["-1", "9" * 5000, "nan", "{", "[", '"', "\x00", "²"])


@pytest.mark.parametrize("name", READERS)
@tries(60)
@given(data=st.binary(max_size=400), sample=PLACE, start=PLACE, length=PLACE, junk=JUNK)
def test_any_bytes_and_a_damaged_sample_give_a_record_or_an_unknown(name, data, sample, start, length, junk):
    """Cut, spliced and edited real outputs reach deeper than random bytes do."""
    check(READERS[name], data.decode("utf-8", "surrogateescape"))
    text = text_of(samples(name)[sample % len(samples(name))])
    start %= len(text) + 1
    end = start + length % (len(text) + 1 - start)
    check(READERS[name], text[:start] + junk + text[end:])


def description(parse):
    """The docstring of a module's only reader, else what the function's own and the module's part for it say."""
    text = sys.modules[parse.__module__].__doc__ or ""
    part = re.search(rf"^{parse.__name__}:.*?(?=^parse_\w+:|\Z)", text, re.MULTILINE | re.DOTALL)
    own = text if parse.__name__ == "parse" else part[0] if part else ""
    return f"{inspect.getdoc(parse)}\n\n{own}"


@each("name", READERS)
def test_every_reader_says_its_versions_a_sample_and_where_it_is_described(name):
    told = description(READERS[name])
    assert re.search(r"^Written against |\bPath: /var/lib/fsadvisor/|/etc/fsadvisor/", told, re.MULTILINE)
    assert re.search(r"\n\n {4,}\S", told), "a sample is an indented block"
    assert "https://" in told or "/var/lib/fsadvisor/" in told


@pytest.mark.parametrize("name", READERS)
def test_a_sample_reads_as_its_golden_record(name, accepting):
    """Those of a reader in one test: to tell each as a test takes longer than to read it."""
    read = {path: plain(READERS[name](text_of(path))) for path in samples(name)}
    if accepting:
        for path, record in read.items():
            path.with_suffix(".json").write_text(json.dumps(record, indent=1, ensure_ascii=True) + "\n")
    assert read == {path: json.loads(path.with_suffix(".json").read_text()) for path in read}


def says_things(path):
    """Whether a sample is read as JSON; fio itself repeats options of its jobs."""
    reader, text = path.parent.name, text_of(path)
    return reader != "fio" and text.startswith("{") and not isinstance(READERS[reader](text), Unknown)


@each(
    "path",
    [it for it in sorted((FIXTURES / "outputs").glob("*/*.out")) if says_things(it)],
)
def test_a_key_that_stands_twice_is_no_choice(path):
    record = READERS[path.parent.name]('{"twice": 0, "twice": 1, ' + text_of(path)[1:])
    why = record.learn if isinstance(record, Unknown) else record.unread[0]
    assert "the JSON has a key twice: 'twice'" in why
