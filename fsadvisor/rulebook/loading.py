"""Loads the rulebook: finds rule files, keeps the sound ones, says file, line and column of what is wrong in others.

Our own rules as they were compiled when the program was installed (tools/compile_rules.py), found by their content.

The file is data, never code, and is believed only where nobody else may change it. What is not in it, or does not fit,
is parsed from its TOML.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

import msgspec
from msgspec import Struct

from fsadvisor.facts import Truth
from fsadvisor.machine import safe_files
from fsadvisor.machine.port import MachineError
from fsadvisor.patterns import did_you_mean, late
from fsadvisor.rulebook import shape
from fsadvisor.rulebook.mistakes import Problem, line_and_column, offsets
from fsadvisor.rulebook.rule import Rule, proven_rule, rule_of
from fsadvisor.rulebook.shape import JudgedShape, RuleShape
from fsadvisor.storage.catalogue import SCOPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


Made = TypeVar("Made")

LARGEST_COMPILED: Final = 16 << 20
"""Bytes that the compiled rules may have, and their examples."""


def compiled_rule(text: bytes, rules: Path) -> RuleShape | None:
    """What a rule file with this text holds, where it was compiled beside the directory `rules`."""
    digest = hashlib.sha256(text).hexdigest()
    judged, examples = (_documents(file).get(digest) for file in (f"{rules}.json", f"{rules}_examples.json"))
    if judged is None or examples is None:
        return None
    try:
        return msgspec.convert({**_object(judged), **_object(examples)}, RuleShape)
    except msgspec.ValidationError:  # compiled by another version: the rule's own text tells what is wrong
        return None


_object: Final = msgspec.json.Decoder(dict[str, Any]).decode
_documents_in: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_judged_in: Final = msgspec.json.Decoder(dict[str, JudgedShape]).decode


@cache
def _documents(file: str) -> Mapping[str, msgspec.Raw]:
    return _compiled(file, _documents_in)


def _compiled(file: str, decode: Callable[[bytes], dict[str, Made]]) -> dict[str, Made]:
    """By the digest of a rule's text; {} where nothing was compiled, or by another version."""
    try:
        return decode(safe_files.read(Path(file), LARGEST_COMPILED) or b"{}")
    except (MachineError, msgspec.DecodeError):
        return {}


LARGEST: Final = 256 * 1024
"""Bytes that a rule file may have."""

_AT: Final = late(r"(?P<message>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)
_SYNTAX: Final = late(r"(?P<message>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)")
_QUOTED: Final = late(r"['`](.*)['`]")
_STRUCTS: Final[dict[str, type[msgspec.Struct]]] = {
    "": shape.RuleShape,
    "applies": shape.AskShape,
    "checks": shape.AskShape,
    "safety": shape.AskShape,
    "gain": shape.Gain,
    "figures": shape.GainFigure,
    "remedy": shape.RemedyShape,
    "keep": shape.Keep,
    "reference": shape.Reference,
    "example": shape.ExampleShape,
    "steps": shape.StepsShape,
    "equivalent": shape.Equivalent,
}
_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "kind": get_args(shape.RuleKind),
    "subject": get_args(shape.SubjectKind),
    "severity": get_args(shape.Severity),
    "status": get_args(shape.Status),
    "basis": get_args(shape.Basis),
    "needs": get_args(shape.Needs),
    "expect": get_args(shape.Expect),
    "safe": tuple(truth.value for truth in Truth),
}


class RuleError(Struct, frozen=True):
    """Why a rule did not load; line and column count from 1, column None where only the line is known."""

    file: str
    line: int
    column: int | None
    message: str

    def __str__(self) -> str:
        """The form that editors jump to."""
        column = "" if self.column is None else f":{self.column}"
        return f"{self.file}:{self.line}{column}: {self.message}"


class Rulebook(Struct, frozen=True):
    """The rules that loaded, by id, and what is wrong with the others."""

    rules: tuple[Rule, ...]
    errors: tuple[RuleError, ...]


