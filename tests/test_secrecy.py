"""What is secret is hidden in every text of a mount, and what is harmless stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor import secrecy
from fsadvisor.plan import UnfitError
from fsadvisor.plan.fstab_patch import Wish, diff, edit, edited
from fsadvisor.readers.mount_tables import split_options, unescape
from fsadvisor.survey.configured import lacking
from tests.cases import each

SECRET = "Hunter2Pass"
NAMES = "username password credentials secret pass passwd_file name domain key env.AWS_SECRET unknown ssh_command"
AROUND = st.text(st.characters(codec="ascii", exclude_characters="\0\n"), max_size=8)
HARMLESS = (
    "rw,relatime,data=ordered,subvol=/@home,errors=remount-ro,uid=1000,x-systemd.requires=/srv/data,logbsize=256k"
)


@st.composite
def lines_with_a_secret(draw):
    """Options among which one has the secret, with anything around it: commas, quotes, equals signs, escapes."""
    before, after = (draw(st.lists(st.sampled_from(HARMLESS.split(",")), max_size=3)) for _ in "ab")
    value = f"{draw(AROUND)}{SECRET}{draw(AROUND)}"
    return ",".join((*before, f"{draw(st.sampled_from(NAMES.split()))}={value}", *after))


@given(lines_with_a_secret())
def test_no_option_string_shows_the_secret_that_was_planted_in_it(text):
    shown = secrecy.options(split_options(text))
    assert SECRET not in ",".join(shown)
    assert secrecy.options(shown) == shown


@given(lines_with_a_secret())
def test_no_line_of_fstab_shows_it_either(text):
    field = "".join(f"\\{ord(sign):03o}" if sign in " \t\\#=" else sign for sign in text)
    shown = secrecy.fstab_line(f"//server/share\t/mnt  cifs {field} 0 0")
    assert SECRET not in unescape(shown)
    assert shown.startswith("//server/share\t/mnt  cifs ")
    assert shown.endswith(" 0 0")
    assert secrecy.fstab_line(shown) == shown


def test_what_is_harmless_stays_to_the_last_byte():
    assert secrecy.options(split_options(HARMLESS)) == split_options(HARMLESS)
    line = f" UUID=0-1\t/srv/a\\040b   ext4 {HARMLESS},subvol=/a\\040b 0  2  # an old one"
    assert secrecy.fstab_line(line) == line


def test_flags_that_follow_a_secret_are_the_rest_of_it_unless_they_are_known():
    given = ("password=a", "Hunter2Pass", "x=y", "rw", "Unknown")
    assert secrecy.options(given) == ("password=***", "***", "***", "rw", "***")
    assert secrecy.options(("newflag", "frob=7", "ro")) == ("newflag", "frob=***", "ro")


def test_a_user_that_is_no_number_is_hidden():
    assert secrecy.options(("uid=0", "uid=planted", "gid=5")) == ("uid=0", "uid=***", "gid=5")


@each(
    ("said", "shown"),
    [
        ("//server/share$", "//server/share$"),
        ("//joe:Hunter2Pass@server/share", "//***@server/share"),
        ("https://joe:Hunter2/Pass@dav.example/x", "https://***@dav.example/x"),
        ("joe@server:/x", "***@server:/x"),
        ("curlftpfs#joe:p@ss@ftp.example", "curlftpfs#***@ftp.example"),
        (":s3,access_key_id=Hunter2,secret_access_key=Pass:bucket", ":s3,access_key_id=***"),
        ("UUID=0a-1", "UUID=0a-1"),
        ("LABEL=a@b=c", "LABEL=a@b=c"),
        ("/dev/disk/by-id/ata-X@1", "/dev/disk/by-id/ata-X@1"),
        ("server:/export", "server:/export"),
    ],
)
def test_what_is_mounted_is_shown_without_who_mounts_it(said, shown):
    assert secrecy.source(said) == shown
    assert secrecy.source(shown) == shown


@each(
    "line",
    [
        "//s/x /srv cifs relatime,password=Hunter2Pass 0 0",
        "//s/x /srv cifs relatime,password\\075Hunter2Pass 0 0",
        "//joe:Hunter2Pass@s/x /srv cifs relatime 0 0",
        "//s/x /srv password=Hunter2Pass relatime 0 0",
        "/dev/a /srv ext4 relatime 0 2 # password: Hunter2Pass",
        "/dev/a /srv ext4 relatime 0 2 # password is hunter",
    ],
)
def test_a_line_with_a_secret_is_left_to_people(line):
    wish = Wish("/srv", ("noatime",), ("relatime",))
    with pytest.raises(UnfitError, match="line 2 of /etc/fstab holds what a plan must not show, such as a password"):
        edit(f"# x\n{line}\n", wish)


def test_a_plan_s_diff_shows_no_line_but_those_that_change():
    text = "# pw Hunter2Pass\n//s/x /mnt cifs password=Hunter2Pass 0 0\n/dev/a /srv ext4 relatime 0 2\n# Hunter2Pass\n"
    change = edit(text, Wish("/srv", ("noatime",), ("relatime",)))
    shown = diff("/etc/fstab", text, edited(text, [change]))
    assert SECRET not in shown
    assert "+/dev/a /srv ext4 noatime 0 2" in shown


def test_a_hidden_option_is_never_told_to_be_lacking():
    """The kernel shows some of them otherwise and most not at all, and two that are hidden can't be compared."""
    assert lacking(("username=***", "noexec"), ("rw",), "cifs") == ("noexec",)


