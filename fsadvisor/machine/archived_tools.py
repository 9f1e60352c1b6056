"""What tables and files of an archive say to the questions that are put to LVM, ZFS, multipath, systemd and grep.

| asked | told by |
|---|---|
| mysqld --version | the list of packages |
| lvs as JSON | lvs -a -o +…, lvs, and insights' lvs with name prefixes; sizes by dmsetup table, since lvs rounds |
| lvmconfig thin_pool_autoextend_threshold | /etc/lvm/lvm.conf and lvmlocal.conf, else LVM's default |
| zpool list, zpool status, zfs get | zpool get all, zpool list, zpool status -v, zfs get all |
| dmsetup status of multipath | multipath -ll, where dmsetup status was not kept |
| systemctl show fstrim.timer | systemctl list-timers --all, where the lists of units were not kept |
| grep in jobs and in mdadm.conf | /etc/cron*, /var/spool/cron, /etc/systemd/system, mdadm.conf |

https://github.com/sosreport/sos/tree/main/sos/report/plugins (lvm2, zfs, multipath, systemd, cron, md; 3.2 to 4.12)
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, Protocol

from fsadvisor.machine.port import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.machine.port import Answer, Argv


class Archive(Protocol):
    """What an archive holds; None where it does not."""

    def output(self, command: str) -> str | None:
        """Of a command as sos spells it; with '*' at its end, of the first that begins so."""
        ...

    def outputs(self, beginning: str) -> list[str]:
        """The outputs of all commands whose line begins with these words."""
        ...

    def file(self, path: str) -> str | None:
        """Of a file, links not followed out of the archive."""
        ...

    def names(self, path: str) -> list[str] | None:
        """The names in a folder."""
        ...


_SHORTEST: Final = 3


def command(argv: Argv, archive: Archive) -> Answer | None:
    """The answer to a command that nobody ran there, None where nothing tells it."""
    if argv in (("mysqld", "--version"), ("mariadbd", "--version")):
        return _mysqld(argv[0], archive)
    if argv[:1] != ("lvs",) and len(argv) < _SHORTEST:
        return None
    tool, *rest = argv
    answer = None
    if tool == "lvs":
        answer = _lvs(archive)
    elif tool == "lvmconfig" and rest[-1] == "activation/thin_pool_autoextend_threshold":
        answer = _autoextend(archive)
    elif rest[:1] in (["list"], ["status"]) and tool == "zpool":
        answer = _pools(archive) if rest[0] == "list" else _status(archive)
    elif rest[:1] == ["get"] and tool == "zfs":
        answer = _datasets(archive)
    elif argv[:5] == ("dmsetup", "status", "--noflush", "--target", "multipath"):
        answer = _paths(archive)
    elif argv[:3] == ("systemctl", "show", "fstrim.timer"):
        answer = _timer(archive)
    elif tool == "grep" and rest[0] in _GREPS:  # lines themselves are not picked from what was kept
        answer = _GREPS[rest[0]](argv, archive)
    return answer


_PACKAGES: Final = ("sh -c rpm", "rpm -qa", "dpkg -l", "dpkg-query")
_OF_MYSQL: Final = re.compile(
    r"^(?:ii +)?(mariadb|mysql|percona)(?:-community)?-server(?:-core)?(?:-\d[\d.]*(?= ))?(?::\w+)?"
    r"[- ]+(?:\d+:)?(\d+\.\d+\.\d+)",
    re.MULTILINE | re.IGNORECASE,
)


def _mysqld(name: str, archive: Archive) -> Reply | None:
    """The version of the one server package that is installed."""
    texts = (text for beginning in _PACKAGES for text in archive.outputs(beginning))
    found = {(maker.lower(), version) for text in texts for maker, version in _OF_MYSQL.findall(text)}
    if len(found) != 1:
        return None
    maker, version = found.pop()
    return Reply(f"{name}  Ver {version}{'-MariaDB' if maker == 'mariadb' else ''} for Linux\n", "the packages", 0)


_LVS: Final = ("lvs -a -o*", "lvs*")
_HEADS: Final = {
    "LV": "lv_name", "VG": "vg_name", "Attr": "lv_attr", "Pool": "pool_lv", "Origin": "origin", "Data%": "data_percent",
    "Meta%": "metadata_percent", "Devices": "devices", "#Str": "stripes",
}  # fmt: skip
_PREFIXED: Final = re.compile(r"LVM2_([A-Z_]+)='([^']*)'")
_HEALTH: Final = {
    "p": "partial", "r": "refresh needed", "m": "mismatches exist", "w": "writemostly", "F": "failed",
    "D": "out_of_data", "M": "metadata_read_only", "-": "", " ": "",
}  # fmt: skip
_HEALTH_AT: Final = 8
"""The ninth letter of lvs(8)'s attributes."""
_LENGTH: Final = re.compile(r"^(\S+): \d{1,18} (\d{1,18}) ", re.MULTILINE)


