"""A Redis in containers of a real engine: what engine and server say of it, and what fsadvisor tells.

`unshare --mount python -m tests.programs.engines ENGINE TREE FOLDER` prints both as JSON, or why
no container runs here. The image holds directories alone: programs are those of TREE and of this machine.
"""

import contextlib
import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

from fsadvisor.facts import Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.survey.whole import survey
from tests.programs.running import END_S, lay_over, said

_CGROUPS = Path("/sys/fs/cgroup")
_LIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024")
"""What an engine sets by itself may be more than this machine allows."""
_SERVER = ("redis-server", "--port", "0", "--dir", "/data", "--unixsocket", "/data/s")
SETTINGS = {"appendonly": "yes", "appendfsync": "always"}
_WORDS = tuple(word for name, value in SETTINGS.items() for word in (f"--{name}", value))


class NoContainersHereError(Exception):
    """What the engine said of the simplest container."""


def prepare(tree, folder):
    """The engine's packages in place, and directories of its own for all that it keeps; the image, for its import."""
    lay_over(tree, folder)
    for place in ("/var/lib", "/run"):
        said("mount", "-t", "tmpfs", "tmpfs", place)
    for name in ("containers", "docker", "containerd"):
        (folder / name).mkdir()
        Path("/var/lib", name).mkdir()
        said("mount", "--bind", str(folder / name), f"/var/lib/{name}")
    # Of version 2 whatever this machine has; without controllers there is nothing to limit, but each container's name.
    said("mount", "-t", "cgroup2", "cgroup2", str(_CGROUPS))
    image = folder / "image"
    for name in ("usr", "etc", "dev", "proc", "sys", "tmp", "data"):
        (image / name).mkdir(parents=True)
    for name in ("bin", "lib", "lib64", "sbin"):
        (image / name).symlink_to(f"usr/{name}")
    (image / "etc" / "passwd").write_text("root:x:0:0::/:/bin/sh\n")
    return image


def tidy():
    """Take away the control groups that engines leave behind, where nobody uses them."""
    groups = [path for name in ("libpod_parent", "docker", "kubepods") for path in (_CGROUPS / name).rglob("")]
    for path in sorted(groups, reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir()


@contextlib.contextmanager
def daemon(*argv, ready):
    """A daemon until the block ends; what it said where it does not come up."""
    with Path("/var/lib/daemon.log").open("w+") as log, subprocess.Popen(argv, stdout=log, stderr=log) as process:
        try:
            wait_for(lambda: subprocess.run(ready, check=False, capture_output=True).returncode == 0, process)
            yield
        finally:
            process.terminate()
            process.wait(END_S)


def wait_for(truth, process=None):
    """Until something is true."""
    end = time.monotonic() + END_S
    while not truth():
        if process is not None and process.poll() is not None:
            raise NoContainersHereError(Path("/var/lib/daemon.log").read_text()[-500:])
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.1)


def seen(containers):
    """The Redis servers of these by their directories: containers, layers and settings. Others may run beside them."""
    spaces = [it.scope["service"] for it in survey(LiveMachine(), {}).subjects if it.kind == "service"]
    names = ("container", "in_container_layer", "mount_point", *SETTINGS)
    return {
        str(one.directory.value): {name: value(getattr(one, name)) for name in names}
        for one in spaces
        if value(one.container) in containers and not isinstance(one.directory, Unknown)
    }


def value(fact):
    """What is known, else why not."""
    return f"unknown: {fact.cause.value}" if isinstance(fact, Unknown) else str(fact.value)


