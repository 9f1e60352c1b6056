"""The table of pages: what it says of models, and that each row stands on a page."""

import pytest

from fsadvisor.drives import find, pages

ROWS = [(kind, row) for kind in ("datasheet", "firmware") for row in pages.pages(kind)]


@pytest.mark.parametrize(("kind", "row"), ROWS, ids=[f"{kind}-{row.models.pattern}" for kind, row in ROWS])
def test_every_row_names_a_page_the_day_it_was_read_and_what_it_says(kind, row):
    assert row.page.startswith("https://")
    assert row.says
    assert str(row.read) >= "2026-11-23"
    assert (kind == "firmware") == bool(row.faulty)
    assert not set(row.faulty) & set(row.cured)


def test_a_data_sheet_speaks_of_the_part_numbers_that_it_lists_and_no_others():
    assert pages.datasheet("Micron_9200_MTFDHAL3T8TCT                ") is not None
    for other in ("Micron_9200_MTFDHAL3T8TCTX", "Micron_9200_MTFDHAL4T0TCT", "Micron_9300_MTFDHAL3T8TDP"):
        assert pages.datasheet(other) is None
    assert pages.datasheet("SAMSUNG MZQL23T8HCLS-00A07") is None, "no page that promises it was found"


def test_what_a_data_sheet_promises_the_drive_table_does_not_deny_and_knows_well():
    family = find("Micron_9200_MTFDHAL3T8TCT")
    assert (family.verdict, family.confidence) == ("claimed", "high")


def test_firmware_is_told_by_model():
    assert [row.faulty for row in pages.firmware("SAMSUNG MZQL23T8HCLS-00A07")] == [("GDC5402Q", "GDC5502Q")]
    assert pages.firmware("MZQL23T8HCLSAD3") == (), "a reseller's own firmware is another"
