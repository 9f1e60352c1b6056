"""What is missing is fetched as packages, checked, and unpacked: nothing is installed, and no script of theirs runs."""

import hashlib
import os
import shutil
import subprocess

import pytest

from fsadvisor.machine import packages
from fsadvisor.machine.runner import Runner
from tools import fetch
from tools.package_managers import FetchError
from tools.set_up import FETCHED

pytestmark = pytest.mark.skipif(
    not shutil.which("apt-get") or not shutil.which("dpkg-deb"), reason="apt-get or dpkg-deb is not installed"
)
TOOL = """#!/bin/sh
# What its library says, which it finds as the loader would; then its argument.
IFS=:
for place in $LD_LIBRARY_PATH; do read -r line <"$place/libfsa.so.1" && echo "$line"; done
echo "$1"
"""
WANTED = {"fsa-tool": "fsa-tool"}


def build(repository, name, files, depends="", script=""):
    """A package with these files; its script would run if it were installed."""
    tree = repository / f"{name}.tree"
    (tree / "DEBIAN").mkdir(parents=True)
    control = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: Nobody <nobody@example.org>\n{depends}"
    (tree / "DEBIAN" / "control").write_text(f"{control}Description: made by a test\n")
    if script:
        (tree / "DEBIAN" / "postinst").write_text(script)
        (tree / "DEBIAN" / "postinst").chmod(0o755)
    for path, (text, mode) in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
        (tree / path).chmod(mode)
    package = repository / f"{name}_1_all.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, package], check=True, capture_output=True)
    content = package.read_bytes()
    sums = f"Filename: ./{package.name}\nSize: {len(content)}\nSHA256: {hashlib.sha256(content).hexdigest()}\n"
    return f"{control}{sums}Description: made by a test\n"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A source of packages that stands in for the system's own; gives what names it to apt."""
    folder = tmp_path / "repository"
    folder.mkdir()
    left = tmp_path / "left-by-a-script"
    tool = build(
        folder,
        "fsa-tool",
        {"usr/sbin/fsa-tool": (TOOL, 0o4755), "usr/share/doc/fsa-tool/read": ("", 0o666)},
        "Depends: libfsa1, fsa-service\n",
        f"#!/bin/sh\ntouch {left}\n",
    )
    library = build(folder, "libfsa1", {"usr/lib/somewhere/libfsa.so.1": ("of the library\n", 0o644)})
    service = build(folder, "fsa-service", {"usr/sbin/fsa-daemon": ("#!/bin/sh\n", 0o755)})
    packages = f"{tool}\n{library}\n{service}".encode()
    (folder / "Packages").write_bytes(packages)
    digest = hashlib.sha256(packages).hexdigest()
    (folder / "Release").write_text(f"Suite: test\nSHA256:\n {digest} {len(packages)} Packages\n")

    def named(trust):
        (tmp_path / "sources.list").write_text(f"deb {trust} file:{folder} ./\n")
        hook = f'APT::Update::Post-Invoke {{ "touch {left}"; }};\n'
        paths = f'Dir::Etc::sourcelist "{tmp_path / "sources.list"}";\nDir::Etc::sourceparts "/dev/null";\n'
        (tmp_path / "apt.conf").write_text(hook + paths)
        monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
        return left

    return named


def runner(place):
    folder = str(place / "bin")
    return Runner(folders=(folder,), fetched=(folder,))


def test_a_fetched_tool_finds_its_library_and_its_source_says_that_it_was_fetched(repository, tmp_path):
    repository("[trusted=yes]")
    place = tmp_path / "with a blank" / "tools"
    place.parent.mkdir()
    assert fetch.fetch(WANTED, place) == WANTED
    [answer] = runner(place).run([("fsa-tool", "a b")])
    assert answer.text == "of the library\na b\n"
    assert answer.source == "fsa-tool (fetched) 'a b'"


def test_nothing_is_run_nothing_is_left_and_nobody_else_may_write(repository, tmp_path):
    left = repository("[trusted=yes]")
    place = tmp_path / "tools"
    before = os.umask(0o002)
    try:
        fetch.fetch(WANTED, place)
    finally:
        os.umask(before)
    assert not left.exists()
    assert sorted(path.name for path in tmp_path.glob("tools*")) == ["tools"]
    assert sorted(path.name for path in (place / "bin").iterdir()) == ["fsa-tool"]
    assert not list(place.rglob("fsa-daemon"))
    assert [path for path in place.rglob("*") if path.lstat().st_mode & 0o6022 and not path.is_symlink()] == []


