"""What becomes a step, what is left to people, and what is refused."""

import pytest
from msgspec.structs import replace

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.plan.documents import readme
from fsadvisor.plan.planning import chosen
from fsadvisor.plan.planning import plan as plan_of
from fsadvisor.rulebook.advise import advise, judge
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.storage import Storage
from tests.cases import each
from tests.plan import composed
from tests.plan.composed import TEXTS, planned, remounts, rule, server, writes
from tests.report.composed import disk, host, machine


def steps(plan):
    return [(step.findings[0].rule, step.findings[0].subject) for step in plan.steps]


def reasons(plan):
    return {(it.finding.rule, it.finding.subject): it.reason for it in (*plan.manual, *plan.refused)}


def test_ten_findings_become_steps_in_rank_order_files_an_fstab_and_two_things_for_people():
    plan = planned()
    assert steps(plan) == [
        ("barriers-off", "/dev/sda"),
        ("not-flushed", "sda"),
        ("long-commit", "/dev/sda"),
        ("long-writeback", "host"),
        ("no-trim", "host"),
        ("scheduler", "nvme0n1"),
        ("access-times", "/"),
        ("access-times", "/srv/my data"),
    ]
    assert [it.path for it in plan.files] == [
        "/etc/sysctl.d/90-fsadvisor.conf",
        "/etc/udev/rules.d/99-fsadvisor-scheduler.rules",
    ]
    assert [it.number for it in plan.fstab.edits] == [2, 3, 5]
    assert [it.finding.rule for it in plan.manual] == ["full", "small-log"]
    assert plan.refused == ()


@each("needs", ["unmount", "reboot", "reformat", "hardware"])
def test_what_interrupts_is_never_scripted(needs):
    hard = remounts(
        "hard", "mount", "mount.atime == 'relatime'", "noatime", "atime,relatime", add=["noatime"], needs=needs
    )
    plan = planned(rules=(hard,))
    assert not plan.scripted
    assert {it.finding.subject for it in plan.manual} == {"/", "/srv/my data"}
    assert "mount -o remount,noatime /" in plan.manual[0].commands
    assert "There is nothing that a script could do." in readme(plan)


def test_a_risk_that_is_not_proven_safe_to_cure_is_refused_with_the_reason():
    unsafe = remounts(
        "unsafe", "mount", "mount.atime == 'relatime'", "noatime", "atime,relatime", safety="mount.root == False"
    )
    plan = planned(rules=(unsafe,))
    assert not plan.scripted
    assert reasons(plan)["unsafe", "/"] == "Is it safe? not known"


def test_a_command_without_a_check_is_left_to_people():
    odd = rule("odd", "host", "host.dirty_bytes == 0", now=["touch /x"], undo=["rm /x"], verify=["ls /x"])
    plan = planned(rules=(odd,))
    assert "no check before and after is known for `touch /x`" in reasons(plan)["odd", "host"]


def test_a_value_that_no_undo_brings_back_is_left_to_people():
    lost = rule(
        "lost", "host", "host.dirty_bytes == 0",
        now=["sysctl -w vm.swappiness=1"], undo=["sysctl -w vm.dirty_ratio=20"], verify=["sysctl vm.swappiness"],
    )  # fmt: skip
    assert "not known for" in reasons(planned(rules=(lost,)))["lost", "host"]


@each(
    ("do", "undo", "says"),
    [
        ("noatime", "strictatime", "would not bring back"),
        ("noatime", "barrier", "other options"),
        ("relatime", "relatime", "it is so already"),
        ("atime", "relatime", "look the same"),
    ],
)
def test_a_remount_whose_effect_or_undo_can_not_be_checked_is_left_to_people(do, undo, says):
    bad = remounts("bad", "mount", "mount.atime == 'relatime'", do, undo)
    assert says in reasons(planned(rules=(bad,)))["bad", "/"]


@pytest.mark.parametrize(
    ("mountinfo", "says"),
    [
        (composed.MOUNTINFO.replace("/srv/my\\040data", "/srv"), "not seen among the mounts"),
        (composed.MOUNTINFO + "9 2 8:32 / /srv/my\\040data rw - xfs /dev/sdc rw\n", "mounted over"),
    ],
)
def test_a_mount_that_is_gone_or_mounted_over_is_left_to_people(mountinfo, says):
    plan = planned(texts=TEXTS | {"/proc/self/mountinfo": mountinfo}, rules=(composed.BARRIERS,))
    assert says in reasons(plan)["barriers-off", "/dev/sda"]


