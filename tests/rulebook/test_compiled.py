"""Compiled rules are the rules as they are written, or are not believed."""

import json
import tomllib

import msgspec
import pytest

from fsadvisor.own_tables import own_table
from fsadvisor.rulebook.loading import compiled_rule, load_rulebook, own_rulebook
from fsadvisor.rulebook.shape import JudgedShape, RuleShape
from tests.paths import ROOT
from tools.compile_rules import EXAMPLES, compile_rules, compile_tables

RULE = min((ROOT / "rules").glob("*/*.toml")).read_text()


@pytest.fixture
def rules(tmp_path):
    folder = tmp_path / "rules"
    (folder / "disk").mkdir(parents=True)
    (folder / "disk" / "one.toml").write_text(RULE)
    return folder


def test_every_rule_of_ours_compiles_to_what_its_file_says(tmp_path):
    (tmp_path / "rules").symlink_to(ROOT / "rules")
    compile_rules(tmp_path / "rules")
    texts = [file.read_text() for file in (ROOT / "rules").glob("*/*.toml")]
    written = [repr(msgspec.convert(tomllib.loads(text), RuleShape)) for text in texts]
    assert [repr(compiled_rule(text.encode(), tmp_path / "rules")) for text in texts] == written


def test_a_rule_that_was_changed_since_is_not_found(rules):
    compile_rules(rules)
    assert compiled_rule(RULE.encode(), rules) is not None
    assert compiled_rule(RULE.encode() + b"\n", rules) is None


BOTH = pytest.mark.parametrize("which", [0, 1], ids=["judged", "examples"])


@BOTH
def test_what_others_may_change_is_not_believed(rules, which):
    compile_rules(rules)[which].chmod(0o666)
    assert compiled_rule(RULE.encode(), rules) is None


@BOTH
@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_a_damaged_file_is_as_good_as_none(rules, content, which):
    compile_rules(rules)[which].write_text(content)
    assert compiled_rule(RULE.encode(), rules) is None


def test_an_audit_reads_all_of_a_rule_but_its_examples():
    of_examples = set(RuleShape.__struct_fields__) - set(JudgedShape.__struct_fields__)
    assert of_examples == set(EXAMPLES)


def test_what_another_version_compiled_is_parsed_anew(rules):
    compiled, _ = compile_rules(rules)
    compiled.write_text(compiled.read_text().replace('"severity"', '"severities"'))
    assert compiled_rule(RULE.encode(), rules) is None


def test_what_is_taken_as_proven_is_what_is_proven():
    proven, checked = own_rulebook(), load_rulebook()
    assert (proven.errors, checked.errors) == ((), ())
    for one, other in zip(proven.rules, checked.rules, strict=True):
        assert [(it.expression.text, it.expression.names) for it in one.asks] == [
            (it.expression.text, it.expression.names) for it in other.asks
        ]
        assert tuple(one.examples) == tuple(other.examples)
        assert [it.pieces for it in one.remedy.now] == [it.pieces for it in other.remedy.now]
        assert [(it.says.pieces, it.names) for it in one.here] == [(it.says.pieces, it.names) for it in other.here]


@pytest.mark.parametrize("file", sorted((ROOT / "fsadvisor").rglob("*.toml")), ids=lambda file: file.stem)
def test_every_table_compiles_to_what_its_file_says_but_for_days_which_become_texts(tmp_path, file):
    copy = tmp_path / file.name
    copy.write_bytes(file.read_bytes())
    written = own_table(copy)
    compile_tables(tmp_path)
    assert json.dumps(own_table(copy)) == json.dumps(written, default=str)


def test_a_table_that_was_changed_since_or_whose_compiled_file_is_damaged_is_parsed_anew(tmp_path):
    table = tmp_path / "one.toml"
    table.write_text("a = 1\n")
    (compiled,) = compile_tables(tmp_path)
    table.write_text("a = 2\n")
    assert own_table(table) == {"a": 2}
    compiled.write_text("[]")
    assert own_table(table) == {"a": 2}
