"""What NFS servers export: the kernel's (/var/lib/nfs/etab) and NFS-Ganesha (/etc/ganesha/ganesha.conf)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.mount_tables import unescape
from fsadvisor.readers.parsing import refusal, unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

ETAB = "/var/lib/nfs/etab"
_LINE = late(r"(?P<path>/[^\t]*)\t[^\t(]*\((?P<options>[^)\t]*)\)")


class NfsExport(Struct, frozen=True, kw_only=True):
    """A directory for some clients."""

    path: str
    options: tuple[str, ...]


class Exports(Struct, frozen=True, kw_only=True):
    """All of them; () where nothing is exported."""

    exports: tuple[NfsExport, ...]
    unread: tuple[str, ...] = ()


def parse_nfs_exports(text: str) -> Exports | Unknown:
    """What an NFS server exports, and whether it acknowledges before the disk has it: /var/lib/nfs/etab.

    A text of which no line is an export is something else.

    Written against nfs-utils 1.3 to 2.8: exportfs writes it with every option spelled out, and empties it as the
    server stops.

        /srv/data<TAB>192.0.2.0/24(rw,sync,wdelay,hide,nocrossmnt,secure,root_squash,no_all_squash,sec=sys,rw)

    https://man7.org/linux/man-pages/man8/exportfs.8.html
    """
    lines = [line for line in text.split("\n") if line.strip()]
    found = [(line, _LINE.fullmatch(line)) for line in lines]
    if lines and not any(match for _, match in found):
        return refusal(text, "the file is not exportfs's table")
    return Exports(
        exports=tuple(
            NfsExport(path=unescape(match["path"]), options=tuple(match["options"].split(",")))
            for _, match in found
            if match
        ),
        unread=unread_pieces([line for line, match in found if match is None]),
    )


GANESHA_PATH: Final = "/etc/ganesha/ganesha.conf"
_COMMENT: Final = late(r"#[^\n]*")
_TOKEN: Final = late(
    r"""(?P<block>\w+)\s*\{|(?P<close>\})|(?P<key>\w+)\s*=\s*(?:"(?P<quoted>[^"\n]*)"|(?P<plain>[^;{}\n]*?))\s*;"""
    r"""|(?P<include>%(?:include|url)\b)"""
)
_LOCAL: Final = ("vfs", "xfs")


class GaneshaExport(Struct, frozen=True, kw_only=True):
    """A directory of a local filesystem."""

    path: str
    writable: bool


class GaneshaConf(Struct, frozen=True, kw_only=True):
    """The exports of local filesystems; `whole` is false where the file includes others."""

    exports: tuple[GaneshaExport, ...] = ()
    whole: bool = True


def parse_ganesha_conf(text: str) -> GaneshaConf | Unknown:
    """What NFS-Ganesha exports of local filesystems: /etc/ganesha/ganesha.conf.

    A text without a block is something else.

    Written against NFS-Ganesha 2.8 to 9: blocks in braces, `Key = value;`, '#' begins a comment, names in any case. It
    has no async: a write that a client asks to be stable waits for the disk. Exports made while it runs (D-Bus) are in
    no file.

        EXPORT { Export_Id = 1; Path = "/srv/data"; Pseudo = /data; Access_Type = RW; FSAL { Name = VFS; } }

    https://github.com/nfs-ganesha/nfs-ganesha/blob/next/src/doc/man/ganesha-export-config.rst
    """
    blocks: list[str] = []
    keys: dict[str, list[str]] = {}
    exports: list[GaneshaExport] = []
    usual, whole, seen = False, True, False
    for token in _TOKEN.finditer(_COMMENT.sub("", text)):
        seen = True
        if token["include"]:
            whole = False
        elif token["block"]:
            blocks.append(token["block"].lower())
        elif token["close"]:
            if blocks and blocks.pop() == "export" and not blocks:
                exports += _export(keys, usual)
                keys = {}
        elif token["key"].lower() == "access_type" and blocks[:1] == ["export_defaults"]:
            usual = usual or _unquoted(token["quoted"], token["plain"]).lower() == "rw"
        elif blocks[:1] == ["export"]:
            name = ".".join((*blocks[1:], token["key"].lower()))
            keys.setdefault(name, []).append(_unquoted(token["quoted"], token["plain"]))
    if not seen and text.strip():
        return refusal(text, "no blocks of NFS-Ganesha")
    return GaneshaConf(exports=tuple(exports), whole=whole)


def _unquoted(quoted: str | None, plain: str | None) -> str:
    return (quoted if quoted is not None else plain or "").strip()


def _export(keys: dict[str, list[str]], usual: bool) -> list[GaneshaExport]:
    path = next(iter(keys.get("path", [])), "")
    kind = next(iter(keys.get("fsal.name", [])), "").lower()
    access = [it.lower() for name in ("access_type", "client.access_type") for it in keys.get(name, [])]
    writable = "rw" in access or (usual and not keys.get("access_type"))
    return [GaneshaExport(path=path, writable=writable)] if path.startswith("/") and kind in _LOCAL else []
