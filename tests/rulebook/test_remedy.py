"""Commands are filled with strangers' text, and are safe to paste or not given."""

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.rulebook.expr import compile_expression
from fsadvisor.rulebook.mistakes import RuleTextError
from fsadvisor.rulebook.remedy import KeepTemplate, OtherWay, Remedy, Template, command_template, render, text_template
from fsadvisor.version import Version
from tests.cases import each
from tests.rulebook.imagine import scope

NOTHING = Template("", "mount")


def remedy(*now, keep=(), advice="in words"):
    return Remedy(
        needs="online",
        now=tuple(command_template(text, "mount") for text in now),
        keep=tuple(keep),
        undo=(),
        verify=(),
        advice=advice,
        then={},
    )


def way(fs_type, advice, needs=""):
    return OtherWay(compile_expression(f"mount.fs_type == '{fs_type}'", "mount"), advice, needs=needs)


@each(
    ("facts", "advice", "needs"),
    [
        ({"mount.fs_type": "ext4"}, "in words Fsck.", "unmount"),
        ({"mount.fs_type": "btrfs"}, "in words Scrub.", "online"),
        ({"mount.fs_type": "xfs"}, "in words", "online"),
        ({}, "in words Fsck. Scrub.", "online"),
    ],
)
def test_a_way_is_told_unless_it_is_known_to_be_anothers(facts, advice, needs):
    given = structs.replace(remedy(), ways=(way("ext4", "Fsck.", "unmount"), way("btrfs", "Scrub.")))
    told = render(given, scope("mount", facts))
    assert (told.advice, told.needs) == (advice, needs)


def test_a_command_that_would_put_back_what_is_there_is_none():
    given = structs.replace(remedy("umount {mount.point}"), undo=(command_template("umount /srv", "mount"),))
    told = render(given, scope("mount", {"mount.point": "/srv"}))
    assert (told.now, told.undo) == ((), ())
    assert "it is so already" in told.no_commands


def instructions(command, point):
    return render(remedy(command), scope("mount", {"mount.point": point}))


@each(
    ("command", "point", "rendered"),
    [
        ("umount {mount.point}", "/srv", "umount /srv"),
        ("umount {mount.point}", "/my disk", "umount '/my disk'"),
        ("umount {mount.point}", "/$(reboot)`x`;&|", "umount '/$(reboot)`x`;&|'"),
        ("umount {mount.point}", "/it's", "umount '/it'\"'\"'s'"),
        ("umount {mount.point}", "[red]", "umount '[red]'"),
        ("mkdir {mount.point}.new/", "/a b", "mkdir '/a b'.new/"),
        ("echo 'write through' > /x/{mount.point}/y", "sda", "echo 'write through' > /x/sda/y"),
        ("echo --x={mount.point}", "-rf", "echo --x=-rf"),
        ("find {mount.point} -exec ls {{}} +", "/srv", "find /srv -exec ls {} +"),
    ],
)
def test_a_value_is_quoted_for_the_shell(command, point, rendered):
    assert instructions(command, point).now == (rendered,)


@each(
    ("point", "reason"),
    [
        ("/two\nlines", "not safe to paste"),
        ("/esc\x1b]52;c;x\x07", "not safe to paste"),
        ("/c1\x9b31m", "not safe to paste"),
        ("/bidi\u202etxt", "not safe to paste"),
        ("/not utf-8 \udcff", "not safe to paste"),
        ("/nbsp\xa0", "not safe to paste"),
        ("", "is empty"),
        ("-rf", "begins with '-'"),
    ],
)
def test_a_value_that_quoting_does_not_make_safe_gives_no_command(point, reason):
    given_up = instructions("umount {mount.point}", point)
    assert given_up.now == ()
    assert reason in given_up.no_commands
    assert given_up.no_commands.startswith("mount.point ")
    assert given_up.advice == "in words"


def test_an_unknown_fact_gives_no_command_at_all_and_is_named():
    some = remedy("mount {mount.point}", "echo {mount.fs_type}")
    given_up = render(some, scope("mount", {"mount.point": "/srv"}))
    assert given_up.now == ()
    assert given_up.no_commands == "mount.fs_type is not known: the example does not name it"


@given(point=st.text(min_size=1, max_size=40))
def test_a_rendered_command_has_the_value_as_one_word(point):
    found = instructions("mount -o remount,noatime {mount.point}", point)
    if found.no_commands:
        assert not point.isprintable() or point.startswith("-")
    else:
        assert shlex.split(found.now[0]) == ["mount", "-o", "remount,noatime", point]


@each("point", ["/$(echo x)", "/it's", '/"', "/a\\b", "/!x", "/*", "/~", "/é ü", "/;true"])
def test_a_real_shell_passes_the_value_on_unchanged(point):
    command = instructions("printf %s {mount.point}", point).now[0]
    assert subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout == point


