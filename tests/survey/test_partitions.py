"""Partitions on and off the physical blocks of a disk."""

from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine, partition


@each(
    ("start", "offset", "physical", "off"),
    [
        (63, "512", "4096", True),
        (2048, "0", "4096", False),
        (63, "0", "4096", False),
        (2048, "3584", "4096", True),
        (63, "0", "512", True),
        (34, "0", "512", True),
        (40, "0", "512", False),
        (2048, "-1", "512", True),
    ],
)
def test_the_kernel_knows_where_physical_blocks_begin_and_flash_has_larger_ones(start, offset, physical, off):
    part = partition("sda", "sda1", "8:1", start) | {"/sys/block/sda/sda1/alignment_offset": offset}
    made = machine(disk("sda", queue__physical_block_size=physical), part)
    found = next(it.scope["layer"] for it in survey(made, {}).subjects if it.id == "layer:sda1")
    assert found.misaligned.value is off
