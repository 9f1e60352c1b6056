"""What is left out of a text takes nothing from what readers make of the rest, and a secret is never left in."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from fsadvisor import secrecy
from fsadvisor.facts import Unknown
from fsadvisor.machine import redaction
from fsadvisor.readers import block_files, host_files, mount_tables, systemd_units
from tests.cases import each, tries
from tests.paths import FIXTURES
from tests.trust.planted import FSTAB, LOADED, MOUNTINFO, UDEV, UNIT

TABLES = ("/etc/fstab", "/proc/self/mountinfo", "/proc/mounts", "/etc/systemd/system/x.mount")
TOKEN = st.from_regex(r"[A-Za-z][A-Za-z0-9]{9,20}", fullmatch=True)
PLACES = {
    "/etc/fstab": (
        "# SECRET\n",
        "/dev/a /x ext4 noatime 0 2 # SECRET",
        "//s/x /x cifs password=SECRET 0 0",
        "//s/SECRET /x cifs ro 0 0",
        "SECRET@h:/x /x fuse.sshfs ro,IdentityFile=/SECRET",
        "/dev/a /x ext4",
        "https://a:SECRET@h/ /x davfs x=SECRET,y",
        "//s/x /x username=SECRET,pass=SECRET 0 0",
        "//s/x pass\\075SECRET cifs",
        "broken SECRET",
    ),
    "/proc/self/mountinfo": (
        "1 0 0:9 / /x rw - cifs //h/SECRET rw,username=SECRET,SECRET,domain=x",
        "1 0 8:1 / /x rw shared:1 - ext4 /dev/a rw,data=ordered",
        "1 0 0:9 / /x rw - nfs4 SECRET.h:/SECRET rw,addr=1.2.3.4",
        "SECRET",
    ),
    "/proc/mounts": (
        "//h/SECRET /x cifs rw,username=SECRET,SECRET 0 0",
        "/dev/a / ext4 rw 0 0",
        "SECRET@h: /x fuse.sshfs rw 0 0",
        "SECRET",
    ),
    "/etc/systemd/system/x.mount": (
        "[Unit]",
        "Description=SECRET",
        "[Mount]",
        "What=//h/SECRET",
        "Where=/x",
        "Type=cifs",
        "Options=ro,password=SECRET",
        "# SECRET",
        "Options=ro,\\\n; SECRET\npass=SECRET",
        "SECRET",
        "Environment=SECRET",
    ),
}


@st.composite
def tables(draw):
    """Where a text comes from, the text, and what it must not tell."""
    where, token = draw(st.sampled_from(TABLES)), draw(TOKEN)
    lines = draw(st.lists(st.sampled_from(PLACES[where]), max_size=8))
    return where, "\n".join(line.replace("SECRET", token) for line in lines), token


@given(tables())
def test_no_table_of_mounts_tells_what_was_planted_in_it(drawn):
    where, text, token = drawn
    told = redaction.of_file(where, text)
    assert token not in told
    assert redaction.of_file(where, told) == told


@tries(300)
@given(st.sampled_from(TABLES), st.text(st.sampled_from(" \t\n\r#;\\=,:/@-[]0a?é\udce9"), max_size=80))
@example("/etc/fstab", "0 0\t\r ")
def test_any_text_is_made_fit_and_stays_so(where, text):
    told = redaction.of_file(where, text)
    assert redaction.of_file(where, told) == told
    assert redaction.of_udev(redaction.of_udev(text)) == redaction.of_udev(text)


def seen(record, *names):
    entries = getattr(record, "entries", None) or getattr(record, "mounts", ())
    return "unknown" if isinstance(record, Unknown) else [tuple(getattr(it, name) for name in names) for it in entries]


@each(
    ("where", "text", "parse", "names"),
    [
        ("/etc/fstab", FSTAB, mount_tables.parse_fstab, ("line", "mount_point", "fs_type", "passno")),
        ("/etc/fstab", "/dev/a /x ext4 , 1 2\n", mount_tables.parse_fstab, ("line", "options", "passno")),
        ("/etc/fstab", "broken\n", mount_tables.parse_fstab, ("line",)),
        (
            "/etc/fstab",
            "/dev/a /x\xa0\x85y ext4 ro 0 2\n/dev/b /y ext4 ro 0 -1\r\n/dev/c /z ext4 ro \u0662 0\n/dev/d /d xfs\n",
            mount_tables.parse_fstab,
            ("line", "mount_point", "options", "passno"),
        ),
        (
            "/proc/self/mountinfo",
            MOUNTINFO,
            mount_tables.parse_mountinfo,
            ("major_minor", "root", "mount_point", "fs_type"),
        ),
        ("/proc/self/mountinfo", "broken\n", mount_tables.parse_mountinfo, ("line",)),
        (
            "/proc/mounts",
            "/dev/a / ext4 rw 0 0\n",
            mount_tables.parse_proc_mounts,
            ("source", "mount_point", "fs_type", "options"),
        ),
    ],
)
def test_readers_find_the_same_entries_on_the_same_lines(where, text, parse, names):
    assert seen(parse(redaction.of_file(where, text)), *names) == seen(parse(text), *names)


@each("typed", ["password=abc\xa04711", "password=abc 4711", "password=abc 4711 0"])
def test_digits_behind_a_blank_in_a_password_are_in_no_recording(typed):
    assert "4711" not in redaction.of_file("/etc/fstab", f"//s/x /x cifs {typed}\n")


def test_a_unit_is_read_as_before_but_for_its_secrets():
    before, now = (
        systemd_units.parse_mount_unit(it) for it in (UNIT, redaction.of_file("/etc/systemd/system/x.mount", UNIT))
    )
    assert (now.where, now.fs_type) == (before.where, before.fs_type)
    assert now.options == secrecy.options(before.options)
    assert secrecy.hides(now.options[1])
    shown = systemd_units.parse_systemctl_show(redaction.of_command(("systemctl", "show", "*.mount"), LOADED)).units[0]
    assert (shown.get("Where"), shown.get("What"), shown.get("Options")) == ("/mnt/loaded", "***", "rw,password=***")


def test_of_udev_stay_the_properties_that_say_what_a_device_is():
    (device,) = block_files.parse_udev_export(redaction.of_udev(UDEV)).devices
    assert {key for key, _ in device.properties} == {"DEVNAME", "ID_SERIAL", "ID_SERIAL_SHORT", "ID_WWN"}
    assert not re.search("by-id|DM_NAME", redaction.of_udev(UDEV))


def test_of_jobs_and_units_only_those_that_are_read_are_named():
    names = ("a.mount", "payroll.service", "fstrim")
    assert redaction.of_names("/etc/systemd/system", names) == ("a.mount",)
    assert redaction.of_names("/etc/cron.weekly", names) == ("fstrim",)
    assert redaction.of_names("/sys/block", names) == names


def test_of_what_azure_told_a_recording_keeps_disks_and_size_and_no_name():
    where = "/run/cloud-init/instance-data.json"
    text = (FIXTURES / "outputs" / "instance_data" / "azure.out").read_text()
    told = redaction.of_file(where, text)
    assert host_files.parse_instance_data(told) == host_files.parse_instance_data(text)
    assert redaction.of_file(where, told) == told
    for name in ("db1", "westeurope", "subscriptions", "redacted"):
        assert name not in told
    for broken in ("", "[1]", '{"ds": 1}', "{" * 5000, text[:700]):
        assert redaction.of_file(where, broken) == "{}\n"


def test_of_sessions_and_controllers_a_recording_has_what_they_are_known_to_say_and_nothing_else():
    lines = (
        "x",
        " session1: iqn.2001-05.com.example:planted",
        "aacraid: planted",
        " connection1:0: detected conn error (1022)",
    )
    recorded = redaction.log_about_storage("".join(f"[   {at}.000000] {line}\n" for at, line in enumerate(lines, 1)))
    assert "planted" not in recorded
    assert "detected conn error (1022)" in recorded
