"""Programs that keep files: which run, where their files are on this machine."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.machine import watching
from fsadvisor.readers import json_text
from fsadvisor.survey import program_files, read_fact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.machine.port import Machine
    from fsadvisor.machine.watching import CacheMode
    from fsadvisor.readers.json_text import Json
    from fsadvisor.storage.about import Workload


class KnownProgram(Struct, frozen=True):
    """A program: its process names, what it does, and the folder that its packages use.

    `mark` is a word in the path of its data (java and beam run many programs); `in_cwd` says that it works inside
    its data folder.
    """

    name: str
    processes: tuple[str, ...]
    workload: Workload
    default: str
    mark: str = ""
    in_cwd: bool = False
    untold: bool = False
    """Its arguments say nothing of its files."""


PROGRAMS: tuple[KnownProgram, ...] = (
    KnownProgram("postgresql", ("postgres", "postmaster"), "oltp", "/var/lib/postgresql", in_cwd=True),
    KnownProgram("mysql", ("mysqld", "mariadbd"), "oltp", "/var/lib/mysql", in_cwd=True),
    KnownProgram("mongodb", ("mongod",), "oltp", "/var/lib/mongodb"),
    KnownProgram("redis", ("redis-server", "valkey-server"), "oltp", "/var/lib/redis", in_cwd=True),
    KnownProgram("etcd", ("etcd",), "oltp", "/var/lib/etcd"),
    KnownProgram("influxdb", ("influxd",), "oltp", "/var/lib/influxdb"),
    KnownProgram("sqlserver", ("sqlservr",), "oltp", "/var/opt/mssql/data"),
    KnownProgram("openldap", ("slapd",), "oltp", "/var/lib/ldap"),
    KnownProgram("couchdb", ("beam.smp",), "oltp", "/var/lib/couchdb", mark="couchdb"),
    KnownProgram("k3s", ("k3s-server",), "oltp", "/var/lib/rancher/k3s/server/db"),
    KnownProgram("consul", ("consul",), "oltp", "/opt/consul"),
    KnownProgram("zookeeper", ("java",), "oltp", "/var/lib/zookeeper", mark="zookeeper"),
    KnownProgram("proxmox-cluster", ("pmxcfs",), "oltp", "/var/lib/pve-cluster"),
    KnownProgram("cassandra", ("java",), "mixed", "/var/lib/cassandra", mark="cassandra"),
    KnownProgram("scylla", ("scylla",), "mixed", "/var/lib/scylla"),
    KnownProgram("elasticsearch", ("java",), "mixed", "/var/lib/elasticsearch", mark="elasticsearch"),
    KnownProgram("opensearch", ("java",), "mixed", "/var/lib/opensearch", mark="opensearch"),
    KnownProgram("clickhouse", ("clickhouse-server", "clickhouse-serv"), "streaming", "/var/lib/clickhouse"),
    KnownProgram("prometheus", ("prometheus",), "streaming", "/var/lib/prometheus"),
    KnownProgram("minio", ("minio",), "streaming", ""),
    KnownProgram("ceph-osd", ("ceph-osd",), "mixed", "/var/lib/ceph/osd"),
    KnownProgram("kafka", ("java",), "streaming", "", mark="kafka"),
    KnownProgram("rabbitmq", ("beam.smp",), "oltp", "", mark="rabbitmq"),
    KnownProgram("postfix", ("master",), "metadata-heavy", "/var/spool/postfix", mark="postfix"),
    KnownProgram("dovecot", ("dovecot",), "metadata-heavy", "/var/mail"),
    KnownProgram("exim", ("exim4", "exim"), "metadata-heavy", "/var/spool/exim4"),
    KnownProgram("jenkins", ("java",), "metadata-heavy", "", mark="jenkins"),
    KnownProgram("gitlab-runner", ("gitlab-runner",), "metadata-heavy", "/var/lib/gitlab-runner"),
    KnownProgram("buildkit", ("buildkitd",), "metadata-heavy", "/var/lib/buildkit"),
    KnownProgram("docker", ("dockerd",), "mixed", "/var/lib/docker"),
    KnownProgram("containerd", ("containerd",), "mixed", "/var/lib/containerd"),
    KnownProgram("crio", ("crio",), "mixed", "/var/lib/containers"),
    KnownProgram("grafana", ("grafana", "grafana-server"), "mixed", "/var/lib/grafana"),
    KnownProgram("gitea", ("gitea", "forgejo"), "mixed", "/var/lib/gitea", in_cwd=True),
    KnownProgram("ceph-mon", ("ceph-mon",), "oltp", "/var/lib/ceph/mon"),
    KnownProgram("cockroachdb", ("cockroach",), "oltp", "/var/lib/cockroach"),
    KnownProgram("tikv", ("tikv-server",), "oltp", "/var/lib/tikv"),
    KnownProgram("oracle", ("tnslsnr",), "oltp", "", untold=True),
    KnownProgram("nfs-ganesha", ("ganesha.nfsd",), "mixed", "", untold=True),
    KnownProgram("samba", ("smbd",), "mixed", "", untold=True),
    KnownProgram("qemu", watching.QEMU_NAMES, "mixed", "", untold=True),
    KnownProgram("libvirt", ("libvirtd", "virtqemud"), "mixed", "/var/lib/libvirt/images"),
)
_PROCESS_NAMES = tuple(sorted({name for program in PROGRAMS for name in program.processes}))
_NOT_DATA = (
    "/var/log/",
    "/usr/",
    "/bin/",
    "/sbin/",
    "/etc/",
    "/run/",
    "/var/run/",
    "/proc/",
    "/sys/",
    "/dev/",
    "/tmp/",  # noqa: S108
    "/opt/",
)


class Inside(Struct, frozen=True, kw_only=True):
    """A program's place in its container: the way to its root, its folder and settings by the container's paths.

    `started` are the settings that the container's engine started it with, None where they are not known.
    """

    root: str
    directory: str
    settings: tuple[tuple[str, str | None], ...]
    started: tuple[tuple[str, str | None], ...] | None
    mounts: program_files.Mounts

    def path(self, path: str) -> str:
        """A path of the container, as we may read it."""
        return f"{self.root}/{path.lstrip('/')}"


class RunningProgram(Struct, frozen=True, kw_only=True):
    """A running program and its data folder.

    `process` is its process name, `settings` those about storage among its arguments; `here` says that its paths
    mean the same to us, None where that could not be seen. In a container the folder and the paths among the settings
    are the host's, and `in_layer` says that the folder lies in the container's own writable layer.
    """

    program: KnownProgram
    directory: Fact[str]
    process: str = ""
    pid: int | None = None
    user: str = ""
    """Whose it is; '' in a recording."""
    settings: tuple[tuple[str, str | None], ...] = ()
    here: bool | None = None
    container: Fact[str] = NOT_APPLICABLE
    in_layer: Fact[bool] = NOT_APPLICABLE
    guest_cache: Fact[CacheMode] = NOT_APPLICABLE
    """How QEMU uses the host's cache for the images in the directory: the least safe of them."""
    environment: tuple[tuple[str, str], ...] | None = None
    """Of its variables those about storage; None where they were not read."""
    inside: Inside | None = None
    """Its files as its container sees them."""
    device: str = ""
    """The device that it writes to without a directory: a disk of a guest; '' where it has files."""


