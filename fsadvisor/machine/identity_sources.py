"""Where identities stand: files, udev keys, JSON keys, lines of tools, and texts with an unmistakable shape."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor.machine import redaction

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORTEST = 5
HOST_PLACES = {"/proc/sys/kernel/hostname", "/etc/hostname", "hostname", "uname -n"}

_WHOLE_FILES = {
    "board_asset_tag", "board_serial", "chassis_asset_tag", "chassis_serial", "eui", "hostid", "machine-id",
    "nguid", "node_name", "port_name", "product_serial", "product_uuid", "sas_address", "serial", "unique_id",
    "uuid", "wwid",
}  # fmt: skip
_UDEV_KEYS = (
    "ID_SERIAL_SHORT|ID_SCSI_SERIAL|SCSI_IDENT_SERIAL|ID_USB_SERIAL_SHORT|DM_SERIAL|ID_WWN|ID_WWN_WITH_EXTENSION"
    "|ID_FS_UUID|ID_FS_UUID_SUB|ID_PART_TABLE_UUID|ID_PART_ENTRY_UUID|ID_CCW_.*UID"
)
_JSON_KEYS = (
    "serial|serial_number|serialnumber|sn|unitserialnumber|wwn|wwid|nguid|eui64|fguid|uuid|partuuid|ptuuid|fsuuid"
    "|unique_id|vpd_serial"
)
_LINE_KEYS = (
    "sn|nguid|eui64|fguid|wwn|serial|serial number|serial no|unit serial number|drive serial number|logical unit id"
    "|host name|product serial number|unique identifier"
)
_FIELDS = (
    re.compile(rf"^(?:E: ?)?(?:{_UDEV_KEYS})=(?P<id>.+)$", re.MULTILINE),
    re.compile(rf'"(?:{_JSON_KEYS})"\s*:\s*"(?P<id>(?:[^"\\]|\\.)*)"', re.IGNORECASE),
    re.compile(rf"^[ \t]*(?:{_LINE_KEYS})[ \t]*[:=][ \t]*(?P<id>\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE),
    re.compile(r'\b(?:SERIAL|WWN|UUID|PARTUUID|PTUUID)="?(?P<id>[^"\s,]+)'),
)
_ID_SERIAL = re.compile(r"^(?:E: ?)?ID_SERIAL=(.+)$", re.MULTILINE)
_VENDOR_MODEL = re.compile(r"^(?:E: ?)?ID_(?:VENDOR|MODEL)=(.+)$", re.MULTILINE)
_SHAPES = (
    re.compile(r"(?:naa|eui)\.([0-9A-Fa-f]{16,32})(?![0-9A-Za-z])"),
    re.compile(r"0x([125678c][0-9a-fA-F]{15}(?:[0-9a-fA-F]{16})?)(?![0-9A-Za-z])"),
    re.compile(r"(?<![0-9A-Za-z])3(6[0-9a-f]{31}|5[0-9a-f]{15})(?![0-9A-Za-z])"),
    re.compile(r"(?<![0-9A-Za-z])(?=[0-9]*[A-Fa-f])(5[0-9A-Fa-f]{15}|6[0-9A-Fa-f]{31})(?![0-9A-Za-z])"),
)
_HEXADECIMAL_SERIAL = re.compile(r"nvme\.[0-9a-f]{4}-((?:[0-9a-f]{2})+)-(?:[0-9a-f]{2})+-[0-9a-f]{8}")
_JSON_WWN = re.compile(r'"(?:wwn|eui64)"\s*:\s*\{([^{}]*)\}')
_SPACED_WWN = re.compile(r"(?<![0-9A-Za-z])([0-9a-f]) ([0-9a-f]{6}) ([0-9a-f]{9})(?![0-9A-Za-z])")
_NUMBER = re.compile(r'"(naa|oui|id|ext_id)"\s*:\s*(\d{1,20})')
_TYPE_GUID = re.compile(r'(?:ID_PART_ENTRY_TYPE|parttype|PARTTYPE|"type)"?\s*[=:]\s*"?([0-9A-Fa-f-]{36})\b')
_ADDRESS = re.compile(
    r"(?:\b[a-z_]*addr=| - nfs4? \[?|^\[?|\bip-\[?)"
    r"(\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:]*:[0-9A-Fa-f:]*[0-9A-Fa-f])(?=[\],:\s]|-iscsi|$)",
    re.MULTILINE,
)
_NFS_SERVER = re.compile(r" - (?:nfs4?|ceph|fuse\.glusterfs) ([A-Za-z][\w.-]*):")
_BY_UUID = re.compile(r"/dev/disk/by-(?:part)?uuid/([^/\s]+)$")
_WORD = re.compile("[A-Za-z0-9]+")
_ADDRESS_ALONE = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_BY_ID = re.compile(
    r"/by-id/(?:ata|nvme|scsi|usb|virtio|mmc)-(?:[^/\s_]+_)*?([^/\s_]{6,}?)(?:_\d{1,2})?(?:-part\d+|-\d+:\d+)*(?=\s|$)"
)
_HOME = re.compile(r"/home/([A-Za-z][\w.-]*)")
_VOLUME = re.compile(r'"(?:vg_name|lv_name)"\s*:\s*"([^"]+)"')
_ORDINARY_NAMES = """
    administrator alpine archive archives archlinux backup bin block boot btrfs build centos container data
    database debian desktop dev device devices disk disks docker documents downloads etc exports ext4 fedora
    gentoo gitlab guest home host hostname kernel laptop lib linux localhost mail media memory mnt mount music
    mysql nas nextcloud nfs node nvme openstack opt oracle photos pictures pool postgres private proc production
    projects proxmox public queue raid registry repository rhel rocky root run runner samba san sandbox sata
    scratch server share shared shares snapshots srv staging storage sys system template templates test tmp
    ubuntu upload uploads users usr var video videos vm volumes web www xfs zfs