def test_of_two_that_want_different_things_of_one_option_the_higher_rank_is_planned_and_both_are_named():
    other = remounts(
        "exact-times", "mount", "mount.atime == 'relatime'", "strictatime", "atime,relatime",
        add=["strictatime"], remove=["noatime"], severity="moderate",
    )  # fmt: skip
    plan = planned(rules=(composed.ATIME, other))
    assert steps(plan) == [("exact-times", "/"), ("exact-times", "/srv/my data")]
    assert reasons(plan)["access-times", "/"] == (
        "it wants something else of atime at / than exact-times on /, "
        "which ranks first (moderate risk; no interruption)"
    )
    assert "noatime" not in plan.fstab.after


@each(("one", "two", "setting"), [
        (
            writes("one", "disk.scheduler == 'mq-deadline'", "none", "disk.scheduler", "scheduler"),
            writes("two", "disk.scheduler == 'mq-deadline'", "bfq", "disk.scheduler", "scheduler"),
            "/sys/block/nvme0n1/queue/scheduler",
        ),
        (
            rule("one", "host", "host.dirty_bytes == 0", now=["sysctl -w vm.dirty_ratio=5"],
                 undo=["sysctl -w vm.dirty_ratio=20"], verify=["sysctl vm.dirty_ratio"]),
            rule("two", "host", "host.dirty_bytes == 0", now=["sysctl -w vm.dirty_bytes=5"],
                 undo=["sysctl -w vm.dirty_ratio=20"], verify=["sysctl vm.dirty_ratio"]),
            "vm.dirty",
        ),
        (
            rule("one", "host", "host.dirty_bytes == 0", keep=[{"file": "/etc/sysctl.d/a.conf", "line": "vm.x = 1"}]),
            rule("two", "host", "host.dirty_bytes == 0", keep=[{"file": "/etc/sysctl.d/b.conf", "line": "vm.x=2"}]),
            "vm.x at boot",
        ),
        (
            rule("one", "mount", "mount.root", keep=[{"mount": "{mount.point}", "add": ["nodev"]}]),
            rule("two", "mount", "mount.root", keep=[{"mount": "{mount.point}", "remove": ["nodev"]}]),
            "dev at / in /etc/fstab",
        ),
        (
            rule("one", "host", "host.dirty_bytes == 0",
                 keep=[{"file": "/etc/udev/rules.d/a.rules", "line": 'KERNEL=="sd*", ATTR{{queue/x}}="1"'}]),
            rule("two", "host", "host.dirty_bytes == 0",
                 keep=[{"file": "/etc/udev/rules.d/b.rules", "line": 'KERNEL=="sd*", ATTR{{queue/x}}="2"'}]),
            "ATTR{queue/x} by udev",
        ),
    ])  # fmt: skip
def test_of_two_equals_that_disagree_neither_is_planned_and_both_are_named(one, two, setting):
    storage = with_root_known(server())
    plan = planned(storage, (one, two))
    assert not plan.scripted
    said = {rule: reason for (rule, _), reason in reasons(plan).items()}
    assert setting in said["one"]
    assert "than two on" in said["one"]
    assert "than one on" in said["two"]
    assert "neither ranks" in said["two"]


def with_root_known(storage):
    """The same server, on which it is known which mount is the root."""
    subjects = tuple(
        replace(it, scope={**it.scope, "mount": replace(it.scope["mount"], root=Known(it.name == "/", "x"))})
        if it.kind == "mount"
        else it
        for it in storage.subjects
    )
    return replace(storage, subjects=subjects)


def test_two_findings_that_want_the_same_are_one_step_with_both_names():
    again = remounts("same", "mount", "mount.atime == 'relatime'", "noatime", "atime,relatime", add=["noatime"])
    plan = planned(rules=(again, composed.ATIME))
    assert [[it.rule for it in step.findings] for step in plan.steps] == [["same", "access-times"]] * 2
    assert plan.fstab.after.count("noatime") == 2


