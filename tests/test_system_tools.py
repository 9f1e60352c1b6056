"""What is missing is fetched where that can be done, installed only where that was asked for, and named elsewhere."""

import subprocess
from dataclasses import replace

import pytest

from tests.cases import each
from tests.paths import ROOT
from tools import fetch, system_tools
from tools.fetch_apt import APT
from tools.fetch_dnf import DNF
from tools.package_managers import FetchError
from tools.system_tools import LAB_TOOLS, LONG_TOOLS, PROBE_TOOLS, RUN_TOOLS, TEST_TOOLS, System

DEBIAN = {"ID": "debian", "PRETTY_NAME": "Debian GNU/Linux 12 (bookworm)"}
TOOLS = {"nvme": "nvme-cli", "fio": "fio", "mkfs.xfs": "xfsprogs", "xfs_info": "xfsprogs"}


class Machine:
    """A machine with some commands; apt-get fetches and installs what its sources have."""

    def __init__(self, *commands, sources=("nvme-cli", "fio", "xfsprogs", "mdadm"), network=True, place=None):
        self.commands = {"apt-get", *commands}
        self.sources = sources
        self.network = network
        self.place = place
        self.ran = []
        self.fetched = []

    def which(self, command):
        return f"/usr/bin/{command}" if command in self.commands else None

    def run(self, argv):
        self.ran.append(" ".join(argv))
        if argv[0] == "apt-cache":
            return 0 if argv[-1] in self.sources else 100
        if not self.network:
            return 100
        self.commands |= {command for command, package in LAB_TOOLS.items() if package in argv}
        return 0

    def fetch(self, wanted, place, manager):
        self.manager = manager
        self.fetched.append(dict(wanted))
        if not self.network:
            raise FetchError("apt-get: no network")
        place.mkdir(exist_ok=True)
        return {command: package for command, package in wanted.items() if package in self.sources}

    def see_to(self, tools, choice="fetch", **changes):
        here = System(which=self.which, is_root=True, release=DEBIAN, run=self.run, fetch=self.fetch)
        system_tools.see_to_tools(tools, choice, replace(here, **changes), self.place, "here")

    @property
    def installs(self):
        return [line.split(" install ")[1] for line in self.ran if " install " in line]


@pytest.fixture
def machine(tmp_path):
    def made(*commands, **how):
        return Machine(*commands, place=tmp_path / "tools", **how)

    return made


@each(
    ("release", "expected"),
    [
        ({"ID": "debian"}, True),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, True),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, True),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, False),
        ({"ID": "debianish"}, False),
        ({}, False),
    ],
)
def test_debian_and_its_children_are_told_by_os_release(release, expected):
    assert system_tools.is_debian_like(release) is expected


def test_a_machine_with_all_tools_is_left_alone_in_silence(machine, capsys):
    whole = machine(*TOOLS)
    whole.see_to(TOOLS)
    assert whole.ran == whole.fetched == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("root", [True, False])
def test_what_is_missing_is_fetched_and_nothing_is_installed(machine, capsys, root):
    bare = machine("fio", "xfs_info")
    bare.see_to(TOOLS, is_root=root)
    assert bare.fetched == [{"nvme": "nvme-cli", "mkfs.xfs": "xfsprogs"}]
    assert bare.ran == []
    assert "without installing: nvme-cli xfsprogs\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("release", "commands", "manager"),
    [(DEBIAN, (), APT), (DEBIAN, ("dnf", "rpm2archive"), APT), ({"ID": "fedora"}, ("dnf", "rpm2archive"), DNF)],
)
def test_each_distribution_is_asked_for_its_own_packages(machine, release, commands, manager):
    bare = machine("fio", *commands)
    bare.see_to(TOOLS, release=release)
    assert bare.manager is manager


def test_what_was_fetched_is_not_fetched_again(machine, capsys):
    bare = machine("fio")
    bare.see_to(TOOLS)
    capsys.readouterr()
    bare.see_to(TOOLS)
    assert len(bare.fetched) == 1
    assert capsys.readouterr().err == ""


def test_what_no_source_has_is_asked_for_once_and_named_each_time(machine, capsys):
    bare = machine("fio", sources=("xfsprogs",))
    for _ in range(2):
        bare.see_to(TOOLS)
        assert "without nvme-cli (the caches and health of NVMe drives): no source has them" in capsys.readouterr().err
    assert len(bare.fetched) == 1


