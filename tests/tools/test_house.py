"""`make house`: what is counted of a checkout."""

import pytest

from tests.cases import each
from tests.paths import ROOT
from tools.house import (
    House,
    circles,
    layers,
    lines,
    long_lived,
    main,
    shared_class_names,
    shared_in_one_layer,
    shared_in_one_package,
)

PACKAGE = {
    "p.a.one": "import p.a.two\nclass Row: ...\n",
    "p.a.two": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import one\nclass Row: ...\n",
    "p.b": "from p.a.one import Row\n\nclass Column: ...\n",
    "p.c": "class Column: ...\n",
}


def test_an_import_for_the_type_checker_alone_closes_a_circle():
    assert circles(House(PACKAGE).imports()) == [["p.a.one", "p.a.two"]]


def test_a_layer_holds_what_imports_only_the_layers_below():
    assert layers({"c": {"a", "b"}, "a": {"b"}, "b": set(), "d": {"b"}}) == [["b"], ["a", "d"], ["c"]]


def test_a_class_name_of_two_modules_is_shared_and_within_a_package_only_there():
    house = House(PACKAGE)
    assert shared_class_names(house) == {"Column": ["p.b", "p.c"], "Row": ["p.a.one", "p.a.two"]}
    assert shared_in_one_package(house) == {"Row": ["p.a.one", "p.a.two"]}


def test_a_class_name_of_two_packages_is_shared_within_a_layer_only_where_both_are_in_it():
    assert shared_in_one_layer(House({"p.b": "class Column: ...", "p.c": "class Column: ..."})) == {
        "Column": ["p.b", "p.c"]
    }
    assert shared_in_one_layer(House({"p.b": "import p.c\nclass Column: ...", "p.c": "class Column: ..."})) == {}


def test_each_line_is_counted_as_one_thing():
    text = '"""Doc,\n\nof three."""\n\nimport os\n\n# why\nvalue = """no\n\ndocstring"""\n'
    counted = lines(text)
    assert (counted.all, counted.docstrings, counted.imports, counted.comments) == (10, 3, 1, 1)
    assert counted.code == 10 - 3 - 1 - counted.blank


def rows(printed):
    """The figures of a table by the name of their row."""
    return {line[:32].strip(): line[32:].split() for line in printed.splitlines()}


def test_the_table_of_a_checkout_stands_beside_that_of_an_earlier_one(tmp_path, capsys):
    for checkout, modules in (("earlier", ("a",)), ("now", ("a", "b"))):
        (tmp_path / checkout / "fsadvisor").mkdir(parents=True)
        for name in modules:
            (tmp_path / checkout / "fsadvisor" / f"{name}.py").write_text("import os\n")
    assert main([str(tmp_path / "now"), "--against", str(tmp_path / "earlier")]) == 0
    assert rows(capsys.readouterr().out)["files"][:2] == ["1", "2"]


def test_no_file_of_this_checkout_is_above_400_lines():
    files = [*(ROOT / "fsadvisor").rglob("*.py")]
    assert {file.name: n for file in files if (n := file.read_text(encoding="utf-8").count("\n")) > 400} == {}


@each(
    ("text", "counted"),
    [
        ("def f(one):\n    two = one\n    return two\n", []),
        ("def f(one):\n    two = 2\n\n    return one + two\n", [(1, "one")]),
        ("def f(rows):\n    g = [one for one in rows]\n\n\n    return [one for one in g]\n", []),
        ("def f():\n    it = 1\n    def g():\n\n        return it\n    return g\n", [(2, "it")]),
        ("one = 1\n\n\n\none += 1\n", []),
    ],
)
def test_a_name_lives_from_its_first_line_to_its_last_in_its_own_scope(text, counted):
    assert long_lived(text, ("one", "it")) == counted


@pytest.mark.long
def test_no_value_that_lives_longer_than_three_lines_has_a_name_that_says_nothing():
    names = ("one", "it", "at", "told", "said", "look", "course", "shelf")
    found = {file: long_lived(file.read_text(), names) for file in (ROOT / "fsadvisor").rglob("*.py")}
    assert {file.relative_to(ROOT): names for file, names in found.items() if names} == {}


@pytest.mark.long
def test_this_checkout_has_no_circle_of_packages(capsys):
    assert main([str(ROOT)]) == 0
    found = rows(capsys.readouterr().out)
    assert found["circles of packages"] == ["0"]
    assert found["files above 400 lines"] == ["0"]
    assert found["within one package"] == found["within one layer"] == ["0"]
    assert int(found["files"][0].replace(",", "")) > 100
