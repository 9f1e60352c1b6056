"""Tools are named by the package that brings them here, in the words of this machine's distribution."""

from fsadvisor.machine.packages import NAMES, PACKAGES, VENDOR, install_command, named
from tests.cases import each

DEBIANS = {package for package in PACKAGES.values() if VENDOR not in package}
RELEASES = {
    "debian": "ID=debian\n",
    "ubuntu": "ID=ubuntu\nID_LIKE=debian\n",
    "dnf": 'ID="rocky"\nID_LIKE="rhel centos fedora"\n',
    "zypper": 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n',
    "pacman": "ID=arch\n",
    "apk": "ID=alpine\n",
    "nix": "ID=nixos\n",
}


@each(
    ("os_release", "expected"),
    [
        (RELEASES["debian"], "apt-get install dmsetup cryptsetup-bin multipath-tools"),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', "apt-get install dmsetup cryptsetup-bin multipath-tools"),
        (RELEASES["dnf"], "dnf install device-mapper cryptsetup device-mapper-multipath"),
        ('ID="amzn"\nID_LIKE="fedora"\n', "dnf install device-mapper cryptsetup device-mapper-multipath"),
        (RELEASES["zypper"], "zypper install device-mapper cryptsetup multipath-tools"),
        (RELEASES["pacman"], "pacman -S device-mapper cryptsetup multipath-tools"),
        (RELEASES["apk"], "apk add device-mapper cryptsetup multipath-tools"),
        (RELEASES["nix"], "environment.systemPackages = with pkgs; [ lvm2 cryptsetup multipath-tools ];"),
        ("ID=plan9\n", ""),
        ("", ""),
    ],
)
def test_the_command_is_that_of_the_distribution_and_so_are_the_names(os_release, expected):
    assert install_command(["dmsetup", "cryptsetup-bin", "multipath-tools"], os_release) == expected


@each(
    ("column", "package", "expected"),
    [
        ("zypper", "btrfs-progs", "btrfsprogs"),
        ("apk", "e2fsprogs", "e2fsprogs-extra"),
        ("apk", "xfsprogs", "xfsprogs-extra"),
        ("ubuntu", "linux-perf", "linux-tools-generic"),
        ("dnf", "zfsutils-linux", "zfs"),
        ("pacman", "zfsutils-linux", "zfs-utils"),
        ("nix", "linux-perf", "linuxPackages.perf"),
        ("dnf", "nvme-cli", "nvme-cli"),
    ],
)
def test_a_package_has_another_name_where_the_distribution_gave_it_one(column, package, expected):
    assert named(package, RELEASES[column]) == expected


def test_what_a_distribution_does_not_have_is_not_asked_for():
    assert install_command(["systemd"], RELEASES["apk"]) == ""
    assert install_command(["systemd", "nvme-cli"], RELEASES["apk"]) == "apk add nvme-cli"


def test_a_package_is_named_once_though_two_of_debians_are_one_there():
    assert install_command(["dmsetup", "lvm2"], RELEASES["nix"]).count("lvm2") == 1


def test_every_renamed_package_is_one_that_a_tool_asks_for():
    assert {package for names in NAMES.values() for package in names} <= DEBIANS
    assert set(NAMES) == set(RELEASES)