def running(machine: Machine) -> list[RunningProgram] | Unknown:
    """The known programs that run, one per program and data folder."""
    document = read_fact.understood(machine.processes(_PROCESS_NAMES), json_text.load)
    if isinstance(document, Unknown):
        return document
    if not machine.root and _others_are_hidden(machine):
        return Unknown(Cause.DENIED, "run as root", "/proc is mounted with hidepid")
    found: dict[tuple[str, object], RunningProgram] = {}
    for process in _by_images(json_text.items(document)):
        for program in _programs(process):
            running = _running_program(machine, program, process)
            directory = running.directory
            first = found.setdefault((program.name, directory), running)
            more = tuple(it for it in running.settings if it not in first.settings)
            found[program.name, directory] = replace(first, settings=(*first.settings, *more))
    known = {it.program.name for it in found.values() if isinstance(it.directory, Known)}
    return [it for it in found.values() if isinstance(it.directory, Known) or it.device or it.program.name not in known]


def _by_images(processes: Iterable[Json]) -> Iterable[Json]:
    """Of QEMU one for each directory with images, and for each device, the least safe first; others as they are."""
    for process in processes:
        images = [it for it in json_text.items(process, "images") if isinstance(it, dict)]
        if not images or not isinstance(process, dict):
            yield process
            continue
        caches_of: dict[str, list[str]] = {}
        for image in images:
            path, cache = json_text.string(image, "path") or "", json_text.string(image, "cache") or ""
            target = path if path.startswith("/dev/") else str(PurePosixPath(path).parent)
            caches_of.setdefault(target, []).append(cache)
        for target, caches in sorted(caches_of.items(), key=lambda it: "unsafe" not in it[1]):
            worst = min(caches, key=lambda it: _LEAST_SAFE.index(it) if it in _LEAST_SAFE else len(_LEAST_SAFE))
            yield {**process, "images": None, "settings": [["guest_place", target], ["guest_cache", worst]]}


