"""A process with a root of its own, as an engine makes it: seen from the host."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from fsadvisor.machine import watching
from fsadvisor.machine.live import LiveMachine
from fsadvisor.survey import programs
from tests.cases import each
from tests.waiting import END_S, comes_to

pytestmark = [
    pytest.mark.namespaces,
    pytest.mark.skipif(os.geteuid() != 0, reason="makes mounts in a namespace of its own"),
]
ID = "0123456789abcdef" * 4
_CONTAINER = """set -e
mount -t tmpfs none "$1"
mkdir -p "$1/upper/data" "$1/upper/layer" "$1/work" "$1/root"
cp /bin/sleep "$1/upper/postgres"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
mount --bind "$2" "$1/root/data"
mount -t proc proc "$1/root/proc"
cd "$1/root"
"""
_INTO_IT = {
    "pivot_root": "mkdir old; pivot_root . old; cd /; umount -l /old; cd $3; exec /postgres 600",
    "chroot": 'exec chroot . /bin/sh -c "cd $3 && exec /postgres 600"',
}


@pytest.fixture(params=_INTO_IT)
def contained(tmp_path, request):
    """Starts what calls itself postgres, in an overlay with a volume; its working folder is the argument."""
    started = []

    def start(folder):
        volume, top = tmp_path / "volume", tmp_path / "container"
        (volume / "pg").mkdir(parents=True)
        top.mkdir()
        words = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            _CONTAINER + _INTO_IT[request.param],
            "sh",
            top,
            volume,
            folder,
        ]
        process = subprocess.Popen(words, start_new_session=True)
        started.append(process)
        comm = Path(f"/proc/{process.pid}/comm")
        assert comes_to(lambda: process.poll() is not None or comm.read_text() == "postgres\n")
        assert process.poll() is None
        (found,) = [it for it in programs.running(LiveMachine()) if it.pid == process.pid]
        assert (found.process, found.here) == ("postgres", False)
        return found, volume, top

    yield start
    for process in started:
        process.kill()
        process.wait(END_S)


def test_a_volume_of_a_container_is_found_where_it_lies_on_the_host(contained):
    found, volume, _ = contained("/data/pg")
    assert found.directory.value == str(volume / "pg")
    assert found.in_layer.value is False


def test_the_layer_of_a_container_is_found_and_called_one(contained):
    found, _, top = contained("/layer")
    assert found.directory.value == str(top / "upper/layer")
    assert found.in_layer.value is True


@each(
    ("cgroup", "name"),
    [
        (f"0::/system.slice/docker-{ID}.scope", "docker 0123456789ab"),
        (f"12:blkio:/docker/{ID}\n0::/docker/{ID}\n", "docker 0123456789ab"),
        (f"0::/machine.slice/libpod-{ID}.scope/container", "podman 0123456789ab"),
        (f"0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-{ID}.scope", "containerd 0123456789ab"),
        (f"0::/kubepods/besteffort/pod12/{ID}", "container 0123456789ab"),
        ("0::/lxc.payload.mail/system.slice/postfix.service", "LXC mail"),
        ("0::/machine.slice/systemd-nspawn@db.service/payload", "systemd-nspawn db"),
        ("0::/user.slice", None),
        (f"0::/docker-{ID[:-1]}.scope", None),
    ],
)
def test_the_cgroup_names_the_container(cgroup, name):
    assert watching.named_by(cgroup) == name


def test_the_variables_of_etcd_about_storage_are_looked_at_and_no_other(tmp_path):
    program = tmp_path / "etcd"
    program.symlink_to("/bin/sleep")
    variables = {"ETCD_UNSAFE_NO_FSYNC": "true", "ETCD_DATA_DIR": "/srv/etcd", "ETCD_ROOT_PASSWORD": "hunter2"}
    with subprocess.Popen([program, "600"], env=variables) as process:
        try:
            assert comes_to(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "etcd\n")
            told = [it for it in json.loads(LiveMachine().processes(["etcd"]).text) if it["pid"] == process.pid]
        finally:
            process.kill()
    assert sorted(told[0]["environment"]) == [["ETCD_DATA_DIR", "/srv/etcd"], ["ETCD_UNSAFE_NO_FSYNC", "true"]]
    assert "hunter2" not in json.dumps(told)