def test_a_source_without_a_signature_is_refused(repository, tmp_path):
    repository("")
    with pytest.raises(FetchError, match="not signed"):
        fetch.fetch(WANTED, tmp_path / "tools")
    assert not list(tmp_path.glob("tools*"))


def test_a_changed_package_is_refused(repository, tmp_path):
    repository("[trusted=yes]")
    package = tmp_path / "repository" / "fsa-tool_1_all.deb"
    package.write_bytes(package.read_bytes()[:-1] + b"!")
    with pytest.raises(FetchError, match=r"apt-get: .*(Hash|File has unexpected size|Checksum)"):
        fetch.fetch(WANTED, tmp_path / "tools")


def test_a_package_that_no_source_has_does_not_keep_the_others_away(repository, tmp_path):
    repository("[trusted=yes]")
    assert fetch.fetch(WANTED | {"fsa-none": "fsa-none"}, tmp_path / "tools") == WANTED


def test_tools_that_were_there_stay_where_a_new_fetch_fails(repository, tmp_path):
    repository("[trusted=yes]")
    place = tmp_path / "tools"
    fetch.fetch(WANTED, place)
    with pytest.raises(FetchError):
        fetch.fetch({"fsa-none": "fsa-none"}, place)
    assert (place / "bin" / "fsa-tool").exists()


def test_a_place_that_no_library_path_can_name_is_said(tmp_path):
    with pytest.raises(FetchError, match="':'"):
        fetch.fetch(WANTED, tmp_path / "a:b" / "tools")


def made(tmp_path, mode=0o755):
    (tmp_path / "tools" / "bin").mkdir(parents=True)
    (tmp_path / "tools").chmod(0o755)
    (tmp_path / "tools" / "bin").chmod(mode)
    return packages.fetched_folders(str(tmp_path), os.geteuid())


def test_the_program_looks_where_the_set_up_fetches_to(tmp_path):
    assert made(tmp_path) == (str(tmp_path / "tools" / "bin"),)
    assert FETCHED.relative_to(FETCHED.parent) == (tmp_path / packages.FOLDER).relative_to(tmp_path)


def test_what_was_fetched_is_remembered_for_this_place_and_system(tmp_path):
    made(tmp_path)
    place = tmp_path / "tools"
    fetch.note(place, "here", {"a": "A", "b": "B"}, {"a": "A"})
    assert fetch.noted(place, "here") == ({"a": "A", "b": "B"}, {"a": "A"})
    assert fetch.noted(place, "elsewhere") == fetch.noted(tmp_path / "none", "here") == ({}, {})


def test_what_others_can_change_is_fetched_anew(tmp_path):
    made(tmp_path, 0o777)
    fetch.note(tmp_path / "tools", "here", {"a": "A"}, {"a": "A"})
    assert fetch.noted(tmp_path / "tools", "here") == ({}, {})


@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_fetched_tools_that_others_may_change_are_not_used(tmp_path, mode):
    assert made(tmp_path, mode) == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give a directory away")
@pytest.mark.parametrize("name", ["tools", "tools/bin"])
def test_fetched_tools_of_another_user_are_not_used_by_root(tmp_path, name):
    made(tmp_path)
    os.chown(tmp_path / name, 12345, 12345)
    assert packages.fetched_folders(str(tmp_path), 0) == ()
    assert packages.refused_folders(str(tmp_path), 0) == (str(tmp_path / "tools" / "bin"),)
    assert packages.fetched_folders(str(tmp_path), 12345) != ()


def test_a_link_in_place_of_the_fetched_tools_is_not_followed(tmp_path):
    made(tmp_path / "elsewhere")
    (tmp_path / "tools").symlink_to(tmp_path / "elsewhere" / "tools")
    assert packages.fetched_folders(str(tmp_path)) == ()


def test_where_nothing_was_fetched_nothing_is_looked_for(tmp_path):
    assert packages.fetched_folders(str(tmp_path)) == packages.refused_folders(str(tmp_path)) == ()