def test_a_harmless_option_with_a_value_that_is_no_word_is_hidden():
    given = ("commit=5", "commit=a b", "commit=Hunter2!", f"data={'x' * 41}", "rasize=/etc/x")
    assert secrecy.options(given) == ("commit=5", "commit=***", "commit=***", "data=***", "rasize=***")


def test_a_known_name_behind_a_secret_keeps_its_name_and_nothing_more():
    given = ("password=a", "username=b", "commit=!", "uid=c", "frob=d")
    assert secrecy.options(given) == ("password=***", "username=***", "commit=***", "uid=***", "***")


@each(
    ("argument", "announces"),
    [
        ("--password", True),
        ("-p", True),
        ("-p/x", True),
        ("--auth-token=x", True),
        ("--port", False),
        ("password", False),
    ],
)
def test_an_argument_that_announces_a_secret_is_an_option_of_that_name(argument, announces):
    assert secrecy.announced_by(argument) is announces


@each(
    ("line", "shown"),
    [
        ("# a remark with Hunter2Pass", "#"),
        ("  #Hunter2Pass", "#"),
        ("", ""),
        ("   ", ""),
        ("/dev/a# /srv ext4 ro 0 0", "/dev/a# /srv ext4 ro 0 0"),
        ("/dev/a /srv ext4 ro 0 Hunter2", "/dev/a /srv ext4 ro 0 ***"),
        ("//h/x /srv cifs pass=Hunter 4711 0", "//h/x /srv cifs pass=*** *** 0"),
        ("/dev/a /srv/a=b ext4 ro 0 0", "/dev/a /srv/a=b ext4 ro 0 0"),
        ("/dev/a pass=Hunter2 ext4 ro 0 0", "/dev/a *** ext4 ro 0 0"),
    ],
)
def test_of_a_line_of_fstab_only_what_is_no_secret_is_shown(line, shown):
    assert secrecy.fstab_line(line) == shown


@each("local", ["UUID=0-1", "LABEL=x", "PARTUUID=0-1", "PARTLABEL=x", "ID=x", "/dev/sda1"])
def test_what_names_a_device_of_this_machine_stays(local):
    assert secrecy.source(f"{local}@y=z") == f"{local}@y=z"
    assert secrecy.anonymous_source("nfs", local) == local


@each(
    ("fs_type", "field", "shown"),
    [
        ("tmpfs", "tmpfs", "tmpfs"),
        ("proc", "none", "none"),
        ("fuse", "none", "none"),
        ("fuse", "fuse", "fuse"),
        ("zfs", "tank/home@x", "tank/home@x"),
        ("ext4", "/srv/image", "/srv/image"),
        ("fuse.sshfs", "joe", "***"),
        ("fuse", "anything", "***"),
        ("ceph", "share", "***"),
        ("nfs4", "/export", "***"),
        ("unknown", "//server/share", "***"),
        ("unknown", "server:/export", "***"),
        ("unknown", "joe@server", "***"),
        ("unknown", "a=b", "***"),
    ],
)
def test_a_recording_names_no_server(fs_type, field, shown):
    assert secrecy.anonymous_source(fs_type, field) == shown
