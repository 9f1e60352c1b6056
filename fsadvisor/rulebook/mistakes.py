"""What is wrong in a text of a rule, and where: the line of a key's value in a TOML text; tomllib does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from fsadvisor.patterns import did_you_mean, late

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from fsadvisor.rulebook.shape import RemedyShape, RuleShape, TrialShape


class RuleTextError(ValueError):
    """A text that can't be part of a rule; `column` counts its characters from 0."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.column = column


Path: TypeAlias = "tuple[str | int, ...]"

_BLANK: Final = late(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY: Final = late(r"""[ \t]*(?:([A-Za-z0-9_-]+)|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')[ \t]*""")
_STRING: Final = late(r'"""(?s:(?:[^"\\]|\\.|"(?!""))*)"""+|\'\'\'(?s:.*?)\'\'\'+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_BARE: Final = late(r"[^,\]}\n#]+")


def offsets(text: str) -> Mapping[Path, int]:
    """Path of keys and list positions -> offset of the value (of the header, for a table), of a valid TOML text."""
    return _Scan(text).found


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Both counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


class _Scan:
    """One walk over the text, from key to key."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, int] = {(): 0}
        self._lengths: dict[Path, int] = {}
        table: Path = ()
        while self._skip_blank() < len(text):
            if text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _skip_blank(self) -> int:
        self.at = self._match(_BLANK)
        return self.at

    def _match(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        return found.end() if found else self.at

    def _keys(self) -> tuple[str, ...]:
        keys: list[str] = []
        while found := _KEY.match(self.text, self.at):
            keys.append(next(part for part in found.groups() if part is not None))
            self.at = found.end()
            if not self.text.startswith(".", self.at):
                break
            self.at += 1
        return tuple(keys)

    def _header(self) -> Path:
        start = self.at
        listed = self.text.startswith("[[", self.at)
        self.at += 2 if listed else 1
        *parents, last = self._keys()
        path: Path = ()
        for key in parents:
            path = (*path, key)
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        path = (*path, last)
        if listed:
            self._lengths[path] = self._lengths.get(path, 0) + 1
            self.found.setdefault(path, start)
            path = (*path, self._lengths[path] - 1)
        self.found[path] = start
        self.at += 2 if listed else 1
        return path

    def _pair(self, table: Path) -> None:
        path: Path = (*table, *self._keys())
        self.at += 1
        self._skip_blank()
        self._value(path)

    def _value(self, path: Path) -> None:
        self.found[path] = self.at
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self._list(path)
        elif opening == "{":
            self._inline_table(path)
        elif opening in ("'", '"'):
            self.at = max(self._match(_STRING), self.at + 1)
        else:
            self.at = max(self._match(_BARE), self.at + 1)

    def _list(self, path: Path) -> None:
        self.at += 1
        position = 0
        while self._skip_blank() < len(self.text) and self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._value((*path, position))
            position += 1
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        while self._skip_blank() < len(self.text) and self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._pair(path)
        self.at += 1


class Problem(Struct, frozen=True):
    """Something wrong at a path of keys; `column` counts the characters of the text that stands there, from 0."""

    path: Path
    message: str
    column: int | None = None


_ID: Final = late(r"[a-z0-9]+(-[a-z0-9]+)*")


def missing(shape: RuleShape) -> Iterator[Problem]:
    """What a rule must not do without."""
    if not _ID.fullmatch(shape.id):
        yield Problem(("id",), f"'{shape.id}' is no id: lower-case words joined by '-'")
    for key, text in (("title", shape.title), ("why", shape.why)):
        if not text.strip():
            yield Problem((key,), f"'{key}' is empty")
    for key, entries, message in (
        ("checks", shape.checks, "a rule without checks would always advise"),
        ("reference", shape.reference, "a rule needs a reference"),
        ("example", shape.example, "a rule needs examples"),
    ):
        if not entries:
            yield Problem((key,), message)
    for at, reference in enumerate(shape.reference):
        if not reference.url.startswith("https://"):
            yield Problem(("reference", at, "url"), "a reference is an https address")
    if shape.kind == "gain" and shape.gain is None:
        yield Problem((), "a rule of kind 'gain' needs [gain]")
    if shape.urgency and shape.severity == "low":
        yield Problem(("urgency",), "what is urgent is of severity moderate at least")
    yield from _missing_from_remedy(shape.remedy)
    yield from _missing_from_trial(shape.trial)


def _missing_from_remedy(remedy: RemedyShape) -> Iterator[Problem]:
    if not (remedy.now or remedy.keep or remedy.advice.strip() or remedy.way):
        yield Problem(("remedy",), "a remedy needs commands ('now', 'keep') or 'advice' in words")
    if remedy.now:
        for key, commands in (("undo", remedy.undo), ("verify", remedy.verify)):
            if not commands:
                yield Problem(("remedy",), f"a remedy with commands needs '{key}'")
    for index, keep in enumerate(remedy.keep):
        a_line = bool(keep.file and keep.line) and not (keep.mount or keep.add or keep.remove)
        options = bool(keep.mount and (keep.add or keep.remove)) and not (keep.file or keep.line)
        if not (a_line or options):
            yield Problem(
                ("remedy", "keep", index), "give 'file' and 'line', or 'mount' with options to 'add' or 'remove'"
            )


def _missing_from_trial(trial: TrialShape | None) -> Iterator[Problem]:
    if trial is None:
        return
    if not (trial.job and trial.types):
        yield Problem(("trial",), "a trial needs 'job' and 'types'")
    if (trial.before, trial.mkfs_before) == (trial.after, trial.mkfs_after):
        yield Problem(("trial",), "a trial needs a difference: 'before', 'after', 'mkfs_before' or 'mkfs_after'")


def uncited(shape: RuleShape) -> Iterator[Problem]:
    """Tables and errata that are not there to be cited."""
    from fsadvisor.rulebook.tables import errata, table_names

    for index, figure in enumerate(shape.gain.figures if shape.gain else ()):
        if figure.table and figure.table not in table_names():
            near = did_you_mean(figure.table, table_names())
            yield Problem(("gain", "figures", index, "table"), f"no table is called '{figure.table}'{near}")
    pages = [reference.url for reference in shape.reference]
    for index, way in enumerate(shape.remedy.way):
        if way.page and way.page not in pages:
            yield Problem(("remedy", "way", index, "page"), f"'{way.page}' is no [[reference]] of the rule")
    for index, number in enumerate(shape.errata):
        if number not in errata():
            yield Problem(("errata", index), f"no erratum has the number '{number}'{did_you_mean(number, errata())}")
