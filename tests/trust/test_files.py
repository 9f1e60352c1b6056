"""What root writes and believes, another user can neither change nor put there."""

import grp
import os
import pwd
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fsadvisor.machine import kept_files, safe_files
from fsadvisor.machine.port import MachineError
from tests.command import in_text
from tests.paths import FIXTURES, ROOT
from tests.probe.filesystems import needs_root

EVE = 65533
MACHINE = FIXTURES / "machines/pm9a3-postgresql-volatile"
WAIVER = """[[waiver]]
rule = "nobarrier-unproven"
subject = "mount:/"
by = "root"
on = 2026-01-01
because = "eve says so"
"""


def as_eve(act, user=EVE, group=EVE):
    """Do it in a process that is another user's."""
    child = os.fork()
    if not child:
        status = 1
        try:
            os.setgroups([])
            os.setgid(group)
            os.setuid(user)
            act()
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def shared():
    """A directory such as /tmp, which eve can reach."""
    folder = Path(tempfile.mkdtemp(prefix="fsadvisor-trust-", dir="/tmp"))
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


@needs_root
def test_a_plan_goes_into_no_directory_that_another_user_made(shared):
    as_eve((shared / "plan").mkdir)
    done = in_text("plan", "--on", MACHINE, "--out", shared / "plan")
    assert done.returncode == 2, done.stderr
    assert (
        f"{shared}/plan belongs to {EVE}; name a place that nobody else may change, such as /root/plan" in done.stderr
    )
    assert done.stderr.count("\n") == 1
    assert list((shared / "plan").iterdir()) == []


@needs_root
def test_nor_does_a_recording(shared):
    as_eve((shared / "new").mkdir)
    with pytest.raises(MachineError, match=f"new belongs to {EVE}"):
        safe_files.write_tree(shared / "new" / "below", [("title", b"x", 0o600)])
    assert list((shared / "new").iterdir()) == []


@needs_root
@pytest.mark.parametrize(
    "write",
    [
        safe_files.write_new,
        lambda path, it: safe_files.rewrite(path, lambda _: it, 9, 0o600),
        lambda path, it: safe_files.write_among(path, it, re.compile(".*"), 9),
    ],
)
@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda at: (at.mkdir(), at.chmod(0o777)), "may be changed by everybody"),
        (lambda at: (at.mkdir(), os.chown(at, 0, EVE), at.chmod(0o775)), f"may be changed by the group {EVE}"),
        (lambda at: as_eve(at.mkdir), f"belongs to {EVE}"),
        (lambda at: as_eve(lambda: at.symlink_to("/root")), f"belongs to {EVE}"),
        (lambda at: as_eve(lambda: at.symlink_to(at.parent)), f"belongs to {EVE}"),
    ],
)
def test_each_step_of_a_path_is_looked_at(shared, write, made, why):
    made(shared / "step")
    with pytest.raises(MachineError, match=f"step {why}; name a place that nobody else may change, such as /root/file"):
        write(shared / "step" / "file", b"x")
    with pytest.raises(MachineError, match=why):
        write(shared / "step" / ".." / "file", b"x")
    assert not (shared / "file").exists()