def test_more_tools_are_fetched_with_those_that_are_there(machine):
    bare = machine()
    bare.see_to({"nvme": "nvme-cli"})
    bare.see_to({"fio": "fio"})
    assert bare.fetched[-1] == {"nvme": "nvme-cli", "fio": "fio"}


def test_without_a_network_one_line_says_what_is_missing_and_what_it_tells(machine, capsys):
    machine("mkfs.xfs", network=False).see_to(TOOLS)
    fetching, line = capsys.readouterr().err.splitlines()
    assert fetching.startswith("Fetching into ")
    assert line == (
        "Going on without nvme-cli (the caches and health of NVMe drives), fio (what many requests at once take), "
        "xfsprogs (the layout of XFS): apt-get: no network. What only they can tell stays unknown."
    )


@pytest.mark.parametrize(
    ("choice", "release", "reason"),
    [
        ("no", DEBIAN, "TOOLS=no fetches nothing"),
        ("fetch", {"ID": "fedora", "PRETTY_NAME": "Fedora Linux 43"}, "on Fedora Linux 43, install them"),
        ("install", {}, "on this system, install them"),
    ],
)
def test_where_nothing_is_fetched_the_missing_tools_are_named_with_the_reason(machine, capsys, choice, release, reason):
    bare = machine("fio", "xfs_info", "mkfs.xfs")
    bare.see_to(TOOLS, choice, release=release)
    assert bare.ran == bare.fetched == []
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"Going on without nvme-cli (the caches and health of NVMe drives): {reason}")


def test_root_installs_each_package_once_where_that_was_asked_for(machine):
    bare = machine("fio")
    bare.see_to(TOOLS, "install")
    assert bare.installs == ["nvme-cli xfsprogs"]
    assert any("--no-upgrade" in line for line in bare.ran)
    assert bare.fetched == []


def test_an_ordinary_user_who_asks_to_install_gets_them_fetched(machine):
    bare = machine("fio", "xfs_info")
    bare.see_to(TOOLS, "install", is_root=False)
    assert bare.installs == []
    assert bare.fetched == [{"nvme": "nvme-cli", "mkfs.xfs": "xfsprogs"}]


def test_a_package_that_would_start_servers_here_is_fetched_even_where_others_are_installed(machine):
    bare = machine(sources=("mdadm", "nfs-kernel-server"))
    bare.see_to({"mdadm": "mdadm", "exportfs": "nfs-kernel-server"}, "install")
    assert bare.installs == ["mdadm"]
    assert bare.fetched == [{"exportfs": "nfs-kernel-server"}]


@pytest.mark.parametrize("missing", [{"mdadm": "mdadm"}, {"sshd": "openssh-server"}])
def test_servers_and_what_the_guests_of_the_lab_take_are_never_fetched(machine, capsys, missing):
    bare = machine(*TEST_TOOLS)
    bare.see_to(missing)
    [package] = missing.values()
    assert bare.fetched == []
    assert f"without {package}: TOOLS=install as root installs" in capsys.readouterr().err


def test_what_only_makes_sense_where_it_is_installed_is_not_wanted_for_a_run():
    assert not {"mdadm", "lvm2", "dmsetup", "multipath-tools", "zfsutils-linux"} & {*PROBE_TOOLS.values()}
    assert RUN_TOOLS.keys() | {"fio"} == PROBE_TOOLS.keys()


def test_the_tests_need_every_tool_that_a_run_needs():
    assert PROBE_TOOLS.items() <= TEST_TOOLS.items() <= LAB_TOOLS.items()
    assert TEST_TOOLS.items() <= LONG_TOOLS.items()


def test_apt_get_is_run_without_questions():
    status = system_tools.run_apt(["sh", "-c", 'test "$DEBIAN_FRONTEND" = noninteractive && ! read -r line'])
    assert status == 0


@each(("arguments", "purpose"), [("", "run"), ("--json", "run"), ("probe /srv", "probe"), ("trial --dry-run", "probe")])
def test_fio_is_wanted_once_a_probe_is_asked_for(arguments, purpose):
    said = subprocess.run(
        ["make", "--dry-run", "run", f"ARGS={arguments}"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert f"-m tools.set_up {purpose} " in said


def test_the_stamp_stands_where_the_tools_are(machine):
    bare = machine("fio")
    bare.see_to(TOOLS)
    assert (bare.place / fetch.STAMP).exists()
