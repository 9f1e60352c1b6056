"""The scripts: shellcheck is content, nothing in them expands, and run on copies they do and undo what they say."""

import hashlib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.machine.port import MachineError
from fsadvisor.plan.documents import as_one_text, documents, write
from fsadvisor.plan.script import plan_script, undo_script
from fsadvisor.plan.shell import start
from tests.cases import each, tries
from tests.plan import composed
from tests.plan.composed import TEXTS, planned, rule, server
from tests.plan.copies import TOOLS, Copies
from tests.report.composed import HOSTILE


@pytest.fixture
def memory():
    """A folder in memory, where there is such a place: scripts sync what they write, and disks may be busy."""
    place = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="fsadvisor-plan-", dir=place if place.is_dir() else None) as folder:
        yield Path(folder)


def scripts(plan):
    return {it.path: it.text for it in documents(plan) if it.path.endswith(".sh")}


NO_COMMANDS = (composed.UNMOUNT, composed.WORDS)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed (`make test` installs it)")
@pytest.mark.parametrize(
    "rules",
    [
        composed.RULES,
        (composed.WATCHED,),
        *(pytest.param((one,), marks=pytest.mark.long) for one in composed.RULES if one not in NO_COMMANDS),
    ],
)
def test_shellcheck_is_content(rules, tmp_path):
    for name, text in scripts(planned(rules=rules)).items():
        (tmp_path / name.replace("/", "-")).write_text(text)
    done = subprocess.run(["shellcheck", *tmp_path.iterdir()], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 0)


def test_the_scripts_hold_only_functions_that_they_use():
    assert "findmnt" not in plan_script(planned(rules=(composed.TIMER,)))
    assert "unit_state" not in plan_script(planned(rules=(composed.ATIME,)))


MOUNTABLE = {name: text for name, text in HOSTILE.items() if name != "lone surrogate"}
"""A mount point is bytes: those that are no UTF-8 are surrogates of one kind only."""

POINTS = st.one_of(
    st.sampled_from([f"/srv/{name}" for name in MOUNTABLE.values()]),
    st.text(alphabet="a $(){}`'\"\\\n\t;&|<>*?!#~%\u202e\xa0é", min_size=1, max_size=20).map("/{}".format),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30).map(
        "/{}".format
    ),
)


def octal(text):
    """As the kernel writes a mount point."""
    return "".join(f"\\{ord(sign):03o}" if sign in " \t\n\\#" else sign for sign in text)


def hostile(point):
    """The plan for a server on which a filesystem is mounted there."""
    mountinfo = composed.MOUNTINFO.replace("/srv/my\\040data", octal(point))
    fstab = composed.FSTAB.replace("/srv/my\\040data", octal(point))
    texts = {"/proc/self/mountinfo": mountinfo, "/etc/fstab": fstab}
    return planned(server(data=point), composed.RULES, texts)


@given(point=POINTS)
@tries(60)
def test_any_mount_point_gives_scripts_that_a_shell_reads_and_never_expands(point, tmp_path_factory):
    plan = hostile(point)
    for name, text in scripts(plan).items():
        done = subprocess.run(["sh", "-n"], input=text.encode(), capture_output=True)
        assert (done.returncode, done.stderr) == (0, b""), (name, text)
        assert text.replace("\n", "").replace("\t", "").isprintable()
    said = run_with_told_tools(plan_script(plan), tmp_path_factory.mktemp("run"))
    if point.isprintable():
        assert f"\n{point}\n" in said


