"""What a recording holds of each text: all that verdicts are made of, no comment, no secret, nothing of a server's.

Lines keep their numbers, and a line that no reader understands becomes another that none understands. Names, addresses
and serial numbers that are left get stand-ins afterwards (identities.py).

Of the kernel's command line the parameters about storage are kept, of the settings and arguments of databases those
in KEPT: others may hold passwords. The first line of such settings names what was kept, so that a later fsadvisor can
see what the recording does not answer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from fsadvisor import secrecy, strict_json
from fsadvisor.machine import kept_files, port
from fsadvisor.patterns import in_one_line, late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.machine.port import Argv


CMDLINE = "/proc/cmdline"
_WORDS = ("ro", "rw")
_BEGINNINGS = ("root=", "rootflags=", "rootfstype=", "libata.", "nvme", "scsi_mod.", "psi=", "elevator=", "zswap.")


def boot_parameters_about_storage(text: str) -> str:
    """The parameters that a recording may hold, in their order."""
    words = text.partition(" -- ")[0].split()
    return " ".join(_boot_option(word) for word in words if word in _WORDS or word.startswith(_BEGINNINGS)) + "\n"


def _boot_option(word: str) -> str:
    name, equals, value = word.partition("=")
    if name == "root":
        value = secrecy.anonymous_source("", value)
    elif name == "rootflags":
        value = secrecy.written_options(value)
    return f"{name}{equals}{value}"


_WORD: Final = late(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COMMENT: Final = late(r"(?:^|[ \t])[#;]")
_TABLES: Final = ("/etc/fstab", "/proc/self/mountinfo", "/proc/mounts")
_NAMES: Final = {"/etc/systemd/system": ".mount", "/etc/cron.weekly": "fstrim"}
_BROKEN: Final = "?"
"""A line that is no entry."""
_UDEV_KEY: Final = late(
    r"DEVNAME|DEVTYPE|MAJOR|MINOR|SUBSYSTEM|ID_(?:ATA|BUS|FS_(?:LABEL|TYPE|USAGE|UUID|VERSION)|MODEL|NVME|"
    r"PART_ENTRY_(?:NUMBER|OFFSET|SCHEME|SIZE|TYPE)|PART_TABLE_TYPE|REVISION|SCSI|SERIAL|TYPE|USB|VENDOR|WWN)\w*"
)
_UNIT_KEYS: Final = frozenset(("Id", "Where", "What", "Type", "Options", "FragmentPath", "SourcePath"))
_OF_PROCESS: Final = (
    *("pid", "name", "cwd", "paths", "settings", "here", "denied"),
    *("container", "environment", "started", "mounts", "images", "writes"),
)


def of_file(path: str, text: str) -> str:
    """The text of a file."""
    told = _FILES.get(path) or next((told for end, told in _BY_END.items() if path.endswith(end)), str)
    return told(text)


def of_command(argv: Argv, text: str) -> str:
    """What a command printed."""
    if argv == ("dmesg",) or argv[:2] == ("journalctl", "-k"):
        return log_about_storage(text)
    return _shown_units(text) if argv[:2] == ("systemctl", "show") else text


_LOG_LINE: Final = late(r"(?:<\d{1,3}>)?\[ *\d{1,12}\.\d{1,9}\] (?:kernel: )?(?:\[ *[TC]\d{1,10}\] )?")
_OF_STORAGE: Final = late(
    r"(?:ata\d+(?:\.\d+)?: |(?:EXT4|F2FS|FAT)-fs |XFS \(|BTRFS[: ]|JBD2: |Aborting journal |INFO: task |sd [\d:]+: "
    r"| (?:connection|session)\d+(?::\d+)?: (?:ping timeout of|detected conn error|session recovery timed out)"
    r"|nvme|md/raid|hpsa \S+: scsi [\d:]+: reset|smartpqi \S+: reset"
    r"|aacraid(?: \S+)?: (?:Host adapter|Outstanding commands|Controller reset type|Adapter health)"
    r"|device-mapper: |Buffer I/O |\w+: detected capacity change |set_capacity_and_notify: "
    r"|(?:\w+: )?(?:I/O|critical [\w ]+|(?:recoverable )?transport|protection|timeout) error, dev )"
    r"[^'\"]{0,160}"
)
_NAMES_FOLLOW: Final = late(r": comm |\b[Nn]ame\b| \(path: |device label ")
_TASK: Final = late(r"(?<=INFO: task ).{1,32}?(?=:\d+ )")


def log_about_storage(text: str) -> str:
    """The kernel's log: of its lines those about storage, up to where names of files or programs may follow.

    The first line stays with its time alone, to tell how far back the log goes.
    """
    kept: list[str] = []
    for number, line in enumerate(in_one_line(text).split("\n")):
        if (time := _LOG_LINE.match(line)) is None:
            continue
        event = _OF_STORAGE.match(line[time.end() :])
        if event or number == 0:
            kept.append(time[0] + (_NAMES_FOLLOW.split(_TASK.sub("-", event[0]))[0] if event else ""))
    return "\n".join((*kept, "")) if kept else text[:200]


def of_names(folder: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names in a directory: of the jobs and units, whose names tell what a machine is for, those that are read."""
    wanted = _NAMES.get(folder)
    return names if wanted is None else tuple(name for name in names if name.endswith(wanted))


