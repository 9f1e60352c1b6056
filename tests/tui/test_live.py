"""Live, driven with moments that are made up."""

import asyncio
import inspect
import threading
from pathlib import Path
from typing import ClassVar

import pytest

from fsadvisor.machine.kernel_events import Changed
from fsadvisor.measure.waits.rates import RateHistory
from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.explorer import Explorer
from fsadvisor.tui.sampling import DrawingPace, LiveSampler, SamplingThread
from fsadvisor.tui.screens.live import Live
from fsadvisor.tui.views import live as live_views
from fsadvisor.tui.views.live import LiveSamples
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView
from tests.tui.driving import TERMINAL, explored, long, screen, session, shown, until
from tests.views.pulses import pulse
from tests.views.test_live import writing
from tests.waiting import END_S

SIZES = [(80, 24), long(160, 50), long(40, 12), long(220, 60)]
DISK = "nvme0n1"


class MadeUp:
    """Sampling whose moments the test gives."""

    def __init__(self, told, failed):
        self.told, self.failed = told, failed
        self.course = RateHistory()
        self.paused = True
        self.silent_s = 0.0

    def go(self):
        self.paused = False

    def pause(self):
        self.paused = True

    def seen(self):
        return LiveSamples(
            moments=tuple(self.course.moments), writing=writing(), paused=self.paused, silent_s=self.silent_s
        )

    def moments(self, number, disks=(DISK, "sdb")):
        for at in range(number):
            self.course.add(pulse(float(at), {**dict.fromkeys(disks, at * 50), "sdz": 7}, 0.02))
        self.told()


class MadeUpLive(Live):
    SAMPLING = MadeUp


class App(FsadvisorApp):
    CSS_PATH = Path(inspect.getfile(Explorer)).with_name("style.tcss")
    MODES: ClassVar = {**FsadvisorApp.MODES, "live": MadeUpLive}


def live(steps, size=(80, 24)):
    """Drive Live: `steps(app, pilot, sampling)` once it is shown, on a machine that counts as this one."""

    async def run():
        here = session("pm9a3-postgresql-volatile")
        here.live = True
        app = App(here, TERMINAL)
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.snapshot is not None)
            await pilot.press("5")
            await until(pilot, lambda: isinstance(app.screen, Live) and app.screen._sampling is not None)
            return await steps(app, pilot, app.screen._sampling)

    return asyncio.run(run())


async def moved(app, pilot, sampling, number=12, **told):
    sampling.moments(number, **told)
    await until(pilot, lambda: len(app.screen._seen.moments) == number)
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
def test_memory_disks_and_processes_are_told(size):
    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling)
        return screen(app)

    lines = live(steps, size)
    text = "\n".join(lines)
    assert "Dirty" in text
    assert DISK in text
    assert max(map(len, lines)) <= size[0]
    if size != (40, 12):
        assert "1 device was idle" in text
        assert "postgres" in text


@pytest.mark.long
def test_where_there_is_room_the_first_disk_is_told_of_before_anybody_moves_the_cursor():
    async def steps(app, pilot, sampling):
        for at in range(6):
            sampling.course.add(pulse(float(at), {DISK: at * 50, "sdz": 7}))
            sampling.told()
            await until(pilot, lambda at=at: len(app.screen._seen.moments) == at + 1)
        await pilot.pause()
        return screen(app)

    text = "\n".join(live(steps, (160, 50)))
    assert "No rates yet" not in text
    assert "All that stands on it" in text
    assert "Time goes" in text


def test_it_samples_while_it_is_seen_and_only_then():
    async def steps(app, pilot, sampling):
        states = [sampling.paused]
        await pilot.press("1")
        await until(pilot, lambda: sampling.paused)
        states.append(sampling.paused)
        await pilot.press("5")
        await until(pilot, lambda: not sampling.paused)
        states.append(sampling.paused)
        return states

    assert live(steps) == [False, True, False]


