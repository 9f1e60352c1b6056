"""The archive with a Python of its own runs where there is nothing but a shell and a C library."""

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.command import fsadvisor
from tests.paths import ROOT
from tools.dist import directory, packing, system_packages
from tools.screens.terminal import Terminal

pytestmark = [
    pytest.mark.long,
    pytest.mark.namespaces,
    pytest.mark.skipif(os.geteuid() != 0, reason="changes its root"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the root is made of files of that processor's Debian"),
    pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare"),
]
MACHINE = ROOT / "fixtures" / "machines" / "ext4-nobarrier"
C_LIBRARY = Path("/lib/x86_64-linux-gnu")
IN_THE_ROOT = (
    "/bin/sh",
    "/usr/bin/readlink",
    *(str(C_LIBRARY / name) for name in ("libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1")),
)


def made(folder):
    wheel = packing.wheel(folder / "wheel")
    whole, machine, library = directory.archive(wheel, sys.executable, folder / "tree", folder)
    system_packages.made(whole, machine, library.removeprefix("glibc"), folder, folder)
    [archive] = folder.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return made(tmp_path_factory.mktemp("directory"))


@pytest.fixture(scope="module")
def root(archive, tmp_path_factory):
    """A root with a shell, readlink, the C library and the directory: no Python, no home."""
    made = tmp_path_factory.mktemp("root")
    for name in IN_THE_ROOT:
        said = subprocess.run(["ldd", name], capture_output=True, text=True).stdout
        for path in {name, *re.findall(r"(/\S+) \(0x", said)}:
            (made / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, made / path.lstrip("/"))
    for name in ("tmp", "proc", "dev", "opt"):
        (made / name).mkdir()
    shutil.copytree(MACHINE, made / "machine")
    with tarfile.open(archive) as opened:
        opened.extractall(made / "opt", filter="tar")
    return made


def started(root, *argv):
    """Its command line, with the root read-only, and /tmp where nothing may be run from."""
    steps = (
        f"mount --bind {root} {root}",
        f"mount -t proc proc {root}/proc",  # the loader of libraries asks it where the program is
        f"mount -o remount,bind,ro {root}",
        f"mount -t tmpfs -o noexec tmpfs {root}/tmp",
        f'exec chroot {root} /opt/fsadvisor/fsadvisor "$@"',
    )
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", " && ".join(steps), "sh", *argv]


def inside(root, *argv):
    return subprocess.run(started(root, *argv), capture_output=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})


def test_it_says_the_same_as_the_installed_one_in_a_root_without_python(root):
    for form in ("--json", "--html"):
        done, here = inside(root, "--on", "/machine", form), fsadvisor("--on", str(MACHINE), form)
        assert (done.returncode, done.stderr) == (here.returncode, here.stderr)
        assert done.stdout == here.stdout.replace(os.fsencode(MACHINE), b"/machine")


@pytest.mark.parametrize("argv", [("--version",), ("--help",), ("explain", "order"), ("facts",), ("schema", "report")])
def test_each_verb_answers_the_same(root, argv):
    done, here = inside(root, *argv), fsadvisor(*argv)
    assert (done.returncode, done.stdout, done.stderr) == (here.returncode, here.stdout, here.stderr)


def test_the_explorer_the_probes_and_the_man_page_are_inside(archive):
    with tarfile.open(archive) as opened:
        names = {Path(name).name for name in opened.getnames()}
    assert {"textual", "probe_session.py", "fsadvisor.8", "LICENSE"} <= names


def package(archive, kind="deb"):
    [made] = archive.parent.glob(f"*.{kind}")
    return made


def needs(tool):
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")


@needs("tmux")
def test_the_explorer_opens_where_nothing_knows_the_terminal(root):
    with Terminal(started(root, "--on", "/machine"), 80, 24) as terminal:
        terminal.until("Quit")
        terminal.press("q")
        assert "ended 0" in terminal.until("ended")


def test_it_is_at_most_25_megabytes_and_all_is_the_same_when_made_again(archive, tmp_path):
    assert archive.stat().st_size <= 25_000_000
    again = made(tmp_path)
    assert again.read_bytes() == archive.read_bytes()
    for kind in ("deb", "rpm"):
        assert package(again, kind).read_bytes() == package(archive, kind).read_bytes()


def test_nothing_names_the_machine_that_it_was_made_on(archive):
    with tarfile.open(archive) as opened:
        texts = [
            (it.name, opened.extractfile(it).read()) for it in opened if it.isfile() and not it.name.endswith(".so.1.0")
        ]
    assert not [name for name, text in texts if text.startswith(b"#!") and os.fsencode(sys.prefix) in text]


@needs("lintian")
def test_lintian_has_nothing_to_say(archive):
    asked = ["lintian", "--fail-on", "error,warning", "--allow-root", package(archive)]
    ran = subprocess.run(asked, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "")


@needs("rpmlint")
def test_rpmlint_has_nothing_to_say(archive):
    asked = ["rpmlint", "--config", ROOT / "tools/dist/rpmlint.toml", package(archive, "rpm")]
    said = subprocess.run(asked, capture_output=True, text=True).stdout
    assert "0 errors, 0 warnings" in said, said


def test_the_debian_package_starts_nothing_and_removed_it_leaves_nothing(archive, tmp_path):
    for name in ("status", "available"):
        (tmp_path / "var/lib/dpkg").mkdir(parents=True, exist_ok=True)
        (tmp_path / "var/lib/dpkg" / name).touch()
    for name in ("updates", "info"):
        (tmp_path / "var/lib/dpkg" / name).mkdir()
    dpkg = ["dpkg", f"--root={tmp_path}", "--force-depends", "--log=/dev/null"]
    subprocess.run([*dpkg, "--install", package(archive)], capture_output=True, check=True)
    manual = tmp_path / "usr/share/man/man8/fsadvisor.8.gz"
    assert manual.exists()
    assert (tmp_path / "usr/share/bash-completion/completions/fsadvisor").exists()
    done = subprocess.run([tmp_path / "usr/bin/fsadvisor", "--version"], capture_output=True, text=True)
    assert done.stdout == fsadvisor("--version").stdout.decode()
    assert {path.name for path in (tmp_path / "var/lib/dpkg/info").glob("fsadvisor.*")} <= {
        "fsadvisor.list",
        "fsadvisor.md5sums",
    }
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".service", ".timer", ".socket")]
    subprocess.run([*dpkg, "--purge", "fsadvisor"], capture_output=True, check=True)
    assert not (tmp_path / "usr").exists()


@needs("rpm")
def test_the_rpm_starts_nothing_and_removed_it_leaves_no_file(archive, tmp_path):
    def rpm(*argv):
        return subprocess.run(["rpm", "--root", tmp_path, *argv], capture_output=True, text=True, check=True).stdout

    rpm("--initdb")
    rpm("--install", "--nodeps", package(archive, "rpm"))
    done = subprocess.run([tmp_path / "usr/bin/fsadvisor", "--version"], capture_output=True, text=True)
    assert done.stdout == fsadvisor("--version").stdout.decode()
    for name in ("man/man8/fsadvisor.8.gz", "bash-completion/completions/fsadvisor", "zsh/site-functions/_fsadvisor"):
        assert (tmp_path / "usr/share" / name).exists()
    assert rpm("--query", "--scripts", "--triggers", "fsadvisor") == ""
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".service", ".timer", ".socket")]
    rpm("--erase", "fsadvisor")
    left = [path for path in (tmp_path / "usr").rglob("*") if not path.is_dir() or "fsadvisor" in path.name]
    assert left == []