def _lvs(archive: Archive) -> Reply | None:
    found = next(((it, text) for it in _LVS if (text := archive.output(it)) is not None), None)
    if found is None:
        return None
    command_, text = found
    rows = [{key.lower(): value for key, value in _PREFIXED.findall(line)} for line in text.splitlines()]
    volumes = [it for it in rows if it.get("lv_name")] or list(_table(text))
    if not volumes:
        return None
    sectors: dict[str, int] = {}
    for name, length in _LENGTH.findall(archive.output("dmsetup table") or ""):
        sectors[name] = sectors.get(name, 0) + int(length)
    for volume in volumes:
        _complete(volume, sectors)
    return Reply(json.dumps({"report": [{"lv": volumes}]}), command_.rstrip("*"), 0)


def _complete(volume: dict[str, str], sectors: dict[str, int]) -> None:
    """The name in device mapper, in which a hyphen of a part is two; the health; the size that the kernel has."""
    group, name = (volume.get(key, "").strip("[]").replace("-", "--") for key in ("vg_name", "lv_name"))
    mapped = f"{group}-{name}"
    volume["lv_dm_path"] = f"/dev/mapper/{mapped}"
    attributes = volume.get("lv_attr", "")
    if len(attributes) > _HEALTH_AT and attributes[_HEALTH_AT] in _HEALTH:
        volume["lv_health_status"] = _HEALTH[attributes[_HEALTH_AT]]
    size = sectors.get(mapped) or sectors.get(f"{mapped}-tpool")
    volume.pop("lv_size", None)
    if size:
        volume["lv_size"] = str(size * 512)


def _table(text: str) -> Iterator[dict[str, str]]:
    """Rows of a report: words stand below their heading or reach under it, numbers from the right."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.split()[:3] == ["LV", "VG", "Attr"]), len(lines))
    heads = [(it.start(), it.end(), it[0]) for it in re.finditer(r"LV Tags|\S+", lines[start])] if lines[start:] else []
    for line in lines[start + 1 :]:
        row: dict[str, str] = {}
        for word in re.finditer(r"\S+", line):
            head = next((it for begin, end, it in heads if word.start() < end and begin < word.end()), "")
            if head in _HEADS:
                row.setdefault(_HEADS[head], word[0])
        if {"lv_name", "vg_name"} <= row.keys() and len(row.get("lv_attr", "")) > _HEALTH_AT:
            yield row


_THRESHOLD: Final = re.compile(r"^[ \t]*thin_pool_autoextend_threshold[ \t]*=[ \t]*(\d{1,3})\b", re.MULTILINE)
_LVM_FILES: Final = ("/etc/lvm/lvm.conf", "/etc/lvm/lvmlocal.conf")
_NEVER: Final = "100"
"""LVM's default."""


def _autoextend(archive: Archive) -> Reply | None:
    texts = [archive.file(path) for path in _LVM_FILES]
    if texts[0] is None:
        return None
    told = [value for text in texts for value in _THRESHOLD.findall(text or "")] or [_NEVER]
    return Reply(f"thin_pool_autoextend_threshold={told[-1]}\n", _LVM_FILES[0], 0)


_PROPERTY: Final = re.compile(r"^(\S+(?: \S+)*?) {2,}(\S+) {2,}(\S.*?)(?: {2,}\S.*)?$", re.MULTILINE)
_POOL_COLUMNS: Final = ("ashift", "health", "capacity", "fragmentation", "autotrim")


def _pools(archive: Archive) -> Reply | None:
    pools: dict[str, dict[str, str]] = {}
    for text in archive.outputs("zpool get all"):
        for name, key, value in _PROPERTY.findall(text):
            pools.setdefault(name, {})[key] = value
    source = "zpool get all"
    if not any(set(_POOL_COLUMNS) & row.keys() for row in pools.values()):
        source, (heading, *rows) = (
            "zpool list",
            [cell.split() for cell in (archive.output("zpool list") or "-").splitlines()],
        )
        words = {"HEALTH": "health", "CAP": "capacity", "FRAG": "fragmentation"}
        pools = {
            row[0]: {words.get(head, head): cell for head, cell in zip(heading, row, strict=False)}
            for row in rows
            if row
        }
    pools = {name: row for name, row in pools.items() if "health" in row}
    lines = ("\t".join((name, *(row.get(key, "-") for key in _POOL_COLUMNS))) for name, row in pools.items())
    return Reply("".join(f"{line}\n" for line in lines), source, 0) if pools else None