@functools.cache
def own_rules() -> Path:
    """The folder of the rules that come with fsadvisor: inside an installed package, else beside it."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_rules"
    return shipped if shipped.is_dir() else package.parent / "rules"


def load_rulebook(*folders: Path) -> Rulebook:
    """Load every rule of these folders, or of our own where none is given."""
    return _loaded(folders or (own_rules(),), _trusted)


def _trusted(file: Path) -> Rule | tuple[RuleError, ...] | RuleError:
    return _distrusted(file) or _placed(file)


def _loaded(folders: Iterable[Path], load: Callable[[Path], Rule | tuple[RuleError, ...] | RuleError]) -> Rulebook:
    rules: dict[str, Rule] = {}
    errors: list[RuleError] = []
    for folder in folders:
        for found in _files(folder):
            loaded = found if isinstance(found, RuleError) else load(found)
            if isinstance(loaded, RuleError):
                errors.append(loaded)
            elif isinstance(loaded, tuple):
                errors.extend(loaded)
            elif loaded.id in rules:
                errors.append(RuleError(loaded.file, 1, None, f"the id is taken by {rules[loaded.id].file}"))
            else:
                rules[loaded.id] = loaded
    return Rulebook(tuple(rules[rule_id] for rule_id in sorted(rules)), tuple(errors))


@functools.cache
def own_rulebook() -> Rulebook:
    """Our own rules, loaded once: they come with the program and do not change while it runs.

    What was compiled when the program was installed is taken as proven: load_rulebook proves it again.
    """
    compiled = _compiled(f"{own_rules()}.json", _judged_in)
    return _loaded((own_rules(),), lambda file: _proven(file, compiled) or _placed(file))


def _proven(file: Path, compiled: Mapping[str, JudgedShape]) -> Rule | None:
    """The rule of a file of ours as it was compiled; None where the file was changed since."""
    text = _text(file)
    read = None if isinstance(text, RuleError) else compiled.get(hashlib.sha256(text).hexdigest())
    name = str(file)
    if read is None or not name.endswith(f"/{read.subject}/{read.id}.toml"):
        return None
    return proven_rule(read, partial(_whole, file), name)


def _whole(file: Path) -> RuleShape:
    """All that a sound rule of ours holds, with its examples."""
    import tomllib

    text = file.read_bytes().replace(b"\r\n", b"\n")
    return compiled_rule(text, own_rules()) or msgspec.convert(tomllib.loads(text.decode()), RuleShape)


def load_others_rule(file: Path) -> Rule | tuple[RuleError, ...]:
    """Load one rule file, which is believed as those of a folder are: only where nobody else may change it."""
    untrusted = _distrusted(file)
    return (untrusted,) if untrusted else load_rule(file)


def load_rule(file: Path) -> Rule | tuple[RuleError, ...]:
    """Load one rule file; its folder does not matter."""
    text = _text(file)
    if isinstance(text, RuleError):
        return (text,)
    read = compiled_rule(text, own_rules())
    if read is not None and isinstance(rule := _ruled(file, read), Rule):
        return rule
    return _parsed(file, text)


def _parsed(file: Path, content: bytes) -> Rule | tuple[RuleError, ...]:
    import tomllib

    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return (RuleError(str(file), content.count(b"\n", 0, error.start) + 1, None, "not UTF-8"),)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return (_syntax_error(file, text, error),)
    checked = _checked(file, document)
    if isinstance(checked, Rule):
        return checked
    return tuple(_located(file, text, document, problem) for problem in checked)


def _checked(file: Path, document: dict[str, Any]) -> Rule | tuple[Problem, ...]:
    try:
        read = msgspec.convert(document, shape.RuleShape)
    except msgspec.ValidationError as error:
        return (_shape_problem(str(error)),)
    return _ruled(file, read)


def _ruled(file: Path, read: shape.RuleShape) -> Rule | tuple[Problem, ...]:
    if read.id != file.stem:
        return (Problem(("id",), f"the id is '{read.id}' but the file is {file.name}"),)
    return rule_of(read, str(file))


def _placed(file: Path) -> Rule | tuple[RuleError, ...]:
    """Load a rule file that must stand in the folder of its subject."""
    rule = load_rule(file)
    if isinstance(rule, Rule) and rule.subject != file.parent.name:
        return (
            RuleError(str(file), 1, None, f"a rule on a {rule.subject} belongs into the directory {rule.subject}/"),
        )
    return rule


def _distrusted(file: Path) -> RuleError | None:
    """Of a rule that is not ours: ours are as good as the program that they come with."""
    why = "" if file.is_relative_to(own_rules()) else safe_files.distrusted(file)
    return RuleError(str(file), 1, None, why) if why else None


_NAME: Final = attrgetter("name")
"""Of a path, to sort by: to compare whole paths takes ten times as long."""


def _files(folder: Path) -> Iterator[Path | RuleError]:
    """The rule files of a folder, in order; a .toml file that stands elsewhere is a mistake, not a rule passed over."""
    try:
        inside = sorted(folder.iterdir(), key=_NAME)
    except OSError as error:
        yield RuleError(str(folder), 1, None, f"can't be read: {error.strerror}")
        return
    for entry in inside:
        if entry.suffix == ".toml":
            yield RuleError(str(entry), 1, None, "a rule file stands in the directory of its subject")
        elif entry.name in SCOPES:
            yield from _rules_on(entry)
        elif os.path.isdir(entry) and any(entry.glob("*.toml")):  # noqa: PTH112 - of what can't be looked at, too
            yield RuleError(str(entry), 1, None, f"no kind of subject{did_you_mean(entry.name, SCOPES)}")


def _rules_on(folder: Path) -> Iterator[Path | RuleError]:
    try:
        yield from sorted((entry for entry in folder.iterdir() if entry.suffix == ".toml"), key=_NAME)
    except OSError as error:
        yield RuleError(str(folder), 1, None, f"can't be read: {error.strerror}")


def _text(file: Path) -> bytes | RuleError:
    try:
        content = safe_files.bytes_of(file, LARGEST + 1)
    except OSError as error:
        return RuleError(str(file), 1, None, f"can't be read: {error.strerror}")
    if content is None:
        return RuleError(str(file), 1, None, "not a regular file")
    if len(content) > LARGEST:
        return RuleError(str(file), 1, None, f"larger than {LARGEST // 1024} KiB")
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def _syntax_error(file: Path, text: str, error: Exception) -> RuleError:
    found = _SYNTAX.fullmatch(str(error))
    if found is None:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return RuleError(str(file), 1, None, reason)
    if found["line"] is None:
        return RuleError(str(file), text.count("\n") + 1, None, f"{found['message']} at the end of the file")
    return RuleError(str(file), int(found["line"]), int(found["column"]), found["message"])


def _shape_problem(error: str) -> Problem:
    """What msgspec found, with the nearest word that would have been right."""
    found = _AT.fullmatch(error)
    message, where = (found["message"], found["path"] or "") if found else (error, "")
    path = tuple(int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", where))
    table = next((key for key in reversed(path) if isinstance(key, str)), "")
    quoted = _QUOTED.search(message)
    if quoted and message.startswith("Object contains unknown field"):
        fields = _STRUCTS[table].__struct_fields__ if table in _STRUCTS else ()
        return Problem((*path, quoted[1]), f"unknown key '{quoted[1]}'{did_you_mean(quoted[1], fields)}")
    if quoted and message.startswith("Object missing required field"):
        return Problem(path, f"the key '{quoted[1]}' is missing")
    if quoted and message.startswith("Invalid enum value"):
        choices = _CHOICES.get(table, ())
        return Problem(path, f"'{quoted[1]}' is none of {', '.join(choices)}{did_you_mean(quoted[1], choices)}")
    return Problem(path, message)


def _located(file: Path, text: str, document: dict[str, Any], problem: Problem) -> RuleError:
    """Find the line of a problem's path, or of the nearest table around it."""
    found = offsets(text)
    path = problem.path
    while path not in found:
        path = path[:-1]
    line, column = line_and_column(text, found[path])
    if path != problem.path:
        return RuleError(str(file), line, None, problem.message)
    if problem.column is None:
        return RuleError(str(file), line, column, problem.message)
    start = _start_of_text(text, found[path], _at(document, path))
    if start is None:
        return RuleError(str(file), line, None, problem.message)
    line, column = line_and_column(text, start + problem.column)
    return RuleError(str(file), line, column, problem.message)


def _at(document: Any, path: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - whatever TOML holds
    for key in path:
        document = document[key]
    return document


def _start_of_text(text: str, offset: int, value: object) -> int | None:
    """Where a string's own characters begin; None where it is written with escapes."""
    if not isinstance(value, str):
        return None
    return next((offset + quotes for quotes in (3, 1) if text.startswith(value, offset + quotes)), None)
