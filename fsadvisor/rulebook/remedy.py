"""Remedies: from a rule's command templates to commands that can be pasted, or the reason why there are none.

A template holds facts in braces, `mount -o remount,noatime {mount.point}`; a brace itself is written twice. Values are
strangers' text: each is quoted for the shell, a template that quotes a fact itself does not load, and a value that no
quoting makes safe to paste (a line break, an escape sequence, a leading '-') gives no command at all.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.facts import FALSE, TRUE, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.rulebook.expr import entry_for
from fsadvisor.rulebook.mistakes import RuleTextError
from fsadvisor.rulebook.shape import Keep, Needs
from fsadvisor.storage.catalogue import FactEntry, Kind
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.expr import Expression
    from fsadvisor.storage import Facts

_PIECE: Final = late(r"\{\{|\}\}|\{(?P<name>[^{}]*)\}|[{}]|[^{}]+")
_FORBIDDEN: Final = ("`", "$", "<<")
"""Where these stand, quoting alone does not tell what the shell will do."""

_PLAIN: Final = late(r"[A-Za-z0-9_.:/@%+,=-]+")
"""Values that mean the same in every configuration file."""
_PLAIN_IN_QUOTES: Final = late(rf"{_PLAIN.pattern}(?: +{_PLAIN.pattern})*")
"""Between double quotes words may have spaces between them, as udev's models have."""

_TO_FILL_IN: Final = late(r"\b[A-Z]{2,}\b|/dev/[a-z]+[XYN]")
"""In words on a command, what stands for a name or a number."""

Applicability: TypeAlias = Literal["as-it-stands", "value", "person"]
"""Commands that can be pasted; commands with a name or number to fill in; words, which need a person's judgement."""

_WITH_OPTIONS_SOURCE: Final = Version(2, 33)
"""util-linux with `mount --options-source` (db9185bf5acc): RHEL 8, Ubuntu 18.04 and Amazon Linux 2 have older ones."""
_WITH_MOUNTPOINT: Final = Version(2, 27)
"""util-linux with `findmnt --mountpoint`, of which `findmnt POINT` says the same."""
_REMOUNT: Final = late(r"mount --options-source=mtab -o remount,(?P<options>\S+) (?P<point>.+)")
_OLD_REMOUNT: Final = (
    r'mount -o "remount,$(findmnt -no OPTIONS \g<point>),\g<options>" "$(findmnt -nvo SOURCE \g<point>)" \g<point>'
)
"""With device and mount point given, mount(8) adds nothing of fstab: so the options in force are given, too."""

_IN_COMMANDS: Final = frozenset({Kind.TEXT, Kind.WHOLE, Kind.VERSION})


class Template:
    """A text with facts in it: literal pieces and catalogue entries in turn, taken apart when it is first filled in."""

    __slots__ = ("_subject", "pieces", "text")
    pieces: tuple[str | FactEntry, ...]

    def __init__(self, text: str, subject: str) -> None:
        self.text = text
        self._subject = subject

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - Python asks this of a slot that is still empty
        """The pieces."""
        if name != "pieces":
            raise AttributeError(name)
        self.pieces = tuple(piece for piece, _ in _pieces(self.text, self._subject, tuple(Kind)))
        return self.pieces


class Title(Struct, frozen=True):
    """A title with values of a machine, for the subjects of which `when` is true."""

    says: Template
    when: Expression | None

    def fits(self, scope: Mapping[str, Facts]) -> bool:
        """Whether it is true of this subject, as far as it asks."""
        return self.when is None or self.when.evaluate(scope) is TRUE

    @property
    def names(self) -> set[str]:
        """The facts that it tells: by their values, or by being said at all."""
        return {one.name for one in self.says.pieces if not isinstance(one, str)}.union(
            self.when.names if self.when else ()
        )


class KeepTemplate(Struct, frozen=True):
    """What makes a remedy last, with facts still to be filled in."""

    file: str
    line: Template
    mount: Template
    add: tuple[str, ...]
    remove: tuple[str, ...]


class OtherWay(Struct, frozen=True):
    """What else to do where `when` is true of the subject, or not known; `page` is the reference that says so.

    `needs` is None where the disruption is the remedy's; `by_hand` why its commands are not for these subjects.
    """

    when: Expression
    advice: str
    page: str = ""
    needs: Needs | None = None
    by_hand: str = ""