@each(
    ("command", "column", "message"),
    [
        ("echo '{mount.point}'", 6, "{mount.point} is quoted for you"),
        ('echo "in {mount.point}"', 9, "{mount.point} is quoted for you"),
        ("echo \\{mount.point}", 6, "{mount.point} is quoted for you"),
        ("echo 'open", 10, "a quotation that does not end"),
        ("echo $HOME", 5, "'$' has no place"),
        ("echo `x`", 5, "'`' has no place"),
        ("cat << X", 4, "'<<' has no place"),
        ("echo one\necho two", 0, "one line"),
        ("echo {mount.pont}", 5, "unknown fact 'mount.pont'; did you mean 'mount.point'?"),
        ("echo {disk.name}", 5, "a rule on a mount can't ask 'disk.name'"),
        ("echo {mount.options}", 5, "'mount.options' is a list of texts: it can't stand in a text"),
        ("echo {mount.root}", 5, "'mount.root' is a yes/no"),
        ("echo {}", 5, "unknown fact ''"),
        ("echo }", 5, "a lone '}'"),
        ("echo {", 5, "a lone '{'"),
    ],
)
def test_a_template_that_quoting_can_not_protect_does_not_load(command, column, message):
    with pytest.raises(RuleTextError) as caught:
        command_template(command, "mount")
    assert message in caught.value.message
    assert caught.value.column == column


@pytest.mark.parametrize(
    "command", ['echo "it\'s" {mount.point}', "echo 'a\\' {mount.point}", 'echo "\\"" {mount.point}']
)
def test_closed_quotations_before_a_fact_are_fine(command):
    assert command_template(command, "mount").text == command


@given(text=st.text(alphabet="ab '\"\\{}$.mountpi`\n", max_size=40))
def test_any_template_loads_or_is_refused(text):
    try:
        command_template(text, "mount")
    except RuleTextError:
        return
    render(remedy(text), scope("mount", {"mount.point": "/srv"}))


def test_a_line_for_a_file_takes_plain_words_only():
    keep = KeepTemplate("/etc/x.rules", text_template('KERNEL=="{mount.point}", A{{b}}', "mount"), NOTHING, (), ())
    kept = render(remedy(keep=[keep]), scope("mount", {"mount.point": "nvme0n1"})).keep
    assert kept[0].file == "/etc/x.rules"
    assert kept[0].line == 'KERNEL=="nvme0n1", A{b}'
    given_up = render(remedy(keep=[keep]), scope("mount", {"mount.point": 'x", RUN+="y'}))
    assert given_up.keep == ()
    assert "configuration file" in given_up.no_commands


@pytest.mark.parametrize(("line", "fits"), [('A=="b", M=="{mount.point}"', True), ('A=="b", M=={mount.point}', False)])
@pytest.mark.parametrize(
    ("model", "is_plain"), [("SAMSUNG MZQL23T8HCLS-00A07", True), ("A B ", False), ('A "B', False)]
)
def test_between_double_quotes_words_may_have_spaces(line, fits, model, is_plain):
    keep = KeepTemplate("/etc/x.rules", text_template(line, "mount"), NOTHING, (), ())
    assert bool(render(remedy(keep=[keep]), scope("mount", {"mount.point": model})).keep) is (fits and is_plain)


def test_mount_options_to_keep_name_the_mount_point_as_it_is():
    keep = KeepTemplate("", NOTHING, text_template("{mount.point}", "mount"), ("noatime",), ("relatime",))
    (kept,) = render(remedy(keep=[keep]), scope("mount", {"mount.point": "/my disk"})).keep
    assert (kept.mount, kept.add, kept.remove) == ("/my disk", ("noatime",), ("relatime",))


POINT = "'/my disk'"
REMOUNT = "mount --options-source=mtab -o remount,noatime {}"
FIND = "findmnt -no OPTIONS --mountpoint {}"
IN_FORCE = 'mount -o "remount,$(findmnt -no OPTIONS {0}),noatime" "$(findmnt -nvo SOURCE {0})" {0}'


@pytest.mark.parametrize(
    ("tools", "now", "find"),
    [
        (None, REMOUNT, FIND),
        (Version(2, 33), REMOUNT, FIND),
        (Version(2, 32, 1), IN_FORCE, FIND),
        (Version(2, 23, 2), IN_FORCE, "findmnt -no OPTIONS {}"),
    ],
)
def test_a_remount_is_written_for_the_util_linux_that_is_there(tools, now, find):
    facts = {"mount.point": "/my disk"} | ({"host.util_linux": tools} if tools else {})
    of_rule = [command.format("{mount.point}") for command in (REMOUNT, FIND)]
    assert render(remedy(*of_rule), scope("mount", facts)).now == (now.format(POINT), find.format(POINT))