@pytest.mark.long
def test_space_pauses_and_says_so_even_after_another_place_was_seen():
    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling)
        await pilot.press("space")
        await until(pilot, lambda: "paused: Space goes on" in shown(app))
        await pilot.press("1")
        await pilot.press("5")
        await until(pilot, lambda: isinstance(app.screen, Live))
        stays = sampling.paused
        await pilot.press("space")
        await until(pilot, lambda: "a sample each" in shown(app))
        return stays

    assert live(steps)


@pytest.mark.long
def test_the_help_of_live_says_what_enter_does():
    async def steps(app, pilot, _):
        await pilot.press("question_mark")
        await until(pilot, lambda: app.screen.name == "help")
        return str(app.screen.query_one(DocumentView).document)

    assert "Enter" in live(steps).partition("Moving")[0]


@pytest.mark.long
def test_the_order_changes_for_the_list_that_has_the_keyboard():
    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling)
        await pilot.press("s")
        await until(pilot, lambda: "Disks by busy time" in shown(app))
        await pilot.press("tab", "s")
        await until(pilot, lambda: "Processes by waiting in fsync" in shown(app))

    live(steps)


@pytest.mark.long
def test_idle_disks_are_shown_when_asked_for():
    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling)
        await pilot.press("a")
        await until(pilot, lambda: " sdz " in shown(app))

    live(steps)


@pytest.mark.long
def test_a_wide_screen_tells_of_the_disk_under_the_cursor_without_being_asked():
    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling)
        await pilot.press("j")
        await until(pilot, lambda: "nothing known" in shown(app))
        await pilot.press("k")
        await until(pilot, lambda: "On it" in shown(app))

    live(steps, (160, 50))


def test_enter_opens_a_disk_with_what_stands_on_it_and_a_kernel_that_does_not_answer_holds_nothing():
    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling)
        await pilot.press("enter")
        await until(pilot, lambda: "ms each" in shown(app))
        opened = shown(app)
        await pilot.press("escape")
        await until(pilot, lambda: "Processes by" in shown(app))
        closed = shown(app)
        sampling.silent_s = 9.0
        app.screen._tick()
        await until(pilot, lambda: "not answered for 9 s" in shown(app))
        return opened, closed

    opened, closed = live(steps)
    assert "Flush" in opened
    assert "On it" in opened
    assert "ms each" not in closed


@pytest.mark.long
def test_a_thousand_disks_are_drawn():
    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling, 3, disks=[f"sd{at:04}" for at in range(1000)])
        await pilot.press("G")
        await until(pilot, lambda: "1 device was idle" in shown(app))
        return shown(app)

    assert "1,001 devices" in live(steps)