class Remedy(Struct, frozen=True):
    """What to do about a finding, for any subject."""

    needs: Needs
    now: tuple[Template, ...]
    keep: tuple[KeepTemplate, ...]
    undo: tuple[Template, ...]
    verify: tuple[Template, ...]
    advice: str
    then: Mapping[str, Any]
    ways: tuple[OtherWay, ...] = ()

    @property
    def applicability(self) -> Applicability:
        """What it takes from a person to apply it."""
        if self.now or self.keep:
            return "as-it-stands"
        texts = (self.advice, *(way.advice for way in self.ways))
        return (
            "value" if any(_TO_FILL_IN.search(command) for it in texts for command in it.split("`")[1::2]) else "person"
        )

    rewrites: bool = False
    """Whether it moves or rewrites data, or changes what protects them, and so waits for the health gate."""


class Instructions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to do: shell commands, or `no_commands`, the reason why none are shown; `needs` is the disruption.

    `applicability`: commands that can be pasted as they stand, commands with a name or number to fill in (a value), or
    words, which need a person's judgement.
    """

    needs: Needs
    applicability: Applicability
    now: tuple[str, ...]
    keep: tuple[Keep, ...]
    undo: tuple[str, ...]
    verify: tuple[str, ...]
    advice: str
    no_commands: str


class _UnfitError(Exception):
    """A fact whose value can't be put into a command; the text says why."""


def command_template(text: str, subject: str) -> Template:
    """Check a shell command of a rule; RuleTextError where a fact stands where quoting can't protect it."""
    for sign in _FORBIDDEN:
        if sign in text:
            raise RuleTextError(f"{sign!r} has no place in a command", text.index(sign))
    if not text.isprintable():
        raise RuleTextError("a command is one line of printable characters")
    quote, escaped = "", False
    for piece, column in _pieces(text, subject):
        if isinstance(piece, FactEntry):
            if quote or escaped:
                raise RuleTextError(f"{{{piece.name}}} is quoted for you: take it out of the quotes", column)
            continue
        for sign in piece:
            quote, escaped = _shell_state(sign, quote, escaped)
    if quote or escaped:
        raise RuleTextError("a quotation that does not end", len(text))
    return Template(text, subject)


def _shell_state(sign: str, quote: str, escaped: bool) -> tuple[str, bool]:
    """The quotation that is open after this character, and whether the next character is escaped."""
    if escaped:
        return quote, False
    if sign == "\\" and quote != "'":
        return quote, True
    if sign == quote:
        return "", False
    if not quote and sign in "'\"":
        return sign, False
    return quote, False


def text_template(text: str, subject: str, kinds: Collection[Kind] = _IN_COMMANDS) -> Template:
    """Check a line for a file, or a mount point, which may hold facts of these kinds."""
    if not text.isprintable():
        raise RuleTextError("one line of printable characters is needed")
    for _ in _pieces(text, subject, kinds):
        pass  # each is checked
    return Template(text, subject)


def title_template(text: str, subject: str) -> Template:
    """Check a title, which may hold facts of any kind."""
    return text_template(text, subject, tuple(Kind))


def _pieces(text: str, subject: str, kinds: Collection[Kind] = _IN_COMMANDS) -> Iterator[tuple[str | FactEntry, int]]:
    for found in _PIECE.finditer(text):
        if found["name"] is not None:
            yield _placeholder(found["name"], subject, found.start(), kinds), found.start()
        elif found[0] in ("{", "}"):
            raise RuleTextError(f"a lone {found[0]!r}: write it twice where no fact is meant", found.start())
        else:
            yield found[0].replace("{{", "{").replace("}}", "}"), found.start()


def _placeholder(name: str, subject: str, column: int, kinds: Collection[Kind]) -> FactEntry:
    try:
        entry = entry_for(name, subject)
    except RuleTextError as mistake:
        raise RuleTextError(mistake.message, column) from None
    if entry.kind not in kinds:
        raise RuleTextError(f"'{name}' is a {entry.kind.value}: it can't stand in a text", column)
    return entry


def render(remedy: Remedy, scope: Mapping[str, Facts]) -> Instructions:
    """Fill in the facts of one subject."""
    if reason := next((way.by_hand for way in ways_for(remedy, [scope]) if way.by_hand), ""):
        return without_commands(remedy, scope, reason)
    try:
        now, undo = _filled(remedy.now, scope), _filled(remedy.undo, scope)
        if now and now == undo:
            raise _UnfitError("the command would change nothing, since it is so already")
        return Instructions(
            needs=needs_for(remedy, [scope]),
            applicability=remedy.applicability,
            now=now,
            keep=tuple(_persistent(keep, scope) for keep in remedy.keep),
            undo=undo,
            verify=_filled(remedy.verify, scope),
            advice=advice_for(remedy, [scope]),
            no_commands="",
        )
    except _UnfitError as unfit:
        return without_commands(remedy, scope, str(unfit))


