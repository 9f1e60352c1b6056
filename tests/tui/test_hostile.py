"""What a drive, a label or a path calls itself colours, breaks and runs nothing, whatever place shows it."""

import pytest

from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.survey.whole import survey
from fsadvisor.tui.views.snapshot import finding_key
from tests.report import composed
from tests.told import disk, machine
from tests.tui.driving import TWO_SIZES, explored, screen
from tests.tui.test_terminal import needs_tmux, started
from tests.views.seen import snapshot_of

NAMES = ["escape", "markup", "long", "not UTF-8"]
PLACES = "1234567"
SIZES = TWO_SIZES

pytestmark = pytest.mark.long


@pytest.mark.parametrize("size", SIZES)
def test_every_place_stays_whole(size):
    snapshot = snapshot_of(composed.hostile(NAMES))

    async def steps(app, pilot):
        app.snapshot = snapshot
        seen = []

        async def look_around(*keys):
            for key in keys:
                await pilot.press(key)
                await pilot.pause()
                seen.append(screen(app))

        for place in PLACES:
            await look_around(place, "tab", "j")
        await look_around("1", "question_mark", "escape")
        app.go("finding", finding_key(snapshot.findings[0]))
        await look_around("G", "escape")
        app.go("subjects", finding_key(snapshot.findings[0]))
        await look_around("G", "escape", "colon", "s")
        return seen

    for lines in explored(steps, size=size):
        assert len(lines) == size[1]
        assert all(line.isprintable() for line in lines)


@needs_tmux
@pytest.mark.parametrize("size", SIZES)
def test_a_terminal_takes_no_order_from_them(size, tmp_path):
    evil = "\x1b]0;owned\x07\x1b[31m[bold]x[/][@click=app.quit]y[/]\u202e\udcff"
    written = "".join(f"\\{ord(sign):03o}" if sign in " \\\n\t" else sign for sign in evil)
    made = machine(
        disk("sda", device__model=evil, device__vendor=evil),
        mounts=[f"36 1 8:0 / /srv/{written} rw,relatime - ext4 /dev/sda rw,nobarrier"],
    )
    recording = RecordingMachine(made)
    survey(recording, {})
    recording.write(tmp_path / "machine")

    with started("--on", str(tmp_path / "machine"), size=size) as terminal:
        before = terminal.told("#{pane_title}")
        terminal.until("Quit")
        shown = ""
        for key in (*PLACES, "1", "Tab", "j", "Enter"):
            terminal.press(key)
            terminal.still()
            shown += terminal.text()
        assert terminal.told("#{pane_title}") == before
        terminal.press("q")
        terminal.until("ended 0")
    assert "\u202e" not in shown
