"""`make house`: what is counted of a checkout."""

import pytest

from tests.paths import ROOT
from tools.house import House, circles, layers, lines, main, shared_class_names, shared_in_one_package

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


def test_each_line_is_counted_as_one_thing():
    text = '"""Doc,\n\nof three."""\n\nimport os\n\n# why\nvalue = """no\n\ndocstring"""\n'
    counted = lines(text)
    assert (counted.all, counted.docstrings, counted.imports, counted.comments) == (10, 3, 1, 1)
    assert counted.code == 10 - 3 - 1 - counted.blank


def test_the_table_of_this_checkout_stands_beside_itself(capsys):
    assert main([str(ROOT), "--against", str(ROOT)]) == 0
    rows = {line[:32].strip(): line[32:].split() for line in capsys.readouterr().out.splitlines()}
    assert rows["files"][0] == rows["files"][1]
    assert int(rows["files"][0].replace(",", "")) > 100


@pytest.mark.parametrize("name", ["circles of packages", "files above 400 lines"])
def test_this_checkout_has_no(name, capsys):
    main([str(ROOT)])
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(name))
    assert row.split()[-1] == "0"
