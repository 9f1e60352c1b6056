"""The published tables and the errata of the seeds are whole, and cite only what is there."""

import re

from fsadvisor.rulebook.tables import errata, own_tables, published_sources, table, table_names
from tests.cases import each

NUMBER = re.compile(r"E\d+")
by_name = each("name", table_names())


def cited(name):
    """Every erratum that a table names, for itself, a column or a row."""
    one = table(name)
    cells = (str(cell) for row in one.rows for cell in row)
    return {
        *one.errata,
        *(number for column in one.column for number in column.errata),
        *filter(NUMBER.fullmatch, cells),
    }


def test_every_file_of_the_folder_is_a_table_or_a_list_that_is_read():
    assert {file.name for file in own_tables().iterdir()} == {
        *(f"{name}.toml" for name in table_names()),
        "errata.tsv",
        "seeds.tsv",
    }


def test_every_seed_has_a_table():
    assert {name[:3] for name in table_names()} == set(published_sources())


@by_name
def test_a_table_is_named_after_its_seed_and_its_file(name):
    assert (table(name).id, table(name).seed) == (name, name[:3])


@by_name
def test_a_table_tells_every_condition_or_says_that_it_is_not_given(name):
    one = table(name)
    conditions = (one.title, one.section, one.kernel, one.hardware, one.tool, one.filesystem, one.options, one.runs)
    assert all(text.strip() for text in conditions)


@by_name
def test_every_row_has_a_cell_for_every_column(name):
    one = table(name)
    assert one.rows
    assert {len(row) for row in one.rows} == {len(one.column)}


@by_name
def test_a_column_with_a_unit_holds_numbers_or_nothing(name):
    one = table(name)
    for at, column in enumerate(one.column):
        if column.unit:
            assert all(row[at] == "" or isinstance(row[at], int | float) for row in one.rows), column.name


@by_name
def test_a_table_cites_errata_that_exist(name):
    assert cited(name) <= set(errata())


def test_errata_are_numbered_without_a_gap_and_speak_of_seeds_that_exist():
    assert list(errata()) == [f"E{number}" for number in range(1, len(errata()) + 1)]
    assert {one.seed for one in errata().values()} <= set(published_sources())


@each("number", errata())
def test_an_erratum_says_what_stands_there_what_holds_and_who_says_so(number):
    one = errata()[number]
    assert all((one.says.strip(), one.correction.strip(), one.source.strip()))