_LEAST_SAFE = ("unsafe", "writeback", "none", "writethrough", "directsync")


def refused(machine: Machine, what: str) -> Unknown:
    """Why something of a program was not seen: of root it is refused in a container alone, and archives lack it."""
    if machine.root:
        return Unknown(Cause.NOT_EXPOSED, "run fsadvisor on the machine itself, outside containers", what)
    return Unknown(Cause.DENIED, "run as root", what)


def _others_are_hidden(machine: Machine) -> bool:
    """Whether /proc shows an ordinary user only his own processes (proc(5): hidepid 1, 2, 4 and their names)."""
    table = read_fact.value(read_fact.text(machine, "/proc/self/mountinfo")) or ""
    options = (line.rpartition(" ")[2].split(",") for line in table.split("\n") if " - proc " in line)
    return any(it.startswith("hidepid=") and it not in ("hidepid=0", "hidepid=off") for each in options for it in each)


def _running_program(machine: Machine, program: KnownProgram, process: Json) -> RunningProgram:
    found = RunningProgram(
        program=program,
        directory=_directory(machine, program, process),
        process=json_text.string(process, "name") or "",
        pid=json_text.integer(process, "pid"),
        user=json_text.string(process, "user") or "",
        here=json_text.boolean(process, "here"),
        settings=_settings(process),
        environment=_environment(process),
        guest_cache=_guest_cache(machine, program, process),
        device=_device(program, process),
    )
    settings, environment = dict(found.settings), dict(found.environment or ())
    if program.name == "etcd" and program_files.has_etcd_file(settings, environment):
        root = {True: "", False: f"/proc/{found.pid}/root"}.get(found.here) if found.here is not None else None
        named = program_files.etcd_file_path(settings, environment)
        place = program_files.etcd_data_directory(machine, named, root, found.directory, program.default)
        found = replace(found, directory=place)
    if isinstance(found.directory, Unknown) and found.here and json_text.boolean(process, "listed"):
        found = replace(found, directory=program_files.configured_directory(machine, program.name) or found.directory)
    return found if found.here is not False else _on_the_host(machine, found, process)


def _guest_cache(machine: Machine, program: KnownProgram, process: Json) -> Fact[CacheMode]:
    if program.name != "qemu":
        return NOT_APPLICABLE
    if json_text.boolean(process, "denied"):
        return refused(machine, "arguments of qemu")
    word = dict(_settings(process)).get("guest_cache")
    learn = "look for its disks: none is a file or device of this machine"
    return read_fact.choice(read_fact.fact_of(word, "arguments of qemu", learn), watching.CacheMode)


def _on_the_host(machine: Machine, found: RunningProgram, process: Json) -> RunningProgram:
    """A program of a container, by the host's paths."""
    mounts = program_files.Mounts(machine, json_text.string(process, "mounts") or "")
    name = json_text.string(process, "container")
    container = read_fact.fact_of(name, "/proc/PID/cgroup", "look for its container: systemd-cgls")
    host_path = mounts.place(found.directory.value) if isinstance(found.directory, Known) else None
    if host_path is None or isinstance(host_path.path, Unknown):
        unknown = Unknown(
            Cause.NOT_EXPOSED, "run fsadvisor in its container", f"{found.program.name} has another root directory"
        )
        return replace(found, directory=unknown, container=container, in_layer=unknown)
    settings = tuple((key, _path_on_host(mounts, value)) for key, value in found.settings)
    inside = None if found.pid is None or isinstance(found.directory, Unknown) else Inside(
        root=f"/proc/{found.pid}/root",
        directory=found.directory.value,
        settings=found.settings,
        started=_settings(process, "started") if isinstance(json_text.member(process, "started"), list) else None,
        mounts=mounts,
    )  # fmt: skip
    return replace(
        found,
        directory=host_path.path,
        in_layer=host_path.in_layer,
        container=container,
        settings=settings,
        inside=inside,
    )


