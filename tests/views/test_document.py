"""Blocks laid out in columns."""

import re

from fsadvisor.pages.document import Commands, Prose, paragraph
from fsadvisor.pages.glyphs import Span, Tone, columns, plain
from fsadvisor.pages.screen import laid
from tests.cases import each
from tests.views.seen import text


@each("width", range(20, 60))
def test_no_line_ends_within_an_amount(width):
    amounts = ["± 5 %", "12.5 MiB/s", "(203 µs)", "≤ 1,000 h,", "95 %"]
    lines = laid([paragraph(Span("Between ", Tone.DIM), f"{' and '.join(amounts)} of p50 or 5 disks.")], width)
    assert all(any(amount in text([line]) for line in lines) for amount in amounts)
    assert all(columns(line) <= width for line in lines)
    assert text(lines).replace("\n", " ") == f"Between {' and '.join(amounts)} of p50 or 5 disks."


COMMANDS = (
    "tune2fs -O ^has_journal,metadata_csum /dev/disk/by-id/ata-ST8000NM0055-1RM112_ZA1234",
    "mount -o remount,rw,noatime,nodiratime,data=ordered,commit=5 /srv/databases/postgresql",
    "echo 0 > /sys/block/nvme0n1/queue/wbt_lat_usec",
)
SIGNS = re.compile(r"[\w^.-]+")


@each("width", [30, 40, 50, 64, 78])
@each("command", COMMANDS)
def test_a_command_in_a_page_ends_no_line_within_a_name_and_loses_no_sign(command, width):
    for block in (Prose(f"Then `{command}` does it."), Commands((command,))):
        lines = [plain(one) for one in laid([block], width)]
        assert (
            "".join(one.strip(" ↪") for one in lines).replace(" ", "").replace("`", "").find(command.replace(" ", ""))
            >= 0
        )
        assert max(columns(one) for one in laid([block], width)) <= width
        names = {one for one in SIGNS.findall(command) if len(one) <= width - 6}
        assert names <= {found for one in lines for found in SIGNS.findall(one)}


def test_a_mark_stays_with_the_word_before_it():
    words = (
        Span("device missing"),
        Span(", ", Tone.DIM),
        Span("btrfs", Tone.STRONG),
        Span(", ", Tone.DIM),
        Span("full"),
    )
    for width in range(20, 30):
        assert not any(plain(one).startswith(",") for one in laid([paragraph(*words)], width))
