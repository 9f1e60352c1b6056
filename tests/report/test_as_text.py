"""The report for people."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.glyphs import width
from fsadvisor.pages.text import render, wrapped
from fsadvisor.pages.values import bytes_text, value_text
from fsadvisor.report.as_html import as_html
from fsadvisor.report.as_text import as_text, fact_list
from fsadvisor.report.rule_page import document
from fsadvisor.rulebook.advise import advise
from fsadvisor.storage.catalogue import catalogue
from tests.cases import each
from tests.report import composed

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def written(storage, about=composed.ABOUT, *, full=True, **options):
    options |= {"full": full}
    return "".join(as_text(storage, advise(storage, composed.rules(), every=True), about, **options))


def by_html(storage):
    return "".join(as_html(storage, advise(storage, composed.rules()), composed.ABOUT))


def findings(text):
    """The numbered findings, by number."""
    found = {}
    for block in text.split("\n\n\n")[1:]:
        number = block.partition(".")[0]
        if number.isdecimal():
            found[int(number)] = block
    return found


def finding(text, words):
    (found,) = [block for block in findings(text).values() if words in block.partition("\n")[0]]
    return found


def in_one_line(text):
    return " ".join(text.split())


def protected_disks(number):
    on = composed.host()
    return composed.machine("m", on, *(composed.disk(f"sd{at}", on, plp="proven") for at in range(number)))


def test_the_first_line_of_the_findings_is_the_critical_risk():
    assert findings(written(composed.busy()))[1].startswith("1. CRITICAL RISK: Write barriers are off")


def test_what_is_urgent_is_said_in_words_and_no_internal_order_is_told():
    told = written(composed.busy())
    assert "because: " not in told
    assert "advise" not in told.replace("fsadvisor", "")


def test_the_head_says_what_was_looked_at_and_what_it_comes_to():
    head = in_one_line(written(composed.busy(), replace(composed.ABOUT, rule_errors=composed.BROKEN))[:600])
    assert "example, Linux 6.1.0-42-amd64, looked at as root" in head
    assert "19 disks, 4 filesystems and 4 mounts" in head
    assert "1 critical risk, 1 high gain, 1 moderate gain, 1 safety not known, 2 also possible;" in head
    assert "4 checks passed; 3 not known; 1 rule did not load." in head


def test_an_ordinary_user_is_told_as_such_and_nothing_is_said_where_a_recording_does_not_tell():
    assert "as an ordinary user" in written(composed.empty(), replace(composed.ABOUT, root=False))
    assert "looked at as" not in written(composed.empty(), replace(composed.ABOUT, root=None))


def test_a_machine_without_devices_is_told_plainly_but_not_where_nobody_could_look():
    assert "There is nothing to look at" in in_one_line(written(composed.empty()))
    blind = written(composed.blind())
    assert "There is nothing to look at" not in blind
    assert "host.block_devices: not known, denied (/sys/block). To learn it: run as root" in blind


def test_a_withheld_gain_says_what_to_prove_and_how_and_shows_no_command():
    told = finding(written(composed.busy()), "SAFETY NOT KNOWN")
    assert "First prove what is not known here" in told
    assert "unknown Is power-loss protection proven" in told
    assert "To learn it: run as root" in in_one_line(told)
    assert "write_cache\n" not in told
    assert "Do now" not in told


def test_a_blocked_gain_says_why_and_shows_no_command():
    told = finding(written(composed.busy()), "NOT SAFE HERE")
    assert "No commands are shown, because not all is safe\n     no      Is power-loss" in told
    assert "Do now" not in told
    assert "Undo" not in told


def test_a_fact_that_differs_between_subjects_is_told_for_each():
    told = finding(written(composed.busy()), "NOT SAFE HERE")
    assert "sda: disk.plp = absent" in told
    assert "sdb: disk.plp = claimed" in told


@each("write", [written, partial(written, full=False), by_html])
def test_a_source_that_names_the_first_of_several_disks_says_that_it_is_alike_for_the_others(write):
    assert "/sys/block/sd0 and alike" in write(protected_disks(2))
    assert "and alike" not in write(protected_disks(1))


def test_a_thousand_alike_disks_are_one_finding_with_ten_names():
    told = written(protected_disks(1000))
    assert list(findings(told)) == [1]
    assert "On 1,000 disks: sd0, sd1, sd2, sd3, sd4, sd5, sd6, sd7, sd8, sd9 and 990 more (--json has all)" in (
        in_one_line(told)
    )
    assert told.count("echo 'write through' >") == 3
    assert "The same for 997 more: --json has their commands" in told


def test_the_same_cure_for_many_mounts_is_told_once():
    told = written(composed.many(30))
    assert "Declare it: --workload /srv/0=oltp (and alike for the others)" in told
    assert told.count("--workload") == 1


def test_what_could_not_be_told_starts_with_the_gravest_and_with_what_can_be_learnt():
    on = composed.host(dirty_limit_seconds=1)
    (filesystem, mount) = composed.mounted("sda", "/srv", on, workload=composed.unsaid("/srv"))
    below = replace(
        filesystem.scope["below"], any_unprotected_cache=Unknown(Cause.DENIED, "run as root", "nvme id-ctrl /dev/sda")
    )
    barriers_off = replace(filesystem.scope["filesystem"], barriers=composed.NOT_SHOWN)
    scope = {"filesystem": barriers_off, "below": below, "host": on}
    told = written(composed.machine("m", on, replace(filesystem, scope=scope), mount))
    assert told.index("Run as root") < told.index("Can't be learnt here") < told.index("Declare it")
    assert "tells  below.any_unprotected_cache of filesystem /dev/sda on /srv" in told


def test_a_name_that_no_command_can_hold_does_not_hide_the_commands_of_others():
    told = finding(written(composed.hostile()), "CRITICAL RISK")
    assert "mount -o remount,barrier '/srv/[red]'" in told
    assert "No commands for /dev/sda" in told


def test_a_command_is_never_cut_or_broken_however_long():
    on = composed.host()
    point = "/srv/" + "é x" * 1300
    told = written(
        composed.machine("m", on, *composed.mounted("sda", point, on, barriers=False, protected=False)), width=80
    )
    assert f"     mount -o remount,barrier '{point}'\n" in told


def test_names_with_separators_are_quoted_so_that_one_can_not_pass_for_two():
    on = composed.host()
    mounts = [
        composed.mounted(device, point, on, workload="metadata-heavy")
        for device, point in (("sda", "/a, /b"), ("sdb", "/c"))
    ]
    told = written(composed.machine("m", on, *(one for some in mounts for one in some)))
    assert 'On 2 mounts: "/a, /b" and /c' in told


def test_a_text_value_can_not_pass_for_one_of_ours():
    assert value_text(catalogue()["disk.model"], "yes") == '"yes"'
    assert value_text(catalogue()["disk.plp"], "proven") == "proven"


@each(
    ("name", "value", "shown"),
    [
        ("disk.fua", True, "yes"),
        ("disk.fua", False, "no"),
        ("disk.schedulers", ("none", "bfq"), "none, bfq"),
        ("disk.schedulers", (), "none"),
        ("disk.size_bytes", 256 * 2**30, "256 GiB"),
        ("host.dirty_ratio", 20, "20 %"),
        ("host.dirty_expire_centisecs", 3000, "3000 (1/100 s)"),
        ("disk.requests", 256, "256 requests"),
    ],
)
def test_values_are_told_as_people_say_them(name, value, shown):
    assert value_text(catalogue()[name], value) == shown


@each(
    ("size", "shown"),
    [
        (0, "0 bytes"),
        (512, "512 bytes"),
        (1023, "1023 bytes"),
        (4096, "4 KiB"),
        (5055300403, "4.71 GiB"),
        (800000000, "763 MiB"),
        (2**70, "1024 EiB"),
        (-4096, "-4 KiB"),
    ],
)
def test_sizes_are_told_in_binary_units(size, shown):
    assert bytes_text(size) == shown


def test_names_of_what_was_not_found_are_told_on_request_below_a_line_that_says_so():
    assert "NOT FOUND HERE" not in written(composed.busy())
    every = written(composed.busy(), every=True)
    assert "CHECKED, AND NOT FOUND HERE: 4 checks" in every
    assert "None of this is so here" in every[every.index("NOT FOUND HERE") :]
    assert "DOES NOT APPLY" not in written(composed.busy(), every=True)


@pytest.mark.parametrize("columns", [40, 80, 160])
@pytest.mark.parametrize("machine", ["busy", "empty", "blind"])
def test_only_addresses_and_lines_to_paste_are_wider_than_asked_for(machine, columns):
    for line in written(getattr(composed, machine)(), width=columns, every=True).splitlines():
        paste = ("mount -o", "findmnt", "echo", "cat", "sysctl", "KERNEL", "vm.", "https://", "`", "(`", "/")
        assert width(line) <= columns or line.lstrip().startswith(paste), line


def test_the_bytes_hold_no_escape_and_no_trailing_space():
    told = written(composed.hostile(), every=True)
    assert all(line.isprintable() for line in told.split("\n"))
    assert not any(line.endswith(" ") for line in told.split("\n"))


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_in_names_labels_and_cures_gives_lines_without_control_characters(name, text):
    on = composed.host(product=text)
    unknown = Unknown(Cause.UNREADABLE, text, name)
    storage = composed.machine(
        name,
        on,
        composed.disk(f"sd{name}", on, model=text, plp=unknown),
        *composed.mounted(text, name, on, barriers=False, protected=False, workload=unknown),
    )
    rules = {rule.id: rule for rule in composed.rules()}
    told = [
        *as_text(storage, advise(storage, rules.values(), every=True), composed.ABOUT, every=True),
        *fact_list(catalogue().values(), storage),
        *render(document(replace(rules["barriers-off"], title=text, why=name)).blocks),
    ]
    assert all(line.isprintable() for line in "".join(told).split("\n"))


@given(st.lists(st.text(st.characters(categories=("L", "N")), min_size=1), min_size=1), st.integers(10, 60))
def test_wrapping_keeps_every_word_whole_and_in_order(words, columns):
    lines = list(wrapped(" ".join(words), columns, "- "))
    assert "".join(lines).removeprefix("- ").split() == words
    assert all(width(line[:-1]) <= columns or len(line.split()) <= 3 for line in lines)  # "- ", a number, its unit


@each("columns", range(10, 60))
def test_no_line_ends_within_an_amount(columns):
    amounts = ["± 5 %", "12.5 MiB/s", "(203 µs)", "≤ 1,000 h,", "95 %"]
    lines = list(wrapped(f"Between {' and '.join(amounts)} of p50 or 5 disks.", columns))
    assert all(any(amount in line for line in lines) for amount in amounts)


def test_what_stands_between_backticks_is_not_broken():
    lines = list(wrapped("Run `systemctl enable --now fstrim.timer`, then wait.", 30))
    assert "`systemctl enable --now fstrim.timer`,\n" in lines
