"""PostgreSQL, MariaDB, Redis and etcd run for real: what is told of their settings is what their clients say."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools.fetch_apt import APT
from tools.package_managers import FetchError

pytestmark = [
    pytest.mark.long,
    pytest.mark.namespaces,
    pytest.mark.skipif(
        os.geteuid() != 0
        or shutil.which("apt-get") is None
        or "\toverlay" not in Path("/proc/filesystems").read_text(),
        reason="needs root, apt and overlayfs",
    ),
]
PACKAGES = {
    "postgresql": ["postgresql-15", "postgresql-client-15"],
    "redis": ["redis-server"],
    "mariadb": ["mariadb-server-core", "mariadb-client-core"],
    "etcd": ["etcd-server"],
    "prometheus": ["prometheus"],
    "influxdb": ["influxdb"],
    "openldap": ["slapd"],
    "podman": ["podman", "runc", "redis-server"],
    "docker": ["docker.io", "redis-server"],
    "libvirt": ["libvirt-daemon", "libvirt-daemon-driver-qemu", "libvirt-clients", "qemu-system-x86"],
}


@pytest.fixture(scope="module")
def folder():
    """On a disk: /tmp may be memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def tree(folder):
    """Makes a folder with a program's packages, unpacked; a program that is installed needs none."""
    made = {}

    def of(program):
        if program not in made:
            work, place = folder / f"{program}-work", folder / f"{program}-tree"
            place.mkdir()
            work.mkdir()
            try:
                for package in APT.download(PACKAGES[program], work):
                    APT.unpack(package, place)
            except FetchError as error:
                pytest.skip(f"{program}: {error}")
            made[program] = place
        return made[program]

    return of


def run(name, tree, folder, module="running"):
    """What the program says of itself, and what is told of it."""
    place = folder / name
    place.mkdir(mode=0o755)
    argv = ("unshare", "--mount", "--propagation", "private", sys.executable, "-m", f"tests.programs.{module}")
    done = subprocess.run(
        [*argv, name, str(tree), str(place)], check=False, capture_output=True, text=True, cwd=ROOT, timeout=1800
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answer = json.loads(done.stdout)
    if "no containers" in answer:
        pytest.skip(f"{name} runs no container here: {answer['no containers']}")
    return answer["asked"], answer["told"]


def as_fact(word):
    """A switch as facts have it."""
    return {"on": "True", "yes": "True", "off": "False", "no": "False"}.get(word, word)


def size(words):
    """'128MB' in bytes."""
    return int(words.removesuffix("MB")) << 20


def test_postgresql_does_what_is_told_of_its_files(tree, folder):
    asked, told = run("postgresql", tree("postgresql"), folder)
    assert asked["synchronous_commit"] == told["synchronous_commit"] == "off"
    assert as_fact(asked["full_page_writes"]) == told["full_page_writes"] == "False"
    assert asked["wal_sync_method"] == told["wal_sync_method"] == "fsync"
    assert told["fsync"] == "True"


def test_postgresql_has_the_defaults_that_are_told(tree, folder):
    asked, told = run("postgresql-defaults", tree("postgresql"), folder)
    assert as_fact(asked["fsync"]) == told["fsync"]
    assert size(asked["shared_buffers"]) == int(told["buffer_bytes"])
    assert told["server_version"].startswith("15") or told["server_version"].startswith("(15")
    assert asked["server_version"].startswith("15.")


@pytest.mark.parametrize(("name", "in_layer"), [("contained-layer", "True"), ("contained-volume", "False")])
def test_postgresql_with_a_root_of_its_own_is_judged_by_its_files_on_the_host(name, in_layer, tree, folder):
    asked, told = run(name, tree("postgresql"), folder)
    assert asked["synchronous_commit"] == told["synchronous_commit"] == "local"
    assert as_fact(asked["full_page_writes"]) == told["full_page_writes"] == "False"
    assert as_fact(asked["fsync"]) == told["fsync"] == "True"
    assert told["in_container_layer"] == in_layer


@pytest.mark.parametrize("name", ["redis", "redis-defaults", "contained-redis"])
def test_redis_flushes_its_log_as_told(name, tree, folder):
    asked, told = run(name, tree("redis"), folder)
    assert as_fact(asked["appendonly"]) == told["appendonly"]
    assert asked["appendfsync"] == told["appendfsync"]


@pytest.mark.parametrize("name", ["mariadb", "mariadb-defaults", "contained-mariadb"])
def test_mariadb_flushes_as_told(name, tree, folder):
    asked, told = run(name, tree("mariadb"), folder)
    assert told["edition"] == "mariadb"
    assert asked["version"].startswith("10.11.")
    for variable in ("innodb_flush_method", "innodb_flush_log_at_trx_commit"):
        assert asked.get(variable, told[variable]) == told[variable]
    assert int(asked["innodb_buffer_pool_size"]) == int(told["buffer_bytes"])
    assert told["innodb_doublewrite"] == "ON"
    if name == "mariadb-defaults":
        assert (told["innodb_flush_method"], told["innodb_flush_log_at_trx_commit"]) == ("O_DIRECT", "1")


@pytest.mark.parametrize(("name", "unsafe"), [("etcd", "True"), ("etcd-defaults", "False"), ("etcd-file", "True")])
def test_etcd_keeps_its_log_where_told(name, unsafe, tree, folder):
    asked, told = run(name, tree("etcd"), folder)
    assert asked["log_directory"] == told["log_directory"]
    assert told["unsafe_no_fsync"] == unsafe


@pytest.mark.parametrize("name", ["prometheus", "influxdb", "openldap"])
def test_a_program_keeps_its_files_where_told(name, tree, folder):
    asked, told = run(name, tree(name), folder)
    assert asked["open"], "the program holds no file open"
    assert told["directory"], "no folder is told"
    assert all(f"{path}/".startswith(f"{folder}/{name}/data/") for path in asked["open"])


@pytest.mark.parametrize(("engine", "package"), [("podman", "podman"), ("docker", "docker"), ("containerd", "docker")])
def test_a_redis_in_a_real_engines_container_is_told_by_name_with_its_place_and_settings(engine, package, tree, folder):
    asked, told = run(engine, tree(package), folder, "engines")
    for name, server in asked.items():
        found = told[server["directory"]]
        assert found["container"] == name
        assert found["in_container_layer"] == str(" in-layer-" in name)
        assert (found["appendonly"], found["appendfsync"]) == (as_fact(server["appendonly"]), server["appendfsync"])
    assert len(asked) == len(told)


def test_a_guest_of_libvirt_is_told_by_its_disks_be_they_files_or_devices(tree, folder):
    asked, told = run("libvirt", tree("libvirt"), folder, "guests")
    assert told.pop("unsafe") == ["/etc/libvirt/qemu/lab.xml"]
    image, device = Path(asked["file"]), asked["block"]
    assert told[str(image.parent)]["cache"] == "none"
    assert told[str(image.parent)]["place"], "its mount"
    assert told[device] == {"cache": "unsafe", "place": None, "below": [f"layer:{Path(device).name}"]}
