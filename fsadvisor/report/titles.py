"""A rule's title with the values of this machine, on one line; without them where one of them is not known."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Known
from fsadvisor.pages.glyphs import clean, width
from fsadvisor.pages.values import listed, short_name, value_text
from fsadvisor.patterns import late
from fsadvisor.rulebook.remedy import in_words
from fsadvisor.storage.catalogue import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.rulebook.remedy import Template
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject
    from fsadvisor.storage.catalogue import FactEntry

_WIDTH: Final = 80
_LONGEST_VALUE: Final = 24
"""What each value may take at least; more where the title leaves it beside a name of usual length."""
_USUAL_NAME: Final = 20
_SHORTEST_NAME: Final = 12
_NAMED: Final = 3
_CUT: Final = "..."
"""In ASCII, as a title may stand on a terminal that has no more."""

_SET: Final = {True: "on", False: "off"}
_OPTION: Final = late(r"'([^']+)' in ")


def title(rule: Rule, subjects: Sequence[Subject]) -> str:
    """What is set or seen on what; the rule's own title where a value is unknown, with the names where they differ."""
    words = _words(rule, subjects[0])
    if any(_words(rule, subject) != words for subject in subjects[1:]):
        return f"{_names(subjects, max(_WIDTH - width(rule.title) - 2, _SHORTEST_NAME))}: {rule.title}"
    if not words:
        return rule.title
    if rule.subject == "host":
        return words[0].upper() + words[1:] if words.split()[0].isalpha() else words
    left = max(_WIDTH - width(words) - 2, _SHORTEST_NAME)
    return f"{_names(subjects, left)}: {words}"


def _words(rule: Rule, subject: Subject) -> str:
    """Of several titles the first whose values are known, and rather one that counts nothing as 0."""
    fit = [one.says for one in rule.here if one.fits(subject.scope)]
    found = [(words, one) for one in fit if (words := in_words(one, subject.scope, partial(_bare, rule, _room(one))))]
    return next((words for words, one in found if not _has_zero(one, subject)), found[0][0] if found else "")


def _room(template: Template) -> int:
    """The columns for each of a title's values."""
    texts = [piece for piece in template.pieces if isinstance(piece, str)]
    values = max(1, len(template.pieces) - len(texts))
    return max(_LONGEST_VALUE, (_WIDTH - _USUAL_NAME - width("".join(texts))) // values)


def _has_zero(template: Template, subject: Subject) -> bool:
    facts = (piece.reader()(subject.scope) for piece in template.pieces if not isinstance(piece, str))
    return any(isinstance(fact, Known) and fact.value == 0 and fact.value is not False for fact in facts)


def _names(subjects: Sequence[Subject], most: int) -> str:
    """The subjects by name where there is room for them, those of one name as '4 qemu', else how many there are."""
    for name in (_name, _short):
        counted = Counter(name(subject) for subject in subjects).most_common()
        names = [f"{count:,} {one}" if count > 1 else one for one, count in counted[:_NAMED]]
        if left := sum(count for _, count in counted[_NAMED:]):
            names.append(f"{left:,} more")
        together = listed(names)
        if width(together) <= most:
            return together
    if len(subjects) > 1:
        return f"{len(subjects):,} {subjects[0].kind}s"
    return cut_in_the_middle(together, most)


def _name(subject: Subject) -> str:
    """A filesystem by its mount point and type: its device stands below the title."""
    if subject.kind not in ("filesystem", "mount"):
        return short_name(subject)
    field, of = ("mount_point", "type") if subject.kind == "filesystem" else ("point", "fs_type")
    facts = subject.scope.get(subject.kind)
    point, kind = (getattr(facts, name, None) for name in (field, of))
    name = clean(point.value, None) if isinstance(point, Known) and point.value else short_name(subject)
    return f"{name} ({clean(kind.value, None)})" if isinstance(kind, Known) and kind.value else name


def _short(subject: Subject) -> str:
    """Without the type of a filesystem, or the directory of a program."""
    name = _name(subject)
    return name.split(" ")[0] if subject.kind == "service" else name.rpartition(" (")[0] or name


def cut_in_the_middle(text: str, most: int) -> str:
    """Both ends of a long name, of which the end tells more."""
    if width(text) <= most:
        return text
    head = (most - len(_CUT)) // 3
    end = text[-1:]
    for sign in reversed(text[:-1]):
        if width(sign + end) > most - len(_CUT) - head:
            break
        end = sign + end
    start = ""
    for sign in text:
        if width(start + sign) > head:
            break
        start += sign
    return f"{start}{_CUT}{end}"


def _bare(rule: Rule, most: int, entry: FactEntry, value: Any, before: str) -> str:  # noqa: ANN401 - any type of the catalogue
    """A value without the quotes in which evidence puts strangers' words; after '=' as it is set; '' where it is none.

    Of a list of options those that the rule asks for.
    """
    if entry.kind is Kind.TEXTS:
        asked = _OPTION.findall(
            " ".join(ask.expression.text for ask in rule.asks if entry.name in ask.expression.names)
        )
        value = tuple(one for one in value if one in asked) if asked else value
        if len(value) > 1 and width(value_text(entry, value)) > most:
            return f"{cut_in_the_middle(clean(value[0], None), most)} and {len(value) - 1:,} more"
    if value in ("", ()):
        return ""
    if before.endswith("="):
        text = _SET.get(value, str(value)) if isinstance(value, bool) else clean(str(value), None)
    elif isinstance(value, str):
        text = clean(value, None)
    else:
        text = _figure(entry, value)
    return cut_in_the_middle(text, most)


def _figure(entry: FactEntry, value: Any) -> str:  # noqa: ANN401 - any type of the catalogue
    """A number with its unit: '1 path', '21 ms', '40,211 errors'."""
    if entry.unit == "µs":
        return f"{value / 1000:g} ms"
    text = value_text(entry, int(value) if isinstance(value, float) and value.is_integer() else value)
    number, space, unit = text.partition(" ")
    return f"{int(number):,}{space}{unit}" if number.isdigit() and unit.isalpha() else text