@needs_root
def test_links_of_our_own_and_sticky_directories_are_no_obstacle(shared):
    (shared / "ours").mkdir(mode=0o755)
    (shared / "link").symlink_to("ours")
    safe_files.write_new(shared / "link" / "file", b"x")
    safe_files.write_new(shared / "beside", b"x")
    safe_files.write_tree(shared / "link" / "tree" / "new", [("a/b", b"x", 0o644), ("plan.sh", b"", 0o755)])
    assert stat.S_IMODE((shared / "ours/tree/new/plan.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((shared / "beside").stat().st_mode) == 0o600


@needs_root
def test_a_tree_goes_into_no_directory_that_others_may_put_things_into(shared):
    (shared / "sticky").mkdir()
    (shared / "sticky").chmod(0o1777)
    with pytest.raises(MachineError, match="sticky may be changed by everybody"):
        safe_files.write_tree(shared / "sticky", [("plan.sh", b"", 0o755)])


@needs_root
def test_what_may_tell_secrets_is_for_its_owner_alone(shared):
    safe_files.write_tree(shared / "capture", [("files/etc/fstab", b"x", 0o600)])
    for path in (shared / "capture", *(shared / "capture").rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


@needs_root
def test_another_user_s_lock_keeps_no_writer_waiting(shared):
    (shared / "kept").mkdir(mode=0o755)
    ready, held = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        import fcntl

        os.setuid(EVE)
        fcntl.flock(os.open(shared / "kept", os.O_RDONLY), fcntl.LOCK_EX)
        os.write(ready[1], b".")
        os.close(held[1])
        os.read(held[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    try:
        safe_files.rewrite(shared / "kept" / "file", lambda _: b"new", 9, 0o644)
    finally:
        os.close(held[1])
        os.waitpid(child, 0)
    assert (shared / "kept" / "file").read_bytes() == b"new"


@needs_root
def test_a_lock_that_another_user_made_first_keeps_no_writer_waiting(shared):
    as_eve((shared / ".report.lock").touch)
    with pytest.raises(MachineError, match=r"\.report\.lock beside it belongs to"):
        safe_files.rewrite(shared / "report", lambda _: b"new", 9, 0o644)


@needs_root
def test_nor_does_one_that_others_may_lock(shared):
    (shared / ".report.lock").touch(mode=0o644)
    with pytest.raises(MachineError, match="may be locked by others"):
        safe_files.rewrite(shared / "report", lambda _: b"new", 9, 0o644)


def test_what_only_looks_like_a_file_half_written_stays(tmp_path):
    (tmp_path / ".report.20261127").write_text("a backup")
    (tmp_path / ".report.fsadvisor-0123abcd").write_text("half")
    safe_files.rewrite(tmp_path / "report", lambda _: b"new", 9, 0o644)
    assert {it.name for it in tmp_path.iterdir()} == {"report", ".report.20261127"}


@needs_root
def test_an_ordinary_user_writes_where_only_that_user_and_root_may(shared):
    (shared / "roots").mkdir(mode=0o755)

    def act():
        (shared / "hers").mkdir(mode=0o755)
        safe_files.write_new(shared / "hers" / "file", b"x")
        assert safe_files.read(shared / "hers" / "file", 9) == b"x"
        assert safe_files.distrusted(Path("/etc/passwd")) == ""

    as_eve(act)
    assert "not believed" in safe_files.distrusted(shared / "hers" / "file")


@needs_root
def test_an_ordinary_user_s_own_group_may_write_and_no_other_may(shared):
    own, other = pwd.getpwnam("daemon"), grp.getgrnam("mail").gr_gid
    assert grp.getgrgid(own.pw_gid).gr_name == "daemon"
    for name, group in (("own", own.pw_gid), ("others", other), ("nobodys", EVE)):
        (shared / name).mkdir()
        os.chown(shared / name, own.pw_uid, group)
        (shared / name).chmod(0o775)

    def act():
        assert safe_files.distrusted(shared / "own") == ""
        assert "may be changed by the group mail" in safe_files.distrusted(shared / "others")
        assert f"may be changed by the group {EVE}" in safe_files.distrusted(shared / "nobodys")

    as_eve(act, own.pw_uid, own.pw_gid)
    os.chown(shared / "own", 0, own.pw_gid)
    assert "may be changed by the group daemon" in safe_files.distrusted(shared / "own")


@needs_root
@pytest.mark.parametrize(("owner", "mode"), [(EVE, 0o644), (0, 0o666), (0, 0o664)])
def test_attestations_that_others_may_change_are_not_believed(shared, owner, mode):
    file = shared / "attest.toml"
    file.write_text(WAIVER)
    os.chown(file, owner, EVE)
    file.chmod(mode)
    done = in_text("--on", MACHINE, "--text", "--attestations", file)
    assert done.returncode == 2
    assert str(file) in done.stderr


@needs_root
@pytest.mark.namespaces
@pytest.mark.parametrize("place", ["/etc/fsadvisor/attest.toml", "/var/lib/fsadvisor/probes.jsonl"])
def test_the_machine_s_own_are_named_and_ignored(place):
    above = str(Path(place).parent.parent)
    planted = f"mount -t tmpfs x {above} && mkdir {above}/fsadvisor && echo rubbish >{place} && chown {EVE} {place}"
    asking = f"from fsadvisor.machine.live import LiveMachine; print(LiveMachine().read({place!r}))"
    ask = shlex.join([sys.executable, "-c", asking])
    script = f"{planted} && {ask} && chown 0 {place} && {ask}"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    theirs, roots = done.stdout.splitlines()
    assert f"not believed, for {place} belongs to {EVE}" in theirs
    assert "rubbish" in roots


@needs_root
def test_rules_that_others_may_change_are_named_and_ignored(shared):
    rule = next((ROOT / "rules/mount").glob("*.toml"))
    (shared / "mount").mkdir(mode=0o755)
    shutil.copy(rule, shared / "mount" / "a-rule.toml")
    (shared / "mount" / "a-rule.toml").chmod(0o666)
    done = in_text("--on", MACHINE, "--text", "--rules", shared)
    assert "not believed, for" in done.stdout + done.stderr
    assert "may be changed by everybody" in done.stdout + done.stderr


@needs_root
@pytest.mark.parametrize("verb", [["compare", "/var/tmp"], ["forecast", "--fit", "/dev/null"]])
def test_where_a_picture_may_not_be_made_is_told_before_anything_is_measured(shared, verb):
    as_eve((shared / "hers").mkdir)
    done = in_text(*verb, "--out", shared / "hers" / "a.svg")
    assert done.returncode == 2
    assert f"{shared}/hers belongs to {EVE}" in done.stderr
    assert done.stderr.count("\n") == 1


@needs_root
def test_a_rule_that_another_user_may_change_is_not_tried(shared):
    rule = next((ROOT / "rules/disk").glob("*.toml"))
    as_eve(lambda: (shared / rule.name).write_bytes(rule.read_bytes()))
    done = in_text("rule", "try", shared / rule.name, "--on", MACHINE)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"not believed, for {shared / rule.name} belongs to {EVE}" in done.stderr


@needs_root
@pytest.mark.namespaces
def test_a_probe_that_can_keep_no_record_says_so(tmp_path):
    ask = "from pathlib import Path; from fsadvisor.measure.probe.scratch_record import clear; "
    ask += f"print(*clear(Path({str(tmp_path)!r})))"
    script = f"mount -t tmpfs -o ro none /var/lib && exec {shlex.join([sys.executable, '-c', ask])}"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "no record of scratch directories can be kept, for /var/lib can't be written to" in done.stdout


def test_nobody_is_asked_to_trust_the_way_to_what_is_not_there(shared):
    """In a user namespace '/' belongs to nobody: for a file of defaults that was not there each audit was refused."""
    shared.chmod(0o777)
    (shared / "there").write_text("")
    (shared / "dangling").symlink_to("absent")
    for name in ("absent", "dangling"):
        assert safe_files.distrusted(shared / name) == ""
        assert kept_files.config_text(shared / name, must_exist=False) == ""
    assert safe_files.distrusted(shared / "there")
    with pytest.raises(MachineError):
        kept_files.config_text(shared / "there", must_exist=False)


def test_a_file_of_the_kernel_that_says_no_size_is_not_waited_for():
    assert safe_files.read(Path("/proc/version"), 1 << 20) == b""
