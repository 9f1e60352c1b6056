# ruff: noqa: D102 - port.Machine documents the methods
"""Files that fsadvisor keeps: what people attested, results of probes, and what was last seen of this machine.

Root's stand in /etc and /var/lib; an ordinary user's own results stand besides. A recording holds attestations without
what may name people or their servers (who said it, why, links, comments), and results without the measured directory.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor import strict_json
from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import safe_files
from fsadvisor.machine.port import Answer, Machine, MachineError, Reply, Wrapped
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded, encoded
from fsadvisor.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


ATTESTATIONS = "/etc/fsadvisor/attest.toml"
CONFIG = "/etc/fsadvisor/config.toml"

_MOST_CONFIG = 1 << 20
_KEPT_CLAIMS = frozenset(("fact", "rule", "subject", "value", "model", "serial", "firmware", "uuid"))
_LEFT_OUT = '"left out"'
_NO_TOML = "= left out, for it is not TOML\n"
_STRING = r'"""(?s:(?:[^"\\]|\\.|"(?!""))*)"""+|\'\'\'(?s:.*?)\'\'\'+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
_KEY = r"""["']?(?P<key>[\w-]+)["']?[ \t]*=[ \t]*"""
_PIECES = late(rf"(?P<before>{_KEY})(?P<told>{_STRING})|(?P<alone>{_STRING})|(?P<comment>\#[^\n]*)")


def without_people(text: str) -> str:
    """The text of such a file with stand-ins for all that people wrote in their own words."""
    import tomllib

    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return _NO_TOML
    return _PIECES.sub(_stand_in, text)


def _stand_in(match: re.Match[str]) -> str:
    if match["key"] in _KEPT_CLAIMS:
        return match[0]
    if match["comment"]:
        return ""
    return f"{match['before'] or ''}{_LEFT_OUT}"


def attestation_text(path: Path, *, must_exist: bool = False) -> str:
    """What is in the file, '' where there is none, unless it must exist. Raises MachineError."""
    content = safe_files.read(path, OUTPUT_CAP_BYTES)
    if content is None and must_exist:
        raise MachineError(str(path), "no such file", "write it with `fsadvisor attest`")
    return decoded(content or b"")


def config_text(path: Path, *, must_exist: bool) -> str:
    """What is in a file of defaults, '' where there is none, unless it must exist. Raises MachineError.

    Where there is none, nobody is asked to trust the way to it: in a user namespace '/' may belong to nobody.
    """
    if not must_exist and not os.path.exists(path):  # noqa: PTH110 - of any name
        return ""
    content = safe_files.read(path, _MOST_CONFIG, "write again what it may say")
    if content is None and must_exist:
        raise MachineError(str(path), "no such file", "name one for --config")
    return decoded(content or b"")


def rewrite_attestations(path: Path, change: Callable[[str], str]) -> None:
    """Change the file's text, in one step for those who read it. Raises MachineError, and what `change` raises."""

    def changed(before: bytes) -> bytes:
        return encoded(change(decoded(before)))

    choice = "run as root, or name a file of yours by --attestations"
    safe_files.rewrite(path, changed, OUTPUT_CAP_BYTES, safe_files.PUBLIC, choice)


PROBES = "/var/lib/fsadvisor/probes.jsonl"
COMPARED: Final = "compare:"
"""How the name of what was compared begins, in the place of a job's."""

_UNREAD = "unread"
"""The key of a line that says what could not be read."""
_KEPT_FIGURES = (
    *("schema", "job", "mount", "when", "engine", "figure", "end", "believable"),
    *("percentiles_us", "parts_us", "flushes_at", "disks", "amplification", "small_file_bytes", "depends"),
)


def user_probes_path(environment: Mapping[str, str]) -> Path | None:
    """Where an ordinary user's results are, None where the user has no home."""
    state = environment.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):  # noqa: PTH117 - the specification: relative ones are ignored
        return Path(state, "fsadvisor", Path(PROBES).name)
    home = environment.get("HOME", "")
    return Path(home, ".local/state/fsadvisor", Path(PROBES).name) if os.path.isabs(home) else None  # noqa: PTH117


def probe_text(path: Path) -> Answer | None:
    """What a user's file holds; None where there is none."""
    try:
        content = safe_files.read(path, OUTPUT_CAP_BYTES)
    except MachineError as error:
        cause = Cause.DENIED if isinstance(error.__cause__, PermissionError) else Cause.UNREADABLE
        return Unknown(cause, error.what, str(path))
    return None if content is None else Reply(decoded(content), str(path))


def unread_line(why: Unknown) -> str:
    """A line in the place of a file that can't be read."""
    return json.dumps({_UNREAD: f"{why.source}: {why.learn or why.cause.value}"})


def without_places(text: str) -> str:
    """The lines with what facts are made of; one that is no result tells no more than that there is one.

    No fact is made of a comparison, which names paths.
    """
    lines = (_without_place(line) for line in text.split("\n") if line.strip())
    return "".join(f"{line}\n" for line in lines if line)


def _without_place(line: str) -> str:
    try:
        document = strict_json.DECODER.decode(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return json.dumps({_UNREAD: "no JSON object"})
    if _UNREAD in document:
        return json.dumps({_UNREAD: "a file of results could not be read"})
    if str(document.get("job")).startswith(COMPARED):
        return ""
    return json.dumps({key: document[key] for key in _KEPT_FIGURES if key in document})


LOOKS: Final = "/var/lib/fsadvisor/looks.jsonl"
"""Counters of earlier looks, which root alone keeps and reads."""
_NEWEST_LOOKS, _MOST_LOOKS, _MOST_LOOKS_BYTES = 60, 120, 3 << 20
_DAY_OF_LOOK = re.compile(rb'"when":"([0-9-]{10})')


def keep_look(line: bytes, file: Path = Path(LOOKS)) -> None:
    """Add a look. Of those before the newest 60 one a day stays, of all 120, and 3 MiB. Raises MachineError."""

    def added(before: bytes) -> bytes:
        every = [*before.splitlines(keepends=True), line]
        by_day = {day[1]: it for it in reversed(every[:-_NEWEST_LOOKS]) if (day := _DAY_OF_LOOK.search(it))}
        lines = [*reversed(by_day.values()), *every[-_NEWEST_LOOKS:]][-_MOST_LOOKS:]
        while len(lines) > 1 and sum(map(len, lines)) > _MOST_LOOKS_BYTES:
            del lines[0]
        return b"".join(lines)

    safe_files.rewrite(file, added, 2 * _MOST_LOOKS_BYTES, safe_files.PRIVATE, "run as root, or leave --remember out")


INCIDENT: Final = "/var/lib/fsadvisor/incident.jsonl"
"""The windows of the last incident that `watch` saw as root, the newest last."""
MOST_INCIDENT: Final = 2 << 20


def keep_incident(lines: Iterable[bytes], file: Path = Path(INCIDENT)) -> None:
    """Put it in the place of the one before. Raises MachineError."""
    content = b"".join(lines)
    safe_files.rewrite(file, lambda _: content, 2 * MOST_INCIDENT, safe_files.PRIVATE)


SEEN_NAME: Final = "seen.json.gz"
MOST_SEEN_BYTES: Final = 8 << 20
"""Of the file; what would be longer is not kept."""
_MOST_UNPACKED: Final = 128 << 20


def seen_path(*, root: bool, environment: Mapping[str, str]) -> Path | None:
    """Where it is, None where an ordinary user has no home."""
    beside = Path(PROBES) if root else user_probes_path(environment)
    return beside.with_name(SEEN_NAME) if beside else None


def read_seen(file: Path) -> bytes:
    """What is remembered, b'' where there is nothing that can be read and believed."""
    import zlib

    unpacking = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacking.decompress(safe_files.read(file, MOST_SEEN_BYTES) or b"", _MOST_UNPACKED)
    except (MachineError, zlib.error):
        return b""
    return unpacked if unpacking.eof else b""


def write_seen(file: Path, content: bytes) -> bool:
    """Remember it, in one step, for its user alone to read; False where it can't be kept."""
    import gzip

    packed = gzip.compress(content, 1, mtime=0)
    if len(packed) > MOST_SEEN_BYTES:
        return False
    beside_results = 0o755 if file == Path(PROBES).with_name(SEEN_NAME) else 0o700
    try:
        safe_files.rewrite(file, lambda _: packed, MOST_SEEN_BYTES, safe_files.PRIVATE, make=beside_results)
    except MachineError:
        return False
    return True


class WithFile(Wrapped):
    """Answers as the machine inside does, but for the content of one path, which comes from `source`."""

    def __init__(self, inner: Machine, path: str, text: str, source: str) -> None:
        super().__init__(inner)
        self._path = path
        self._reply = Reply(text, source)

    def read(self, path: str) -> Answer:
        return self._reply if path == self._path else self._inner.read(path)


def with_own_results(machine: Machine, environment: Mapping[str, str]) -> Machine:
    """The newest counts, whoever measured it; a file that is there and can't be read leaves a line that says so."""
    own = None if machine.root else user_probes_path(environment)
    text = probe_text(own) if own else None
    if own is None or text is None:
        return machine
    shared = machine.read(PROBES)
    lines = (_lines(shared), _lines(text))
    where = str(own) if _is_absent(shared) else f"{shared.source} and {own}"
    return WithFile(machine, PROBES, "\n".join(filter(None, lines)), where)


def _is_absent(answer: Answer) -> bool:
    return isinstance(answer, Unknown) and answer.cause is Cause.NOT_EXPOSED


def _lines(answer: Answer) -> str:
    if not isinstance(answer, Unknown):
        return answer.text
    return "" if _is_absent(answer) else unread_line(answer)
