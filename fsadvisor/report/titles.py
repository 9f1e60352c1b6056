"""A rule's title with the values of this machine, on one line; without them where one of them is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Known
from fsadvisor.pages.escape import clean, width
from fsadvisor.pages.text import listed
from fsadvisor.pages.values import short_name, value_text
from fsadvisor.rulebook.remedy import in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject
    from fsadvisor.storage.catalogue import Entry

_WIDTH: Final = 80
_LONGEST_VALUE: Final = 24
_SHORTEST_NAME: Final = 12
_NAMED: Final = 3


def title(rule: Rule, subjects: Sequence[Subject]) -> str:
    """What is set or seen on what; the rule's own title where a value is unknown, or they differ."""
    if rule.here is None:
        return rule.title
    found = {in_words(rule.here, subject.scope, _said) for subject in subjects}
    words = found.pop()
    if found or not words:
        return rule.title
    if rule.subject == "host":
        return words[0].upper() + words[1:] if words.split()[0].isalpha() else words
    left = max(_WIDTH - width(words) - 2, _SHORTEST_NAME)
    return f"{_names(subjects, left)}: {words}"


def _names(subjects: Sequence[Subject], most: int) -> str:
    """The subjects by name where there is room for them, else how many there are."""
    names = [_name(subject) for subject in subjects[:_NAMED]]
    if len(subjects) > _NAMED:
        names.append(f"{len(subjects) - _NAMED:,} more")
    together = listed(names)
    if width(together) <= most:
        return together
    if len(subjects) > 1:
        return f"{len(subjects):,} {subjects[0].kind}s"
    return cut_in_the_middle(together, most)


def _name(subject: Subject) -> str:
    """Where it is mounted, if it is a filesystem: its device stands below the title."""
    point = getattr(subject.scope.get("filesystem"), "mount_point", None) if subject.kind == "filesystem" else None
    return clean(point.value, None) if isinstance(point, Known) and point.value else short_name(subject)


def cut_in_the_middle(text: str, most: int) -> str:
    """Both ends of a long name, of which the end tells more."""
    if width(text) <= most:
        return text
    head = (most - 1) // 3
    end = text[-1:]
    for sign in reversed(text[:-1]):
        if width(sign + end) > most - 1 - head:
            break
        end = sign + end
    start = ""
    for sign in text:
        if width(start + sign) > head:
            break
        start += sign
    return f"{start}…{end}"


def _said(entry: Entry, value: Any) -> str:  # noqa: ANN401 - any type of the catalogue
    """A value without the quotes in which evidence puts strangers' words; '' where it is none."""
    if value in ("", ()):
        return ""
    text = clean(value, None) if isinstance(value, str) else value_text(entry, value)
    return cut_in_the_middle(text, _LONGEST_VALUE)