"""
_ORDINARY = frozenset(_ORDINARY_NAMES.split())
"""What many machines, servers, shares and volumes are called: it names none of them."""
_NO_NAME = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|\\x[0-9a-f]{2}|\\[0-3][0-7]{2}")
"""UUIDs and escapes, of which parts look like words."""
_QUALIFIED = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+){2,}")
_LABEL = re.compile(r"(?:(?:^|\s|_)(?:PART)?LABEL(?:_ENC)?=|/dev/disk/by-(?:part)?label/)(\S+)")
_LOGICAL = re.compile(r"^/dev/(?!disk/|block/|md/|fd/)([^/\s]+/[^/\s]+)(?=\s)", re.MULTILINE)
"""What fstab mounts of LVM: /dev/mapper/VG-LV or /dev/VG/LV, which need not be there."""
_PLACE = re.compile(r"(?<![^\s\"=])(?!/(?:dev|sys|proc|run|usr|etc)/)/[^\s\",]+")
_LONGEST_NAME = 31
_PLACEHOLDERS = {
    "none", "unknown", "invalid", "default string", "to be filled by o.e.m.", "to be filled by o.e.m", "not specified",
    "not applicable", "not available", "not present", "system serial number", "chassis serial number", "no asset tag",
    "base board serial number", "asset tag", "no asset information", "chassis asset tag", "baseboard asset tag",
    "amazon ec2", "7783-7084-3265-9085-8269-3286-77", "qemu", "vmware", "empty", "ovirt", "oem", "redacted",
}  # fmt: skip


def is_placeholder(value: str) -> bool:
    """Whether a field holds what vendors write where there is no identity."""
    bare = re.sub(r"[^0-9A-Za-z]", "", value).lower()
    return value.strip().lower() in _PLACEHOLDERS or len(set(bare.removeprefix("0x"))) <= 1


def is_ordinary(name: str) -> bool:
    """Whether a name says nothing of whose it is."""
    return name.lower() in _ORDINARY


def _may_name(word: str) -> bool:
    return SHORTEST <= len(word) <= _LONGEST_NAME and word.lower() not in _known_here()


@functools.cache
def _known_here() -> frozenset[str]:
    """The words of our own code. A reader or a rule may look for any of them, so they stay where they are."""
    package = Path(__file__).parents[1]
    return frozenset(word for file in package.rglob("*.py") for word in _WORD.findall(file.read_text("utf-8").lower()))


def hosts(where: str, text: str) -> list[str]:
    """Names of this host, and of servers from which it mounts."""
    own = [text.strip()] if where in HOST_PLACES and text.strip() else []
    return own + _NFS_SERVER.findall(text)


def names(where: str, text: str) -> Iterator[str]:
    """Names of people, servers, what these share, volumes and places: a word each, or a host name with its domain."""
    found = [*_HOME.findall(text), *_VOLUME.findall(text), *_LABEL.findall(text)]
    found += [text.strip()] if where.endswith("/dm/name") else []
    found += _LOGICAL.findall(text) if where == "/etc/fstab" else []
    found += redaction.left_out_of_mounts(where, text)
    found += _PLACE.findall(text) if redaction.names_places(where) else []
    for name in found:
        if _QUALIFIED.fullmatch(name) and not _ADDRESS_ALONE.fullmatch(name):
            yield name
        yield from filter(_may_name, _WORD.findall(_NO_NAME.sub(" ", name)))


def whole_texts(where: str, text: str) -> list[str]:
    """The content of a file that holds an identity and nothing else; a wwid may hold the model before it."""
    name = where.rpartition("/")[2] if where.startswith("/") else ""
    if name not in _WHOLE_FILES or not text.strip():
        return []
    return [text.split()[-1] if name == "wwid" else text.strip()]


def fields(text: str) -> Iterator[str]:
    """The values of keys that hold identities, and what has the shape of a WWN."""
    for pattern in _FIELDS:
        yield from (match["id"].strip() for match in pattern.finditer(text))
    yield from _long_serials(text)
    for shape in _SHAPES:
        yield from shape.findall(text)
    yield from _BY_UUID.findall(text)
    yield from (serial for serial in _BY_ID.findall(text) if re.search(r"\d", serial))
    for serial in _HEXADECIMAL_SERIAL.findall(text):
        yield bytes.fromhex(serial).decode("ascii", "replace").strip()
    yield from ("".join(parts) for parts in _SPACED_WWN.findall(text))
    yield from (wwn for members in _JSON_WWN.findall(text) if (wwn := json_wwn(members)))


def _long_serials(text: str) -> Iterator[str]:
    """ID_SERIAL where it is all there is; it may be preceded by the vendor and the model."""
    for record in text.split("\n\n") if "ID_SERIAL=" in text else ():
        if "ID_SERIAL_SHORT=" not in record:
            names = set(re.findall("[0-9A-Za-z]+", " ".join(_VENDOR_MODEL.findall(record))))
            for serial in _ID_SERIAL.findall(record):
                parts = re.findall("[0-9A-Za-z]+", serial)
                yield serial if names.isdisjoint(parts) else "_".join(part for part in parts if part not in names)


def json_wwn(members: str) -> str:
    """The WWN or EUI-64 whose parts smartctl prints as decimal numbers; '' where they are not such parts."""
    part = {name: int(number) for name, number in _NUMBER.findall(members)}
    if {"naa", "oui", "id"} <= part.keys():
        return f"{part['naa'] & 0xF:x}{part['oui'] & 0xFFFFFF:06x}{part['id'] & 0xFFFFFFFFF:09x}"
    if {"oui", "ext_id"} <= part.keys():
        return f"{part['oui'] & 0xFFFFFF:06x}{part['ext_id'] & 0xFFFFFFFFFF:010x}"
    return ""


def at_fields(text: str, replacement: dict[str, str]) -> str:
    """The text with the values of identity keys replaced, where `replacement` has them."""
    for pattern in _FIELDS:
        text = pattern.sub(lambda match: _spliced(match, replacement), text)
    return text


def _spliced(match: re.Match[str], replacement: dict[str, str]) -> str:
    value = match["id"].strip()
    if value not in replacement:
        return match[0]
    start = match.start("id") - match.start()
    return match[0][:start] + match["id"].replace(value, replacement[value]) + match[0][start + len(match["id"]) :]


def type_guids(text: str) -> list[str]:
    """Partition types: the same on every machine, and readers know them."""
    return _TYPE_GUID.findall(text)


def addresses(where: str, text: str) -> list[str]:
    """IP addresses of servers, and of this host as their client."""
    of_mounts = filter(_ADDRESS_ALONE.fullmatch, redaction.left_out_of_mounts(where, text))
    return [address for address in (*_ADDRESS.findall(text), *of_mounts) if not address.startswith(("127.", "0."))]