def run_with_told_tools(text, folder):
    """What the functions of the script are called with: every tool only prints its arguments."""
    calls = [line.strip() for line in text.splitlines() if line.lstrip().startswith(("run ", "expect "))]
    (folder / "canary").touch()
    tools = 'run() { printf "%s\\n" "$@"; }\nexpect() { printf "%s\\n" "$@"; }\nothers=x FSTAB=x FILES_IN=x\n'
    done = subprocess.run(
        ["/bin/sh", "-eu"],
        input=(tools + "\n".join(calls) + "\n").encode(),
        cwd=folder,
        capture_output=True,
        env={"PATH": "/nowhere"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(it.name for it in folder.iterdir()) == ["canary"]
    return done.stdout.decode()


@each("name", MOUNTABLE)
def test_hostile_names_never_leave_their_comment_or_reach_a_terminal(name):
    for line in as_one_text(hostile(f"/srv/{HOSTILE[name]}")):
        assert line.endswith("\n")
        assert line.strip("\n").replace("\t", "").isprintable()


def test_what_is_printed_is_no_more_than_the_script_for_a_shell_that_reads_it_all(memory):
    """`fsadvisor plan | sh --check` must not run into what follows the script."""
    text = "".join(as_one_text(planned(rules=(composed.SYSCTL,))))
    done = Copies(memory).run(text, "--check")
    assert done.stdout == "All is as it was seen.\n"
    assert done.stderr == ""


ALL = (composed.SYSCTL, composed.TIMER, composed.FSTAB_ONLY, rule(
    "only-fstab", "mount", "mount.atime == 'relatime'", keep=[{"mount": "{mount.point}", "add": ["noatime"]}],
))  # fmt: skip


@pytest.fixture
def copies(memory):
    return Copies(memory)


def test_a_plan_does_what_it_says_and_its_undo_brings_back_every_byte(copies):
    plan = planned(rules=ALL)
    before = copies.state()

    done = copies.run(plan_script(plan))
    assert (done.returncode, done.stderr) == (0, "")
    assert copies.value("vm.dirty_bytes") == "268435456"
    assert copies.value("active") == "active"
    assert copies.fstab.read_text() == plan.fstab.after
    assert copies.fstab.stat().st_mode & 0o777 == 0o640
    new = copies.folder / "root/etc/sysctl.d/90-fsadvisor.conf"
    assert new.read_text() == plan.files[0].after
    assert new.stat().st_mode & 0o777 == 0o644
    assert (copies.folder / "state").stat().st_mode & 0o777 == 0o700

    undone = copies.run(undo_script(plan))
    assert (undone.returncode, undone.stderr) == (0, "")
    (copies.folder / "root/etc").rmdir()  # mkdir -p made it on the way to sysctl.d
    assert copies.state() == before


@pytest.mark.parametrize(
    "fstab",
    [
        composed.FSTAB.replace("# /etc/fstab", "# caf\udce9 \x1b[31m\t").removesuffix("\n"),
        composed.FSTAB.removeprefix("# /etc/fstab: what is mounted at boot\n")
        .removesuffix("tmpfs       /tmp               tmpfs defaults\n")
        .removesuffix("\n"),
    ],
)
def test_any_byte_of_fstab_survives_plan_and_undo(memory, fstab):
    copies = Copies(memory, fstab)
    plan = planned(rules=ALL, texts=TEXTS | {"/etc/fstab": fstab})
    assert copies.run(plan_script(plan)).returncode == 0
    assert copies.fstab.read_bytes() == plan.fstab.after.encode("utf-8", "surrogateescape")
    assert copies.run(undo_script(plan)).returncode == 0
    assert copies.fstab.read_bytes() == fstab.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("text", ["# ours\n", "# ours", "", "a = 1\nvm.dirty_bytes = 268435456\nb = 2\n"])
def test_a_file_that_was_there_gets_its_lines_and_comes_back(memory, text):
    path = "/etc/sysctl.d/90-fsadvisor.conf"
    copies = Copies(memory, files={path: text})
    plan = planned(rules=(composed.SYSCTL,), texts=TEXTS | {path: text})
    assert copies.run(plan_script(plan)).returncode == 0
    assert (copies.folder / f"root{path}").read_text() == plan.files[0].after
    assert copies.run(undo_script(plan)).returncode == 0
    assert (copies.folder / f"root{path}").read_text() == text


def surprises():
    yield "a value", lambda it: it.tell("vm.dirty_ratio", 30), "vm.dirty_ratio is '30', not '20'"
    yield "a tool that is gone", lambda it: (it.folder / "told/vm.dirty_bytes").unlink(), "vm.dirty_bytes is ''"
    yield "a unit", lambda it: it.tell("enabled", "masked"), "fstrim.timer is 'masked inactive'"
    yield "a line of fstab", lambda it: it.fstab.write_text(composed.FSTAB + "# new\n"), "the content of fstab is"
    yield "no fstab", lambda it: it.fstab.unlink(), "the content of fstab is 'absent'"
    yield "a text", lambda it: put(it, "/etc/sysctl.d/90-fsadvisor.conf", "x\n"), "90-fsadvisor.conf is '73cb3858"
    yield "a link", lambda it: link(it, "/etc/sysctl.d/90-fsadvisor.conf"), "is 'a symbolic link'"
    yield "a terminal's code", lambda it: it.tell("enabled", "\x1b[31m"), "is '?[31m inactive'"
    yield "begun before", lambda it: (it.folder / "state").mkdir(), "begun before"


def put(copies, path, text):
    (copies.folder / f"root{path}").parent.mkdir(parents=True)
    (copies.folder / f"root{path}").write_text(text)


def link(copies, path):
    (copies.folder / f"root{path}").parent.mkdir(parents=True)
    (copies.folder / f"root{path}").symlink_to("/nowhere")


@pytest.mark.parametrize(("surprise", "says"), [it[1:] for it in surprises()], ids=[it[0] for it in surprises()])
def test_a_surprise_stops_before_anything_is_touched(copies, surprise, says):
    plan = planned(rules=ALL)
    surprise(copies)
    before = copies.state()
    for option in ("--check", ""):
        done = copies.run(plan_script(plan), *filter(None, [option]))
        assert done.returncode == 1
        assert says in done.stderr
        assert "Nothing was changed." in done.stderr
        assert copies.state() == before


def test_a_failure_on_the_way_stops_and_undo_brings_back_what_was_done(copies):
    plan = planned(rules=ALL)
    before = copies.state()
    copies.tell("broken-vm.dirty_bytes", "")
    done = copies.run(plan_script(plan))
    assert done.returncode == 2
    assert "this failed: sysctl -q -w vm.dirty_bytes=268435456" in done.stderr
    assert "sh undo.sh" in done.stderr
    assert copies.value("vm.dirty_background_bytes") == "67108864"
    assert copies.value("active") == "inactive"

    (copies.folder / "told/broken-vm.dirty_bytes").unlink()
    assert copies.run(undo_script(plan)).returncode == 0
    assert copies.state() == before


def test_a_setting_that_does_not_take_is_found_out(copies):
    plan = planned(rules=(composed.TIMER,))
    (copies.folder / "bin/systemctl").write_text(
        f"#!/bin/sh\n{TOOLS['systemctl'].replace('echo active', 'echo inactive')}\n"
    )
    done = copies.run(plan_script(plan))
    assert done.returncode == 2
    assert "fstrim.timer is 'enabled inactive', not 'enabled active'" in done.stderr


def test_undo_after_nothing_was_done_changes_nothing_and_says_so(copies):
    before = copies.state()
    done = copies.run(undo_script(planned(rules=ALL)))
    assert done.returncode == 0
    assert "Step 1 is as it was seen before." in done.stdout
    assert copies.state() == before


def test_undo_takes_the_last_step_back_first():
    plan = planned()
    done = re.findall(r"^step_(\d+)$", plan_script(plan), re.MULTILINE)
    assert len(done) > 1
    assert re.findall(r"^undo_(\d+)$", undo_script(plan), re.MULTILINE) == done[::-1]


def test_undo_takes_the_last_change_of_a_step_back_first():
    text = undo_script(planned(rules=(composed.SYSCTL,)))
    assert re.findall(r"^    run sysctl -q -w vm\.(\w+)=", text, re.MULTILINE) == [
        "dirty_ratio",
        "dirty_background_ratio",
    ]


@pytest.mark.parametrize("values", ["''", "'on|'", "'on||off'"])
def test_a_question_without_an_answer_is_never_as_it_was_seen(values):
    text = f"{start('is')}\nis {values} true || echo no\nis 'on|off' echo off && echo yes\n"
    assert subprocess.run(["sh"], input=text, capture_output=True, text=True).stdout == "no\nyes\n"


def test_a_command_that_nothing_looks_after_ends_the_script_where_it_fails(copies):
    plan = planned(rules=ALL)
    assert copies.run(plan_script(plan)).returncode == 0
    (copies.folder / "bin/rmdir").write_text("#!/bin/sh\nexit 1\n")
    (copies.folder / "bin/rmdir").chmod(0o755)
    done = copies.run(undo_script(plan))
    assert done.returncode == 1
    assert "All is as it was seen before." not in done.stdout


def test_undo_stops_at_a_surprise_and_touches_nothing(copies):
    plan = planned(rules=ALL)
    assert copies.run(plan_script(plan)).returncode == 0
    with copies.fstab.open("a") as file:
        file.write("# a later line\n")
    before = copies.state()
    done = copies.run(undo_script(plan))
    assert done.returncode == 1
    assert "the content of fstab is" in done.stderr
    assert copies.state() == before


def test_undo_without_its_copies_touches_nothing(copies):
    plan = planned(rules=ALL)
    assert copies.run(plan_script(plan)).returncode == 0
    (copies.folder / "state/fstab").unlink()
    before = copies.state()
    done = copies.run(undo_script(plan))
    assert done.returncode == 1
    assert "the copy of fstab is 'absent'" in done.stderr
    assert copies.state() == before


def test_an_fstab_behind_a_link_stays_behind_it(copies):
    real = copies.folder / "root" / "real-fstab"
    copies.fstab.rename(real)
    copies.fstab.symlink_to(real)
    plan = planned(rules=ALL)
    assert copies.run(plan_script(plan)).returncode == 0
    assert copies.fstab.is_symlink()
    assert real.read_text() == plan.fstab.after


def test_a_wrong_option_and_an_ordinary_user_are_refused(copies):
    plan = planned(rules=ALL)
    before = copies.state()
    assert "usage: sh plan.sh [--check]" in copies.run(plan_script(plan), "--force").stderr
    (copies.folder / "bin/id").write_text("#!/bin/sh\necho 1000\n")
    for text in scripts(plan).values():
        done = copies.run(text)
        assert (done.returncode, "this needs root" in done.stderr) == (1, True)
    assert copies.state() == before


def test_the_folder_holds_everything_with_its_mode(tmp_path):
    plan = planned()
    write(documents(plan), tmp_path / "new" / "plan")
    modes = {
        str(it.relative_to(tmp_path / "new/plan")): oct(it.stat().st_mode & 0o777)
        for it in (tmp_path / "new/plan").rglob("*")
        if it.is_file()
    }
    assert modes == {
        "plan.sh": "0o700",
        "undo.sh": "0o700",
        "fstab.diff": "0o600",
        "files/etc/udev/rules.d/99-fsadvisor-scheduler.rules": "0o644",
        "files/etc/sysctl.d/90-fsadvisor.conf": "0o644",
        "README.txt": "0o644",
    }


def test_a_folder_that_is_not_empty_or_can_not_be_made_is_refused(tmp_path):
    (tmp_path / "x").touch()
    for folder, says in ((tmp_path, "not empty"), (tmp_path / "x" / "y", "Not a directory"), (tmp_path / "x", "x")):
        with pytest.raises(MachineError, match=says):
            write(documents(planned()), folder)
    assert [it.name for it in tmp_path.iterdir()] == ["x"]


def test_the_same_machine_gives_the_same_bytes():
    texts = ["".join(as_one_text(planned())) for _ in range(2)]
    assert hashlib.sha256(texts[0].encode()).digest() == hashlib.sha256(texts[1].encode()).digest()


def test_a_watch_stands_and_waits_before_what_it_watches_is_changed(copies):
    plan = planned(rules=(composed.WATCHED,))
    text = plan_script(plan)
    first, second = (text[text.index(f"step_{at}() {{") :].partition("\n}\n")[0] for at in (1, 2))
    assert "start_timer watch.timer" in first
    assert "vm.dirty_bytes=1" in second
    assert "stop_timer watch.timer" in undo_script(plan)
    assert copies.run(text).returncode == 0
    assert copies.value("enabled") == "disabled"  # copies start no timers
    assert copies.run(undo_script(plan)).returncode == 0
    assert not (copies.folder / f"root{composed.TIMER_FILE}").exists()
