"""The catalogue is derived from the storage types, whole."""

import subprocess
import sys
from types import SimpleNamespace

from fsadvisor.facts import Cause
from fsadvisor.patterns import did_you_mean
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.storage import catalogue as catalogue_module
from fsadvisor.storage.catalogue import NAMESPACES, SCOPES, Kind, catalogue, matching, names_in_scope
from tests.cases import each


def test_every_field_of_every_subject_is_a_fact_with_a_meaning_and_a_source():
    assert list(catalogue()) == [
        f"{namespace}.{field}" for namespace, facts in NAMESPACES.items() for field in facts.__struct_fields__
    ]
    assert all(entry.doc and entry.source for entry in catalogue().values())


@each(
    ("name", "kind", "value"),
    [
        ("disk.write_cache", Kind.TEXT, "'write back' | 'write through'"),
        ("disk.removable", Kind.YES_NO, "yes/no"),
        ("host.kernel", Kind.VERSION, "version"),
        ("mount.options", Kind.TEXTS, "list of texts"),
        ("host.io_full_avg60_percent", Kind.REAL, "number"),
        ("disk.writes", Kind.WHOLE, "whole number"),
    ],
)
def test_a_fact_has_the_type_that_its_field_says(name, kind, value):
    assert catalogue()[name].kind is kind
    assert catalogue()[name].value == value


def test_the_unit_comes_along():
    assert catalogue()["disk.read_ahead_kib"].unit == "KiB"


@each("subject", SCOPES)
def test_a_rule_can_ask_the_facts_of_its_scope_and_no_others(subject):
    assert {name.partition(".")[0] for name in names_in_scope(subject)} == set(SCOPES[subject])


def test_every_fact_can_be_read_from_a_subject():
    for name, entry in catalogue().items():
        subject = next(kind for kind, namespaces in SCOPES.items() if entry.namespace in namespaces)
        scope = imagined(SimpleNamespace(subject=subject), {name: "x"}).scope
        assert entry.reader()(scope).value == "x", name
        assert entry.reader()({}).cause is Cause.NOT_APPLICABLE, name


def test_facts_are_found_by_a_part_of_the_name_or_a_pattern():
    assert [entry.name for entry in matching("disk.plp_e")] == ["disk.plp_evidence"]
    assert [entry.name for entry in matching("*.KERNEL")] == ["host.kernel"]
    assert matching("no such fact") == ()
    assert len(matching("")) == len(catalogue())


def test_the_nearest_word_is_offered_and_only_when_near():
    assert did_you_mean("wirte_cache", ["write_cache", "fua"]) == "; did you mean 'write_cache'?"
    assert did_you_mean("zzz", ["write_cache"]) == ""


def test_importing_the_catalogue_derives_nothing():
    code = f"import {catalogue_module.__name__} as c; print(c.catalogue.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "0\n"