def test_a_part_of_what_another_changes_is_not_changed_twice():
    both = remounts("both", "mount", "mount.atime == 'relatime'", "noatime,nodev", "atime,relatime,dev", severity="low")
    plan = planned(rules=(composed.BARRIERS, both, remounts(
        "first", "mount", "mount.atime == 'relatime'", "noatime", "atime,relatime",
    )))  # fmt: skip
    assert ("first", "/") in steps(plan)
    assert "than first on /" in reasons(plan)["both", "/"]


def test_a_mount_of_a_unit_file_keeps_its_remount_and_gets_a_drop_in_proposed():
    on = host(dirty_bytes=0)
    storage = machine(
        "m",
        on,
        *composed.mounted(
            "sda",
            "/srv/my data",
            on,
            options=("rw", "nobarrier"),
            barriers=False,
            configured_in="/etc/systemd/system/srv-my\\x20data.mount",
        ),
    )
    plan = planned(storage, (composed.BARRIERS,))
    assert steps(plan) == [("barriers-off", "/dev/sda")]
    assert plan.fstab is None
    (manual,) = plan.manual
    assert manual.reason == "to make it last: the mount is configured in /etc/systemd/system/srv-my\\x20data.mount"
    assert manual.keep[1:] == (
        "/etc/systemd/system/srv-my\\x20data.mount.d/50-fsadvisor.conf:",
        "[Mount]",
        "Options=rw",
    )


def test_options_on_the_kernels_command_line_are_pointed_out():
    storage = server(root_flags=("nobarrier",))
    text = composed.MOUNTINFO.replace("rw,errors", "rw,nobarrier,errors")
    off = remounts("off", "filesystem", "filesystem.mount_point == '/'", "barrier", "nobarrier", remove=["nobarrier"])
    plan = planned(storage, (off,), TEXTS | {"/proc/self/mountinfo": text})
    assert steps(plan) == [("off", "/dev/nvme0n1p1")]
    assert "the kernel's command line has nobarrier" in plan.manual[0].reason


@pytest.mark.parametrize(
    ("fstab", "says"),
    [
        (Unknown(Cause.DENIED, "run as root"), "could not be read"),
        ("/dev/x /srv/my\\040data ext4 atime\n/dev/y /srv/my\\040data ext4 atime\n", "lines 1 and 2"),
    ],
)
def test_an_fstab_that_can_not_be_changed_is_left_to_people_and_the_rest_is_planned(fstab, says):
    plan = planned(rules=(composed.ATIME,), texts=TEXTS | {"/etc/fstab": fstab})
    assert ("access-times", "/srv/my data") in steps(plan)
    assert plan.fstab is None
    assert says in plan.manual[-1].reason


@each("path", ["/etc/fstab", "/root/.profile", "/etc/../root/x", "/etc/x y", "/etc/$(x)"])
def test_files_elsewhere_are_never_written(path):
    bad = rule("bad", "host", "host.dirty_bytes == 0", keep=[{"file": path, "line": "x"}])
    assert "no file that a plan would write" in reasons(planned(rules=(bad,)))["bad", "host"]


def test_a_file_that_may_not_be_read_is_not_written():
    denied = TEXTS | {"/etc/sysctl.d/90-fsadvisor.conf": Unknown(Cause.DENIED, "run as root")}
    assert "could not be read" in reasons(planned(rules=(composed.SYSCTL,), texts=denied))["long-writeback", "host"]


def test_lines_that_are_there_already_are_not_written_again():
    path = "/etc/sysctl.d/90-fsadvisor.conf"
    half = TEXTS | {path: "# ours\nvm.dirty_bytes = 268435456"}
    (change,) = planned(rules=(composed.SYSCTL,), texts=half).files
    assert change.after == "# ours\nvm.dirty_background_bytes = 67108864\nvm.dirty_bytes = 268435456\n"
    whole = TEXTS | {path: change.after}
    assert planned(rules=(composed.SYSCTL,), texts=whole).files == ()


def test_a_finding_of_which_the_files_have_nothing_is_told():
    plan = planned(rules=(composed.FSTAB_ONLY,), texts=TEXTS | {"/etc/fstab": "# empty\n"})
    assert reasons(plan)["xfs-barrier", "/srv/old"] == "the files that it would change have nothing of it"


