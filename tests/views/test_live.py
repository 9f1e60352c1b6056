"""Live, as lines and rows."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.measure.waits.rates import RateHistory
from fsadvisor.pages import values
from fsadvisor.pages.glyphs import ASCII, UNICODE, Tone, columns, plain
from fsadvisor.pages.glyphs import width as columns_of
from fsadvisor.pages.screen import laid
from fsadvisor.tui.views import live, live_disk
from fsadvisor.tui.views.live_limit import WriterHistory
from tests.cases import each
from tests.views.pulses import SYNCING, processes, pulse, stacks
from tests.views.seen import snapshot_from

WIDTHS = [40, 80, 102, 200]


def seen(*pulses, writing=None, **told):
    history = RateHistory()
    for one in pulses:
        history.add(one)
    return live.LiveSamples(moments=tuple(history.moments), **({"writing": writing} if writing else {}), **told)


def busy(names=("sda", "sdb"), seconds=12, flushes=0.03):
    return seen(
        *(
            pulse(float(at), {name: at * 100 * (1 + which) for which, name in enumerate(names)}, flushes)
            for at in range(seconds)
        )
    )


def writing(name="postgres", **told):
    writers = WriterHistory()
    writers.add(processes(0.0, {7: 0, 8: 0}, names={7: name}, **told))
    writers.add(processes(1.0, {7: 5 << 20, 8: 4096}, names={7: name}, **told))
    for at in range(10):
        writers.sample(stacks(1.0 + at / 10, {7: (SYNCING,) if at < 4 else (), 8: ()}))
    return writers.writing()


def texts(rows):
    return [plain(line) for row in rows for line in row.lines]


def test_the_sums_say_how_near_the_limits_are():
    lines = [plain(one) for one in live.summary(busy(), 80, UNICODE)]
    assert "400K" in lines[0]
    assert "11 % of 3.91M, where writers wait" in lines[0]
    assert "below 1.95M, where the kernel begins" in lines[1]
    assert "some 12.5 %, full 3.0 % of the last 10 s" in lines[2]


def test_pages_on_their_way_that_are_not_told_are_not_taken_for_none():
    one = pulse(0.0, {"sda": 5})
    old = replace(one, vmstat=Reply(one.vmstat.text.replace("nr_writeback 10\n", ""), "/proc/vmstat"))
    lines = [plain(line) for line in live.summary(seen(old), 80, UNICODE)]
    assert "at least 10 % of" in lines[0]
    assert "not known" in lines[1]


def test_before_the_first_sample_and_the_second_it_says_so_and_shows_no_zeros():
    assert "One moment" in plain(live.summary(seen(), 80, UNICODE)[0])
    (row,) = texts(live.disk_rows(seen(pulse(0.0, {"sda": 5})), "busy time", 80, UNICODE, {}))
    assert "One moment" in row


def test_disks_stand_in_the_order_asked_for_and_the_idle_ones_are_counted():
    still = {f"sd{letter}": 5 for letter in "cdefgh"}
    now = seen(*(pulse(float(at), {"sda": at, "sdb": at * 9, **still}) for at in range(5)))
    first, second, third = texts(live.disk_rows(now, "bytes written", 80, UNICODE, {}))
    assert first.startswith(" sdb")
    assert second.startswith(" sda")
    assert "6 devices were idle for the 4 s that were watched" in third
    assert len(live.disk_rows(now, "name", 80, UNICODE, {}, every=True)) == 8


def test_idle_for_a_minute_is_said_after_a_minute():
    now = seen(*(pulse(float(at), {"sda": 5}) for at in range(70)))
    (row,) = texts(live.disk_rows(now, "name", 80, UNICODE, {}))
    assert "1 device was idle for the last minute" in row


def test_a_disk_that_has_just_come_is_not_said_to_be_idle():
    now = seen(*(pulse(float(at), {"sda": 5} if at < 2 else {"sda": 5, "sdb": 9}) for at in range(3)))
    new, idle = texts(live.disk_rows(now, "name", 80, UNICODE, {}))
    assert new.startswith(" sdb ")
    assert "not known" in new
    assert "1 device was idle" in idle


def test_a_disk_whose_counters_cannot_be_read_is_not_left_out():
    now = seen(*(pulse(float(at), {"sda": 5, "sdb": 9}) for at in range(2)), broken(pulse(2.0, {"sda": 5, "sdb": 9})))
    unread, idle = texts(live.disk_rows(now, "name", 80, UNICODE, {}))
    assert unread.startswith(" sdb ")
    assert "cannot be read" in unread
    assert "1 device was idle" in idle


def broken(one):
    """The same moment with a line of sdb that holds a word for a number."""
    text = one.diskstats.text.replace(" sdb 0 ", " sdb x ")
    return replace(one, diskstats=Reply(text, "/proc/diskstats"))


def test_a_disk_that_was_never_flushed_is_not_told_to_flush_none():
    (row,) = texts(live.disk_rows(busy(("sda",), flushes=0), "busy time", 80, UNICODE, {}))
    assert " none" in row


def test_a_thousand_disks_make_only_the_rows_that_are_looked_at():
    names = [f"sd{at}" for at in range(1000)]
    rows = live.disk_rows(busy(names, 3), "bytes written", 80, UNICODE, {})
    assert len(rows) == 1000
    assert rows[0].key == "sd999"
    assert len(rows._kept) == 1


def test_disks_are_found_by_what_they_are_called():
    rows = live.disk_rows(busy(), "name", 80, UNICODE, {"sdb": "Samsung PM9A3"})
    assert [row.key for row in rows.found(["pm9a3"])] == ["sdb"]


def test_processes_tell_their_bytes_and_in_how_many_looks_they_waited():
    now = live.LiveSamples(moments=busy().moments, writing=writing())
    first, second = texts(live.writer_rows(now, "bytes written", 80, UNICODE))
    assert first.split() == ["5.00M", "5.00M", "40", "%", "4", "of", "10", "postgres", "7"]
    assert "writer" in second
    assert [row.key for row in live.writer_rows(now, "waiting in fsync", 80, UNICODE)] == ["7", "8"]


def test_processes_that_may_not_be_asked_are_counted_with_the_cure():
    now = live.LiveSamples(writing=writing(denied=90))
    title, _ = live.writers_title(now, "name", 80, UNICODE)
    assert "90 of 92 not known: run as root" in plain(title)


def test_where_waiting_can_not_be_told_it_says_why_and_shows_no_zero():
    writers = WriterHistory()
    writers.add(processes(0.0, {7: 0}))
    writers.add(processes(1.0, {7: 1}))
    writers.sample(stacks(1.0, {}, unknown=Unknown(Cause.DENIED, "run as root", "/proc/PID/stack")))
    now = live.LiveSamples(writing=writers.writing())
    assert "fsync: denied (/proc/PID/stack); run as root" in plain(live.writers_title(now, "name", 80, UNICODE)[1])
    assert " ?  " in texts(live.writer_rows(now, "name", 80, UNICODE))[0]


def test_the_last_line_says_what_watching_costs_and_when_nothing_answers():
    assert "2.0 % of a processor" in plain(live.status(busy(), 80))
    assert "paused" in plain(live.status(live.LiveSamples(paused=True), 80))
    assert "not answered for 7 s" in plain(live.status(live.LiveSamples(silent_s=7.2), 80))


def test_a_disk_tells_its_minute_and_what_stands_on_it():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    name = next(iter(live_disk.names(snapshot)))
    document = live_disk.document(busy((name,)), snapshot, name, 60, UNICODE)
    text = "\n".join(plain(one) for one in laid(document.blocks, 60))
    assert "2.00 ms each" in text
    assert "3.0/s" in text
    assert "filesystem" in text
    assert "On it    " in text


def who(*mounts):
    """What is told of a disk while two processes write, with files open at these places."""
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    name = next(iter(live_disk.names(snapshot)))
    told = writing()
    placed = [replace(one, mounts=at) for one, at in zip(told.writers, mounts, strict=True)]
    document = live_disk.document(seen(writing=replace(told, writers=tuple(placed))), snapshot, name, 90, UNICODE)
    return "\n".join(plain(one) for one in laid(document.blocks, 90))


def test_a_disk_tells_who_writes_to_it_where_and_how_long_they_wait():
    text = who(("/var/lib/postgresql", "/srv/other"), ("/elsewhere",))
    assert "postgres 7 5.00M/s, waits in fsync 40 %, files open at /var/lib/postgresql, and elsewhere" in text
    assert text.partition("Who writes to it")[2].partition("All that stands")[0].count("/s, waits") == 1
    assert "not known where" not in text


def test_where_a_process_writes_that_is_not_told_is_not_nowhere():
    text = who(None, ("/elsewhere",))
    assert "No process is seen to have a file open for writing on it." in text
    assert "Of 1 process that wrote it is not known where." in text


@each("glyphs", [UNICODE, ASCII])
@each("width", WIDTHS)
@each("hostile", ["[bold]x[/]", "\x1b]0;x\x07", "宽" * 300, "x" * 4096, "\udcff\u202e", "a b) S"])
def test_no_name_breaks_a_line_or_reaches_the_terminal(glyphs, width, hostile):
    now = live.LiveSamples(
        moments=busy((hostile.replace(" ", "_").replace("\x1b", "\x1b"), "sdb")).moments, writing=writing(hostile)
    )
    names = {"sdb": hostile}
    lines = [
        *live.summary(now, width, glyphs),
        *live.disks_title(now, "name", width),
        *(line for row in live.disk_rows(now, "name", width, glyphs, names) for line in row.lines),
        *live.writers_title(now, "name", width, glyphs),
        *(line for row in live.writer_rows(now, "name", width, glyphs) for line in row.lines),
        live.status(now, width),
        *laid(live_disk.document(now, None, "sdb", width, glyphs).blocks, width),
    ]
    assert all(plain(one).isprintable() for one in lines)
    assert max(map(columns, lines)) <= width


@each("width", WIDTHS)
def test_ascii_takes_the_same_columns_and_no_other_signs(width):
    now = live.LiveSamples(moments=busy().moments, writing=writing())

    def lines(glyphs):
        return [
            *live.summary(now, width, glyphs),
            *(line for row in live.disk_rows(now, "name", width, glyphs, {}) for line in row.lines),
            *(line for row in live.writer_rows(now, "name", width, glyphs) for line in row.lines),
        ]

    assert [columns(one) for one in lines(ASCII)] == [columns(one) for one in lines(UNICODE)]
    assert all(plain(one).isascii() for one in lines(ASCII))


@given(st.floats(0, 1e24))
def test_amounts_rates_and_times_fit_their_columns(number):
    assert columns_of(values.amount(number)) <= 6
    assert columns_of(values.rate(number)) <= 5
    assert columns_of(values.duration(number)) <= 6


def test_busy_is_drawn_on_one_scale_in_the_colour_of_its_value():
    drawn = live.busy_sparkline([None, None, 0.0, 0.1, 0.6, 0.6, 1.0, 0.95], 4, UNICODE)
    assert plain(drawn) == "\u2800⣀⣶⣿"
    assert [one.tone for one in drawn] == [Tone.DIM, Tone.GOOD, Tone.WARNING, Tone.BAD]
    assert columns(live.busy_sparkline([0.2] * 3, 9, ASCII)) == 9


def test_a_device_is_listed_with_the_mounts_on_it():
    places = live_disk.places(snapshot_from("raid-lvm-crypt-server"))
    assert places["sda1"] == "/"
    assert "/srv" in places["dm-1"].split()
    assert {"/", "/srv"} <= set(places["sda"].split())
    assert places["md1"] == "/backup"


def test_a_process_is_told_with_where_it_writes_and_its_unit():
    told = writing()
    first = replace(told.writers[0], mounts=("/srv/db",), unit="postgresql.service")
    now = seen(pulse(0.0, {"sda": 0}), writing=replace(told, writers=(first,)))
    (row,) = texts(live.writer_rows(now, "bytes written", 100, UNICODE))
    assert "postgres  7  /srv/db  postgresql.service" in row
