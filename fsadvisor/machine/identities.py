"""Replaces what names one machine or drive (serials, WWNs, UUIDs, addresses, host names) by stable stand-ins.

First `learn` from every text, then `replace` in every text. A stand-in has the length and the shape of what it
stands for, carries the mark f5ad or FSAD, and tells nothing about the original: it is a count. Not taken for an
identity: fewer than five characters, names such as `drive-scsi0`, and what vendors write instead of a serial.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from fsadvisor.machine import identity_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LONG_WORD, LONG_NUMBER = 8, 10
CACHED_LENGTH = 80
PREFIX = 6
NVME_SERIAL_LENGTH = 20
NAA_AND_OUI_LENGTH = 7
"""The part of a WWN that names the maker: it stays."""
MARK = "f5ad"
_DEEPEST = 20
"""Groups in groups of a pattern, which re reads and compiles by recursion."""
UUID_START = f"00000000{MARK}40008000"
WORD, HOST, MAIL = "fsadvisor", "fsadvisorhost", "fsadvisormail"

_A = "[0-9A-Za-z]"
_H = "[0-9A-Fa-f]"
_DASH = r"(?:-|_|\\x2d)"
_SHAPES = {
    "escape": rf"\\(?:x{_H}{{2}}|u{_H}{{4}}|[0-7]{{3}}|[bfnrt\\])",
    "json_wwn": r'"(?:wwn|eui64)"\s*:\s*\{[^{}]*\}',
    "uuid": rf"{_H}{{8}}(?P<a>{_DASH}){_H}{{4}}(?P=a){_H}{{4}}(?P=a){_H}{{4}}(?P=a){_H}{{12}}(?!{_A})",
    "md_uuid": rf"{_H}{{8}}(?::{_H}{{8}}){{3}}(?!{_A})",
    "lvm_uuid": rf"{_A}{{6}}(?P<b>{_DASH})(?:{_A}{{4}}(?P=b)){{5}}{_A}{{6}}(?!{_A})",
    "dm_uuid": rf"LVM{_DASH}(?:{_A}{{32}}){{1,2}}(?!{_A})",
    "mail": r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})*\."
    r"(?!(?:service|socket|timer|mount|slice|scope|target|path|swap)\b)[A-Za-z]\w+",
    "qualified": r"(?:iqn|nqn)\.\d{4}-\d{2}\.(?!org\.nvmexpress)[\w.:-]+?(?=-lun-\d|[^\w.:-]|$)",
    "dashes": rf"{_H}{{2}}(?:-{_H}{{2}}){{5}}(?![0-9A-Za-z-])",
    "colons": rf"{_H}{{2}}(?::{_H}{{2}}){{5}}(?:(?::{_H}{{2}}){{2}})?(?![0-9A-Za-z:])",
    "spaced_wwn": rf"{_H} {_H}{{6}} {_H}{{9}}(?!{_A})",
    "fat_uuid": rf"{_H}{{4}}{_DASH}{_H}{{4}}(?![0-9A-Za-z-])",
    "cloud": rf"(?:i-|vol-?)[0-9a-f]{{8}}(?:[0-9a-f]{{9}})?(?!{_A})",
    "run": rf"{_A}+",
}
_UNMISTAKABLE = re.compile(
    "|".join(
        [
            *(rf"{_SHAPES[name]}$" for name in ("uuid", "md_uuid", "lvm_uuid", "colons")),
            "(?:LVM|CRYPT|mpath|part[0-9]+)-",
        ]
    )
)
"""Values of which `replace` knows the shape; those of device-mapper also hold words."""
_NUMBERS = re.compile(r'("(?:naa|oui|id|ext_id)"\s*:\s*)(\d{1,20})')
_HEXADECIMAL = re.compile(rf"{_H}{{{LONG_WORD},}}")
_STAND_IN = re.compile(
    rf"[0-9a-f]{MARK}0{{4}}[0-9a-f]{{3,}}|5[0-9a-f]{{6}}{MARK}0[0-9a-f]{{4}}|fsad(?:v|vi|vis|viso|visor?)?\d{{4,}}|{HOST}\d+"
)
_DEVICE_NAME = re.compile(
    r"(?:sd|vd|xvd|hd|nvme|scsi|virtio|ide|sata|ata|disk|drive|dm|md|loop|sr|host|lun|vol|volume|data|cache|dev"
    r"|mmcblk|zram|nbd|rbd|bcache|zd|slot|port)[a-z]?\d{0,4}(?:[npc]\d{1,3}){0,3}"
)


class Identities:
    """What was learnt, and the stand-ins given out so far."""

    def __init__(self) -> None:
        self._runs: dict[str, str] = {}
        self._by_prefix: dict[str, dict[int, set[str]]] = {}
        """By how they begin and how long they are."""
        self._to_spell: list[str] = []
        self._spots: dict[str, str] = {}
        self._hosts: dict[str, str] = {}
        self._literals: dict[str, str] = {}
        self._words: dict[str, str] = {}
        self._issued: dict[tuple[str, str], str] = {}
        self._count: dict[str, int] = {}
        self._kept: set[str] = set()
        self._seen: set[str] = set()
        self._cache: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._replacements: dict[str, Callable[[re.Match[str]], str]] = {
            "escape": lambda match: match[0],
            "json_wwn": self._json_wwn,
            "literal": lambda match: self._literals[match[0].lower()],
            "uuid": self._uuid,
            "md_uuid": self._uuid,
            "lvm_uuid": self._lvm_uuid,
            "dm_uuid": self._dm_uuid,
            "mail": self._mail,
            "qualified": self._qualified,
            "dashes": self._dashes,
            "colons": self._colons,
            "spaced_wwn": self._spaced_wwn,
            "fat_uuid": self._fat_uuid,
            "cloud": self._cloud,
            "run": self._run,
        }

    def learn(self, where: str, text: str) -> None:
        """Find the identities in what a path or command (`where`) told."""
        for host in identity_sources.hosts(where, text):
            self._learn_host(host)
        for name in identity_sources.names(where, text):
            self._learn_host(name)
        for value in identity_sources.whole_texts(where, text):
            self._learn_value(value)
        for address in identity_sources.addresses(where, text):
            self._learn_literal(address, "ip", _stand_in_ipv6 if ":" in address else _stand_in_ipv4)
        if text in self._seen:
            return
        if len(text) <= CACHED_LENGTH:
            self._seen.add(text)
        self._kept.update(_bare(guid) for guid in identity_sources.type_guids(text))
        for value in identity_sources.fields(text):
            self._learn_value(value)

    def replace(self, text: str, where: str = "") -> str:
        """The text with stand-ins; `where` it comes from, because some fields are replaced only there."""
        if self._to_spell:  # not before all is learnt: each name that is learnt in between is a new pattern
            self._learn_hexadecimal_spellings()
        if where in identity_sources.HOST_PLACES:
            return text.replace(text.strip(), self._hosts.get(text.strip(), text.strip()))
        if any(value in self._spots for value in identity_sources.whole_texts(where, text)):
            return text.replace(text.strip(), self._spots[text.strip()])
        if len(text) > CACHED_LENGTH:
            return self._replaced(text)
        if text not in self._cache:
            self._cache[text] = self._replaced(text)
        return self._cache[text]

    def _replaced(self, text: str) -> str:
        if self._pattern is None:
            self._pattern = self._compiled()
        text = self._pattern.sub(lambda match: self._replacements[match.lastgroup or "run"](match), text)
        if self._spots:
            text = identity_sources.at_fields(text, self._spots)
        return self._binary(text) if "\0" in text else text

    def _compiled(self) -> re.Pattern[str]:
        """One pattern, so that every place is replaced once and no stand-in is replaced again."""
        literals = sorted(self._literals, key=lambda literal: (-len(literal), literal))
        any_literal = _any_of(literals) if literals else "(?!)"
        first = {name: _SHAPES[name] for name in ("escape", "mail", "qualified")}
        shapes = first | {"literal": rf"(?i:{any_literal})(?!{_A})"} | _SHAPES
        return re.compile("|".join(f"(?P<{name}>{shape})" for name, shape in shapes.items()))

    # Learning

    def _learn_host(self, name: str) -> None:
        label, _, domain = name.partition(".")
        if name in self._hosts or label.startswith(HOST):
            return
        stand_in = self._issue("host", label.lower(), lambda count: f"{HOST}{count}")
        self._hosts[label] = stand_in
        self._hosts[name] = f"{stand_in}.example" if domain else stand_in
        if len(label) < 3 or identity_sources.is_ordinary(label) or not re.search("[A-Za-z]", label):
            return
        for spelling in {label, label.replace("-", "--"), label.replace("-", "_"), label.replace("-", r"\x2d")}:
            self._learn_literal(spelling, "host", lambda _: stand_in)
        if domain:
            self._learn_literal(name, "host", lambda _: f"{stand_in}.example")
        if "." in domain:
            self._learn_literal(domain, "host", lambda _: "example")

    def _learn_literal(self, literal: str, kind: str, stand_in: Callable[[int], str]) -> None:
        if literal.isascii() and literal.isalnum():
            self._words.setdefault(literal.lower(), self._issue(kind, literal.lower(), stand_in))
        elif literal.lower() not in self._literals:
            self._literals[literal.lower()] = self._issue(kind, literal.lower(), stand_in)
            self._pattern = None

    def _learn_value(self, value: str) -> None:
        """Learn a serial, WWN or the like: each of its parts that can't be anything else."""
        if identity_sources.is_placeholder(value) or _UNMISTAKABLE.match(value):
            return
        if re.fullmatch(rf"{_H}{{4}}-{_H}{{4}}", value):
            self._spots[value] = self._issue("fat", value, lambda count: f"F5AD-{count:04X}")
            return
        parts = [part.removeprefix("0x") for part in re.findall(f"{_A}+", value)]
        alone = len(parts) == 1
        for part in parts:
            self._learn_run(part, alone)
        if identity_sources.SHORTEST <= len(value) <= NVME_SERIAL_LENGTH and value.isascii():
            self._to_spell.append(value)

    def _learn_run(self, run: str, alone: bool) -> None:
        key = run.lower()
        if (
            key in self._runs
            or len(key) < identity_sources.SHORTEST
            or _STAND_IN.fullmatch(key)
            or _DEVICE_NAME.fullmatch(key)
        ):
            return
        if len(set(key)) < 2 or (key.isalpha() and not (alone and len(key) >= LONG_WORD)):
            return
        stand_in = self._stand_in(key)
        if key.isdigit() and len(key) < LONG_WORD:
            self._spots[run] = stand_in
            return
        self._runs[key] = stand_in
        if len(key) >= (LONG_NUMBER if key.isdigit() else LONG_WORD) and len(set(key)) >= 4:
            self._by_prefix.setdefault(key[:PREFIX], {}).setdefault(len(key), set()).add(key)

    def _stand_in(self, key: str) -> str:
        if len(key) == 32 and _HEXADECIMAL.fullmatch(key):
            return self._hexadecimal_uuid(key)
        return self._issue("run", key, lambda count: _stand_in_run(key, count))

    def _learn_hexadecimal_spellings(self) -> None:
        """Learn how the kernel's nvme.… wwid spells serials: the hexadecimal of their characters."""
        values, self._to_spell = self._to_spell, []
        for value in values:
            key, new = value.encode().hex(), self._replaced(value)
            if new != value:
                self._runs[key] = new.encode().hex()
                self._by_prefix.setdefault(key[:PREFIX], {}).setdefault(len(key), set()).add(key)

    def _issue(self, kind: str, key: str, stand_in: Callable[[int], str]) -> str:
        if (kind, key) not in self._issued:
            self._count[kind] = self._count.get(kind, 0) + 1
            self._issued[kind, key] = stand_in(self._count[kind])
        return self._issued[kind, key]

    # Replacing

    def _run(self, match: re.Match[str]) -> str:
        run = match[0]
        if run.lower() in self._words:
            return self._words[run.lower()]
        if len(run) < identity_sources.SHORTEST:
            return run
        key = run.lower()
        if key in self._runs:
            return _cased(self._runs[key], run)
        if run in self._spots and match.start() and match.string[match.start() - 1] in "_-":
            return self._spots[run]
        if len(run) == 32 and _HEXADECIMAL.fullmatch(run):
            return self._hexadecimal_uuid(run)
        return self._fused(run) if len(run) > LONG_WORD else run

    def _fused(self, run: str) -> str:
        """A run in which identities are joined to something else: `0x5000…`, `144d144dS4NX…`."""
        key = run.lower()
        pieces, start = [], 0
        for position, identity in self._found(key):
            if position >= start:
                end = position + len(identity)
                pieces += [run[start:position], _cased(self._runs[identity], run[position:end])]
                start = end
        return "".join(pieces) + run[start:]

    def _found(self, key: str) -> Iterator[tuple[int, str]]:
        for position in range(len(key) - LONG_WORD + 1):
            for length, identities in self._by_prefix.get(key[position : position + PREFIX], {}).items():
                if (found := key[position : position + length]) in identities:
                    yield position, found

    def _hexadecimal_uuid(self, run: str) -> str:
        key = run.lower()
        if key.startswith(UUID_START) or len(set(key)) < 2 or key in self._kept:
            return run
        return _cased(self._issue("uuid", key, lambda count: f"{UUID_START}{count:012x}"), run)

    def _uuid(self, match: re.Match[str]) -> str:
        return _with_separators(match[0], self._hexadecimal_uuid(_bare(match[0], keep_case=True)))

    def _lvm_uuid(self, match: re.Match[str]) -> str:
        return _with_separators(match[0], self._lvm_name(_bare(match[0], keep_case=True)))

    def _lvm_name(self, bare: str) -> str:
        if bare.startswith("fsadlv"):
            return bare
        return self._issue("lvm", bare, lambda count: f"fsadlv{count:026d}")

    def _dm_uuid(self, match: re.Match[str]) -> str:
        names = re.search(rf"(?:{_A}{{32}}){{1,2}}$", match[0])
        start = names.start() if names else 0
        uuids = match[0][start:]
        replaced = [self._lvm_name(uuids[place : place + 32]) for place in range(0, len(uuids), 32)]
        return match[0][:start] + "".join(replaced)

    def _colons(self, match: re.Match[str]) -> str:
        bare = match[0].replace(":", "").lower()
        if bare.startswith(f"02{MARK}00") or _STAND_IN.fullmatch(bare) or len(set(bare)) < 2:
            return match[0]
        if len(bare) == 16:
            new = self._runs.get(bare) or self._stand_in(bare)
        else:
            new = self._issue("mac", bare, lambda count: f"02{MARK}{count:06x}")
        return ":".join(new[place : place + 2] for place in range(0, len(new), 2))

    def _dashes(self, match: re.Match[str]) -> str:
        bare = match[0].replace("-", "").lower()
        if bare.startswith(f"02{MARK}00") or len(set(bare)) < 2:
            return match[0]
        return _with_separators(match[0], self._issue("mac", bare, lambda count: f"02{MARK}{count:06x}"))

    def _mail(self, match: re.Match[str]) -> str:
        if match[0].startswith(MAIL):
            return match[0]
        return self._issue("mail", match[0].lower(), lambda count: f"{MAIL}{count}@mail.example")

    def _qualified(self, match: re.Match[str]) -> str:
        """A name of an iSCSI or NVMe target: whose it is stands behind the date."""
        start = match[0][: len("iqn.2001-04.")]
        if match[0].startswith(f"{start}example.{WORD}:"):
            return match[0]
        return start + self._issue("qualified", match[0].lower(), lambda count: f"example.{WORD}:{count}")

    def _spaced_wwn(self, match: re.Match[str]) -> str:
        new = self._runs.get(_bare(match[0]))
        return f"{new[0]} {new[1:7]} {new[7:]}" if new else match[0]

    def _json_wwn(self, match: re.Match[str]) -> str:
        new = self._runs.get(identity_sources.json_wwn(match[0]))
        if not new:
            return match[0]
        lengths = (1, 6, 9) if '"naa"' in match[0] else (6, 10)
        starts = {"naa": 0, "oui": 1, "id": 7} if '"naa"' in match[0] else {"oui": 0, "ext_id": 6}
        part = {name: new[at : at + size] for (name, at), size in zip(starts.items(), lengths, strict=True)}
        return _NUMBERS.sub(lambda number: number[1] + str(int(part[number[1].split('"')[1]], 16)), match[0])

    def _fat_uuid(self, match: re.Match[str]) -> str:
        new = self._spots.get(f"{match[0][:4]}-{match[0][-4:]}")
        return _with_separators(match[0], new.replace("-", "")) if new else match[0]

    def _cloud(self, match: re.Match[str]) -> str:
        prefix = re.match("i-|vol-?", match[0])
        start = prefix.end() if prefix else 0
        key = match[0][start:]
        if key.startswith(f"{MARK}00"):
            return match[0]
        return match[0][:start] + self._issue("cloud", key, lambda count: f"{MARK}{count:0{len(key) - 4}x}")

    def _binary(self, text: str) -> str:
        """A raw structure, in which EUI-64 and NGUID stand as bytes."""
        for key, new in self._runs.items():
            if len(key) in (16, 32) and _HEXADECIMAL.fullmatch(key):
                text = text.replace(_raw(key), _raw(new))
        return text


