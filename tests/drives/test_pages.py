"""The table of pages: what it says of models, and that each row stands on a page."""

import pytest

from fsadvisor import drives
from fsadvisor.drives import find

ROWS = drives.pages()


@pytest.mark.parametrize("row", ROWS, ids=[row.models.pattern for row in ROWS])
def test_every_row_names_a_page_the_day_it_was_read_and_what_it_says(row):
    assert row.page.startswith("https://")
    assert row.says
    assert str(row.read) >= "2026-11-23"


def test_a_data_sheet_speaks_of_the_part_numbers_that_it_lists_and_no_others():
    assert drives.datasheet("Micron_9200_MTFDHAL3T8TCT                ") is not None
    for other in ("Micron_9200_MTFDHAL3T8TCTX", "Micron_9200_MTFDHAL4T0TCT", "Micron_9300_MTFDHAL3T8TDP"):
        assert drives.datasheet(other) is None
    assert drives.datasheet("SAMSUNG MZQL23T8HCLS-00A07") is None, "no page that promises it was found"


def test_what_a_data_sheet_promises_the_drive_table_does_not_deny_and_knows_well():
    family = find("Micron_9200_MTFDHAL3T8TCT")
    assert (family.verdict, family.confidence) == ("claimed", "high")