def names_places(where: str) -> bool:
    """Whether it is a table of mounts, or what programs run: with paths that people chose."""
    return where in (*_TABLES, port.PROCESSES_SOURCE) or where.endswith(".mount") or where.startswith("systemctl show ")


def left_out_of_mounts(where: str, text: str) -> list[str]:
    """The words in a table of mounts that are left out of it, comments aside: servers, shares, buckets, people.

    They may stand in names of mount points too.
    """
    if not names_places(where) or where == port.PROCESSES_SOURCE:
        return []
    told = _shown_units(text) if where.startswith("systemctl show ") else of_file(where, text)
    said = "\n".join(_COMMENT.split(line)[0] for line in text.split("\n"))
    return sorted(Counter(_WORD.findall(said)) - Counter(_WORD.findall(told)))


def of_udev(text: str) -> str:
    """The devices with the properties that tell what they are, without their links, which have all serials again."""
    return "".join(f"{line}\n" for line in text.split("\n")[:-1] if _is_told(line))


def _is_told(line: str) -> bool:
    if line.startswith("E: "):
        return _UDEV_KEY.fullmatch(line[3:].partition("=")[0]) is not None
    return not line.startswith("S: ")


def of_processes(text: str) -> str:
    """The processes without whose they are."""
    told = [{key: it[key] for key in _OF_PROCESS if key in it} for it in json.loads(text)]
    mountinfo = _by_line(_mountinfo_line)
    return json.dumps([it | {"mounts": mountinfo(it["mounts"])} if it.get("mounts") else it for it in told])


