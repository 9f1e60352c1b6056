"""The language that rules and reports are written in: the field's terms (docs/glossary.md) and short sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.rulebook.rule import Rule

MOST_WORDS: Final = 25
"""Words of a sentence: longer ones are read twice, most of all in a second language."""

_TERMS: Final = {
    r"(sub)?folders?": "directory",
    r"room": "free space",
    r"pieces?(?! of (advice|hygiene))": "extents, fragments or parts",
    r"anew": "again, or re-created",
    r"(leaf|leaves of the stack)": "physical device",
    r"(kernel's cache|cache of the kernel)": "page cache",
    r"spin(s|ning)?(?! (on|up|down)\b)": "is rotational",
    r"names (in|of) (a|an|each|every|one|its|the same|that) director(y|ies)": "directory entries",
    r"seeds? \d{3}": "the published guide, by its name",
    r"E\d{1,2}(, E\d{1,2})*": "the published guide, by its name",
    r"believe:": "expect",
    r"from memory: not": "the source, or nothing",
    r"the question makes no sense": "not checked, and why",
    r"look (how|which|what|whether|who)": "check",
    r"see (to|that) (the|a|it)": "check",
    r"let it end": "let it finish",
    r"overse(e|en|es)": "overlook",
    r"do(es)? as well": "works too",
    r"for ever": "forever",
    r"counts? from": "takes effect",
    r"mend(s|ed|ing)?": "repair, fix or correct",
    r"renew(s|ed|ing)? (the|an|its) initramfs": "update or rebuild the initramfs",
    r"needs (other )?hardware": "replace the drive, the controller, or what it is",
}
"""A word of this project's own, or of its insides -> the field's term for it."""

_WORDS: Final = {re.compile(rf"(?<![\w./-]){old}(?![\w/-]|\.\w)", re.IGNORECASE): term for old, term in _TERMS.items()}
_COMMANDS: Final = (
    r"mdadm",
    r"(?:lv|vg|pv)[a-z]+",
    r"zpool|zfs",
    r"btrfs\w*",
    r"xfs_\w+",
    r"e2fsck|tune2fs|resize2fs|dumpe2fs|e4defrag",
    r"(?:stor|perc)cli(?:64)?",
    r"ssacli",
    r"arcconf",
    r"mvcli",
    r"iscsiadm",
    r"psql|pg_\w+|SELECT|ALTER SYSTEM",
    r"mysql\w*|SET GLOBAL",
)
"""Commands that only one of several kinds of filesystem, volume, controller or program has, a kind a line."""
_COMMAND_OF: Final = [re.compile(rf"`((?:{names})\b)") for names in _COMMANDS]
_QUOTED: Final = re.compile(r"`[^`]*`|\{[^{}]*\}|<[^<>\s]*>")
"""Commands, values and names stand as they are written."""
_END: Final = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"')]))(?<!e\.g\.)(?<!i\.e\.)\s+|\n\s*\n|\n\s*(?=[-*] )")
_WORD: Final = re.compile(r"\w")


def sentences(text: str) -> list[str]:
    """Each on one line; a paragraph and an item of a list end one, too."""
    return [" ".join(one.split()) for one in _END.split(text) if one and one.strip()]


def misworded(text: str) -> Iterator[str]:
    """In words, what a stranger to this project could stumble over."""
    plain = _QUOTED.sub("value", text)
    for pattern, term in _WORDS.items():
        for found in pattern.finditer(plain):
            around = " ".join(plain[max(0, found.start() - 30) : found.end() + 20].split())
            yield f"'{found[0]}' in '… {around} …': say {term}"
    for sentence in sentences(plain):
        count = sum(1 for word in sentence.split() if _WORD.search(word))
        if count > MOST_WORDS:
            yield f"a sentence has {count} words, more than {MOST_WORDS}: '{sentence}'"


def texts(rule: Rule) -> Iterator[tuple[str, str]]:
    """(where it stands, text) of all that a person reads of the rule."""
    yield "title", rule.title
    yield from (
        ("here", "".join(piece if isinstance(piece, str) else "value" for piece in one.says.pieces))
        for one in rule.here
    )
    yield "why", rule.why
    for ask in rule.asks:
        yield f"{ask.part}: ask", ask.ask
        yield f"{ask.part}: because", ask.because
    if rule.gain is not None:
        gain = rule.gain
        yield from (("gain: metric", gain.metric), ("gain: believe", gain.believe))
        for figure in gain.figures:
            yield from (("gain: says", figure.says), ("gain: conditions", figure.conditions))
    yield "remedy: advice", rule.remedy.advice
    yield from (("remedy: way", one.advice) for one in rule.remedy.ways)
    yield from (("reference: says", one.says) for one in rule.references)
    yield from (("equivalent: reason", one.reason) for one in rule.equivalents)


def misworded_rule(rule: Rule) -> Iterator[str]:
    """The same of each text of a rule, with where it stands; and commands of several kinds of system in one."""
    for where, text in texts(rule):
        yield from (f"{where}: {words}" for words in misworded(text))
        kinds = [found[1] for command in _COMMAND_OF if (found := command.search(text))]
        if where.startswith("remedy") and len(kinds) > 1 and rule.subject != "host":
            yield f"{where}: {' and '.join(kinds)} are for different kinds of system: a [[remedy.way]] for each"