def _datasets(archive: Archive) -> Reply | None:
    rows = _PROPERTY.findall(archive.output("zfs get all") or "")
    filesystems = {name for name, key, value in rows if (key, value) == ("type", "filesystem")}
    wanted = ((name, key, "0" if value == "none" else value) for name, key, value in rows if name in filesystems)
    lines = ["\t".join(row) for row in wanted]
    return Reply("".join(f"{line}\n" for line in lines), "zfs get all", 0) if lines else None


_STATUS: Final = ("zpool status -v", "zpool status", "zpool status -vx")
_SHORT: Final = re.compile(r"^(\t +)((?:sd[a-z]+|vd[a-z]+|nvme\d+n\d+|dm-\d+)(?:p?\d+)?)(?= )", re.MULTILINE)


def _status(archive: Archive) -> Reply | None:
    """With -x, pools that are well are left out: these stay unknown."""
    text = next((it for name in _STATUS if "pool:" in (it := archive.output(name) or "")), None)
    return None if text is None else Reply(_SHORT.sub(r"\1/dev/\2", text), "zpool status", 0)


_MAP: Final = re.compile(r"^(\S+) (?:\([^)]*\) )?dm-\d+ ")
_PATH: Final = re.compile(r"^[ |`+-]+\d+:\d+:\d+:\d+ +\S+ +(\d+:\d+) +(active|failed) ")


def _paths(archive: Archive) -> Reply | None:
    maps: dict[str, list[str]] = {}
    name = ""
    for line in (archive.output("multipath -ll") or archive.output("multipath -l") or "").splitlines():
        if found := _MAP.match(line):
            name = found[1]
            maps[name] = []
        elif name and (path := _PATH.match(line)):
            maps[name].append(f"{path[1]} {'A' if path[2] == 'active' else 'F'} 0")
    lines = (f"{it}: 0 0 multipath 0 0 1 1 A 0 {len(paths)} 0 {' '.join(paths)}\n" for it, paths in maps.items())
    return Reply("".join(lines), "multipath -ll", 0) if maps else None


def _timer(archive: Archive) -> Reply | None:
    """A timer that has a next time is active; one that the whole list does not have is not."""
    text = archive.output("systemctl list-timers --all") or archive.output("systemctl list-timers") or ""
    if re.search(r"^\d+ timers listed\.", text, re.MULTILINE) is None:
        return None
    row = re.search(r"^(.*?) fstrim\.timer +fstrim\.service$", text, re.MULTILINE)
    state = "active" if row and not row[1].startswith(("n/a", "- ")) else "inactive"
    return Reply(f"Id=fstrim.timer\nActiveState={state}\n", "systemctl list-timers", 0)


_KEPT: Final = ("/etc/cron.d", "/etc/systemd/system")
_MOST_JOBS: Final = 2000
_LONGEST_LINE: Final = 4000
_SPOOL: Final = "/var/spool/cron"


def _named(argv: Argv, archive: Archive) -> Reply | None:
    """`grep -rslE PATTERN FOLDER…`: the files with such a line, where the folders of jobs, or of guests, were kept."""
    jobs = _SPOOL in argv
    places = tuple(it.rstrip("/") for it in argv[3:])
    whole = all(archive.names(folder) is not None for folder in (_KEPT if jobs else places))
    if jobs and not whole:
        return None
    pattern = re.compile(argv[2])
    found = [path for path, text in _files(places, archive) if _has(pattern, text)]
    if jobs and _has(pattern, archive.output("root_crontab") or ""):
        found.append(f"{_SPOOL}/root")
    if not (found or whole):  # of guests: what was not kept may have one
        return None
    return Reply("".join(f"{path}\n" for path in found), f"grep in {', '.join(places)}", 0 if found else 1)


def _files(places: tuple[str, ...], archive: Archive) -> Iterator[tuple[str, str]]:
    waiting = list(places)
    for _ in range(_MOST_JOBS):
        if not waiting:
            return
        path = waiting.pop(0)
        names = archive.names(path)
        if names is not None:
            waiting += [f"{path}/{name}" for name in names]
        elif text := archive.file(path):
            yield path, text


def _counted(argv: Argv, archive: Archive) -> Reply | None:
    """`grep -csE PATTERN FILE… /dev/null`, if one of the files was kept."""
    pattern = re.compile(argv[2].replace("[[:space:]]", r"\s").replace("[^[:space:]]", r"\S"))
    texts = {path: text for path in argv[3:-1] if (text := archive.file(path)) is not None}
    counts = {path: sum(_has(pattern, line) for line in text.splitlines()) for path, text in texts.items()}
    lines = [f"{path}:{count}\n" for path, count in counts.items()]
    return Reply("".join((*lines, "/dev/null:0\n")), f"grep in {', '.join(counts)}", 0) if counts else None


def _has(pattern: re.Pattern[str], text: str) -> bool:
    return any(pattern.search(line[:_LONGEST_LINE]) for line in text.splitlines())


_GREPS: Final = {"-csE": _counted, "-rslE": _named}