def test_a_recording_does_not_move_and_says_so_calmly():
    async def steps(app, pilot):
        await pilot.press("5")
        await until(pilot, lambda: isinstance(app.screen, Live))
        await pilot.press("space", "s", "a")
        await until(pilot, lambda: "A recording does not move" in shown(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.name == "overview")

    explored(steps)


def test_a_disk_that_comes_is_told_in_every_place_until_the_machine_is_looked_at_again():
    async def steps(app, pilot, _sampling):
        app.post_message(app.DisksChanged(Changed(("sd\x1b[31mq",), ())))
        await until(pilot, lambda: "appeared" in shown(app).splitlines()[1] or "changed" in shown(app).splitlines()[1])
        await pilot.press("1")
        await until(pilot, lambda: "changed: r" in screen(app)[1] or "appeared" in screen(app)[1])
        told = shown(app)
        await pilot.press("r")
        await until(pilot, lambda: not app.changes)
        await until(pilot, lambda: "appeared" not in screen(app)[1] and "changed" not in screen(app)[1])
        return told

    assert "\x1b" not in live(steps, (120, 40))


def test_an_error_of_the_sampling_thread_ends_the_explorer_with_it():
    async def steps(app, pilot, sampling):
        sampling.failed(ValueError("ours"))
        await until(pilot, lambda: app.error is not None)
        return app.error

    assert str(live(steps)) == "ours"


def test_an_error_in_a_beat_is_told():
    failed, ended = [], threading.Event()

    def sample():
        raise ValueError("ours")

    SamplingThread(sample, 0.001, 1.0, lambda error: (failed.append(error), ended.set())).go()
    assert ended.wait(END_S)
    assert str(failed[0]) == "ours"


def test_a_sample_that_hangs_holds_nobody_and_is_known_to_hang():
    began, release = threading.Event(), threading.Event()
    beat = SamplingThread(lambda: (began.set(), release.wait(END_S)), 0.001, 1.0, print)
    beat.go()
    assert began.wait(END_S)
    beat.pause()
    assert beat.silent_s > 0
    release.set()


def test_this_machine_is_sampled_until_paused():
    told, failed = threading.Semaphore(0), []
    sampling = LiveSampler(told.release, failed.append, second=0.02)
    sampling.go()
    assert all(told.acquire(timeout=END_S) for _ in range(3))
    sampling.pause()
    seen = sampling.seen()
    assert seen.paused
    assert seen.moments[-1].disks is not None
    assert seen.moments[-1].known
    assert failed == []


def test_rows_keep_their_places_until_another_order_is_asked_for():
    def order(app):
        return [one.key for one in app.screen.query_one("#disks", RowsView).rows]

    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling)
        await pilot.press("s")
        await until(pilot, lambda: "Disks by busy time" in shown(app))
        before = order(app)
        for at in range(12, 24):
            sampling.course.add(pulse(float(at), {DISK: 600, "sdb": at * 300, "sdz": 7}, 0.02))
        sampling.told()
        await until(pilot, lambda: len(app.screen._seen.moments) == 24)
        stays = order(app)
        for _ in live_views.DISK_ORDERS:
            await pilot.press("s")
        await until(pilot, lambda: order(app) != before)
        return before, stays, order(app)

    before, stays, sorted_anew = live(steps)
    assert before[:2] == stays[:2] == [DISK, "sdb"]
    assert sorted_anew[:2] == ["sdb", DISK]


def test_from_the_disk_one_goes_to_its_advice_its_facts_and_the_ladder():
    async def steps(app, pilot, sampling):
        seen = []
        await moved(app, pilot, sampling, disks=(DISK,))
        for key, name in (("f", "finding"), ("o", "subject"), ("m", "probes")):
            await pilot.press(key)
            await until(pilot, lambda name=name: app.screen.name == name or app.current_mode == name)
            await until(pilot, lambda: DISK in shown(app) or "fsync-ladder" in shown(app))
            seen.append(shown(app))
            await pilot.press("escape")
            await pilot.pause()
        return seen

    finding, subject, probes = live(steps, (120, 40))
    assert "flush" in finding
    assert f"disk {DISK}" in subject
    assert "What one fsync is made of" in probes


@pytest.mark.long
def test_a_disk_without_advice_or_mount_says_so():
    async def steps(app, pilot, sampling):
        await moved(app, pilot, sampling, disks=("sdb",))
        for key, words in (
            ("f", "No advice on this disk"),
            ("o", "Nothing more is known"),
            ("m", "nowhere to measure"),
        ):
            await pilot.press(key)
            await until(pilot, lambda words=words: words in " ".join(one.message for one in app._notifications))

    live(steps)


def test_pictures_take_their_share_of_a_processor_and_no_more():
    def drawn(each_s, seconds=60):
        pace, used_s, times = DrawingPace(), 1.0, []
        for at in range(100, 100 + seconds):
            if pace.is_due(at + 0.02 * (at % 2), used_s):
                times.append(at)
                used_s += each_s
        return times

    assert len(drawn(0.004)) == 30
    assert len(drawn(0.014)) == 20
    assert len(drawn(1.0)) == 12