def two_containers(image, tool, *options):
    """One Redis on a volume, one in its container's own layer, by podman or docker."""
    start = (*tool, "run", "--network", "none", *_LIMITS, *options, "--volume", "/usr:/usr:ro")
    packed = subprocess.Popen(["tar", "-C", str(image), "-c", "."], stdout=subprocess.PIPE)
    subprocess.run([*tool, "import", "-", "lab"], stdin=packed.stdout, check=True, capture_output=True, timeout=END_S)
    packed.wait(END_S)
    tried = subprocess.run([*start, "--rm", "lab", "true"], capture_output=True, text=True, check=False, timeout=END_S)
    if tried.returncode:
        raise NoContainersHereError(tried.stderr[-500:])
    on_volume, in_layer, volume = (f"{name}-{os.getpid()}" for name in ("on-volume", "in-layer", "keep"))
    try:
        said(*start, "--detach", "--name", on_volume, "--volume", f"{volume}:/data", "lab", *_SERVER, *_WORDS)
        said(*start, "--detach", "--name", in_layer, "lab", *_SERVER)
        layer = said(*tool, "inspect", "--format", "{{.GraphDriver.Data.UpperDir}}", in_layer).strip()
        places = {
            on_volume: said(*tool, "volume", "inspect", "--format", "{{.Mountpoint}}", volume).strip(),
            in_layer: f"{layer}/data",
        }
        asked = {f"{tool[0]} {name}": asked_inside((*tool, "exec", name), place) for name, place in places.items()}
        return asked, seen(asked)
    finally:
        subprocess.run([*tool, "rm", "--force", on_volume, in_layer], check=False, capture_output=True)


def asked_inside(within, place):
    """What the server in a container says of its settings, with its directory on the host."""
    client = (*within, "redis-cli", "-s", "/data/s")
    wait_for(lambda: subprocess.run([*client, "PING"], check=False, capture_output=True).returncode == 0)
    settings = {name: said(*client, "CONFIG", "GET", name).split()[1] for name in SETTINGS}
    return {"directory": place, **settings}


def podman(image):
    """By podman and runc."""
    return two_containers(image, ("podman", "--runtime", "runc", "--cgroup-manager", "cgroupfs"), "--pids-limit", "0")


def docker(image):
    """By dockerd, which starts a containerd of its own."""
    argv = ("dockerd", "--iptables=false", "--ip6tables=false", "--bridge=none")
    with daemon(*argv, "--exec-opt", "native.cgroupdriver=cgroupfs", ready=("docker", "version")):
        return two_containers(image, ("docker",))


def containerd(image):
    """As kubelet has containerd do it: its namespace, a number for a name, the control group of a pod."""
    number, data = secrets.token_hex(32), image.parent / "volume"
    data.mkdir()
    tool = ("ctr", "--namespace", "k8s.io")
    mounts = ["type=bind,src=/usr,dst=/usr,options=rbind:ro", f"type=bind,src={data},dst=/data,options=rbind:rw"]
    options = ["--rootfs", "--env", "PATH=/usr/bin", "--cpu-shares", "0", "--cgroup", f"/kubepods/pod1/{number}"]
    options += [word for mount in mounts for word in ("--mount", mount)]
    with daemon("containerd", ready=("ctr", "version")):
        argv = [*tool, "run", "--detach", *options, str(image), number, *_SERVER, *_WORDS]
        started = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=END_S)
        if started.returncode:
            raise NoContainersHereError(started.stderr[-500:])
        try:
            within = (*tool, "task", "exec", "--exec-id", "client", number)
            asked = {f"container {number[:12]}": asked_inside(within, str(data))}
            return asked, seen(asked)
        finally:
            said(*tool, "task", "kill", "--signal", "KILL", number)
            wait_for(lambda: "STOPPED" in said(*tool, "task", "ls"))
            said(*tool, "task", "rm", number)
            said(*tool, "container", "rm", number)


def main(engine, tree, folder):
    """Run one."""
    place = Path(folder)
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    image = prepare(Path(tree), place)
    try:
        asked, told = {"podman": podman, "docker": docker, "containerd": containerd}[engine](image)
        print(json.dumps({"asked": asked, "told": told}))
    except NoContainersHereError as error:
        print(json.dumps({"no containers": str(error)}))
    finally:
        tidy()


if __name__ == "__main__":
    main(*sys.argv[1:])
