"""Which commands of rules a script may run."""

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.plan.commands import Remount, Sysctl, UnitSwitch, Write, recognised
from fsadvisor.plan.fstab_patch import family, in_family, of_the_mount, shown
from fsadvisor.rulebook.loading import own_rulebook
from tests.cases import each

OLD = 'mount -o "remount,$(findmnt -no OPTIONS {point}),{options}" "$(findmnt -nvo SOURCE {point})" {point}'


@each("point", ["/srv", "'/my $(disk)'", "'/a'\"'\"'b'"])
def test_a_remount_for_an_old_mount_is_scripted_as_it_is_printed(point):
    text = OLD.format(point=point, options="noatime")
    assert recognised(text).line == f"run {text}"


@each("text", [OLD.replace("{point}", "/a", 1), OLD + " /b", OLD.replace("SOURCE", "TARGET")])
def test_what_only_looks_like_it_is_not_recognised(text):
    assert recognised(text.format(point="/srv", options="noatime")) is None


@each(
    ("text", "command"),
    [
        ("mount -o remount,noatime /srv", Remount("/srv", ("noatime",))),
        ("mount -o remount,atime,relatime '/my disk'", Remount("/my disk", ("atime", "relatime"))),
        ("mount --options-source=mtab -o remount,barrier /", Remount("/", ("barrier",))),
        (OLD.format(point="/srv", options="noatime"), Remount("/srv", ("noatime",), is_old=True)),
        (OLD.format(point="'/my disk'", options="a,b=1"), Remount("/my disk", ("a", "b=1"), is_old=True)),
        ("echo none > /sys/block/sda/queue/scheduler", Write("/sys/block/sda/queue/scheduler", "none")),
        ("echo 'write back' > /sys/block/'cciss!c0d0'/q", Write("/sys/block/cciss!c0d0/q", "write back")),
        ("sysctl -w vm.dirty_bytes=1", Sysctl("vm.dirty_bytes", "1")),
        ("systemctl enable --now fstrim.timer", UnitSwitch("enable", "fstrim.timer")),
    ],
)
def test_a_command_whose_effect_can_be_looked_at_is_recognised(text, command):
    assert recognised(text) == command


@each(
    "text",
    [
        "umount /srv",
        "mount /srv",
        "mount -o noatime /srv",
        "mount -o remount /srv",
        "mount -o remount,noatime srv",
        "mount -o remount,noatime /srv /x",
        "mount -o remount,noatime /srv; reboot",
        "mount -o 'remount,$(reboot)' /srv",
        "mount -o remount,noatime '/a\nb'",
        "echo none > /etc/passwd",
        "echo none > /sys/../etc/passwd",
        "echo none > /sys/block/../../etc/passwd",
        "echo none > /sys/block/*/queue/scheduler",
        "echo '$(reboot)' > /sys/a",
        "echo none >> /sys/a",
        "echo none > /sys/a > /sys/b",
        "echo 'open",
        "sysctl -w kernel.core_pattern=|/bin/sh",
        "systemctl enable fstrim.timer",
        "systemctl enable --now ../x",
        "systemctl enable --now 'fstrim.timer x'",
        "service enable --now fstrim.timer",
        "sysctl -n vm.dirty_bytes=1",
        "sysctl -w 'vm.dirty_bytes x=1'",
        "printf none > /sys/block/sda/queue/scheduler",
        "echo none > /sys/block/sda/queue/scheduler /sys/block/sdb/queue/scheduler",
        "",
    ],
)
def test_any_other_command_is_left_to_people(text):
    assert recognised(text) is None


def test_a_command_is_undone_by_one_of_its_kind_about_the_same():
    def kinds(name, more):
        return Remount(name, (more,)), Write(name, more), Sysctl(name, more), UnitSwitch(more, name)

    assert [it.pair for it in kinds("a", "x")] == [it.pair for it in kinds("a", "y")]
    assert len({it.pair for name in "ab" for it in kinds(name, "x")}) == 8


@given(text=st.text(alphabet="mount -oreadechosyctl,/=>'\"$;|&\n", max_size=60))
def test_any_text_is_recognised_or_not(text):
    recognised(text)


@each(
    ("option", "names"),
    [
        ("nobarrier", ("barrier", "nobarrier")),
        ("barrier=0", ("barrier", "nobarrier")),
        ("commit=5", ("commit", "nocommit")),
        ("no", ("no", "nono")),
    ],
)
def test_options_that_exclude_each_other_are_of_one_family(option, names):
    assert family(option) == names


def test_access_times_are_one_family_of_the_mount_and_barriers_one_of_the_filesystem():
    assert family("noatime") == family("relatime") == family("strictatime")
    assert of_the_mount("noatime")
    assert of_the_mount("nodiratime")
    assert not of_the_mount("nobarrier")
    assert in_family(("rw", "relatime", "nobarrier", "commit=30"), family("commit=5")) == "commit=30"
    assert in_family(("rw",), family("barrier")) == "-"


@each(
    ("option", "before", "after"),
    [
        ("noatime", "relatime", ("noatime",)),
        ("strictatime", "relatime", ("-",)),
        ("barrier", "nobarrier", ("barrier", "-")),
        ("nobarrier", "-", ("nobarrier",)),
        ("commit=30", "-", ("commit=30",)),
        ("async", "sync", ("-",)),
        ("compress=zstd", "-", ("compress=zstd", "compress=zstd:3")),
        ("atime", "noatime", ()),
    ],
)
def test_what_the_kernel_may_show_afterwards_is_known(option, before, after):
    assert shown(option, before) == after


def test_every_remount_setting_and_unit_of_our_rules_can_be_scripted():
    """Others need people all the same: a balance takes hours, `zfs set` forgets what was inherited."""
    like_ours = ("mount -o remount", "echo ", "sysctl ", "systemctl ")
    commands = [
        "".join(it if isinstance(it, str) else _any_value(it.name) for it in template.pieces)
        for rule in own_rulebook().rules
        if rule.remedy.needs in ("online", "remount")
        for template in (*rule.remedy.now, *rule.remedy.undo)
    ]
    ours = [it for it in commands if it.startswith(like_ours)]
    assert len(ours) > 20
    assert [it for it in ours if recognised(it) is None] == []


def _any_value(fact):
    return "/srv" if fact.endswith(("point", "directory")) else "sda"