def test_lines_of_several_drives_stand_before_those_that_use_them():
    lines = ['KERNEL=="{disk.name}", ENV{{X}}="1"', 'ENV{{X}}=="1", ATTR{{queue/a}}="b"']
    path = "/etc/udev/rules.d/99-x.rules"
    pinned = rule("pinned", "disk", "disk.plp == 'proven'", keep=[{"file": path, "line": it} for it in lines])
    on = host()
    storage = machine("m", on, *(disk(name, on, plp="proven") for name in ("sda", "sdb")))
    (change,) = planned(storage, (pinned,)).files
    mark = ['KERNEL=="sda", ENV{X}="1"', 'KERNEL=="sdb", ENV{X}="1"']
    assert change.after.splitlines() == [*mark, 'ENV{X}=="1", ATTR{queue/a}="b"']


def test_a_drive_is_checked_by_its_model_before_its_settings_change():
    on = host()
    storage = machine(
        "m", on, disk("sda", on, scheduler="mq-deadline", model=Known("SOME DISK", "/sys/block/sda/device/model"))
    )
    plan = planned(storage, (composed.SCHEDULER,))
    (condition,) = plan.steps[0].changes[0].conditions
    assert (condition.probe, condition.value) == ("value_of /sys/block/sda/device/model", "SOME DISK")


def test_every_advised_finding_is_planned_left_to_people_or_refused():
    plan = planned()
    told = {(it.rule, it.subject) for step in plan.steps for it in step.findings}
    told |= {(it.finding.rule, it.finding.subject) for it in (*plan.manual, *plan.refused)}
    told |= {(it.rule, it.subject) for it in (*plan.fstab.findings, *(f for one in plan.files for f in one.findings))}
    verdicts = chosen(server(), composed.RULES, [])
    assert told == {(it.rule.id, it.subject.name) for it in verdicts}
    assert len({it.rule.id for it in verdicts}) == 10
    assert len(advise(server(), composed.RULES)) > len(verdicts)


def test_every_rule_of_ours_that_advises_is_planned_left_to_people_or_refused():
    seen = set()
    for one in own_rulebook().rules:
        for example in one.examples:
            if example.expect is not Outcome.ADVISE:
                continue
            verdict = judge(one, imagined(one, example.facts))
            made = plan_of(Storage(machine="m", subjects=(verdict.subject,)), [verdict], composed.reader(TEXTS))
            assert made.scripted or made.manual or made.refused, one.id
            seen.add(one.id)
    assert len(seen) > 50


def unit_configured(options, wanted):
    on = host(dirty_bytes=0)
    where = {"configured_in": "/etc/systemd/system/srv-my\\x20data.mount"}
    storage = machine("m", on, *composed.mounted("sda", "/srv/my data", on, options=options, atime="relatime", **where))
    add, remove = wanted
    atime = remounts("atime", "mount", "mount.atime == 'relatime'", "noatime", "atime,relatime", add=add, remove=remove)
    return planned(storage, (atime,))


@each(
    ("options", "by_hand"),
    [
        (("noatime", "nodev"), False),
        (("nodev",), True),
        (("noatime", "relatime"), True),
        (Unknown(Cause.DENIED, "run as root"), True),
    ],
)
def test_a_unit_file_is_left_alone_only_where_it_is_as_wished_already(options, by_hand):
    plan = unit_configured(options, (["noatime"], ["relatime"]))
    assert steps(plan) == [("atime", "/srv/my data")]
    assert bool(plan.manual) is by_hand


def test_an_fstab_that_may_not_be_read_concerns_no_finding_without_options():
    plan = planned(rules=(composed.SYSCTL,), texts=TEXTS | {"/etc/fstab": Unknown(Cause.DENIED, "run as root")})
    assert plan.manual == ()


def test_options_of_a_second_mount_are_planned_though_the_first_has_a_unit_file():
    on = host(dirty_bytes=0)
    storage = machine(
        "m",
        on,
        *composed.mounted(
            "sda", "/srv/my data", on, options=("nobarrier",), configured_in="/etc/systemd/system/x.mount"
        ),
        *composed.mounted("sdb", "/srv/old", on, configured_in="/etc/fstab:5"),
    )
    two = rule(
        "two",
        "host",
        "host.dirty_bytes == 0",
        keep=[{"mount": "/srv/my data", "remove": ["nobarrier"]}, {"mount": "/srv/old", "remove": ["nobarrier"]}],
    )
    plan = planned(storage, (two,))
    assert [it.number for it in plan.fstab.edits] == [5]
    assert "the mount is configured in /etc/systemd/system/x.mount" in plan.manual[0].reason