def _by_line(told: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "\n".join(told(line) for line in text.split("\n"))


def _fstab_line(line: str) -> str:
    fields = re.split("[ \t]+", line.removesuffix("\r").strip(" \t"))
    if not fields[0] or fields[0].startswith("#"):
        return fields[0][:1]
    misplaced = secrecy.hides(secrecy.fstab_line(" ".join(("-", *fields[1:3]))))
    if len(fields) < 3 or misplaced or not all(re.fullmatch("[+-]?[0-9]{1,9}", number) for number in fields[4:6]):
        return _BROKEN
    fields[0] = secrecy.anonymous_source(fields[2], fields[0])
    fields[3:4] = map(secrecy.written_options, fields[3:4])
    fields[4:5] = ["0" for _ in fields[4:5]]
    made = " ".join(fields[:6])
    return f"{made} " if made.endswith("\r") else made  # a carriage return at the very end would be the line's


def _mountinfo_line(line: str) -> str:
    front, dash, back = line.partition(" - ")
    first, last = front.split(" "), back.split(" ")
    if not dash or len(first) < 6 or len(last) < 3:
        return _BROKEN if line.strip() else ""
    first[5] = secrecy.written_options(first[5])
    last[1:] = [secrecy.anonymous_source(last[0], last[1]), secrecy.written_options(" ".join(last[2:]))]
    return " ".join((*first, "-", *last))


def _mounts_line(line: str) -> str:
    fields = line.split(" ")
    if len(fields) < 4 or " - " in line:
        return _mountinfo_line(line)  # an archive may keep it here
    fields[0] = secrecy.anonymous_source(fields[2], fields[0])
    fields[3] = secrecy.written_options(fields[3])
    return " ".join((*fields[:4], *("0" for _ in fields[4:6])))


def _mount_unit(text: str) -> str:
    """The sections and the assignments that are read, a continued line as one."""
    bare = "\n".join(line for line in re.split(r"\r\n|[\n\r\0]", text) if not line.lstrip().startswith(("#", ";")))
    lines = [line.strip() for line in re.sub(r"\\\n", " ", bare).split("\n")]
    kept = [line for line in lines if line in ("[Unit]", "[Mount]") or line.partition("=")[0].rstrip() in _UNIT_KEYS]
    return _with_mounts_told("\n".join((*kept, "")))


def _shown_units(text: str) -> str:
    return "\n\n".join(map(_with_mounts_told, text.split("\n\n")))


def _with_mounts_told(unit: str) -> str:
    """The unit with what it mounts, and with which options, as far as both may be told."""
    kind = re.search(r"^Type[ \t]*=[ \t]*(.*?)[ \t]*$", unit, re.MULTILINE)
    fs_type = kind[1] if kind else ""
    unit = re.sub(
        r"^(What[ \t]*=[ \t]*)(.*)$",
        lambda line: line[1] + secrecy.anonymous_source(fs_type, line[2]),
        unit,
        flags=re.MULTILINE,
    )
    return re.sub(
        r"^(Options[ \t]*=[ \t]*)(.*)$",
        lambda line: line[1] + secrecy.joined_options(line[2]),
        unit,
        flags=re.MULTILINE,
    )


_EXPORT: Final = late(r"^([^\t\n]*\t)[^\t\n(]*\(([^)\n]*)\).*$", re.MULTILINE)
_ABOUT_WRITES: Final = ("rw", "ro", "sync", "async")


def _exports(text: str) -> str:
    """exportfs's table without the clients, with the options about writes."""

    def shown(line: re.Match[str]) -> str:
        return f"{line[1]}*({','.join(option for option in line[2].split(',') if option in _ABOUT_WRITES)})"

    return "".join(f"{_EXPORT.sub(shown, line)}\n" for line in text.split("\n") if _EXPORT.match(line))


_OF_AZURE_DISK: Final = ("caching", "diskSizeGB", "lun", "opsPerSecondThrottle", "bytesPerSecondThrottle")


def instance_data(text: str) -> str:
    """cloud-init's: the size of the machine and of its disks on Azure, without who pays, names and keys."""
    try:
        compute = strict_json.DECODER.decode(text)["ds"]["meta_data"]["imds"]["compute"]
        profile = compute["storageProfile"]
        size = {
            "vmSize": compute["vmSize"],
            "storageProfile": {
                "osDisk": _azure_disk(profile["osDisk"]),
                "dataDisks": [_azure_disk(disk) for disk in profile["dataDisks"]],
            },
        }
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return "{}\n"
    return json.dumps({"ds": {"meta_data": {"imds": {"compute": size}}}}) + "\n"


def _azure_disk(disk: dict[str, Any]) -> dict[str, Any]:
    kind = str(disk.get("managedDisk", {}).get("storageAccountType", ""))
    return {it: disk[it] for it in _OF_AZURE_DISK if it in disk} | {"managedDisk": {"storageAccountType": kind}}


_GANESHA_COMMENT: Final = late(r"#[^\n]*")
_GANESHA: Final = late(
    r"""\b(?P<block>\w+)\s*\{|\}|\b(?P<key>\w+)\s*=\s*(?P<value>"[^"\n]*"|[^;{}\n]*?)\s*;|(?P<include>%(?:include|url)\b)"""
)
_GANESHA_KEYS: Final = ("path", "access_type", "name")


def ganesha(text: str) -> str:
    """NFS-Ganesha's: blocks, paths and who may write, without clients and realms."""
    told = (_token(it) for it in _GANESHA.finditer(_GANESHA_COMMENT.sub("", text)))
    return "".join(f"{it}\n" for it in told if it)


def _token(token: re.Match[str]) -> str:
    if token["block"]:
        return f"{token['block']} {{"
    if token["key"]:
        return f"{token['key']} = {token['value']};" if token["key"].lower() in _GANESHA_KEYS else ""
    return token["include"] or "}"


_FILES: Final[dict[str, Callable[[str], str]]] = {
    "/run/cloud-init/instance-data.json": instance_data,
    "/etc/ganesha/ganesha.conf": ganesha,
    CMDLINE: boot_parameters_about_storage,
    kept_files.ATTESTATIONS: kept_files.without_people,
    kept_files.PROBES: kept_files.without_places,
    "/etc/fstab": _by_line(_fstab_line),
    "/var/lib/nfs/etab": _exports,
    "/proc/mounts": _by_line(_mounts_line),
}
_BY_END: Final[dict[str, Callable[[str], str]]] = {".mount": _mount_unit, "/mountinfo": _by_line(_mountinfo_line)}


_POSTGRESQL = """config_file include include_dir include_if_exists fsync full_page_writes synchronous_commit
    wal_sync_method wal_init_zero wal_recycle io_method debug_io_direct shared_buffers checkpoint_flush_after"""
_MYSQL = """!include !includedir defaults_file defaults_extra_file defaults_group_suffix no_defaults datadir
    innodb_log_group_home_dir innodb_flush_method innodb_doublewrite innodb_flush_log_at_trx_commit
    innodb_buffer_pool_size innodb_checksum_algorithm innodb_data_file_buffering innodb_dedicated_server"""
_OTHERS = "dir appendonly appendfsync data_dir wal_dir unsafe_no_fsync"

ENVIRONMENT: Final = {
    "etcd": ("ETCD_DATA_DIR", "ETCD_WAL_DIR", "ETCD_UNSAFE_NO_FSYNC", "ETCD_CONFIG_FILE"),
    "mysqld": ("MYSQL_VERSION", "MARIADB_VERSION"),
    "mariadbd": ("MARIADB_VERSION",),
}
"""Process name -> the variables that are looked at; those of MySQL, which images set, in containers only. No other
leaves the machine."""
KEPT = frozenset(f"{_POSTGRESQL} {_MYSQL} {_OTHERS}".split())
"""Names in lower case, with '_' for '-'."""

_HEADER = "# settings kept: "
CHANGED: Final = "# changed: "
"""Before the time at which a container's file was changed, in seconds since 1970."""
_SETTING = late(r"\s*(!?[A-Za-z][A-Za-z0-9_.-]*)(?=[\s=:]|$)")
_SECTION = late(r"\s*(\[[^\]]*\])")
_PREFIXES = ("loose_", "skip_", "disable_", "enable_")
"""What MySQL lets stand before an option's name."""
_PERSISTED = late(r'"([a-z0-9_]+)"\s*:\s*\{[^{}]*?"Value"\s*:\s*"([^"\\\n]*)"')
_LONGEST_LINE = 500


def settings_about_storage(path: str, text: str) -> str:
    """The lines of a configuration file that may leave the machine."""
    lines = _persisted(text) if PurePosixPath(path).name == "mysqld-auto.cnf" else _lines(text)
    return "".join(f"{line}\n" for line in (_HEADER + " ".join(sorted(KEPT)), *lines))


def tells_all(text: str) -> bool:
    """Whether no name was left out of a text of `about_storage` that would be kept today."""
    header = text.partition("\n")[0]
    return header.startswith(_HEADER) and set(header.removeprefix(_HEADER).split()) >= KEPT


_PATH_ARGUMENT = late(r"(?:--?[A-Za-z][\w.-]*=|-[A-Za-z])?(/(?!/).*)", re.DOTALL)


def argument_paths(arguments: Sequence[str]) -> list[str]:
    """The absolute paths among the arguments, also of `--option=/path` and `-D/path`, but of no secret's option."""
    paths = []
    before = ""
    for argument in arguments:
        match = _PATH_ARGUMENT.fullmatch(argument)
        if match and not secrecy.announced_by(before) and not secrecy.announced_by(argument):
            paths.append(match[1])
        before = argument if "=" not in argument else ""
    return paths


def settings_in_arguments(arguments: Sequence[str]) -> list[list[str | None]]:
    """[name, value] of the settings among a program's arguments, in order; a value of None: the name alone."""
    found: list[list[str | None]] = []
    for at, argument in enumerate(arguments[1:], start=1):
        following = arguments[at + 1] if at + 1 < len(arguments) else "-"
        name, value = _argument(argument, following)
        if _is_kept(name):
            found.append([_normal(name), value])
    return found


def _argument(argument: str, following: str) -> tuple[str, str | None]:
    """One argument: --name=value, --name value, -c name=value, -cname=value, and -F of PostgreSQL."""
    if argument == "-F":
        return "fsync", "off"
    if argument == "-c":
        argument = f"--{following}"
    elif argument.startswith("-c"):
        argument = f"--{argument[2:]}"
    if not argument.startswith("--"):
        return "", None
    name, equals, value = argument[2:].partition("=")
    if equals:
        return name, value
    return name, None if following.startswith("-") else following


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        section = _SECTION.match(line)
        setting = _SETTING.match(line)
        if section:
            yield section[1][:_LONGEST_LINE]
        elif setting and _is_kept(setting[1]):
            yield line.partition("#")[0].strip()[:_LONGEST_LINE]


def _persisted(text: str) -> Iterator[str]:
    """The variables that SET PERSIST wrote (MySQL 8.0), as lines of an option file."""
    yield "[mysqld]"
    for name, value in _PERSISTED.findall(text):
        if name in KEPT:
            yield f"{name} = {value}"[:_LONGEST_LINE]


def _is_kept(name: str) -> bool:
    normal = _normal(name)
    bare = next((normal.removeprefix(prefix) for prefix in _PREFIXES if normal.startswith(prefix)), normal)
    return bare in KEPT or normal in KEPT


def _normal(name: str) -> str:
    return name.lower().replace("-", "_")