def _any_of(words: Sequence[str], depth: int = 0) -> str:
    """A pattern of any of the words, longer ones first, by how they begin: alternatives are tried one by one."""
    start = os.path.commonprefix(words)  # noqa: RUF071 - of strings
    if depth == _DEEPEST:
        return "|".join(map(re.escape, words))
    goes_on: dict[str, list[str]] = {}
    for word in words:
        if word != start:
            goes_on.setdefault(word[len(start)], []).append(word[len(start) :])
    if not goes_on:
        return re.escape(start)
    more = "|".join(_any_of(rest, depth + 1) for rest in goes_on.values())
    return f"{re.escape(start)}(?:{more}){'?' if start in words else ''}"


def _bare(text: str, keep_case: bool = False) -> str:
    bare = re.sub(r"\\x2d|[^0-9A-Za-z]", "", text)
    return bare if keep_case else bare.lower()


def _raw(hexadecimal: str) -> str:
    return bytes.fromhex(hexadecimal).decode("utf-8", "surrogateescape")


def _cased(stand_in: str, original: str) -> str:
    """Lower or upper case, as the original; the serials' stand-ins are upper case otherwise."""
    return stand_in.lower() if original == original.lower() else stand_in.upper()


def _with_separators(original: str, bare: str) -> str:
    """The bare characters with the separators of the original between them."""
    characters = iter(bare)
    return re.sub(rf"\\x2d|{_A}", lambda match: match[0] if len(match[0]) > 1 else next(characters), original)


def _stand_in_run(key: str, count: int) -> str:
    if _HEXADECIMAL.fullmatch(key):
        kept = NAA_AND_OUI_LENGTH if len(key) == 16 and key.startswith("5") else 1
        return f"{key[:kept]}{MARK}{count:0{len(key) - kept - len(MARK)}x}"
    word = WORD[: max(1, min(len(WORD), len(key) - 4))]
    return f"{word}{count:0{len(key) - len(word)}d}"


def _stand_in_ipv4(count: int) -> str:
    return f"192.0.2.{count}" if count < 255 else f"198.18.{count >> 8}.{count & 255}"


def _stand_in_ipv6(count: int) -> str:
    return f"2001:db8::{count:x}"