def _path_on_host(mounts: program_files.Mounts, value: str | None) -> str | None:
    """A value that is a path, as the host's; None where it has none."""
    return value if value is None or not value.startswith("/") else read_fact.value(mounts.place(value).path)


def _environment(process: Json) -> tuple[tuple[str, str], ...] | None:
    listed = json_text.member(process, "environment")
    if not isinstance(listed, list):
        return None
    pairs = [pair for pair in listed if isinstance(pair, list) and len(pair) == 2]
    return tuple((str(name), str(value)) for name, value in pairs)


def _settings(process: Json, key: str = "settings") -> tuple[tuple[str, str | None], ...]:
    pairs = [pair for pair in json_text.items(process, key) if isinstance(pair, list) and len(pair) == 2]
    return tuple((name, value if isinstance(value, str) else None) for name, value in pairs if isinstance(name, str))


def _programs(process: Json) -> Iterable[KnownProgram]:
    name = json_text.string(process, "name")
    paths = " ".join(_paths(process))
    return [program for program in PROGRAMS if name in program.processes and program.mark in paths]


def _paths(process: Json) -> list[str]:
    paths = [path for path in json_text.items(process, "paths") if isinstance(path, str)]
    cwd = json_text.string(process, "cwd")
    return [*paths, *([cwd] if cwd else [])]


def _device(program: KnownProgram, process: Json) -> str:
    place = dict(_settings(process)).get("guest_place") or ""
    return place if program.name == "qemu" and place.startswith("/dev/") else ""


def _of_guest(program: KnownProgram, path: str) -> Fact[str]:
    if path.startswith("/dev/"):
        return Unknown(Cause.NOT_EXPOSED, "", f"argument of {program.name}: its disk is {path}")
    return Known(path, f"argument of {program.name}")


def _directory(machine: Machine, program: KnownProgram, process: Json) -> Fact[str]:
    """The data folder: an argument under which data may lie, the working folder, what it writes, the packages' default.

    A configuration file may put the data anywhere: what the program has open for writing tells.
    """
    if place := dict(_settings(process)).get("guest_place"):
        return _of_guest(program, place)
    if program.untold:
        learn = f"ask whoever runs {program.name} where its files are"
        return Unknown(Cause.NOT_EXPOSED, learn, f"arguments of {program.name}")
    settings, environment = dict(_settings(process)), dict(_environment(process) or ())
    for told, where in ((settings.get("data_dir"), "argument"), (environment.get("ETCD_DATA_DIR"), "environment")):
        if told and told.startswith("/"):
            return Known(told, f"{where} of {program.name}")
    cwd = json_text.string(process, "cwd")
    if program.in_cwd and cwd and cwd != "/":
        return Known(cwd, f"working directory of {program.name}")
    if program.in_cwd and json_text.boolean(process, "listed"):
        name = json_text.string(process, "name") or program.name
        return program_files.listed_directory(program.name, name, settings.get("datadir"), _paths(process))
    seen = _seen(program, process, cwd)
    if seen is not None:
        return seen
    if json_text.boolean(process, "denied"):
        return refused(machine, f"arguments of {program.name}")
    if program.default:
        return Known(program.default, f"{program.name}'s usual place; its arguments name no other")
    return Unknown(Cause.NOT_EXPOSED, "", f"arguments of {program.name}")


def _seen(program: KnownProgram, process: Json, cwd: str | None) -> Known[str] | None:
    """The folder by its arguments, else by what it has open for writing, else by where it was started."""
    marked = [
        path for path in _paths(process) if not path.startswith(_NOT_DATA) and path != "/" and program.mark in path
    ]
    folders = [path for path in marked if not PurePosixPath(path).suffix]
    writes = json_text.string(process, "writes")
    if writes and folders in ([], [cwd]):
        inside = f"{writes}/".startswith(f"{program.default or '?'}/")
        return Known(program.default if inside else writes, f"files that {program.name} has open for writing")
    return Known(folders[0], f"argument of {program.name}") if folders else None