def ways_for(remedy: Remedy, scopes: Sequence[Mapping[str, Facts]]) -> list[OtherWay]:
    """Those that are, or may be, for one of the subjects with these facts."""
    return [way for way in remedy.ways if any(way.when.evaluate(scope) is not FALSE for scope in scopes if scope)]


def needs_for(remedy: Remedy, scopes: Sequence[Mapping[str, Facts]]) -> Needs:
    """The disruption: that of the way that is for all of these subjects, or the remedy's."""
    ways = ways_for(remedy, scopes)
    return ways[0].needs or remedy.needs if len(ways) == 1 else remedy.needs


def advice_for(remedy: Remedy, scopes: Sequence[Mapping[str, Facts]]) -> str:
    """What to do in words, for subjects with these facts: no word on a way that is none of theirs."""
    return " ".join((*filter(None, (remedy.advice,)), *(way.advice for way in ways_for(remedy, scopes))))


def in_words(template: Template, scope: Mapping[str, Facts], format_fact: Callable[[FactEntry, Any, str], str]) -> str:
    """A title with the values of one subject; '' where one of them is not known or has no words.

    `say` gets a fact, its value and the text before it.
    """
    text = ""
    for piece in template.pieces:
        if isinstance(piece, str):
            text += piece
            continue
        fact = piece.reader()(scope)
        words = "" if isinstance(fact, Unknown) else format_fact(piece, fact.value, text)
        if not words:
            return ""
        text += words
    return text


def without_commands(remedy: Remedy, scope: Mapping[str, Facts], reason: str) -> Instructions:
    """Only what the remedy says in words, and why there is nothing to paste."""
    return Instructions(
        needs=needs_for(remedy, [scope]),
        applicability=remedy.applicability,
        now=(),
        keep=(),
        undo=(),
        verify=(),
        advice=advice_for(remedy, [scope]),
        no_commands=reason,
    )


def _persistent(keep: KeepTemplate, scope: Mapping[str, Facts]) -> Keep:
    return Keep(
        file=keep.file,
        line=_fill(keep.line, scope, _plain_word),
        mount=_fill(keep.mount, scope, _as_it_is),
        add=keep.add,
        remove=keep.remove,
    )


def _filled(commands: tuple[Template, ...], scope: Mapping[str, Facts]) -> tuple[str, ...]:
    filled = tuple(_fill(command, scope, _shell_word) for command in commands)
    tools: Fact[Version] | None = getattr(scope.get("host"), "util_linux", None)
    if not isinstance(tools, Known):
        return filled
    if tools.value < _WITH_OPTIONS_SOURCE:
        filled = tuple(_REMOUNT.sub(_OLD_REMOUNT, command) for command in filled)
    if tools.value < _WITH_MOUNTPOINT:
        filled = tuple(command.replace(" --mountpoint ", " ") for command in filled)
    return filled


def _fill(template: Template, scope: Mapping[str, Facts], write: Callable[[str, str, str], str]) -> str:
    text = ""
    for piece in template.pieces:
        if isinstance(piece, str):
            text += piece
            continue
        fact = piece.reader()(scope)
        if isinstance(fact, Unknown):
            raise _UnfitError(f"{piece.name} is not known" + (f": {fact.learn}" if fact.learn else ""))
        text += write(piece.name, str(fact.value), text)
    return text


def _shell_word(name: str, value: str, before: str) -> str:
    if not value:
        raise _UnfitError(f"{name} is empty")
    if not value.isprintable():
        raise _UnfitError(f"{name} has characters that are not safe to paste into a shell")
    if value.startswith("-") and (not before or before[-1].isspace()):
        raise _UnfitError(f"{name} begins with '-', which a command would take for an option")
    return shlex.quote(value)


def _plain_word(name: str, value: str, before: str) -> str:
    is_quoted = before.count('"') % 2 == 1
    if not (_PLAIN_IN_QUOTES if is_quoted else _PLAIN).fullmatch(value):
        raise _UnfitError(f"{name} has characters that mean something else in a configuration file")
    return value


def _as_it_is(_name: str, value: str, _before: str) -> str:
    return value
