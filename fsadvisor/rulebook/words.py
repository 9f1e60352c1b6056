"""Words as people type them, or a kernel message pasted whole, to the rules and commands that they are about.

The index is symptoms.toml and the rules' own words. What is exact comes first, then the start of a word, then one
letter mistyped; scattered letters find nothing. What applies to nothing here comes last.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.own_tables import own_table
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fsadvisor.rulebook.advise import Verdicts
    from fsadvisor.rulebook.rule import Rule

_SAYS_NOTHING: Final = """
a all am an and any are as at be but by can do does for from get gets getting got had has have how i if in is it
its just me my no not of on or s should so still t that the then there they this to too very was we what when
where which while who why will with you your
also both each else even ever here lot lots make makes making much need never one only our out than their want
"""
_STOP: Final = frozenset(_SAYS_NOTHING.split())
_WORD: Final = re.compile(r"[a-z][a-z0-9_.]*[a-z0-9_]|[a-z]|[0-9]+")
_NUMBERED: Final = re.compile(r"(md|nvme|[a-z][a-z0-9]{3,}[a-z])[0-9]+(?:n[0-9]+)?(?:p[0-9]+)?")
"""One of several of a name: kswapd0, mpt2sas1, md0, nvme0n1p2."""
_AT_NIGHT: Final = re.compile(r"(?<![\d:.])(?:[1-6](?::\d\d)? ?a\.?m\b\.?|[1-6] o'clock|0[0-6]:[0-5]\d(?![\d:.]))")
"""2 a.m. and 02:10, but no address such as 2:0:0:0 and 0000:03:00.0."""
_JOINED: Final = re.compile(r"[A-Z][a-z]{3,}(?:[A-Z][a-z]{3,})+")
"""DegradedArray is 'degraded array', too."""
_MEMBER_LESS: Final = re.compile(r"\[(?=[u_]*_)[u_]+\]")
"""[U_] of /proc/mdstat."""
_QUESTION: Final = 3
"""Words from which on what is typed tells a story, not a name."""
_ABOUT: Final = 0.5
"""Of a story's words, those that a rule has at least, where nothing but its own words speaks for it."""
_LEAST: Final = 0.3
"""Of the best: what fits less is noise."""

_NAMED, _ANOTHER = 1.1, 0.5
"""Of a rule of the filesystem or program that is named, and of one of another of that kind."""
_MOST: Final = 12
_TYPED: Final = 5
"""Letters that a word has at least, one of which may be mistyped."""

_STARTS: Final = 4
_EXACT, _START, _MISTYPED = 1.0, 0.8, 0.6
_ADVISED: Final = 1.3
"""What is so on this machine comes before what fits as well."""

_TELLING: Final = 1.2
"""A rare word outweighs several common ones, as slow and disk are."""
_OWN: Final = 0.3
"""Of a word that is only a rule's own: phrases are what people type."""
_WEIGHTS: Final = (0.9, 0.8, 0.3)
"""Of a word of a rule's id, title and why."""


class Here(Struct, frozen=True):
    """What a rule says of this machine, in words; `outcome` None where it is not asked by the audit."""

    outcome: Outcome | None
    says: str


class WordMatch(Struct, frozen=True):
    """An entry: `kind` is rule, probe, command or beyond, which no rule asks; `key` the rule's id or the place."""

    kind: str
    key: str
    title: str
    says: str
    here: Here | None
    score: float


class _Symptom(Struct, frozen=True):
    phrases: tuple[frozenset[str], ...]
    leads: tuple[str, ...]


_SAID: Final = {
    Outcome.ADVISE: "advised",
    Outcome.WITHHELD: "found; the safety of its change is not known",
    Outcome.BLOCKED: "found; its change is not safe here",
    Outcome.UNDETERMINED: "not known",
    Outcome.OK: "not so here",
    Outcome.NOT_APPLICABLE: "applies to nothing here",
}
_WHERE: Final = (*CALLS_FOR_ACTION, Outcome.UNDETERMINED)
_ORDER: Final = tuple(_SAID)


def found(typed: str, rules: Sequence[Rule], here: Mapping[str, Here] | None = None) -> list[WordMatch]:
    """What the words lead to, the best first; `here` is states(), None where no machine is looked at."""
    terms = stems(typed)
    states = here or {}
    by_symptom, own = dict(_by_symptom(terms)), _by_own_words(terms, rules)
    scores = defaultdict(float, by_symptom)
    for key, (score, share) in own.items():
        if key in by_symptom or share >= _ABOUT or len(terms) < _QUESTION:
            scores[key] += score
    if own and not by_symptom and len(terms) >= _QUESTION:
        scores["doctor"] = max(scores.values(), default=1.0)
    known = {rule.id: rule for rule in rules}
    for key, factor in _of_what_is_named(terms, scores):
        scores[key] *= factor
    if typed.strip() in known:
        scores[typed.strip()] += 1000
    entries = [_entry(key, score, known, states) for key, score in scores.items() if key in known or key in places()]
    best = max((one.score for one in entries), default=0.0)
    kept = [one for one in entries if one.score >= best * _LEAST]
    return sorted(kept, key=lambda one: (_nowhere(one), -one.score, one.key))[:_MOST]


def _of_what_is_named(terms: Sequence[str], keys: Iterable[str]) -> list[tuple[str, float]]:
    """Factors of rules: who asks of one filesystem or program is not led to what another's rules say."""
    named = [{name for name, words in kind.items() if not words.isdisjoint(terms)} for kind in _kinds()]
    factors = []
    for key in keys:
        for kind, among in zip(_kinds(), named, strict=True):
            name = key if key in kind else key.partition("-")[0]
            if among and name in kind:
                factors.append((key, _NAMED if name in among else _ANOTHER))
    return factors


@cache
def _kinds() -> Sequence[Mapping[str, frozenset[str]]]:
    """Of each kind, what may be named, and the words that do."""
    kinds = _document()["kind"]
    return [{name: frozenset(map(_meant, words)) for name, words in kind.items()} for kind in kinds]


def states(verdicts: Verdicts, rules: Iterable[Rule]) -> dict[str, Here]:
    """What each rule says here, of whom; of several outcomes that which matters most."""
    worst: dict[str, tuple[Outcome, list[str]]] = {}
    for rule, outcome, subjects in verdicts.groups():
        before = worst.get(rule.id)
        if before is None or _ORDER.index(outcome) < _ORDER.index(before[0]):
            worst[rule.id] = (outcome, [one.name for one in subjects])
        elif before[0] is outcome:
            before[1].extend(one.name for one in subjects)
    return {rule.id: _here(rule, *worst.get(rule.id, (Outcome.NOT_APPLICABLE, []))) for rule in rules}


def without_verdict(rule: Rule) -> Here:
    """What is said of a rule of which no verdict speaks."""
    return _here(rule, Outcome.NOT_APPLICABLE, [])


def _here(rule: Rule, outcome: Outcome, names: Sequence[str]) -> Here:
    if rule.subject == "now":
        return Here(None, "`fsadvisor doctor` looks for it")
    if rule.status == "draft":
        return Here(None, "a draft, which is not asked yet")
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return Here(outcome, f"{_SAID[outcome]}: {names[0]}{more}" if outcome in _WHERE and names else _SAID[outcome])


def _nowhere(match: WordMatch) -> bool:
    return match.here is not None and match.here.outcome is Outcome.NOT_APPLICABLE


def _entry(key: str, score: float, rules: Mapping[str, Rule], here: Mapping[str, Here]) -> WordMatch:
    if key not in rules:
        title, says = places()[key]
        kind = "beyond" if key in _document()["beyond"] else "probe" if key.startswith("probe:") else "command"
        return WordMatch(kind, key, title, says, None, score)
    state = here.get(key)
    if state is not None and state.outcome in CALLS_FOR_ACTION:
        score *= _ADVISED
    return WordMatch("rule", key, key, rules[key].title, state, score)


def _by_symptom(terms: Sequence[str]) -> Iterable[tuple[str, float]]:
    """Each lead of a symptom, by the best of its phrases, and a little for each other phrase."""
    rare = _rarity()
    fits: dict[str, float] = {}
    for typed in terms:
        for word, fit in _alike(typed, rare):
            fits[word] = max(fit, fits.get(word, 0.0))
    best: dict[str, float] = {}
    for symptom in _symptoms():
        hits = sorted(
            (sum(rare[word] * fits[word] for word in phrase) for phrase in symptom.phrases if phrase <= fits.keys()),
            reverse=True,
        )
        for rank, key in enumerate(symptom.leads if hits else ()):
            score = (hits[0] + 0.1 * sum(hits[1:4])) * (1 - 0.08 * rank)
            best[key] = max(best.get(key, 0.0), score)
    return best.items()


def _by_own_words(terms: Sequence[str], rules: Sequence[Rule]) -> Mapping[str, tuple[float, float]]:
    """Of each rule that has some of the words: its score, and its share of them; numbers are of one machine."""
    own = _own_words(tuple((rule.id, rule.title, rule.why) for rule in rules))
    scores: defaultdict[str, float] = defaultdict(float)
    words = {one for one in terms if len(one) > 1}  # a letter alone is no word of a rule
    had = Counter[str]()
    for typed in words:
        best: dict[str, float] = {}
        for word, fit in _alike(typed, own, _rarity()):
            for key, weight in own[word].items():
                best[key] = max(best.get(key, 0.0), weight * fit)
        for key, score in best.items():
            scores[key] += score * math.log(1 + len(rules) / max(len(own.get(typed, ())), 1)) * _OWN
            had[key] += not typed.isdigit()
    among = max(sum(not one.isdigit() for one in words), 1)
    return {key: (score, had[key] / among) for key, score in scores.items()}


@lru_cache(maxsize=4)
def _own_words(texts: tuple[tuple[str, str, str], ...]) -> Mapping[str, Mapping[str, float]]:
    """Each word of the rules' ids, titles and reasons, with the rules that have it and its weight there."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for key, *parts in texts:
        for text, weight in zip((key, *parts), _WEIGHTS, strict=True):
            for word in stems(text):
                found[word][key] = max(weight, found[word].get(key, 0.0))
    return dict(found)


@cache
def stems(text: str) -> tuple[str, ...]:
    """The words of a text without endings; those that say nothing are left out."""
    plain = text.isascii() and text.islower() and text.replace(" ", "").isalpha() and "read only" not in text
    parts = text.split() if plain else _parts(text)
    return tuple(dict.fromkeys(_meant(word) for word in parts if word and word not in _STOP))


def _parts(text: str) -> list[str]:
    """Words, and parts of them, of a text that has more than letters."""
    text += "".join(f" {part}" for word in _JOINED.findall(text) for part in re.findall("[A-Z][a-z]+", word))
    text = _MEMBER_LESS.sub(" degraded array ", _AT_NIGHT.sub(" overnight ", text.casefold()))
    words = _WORD.findall(text.replace("read-only", "readonly read only").replace("read only", "readonly"))
    words += [found[1] for word in words if (found := _NUMBERED.fullmatch(word))]
    return [part for word in words for part in ({word, *re.split(r"[._]", word)} if len(word) > 1 else {word})]


@cache
def _meant(word: str) -> str:
    return _same().get(stem := _stem(word), stem)


@cache
def _same() -> Mapping[str, str]:
    """Words that mean another, without endings."""
    return {_stem(word): _stem(meant) for meant, words in _document()["same"].items() for word in words}


def _stem(word: str) -> str:
    for ending, left in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= (3 if ending != "e" else 4) and word[-2:] != "ss":
            return word[: -len(ending)] + left
    return word


def _alike(
    typed: str, words: Mapping[str, object], others: Mapping[str, object] | None = None
) -> list[tuple[str, float]]:
    """(word, fit) of those that are meant. A word itself is neither mistyped nor cut off: 'start' is not 'smart'.

    The first letter is right.
    """
    if typed in words or (others and typed in others):
        return [(typed, _EXACT)] if typed in words else []
    found = ((word, _fit(word, typed)) for word in words if word[0] == typed[0])
    return [(word, fit) for word, fit in found if fit]


def _fit(word: str, typed: str) -> float:
    if len(typed) >= _STARTS and word.startswith(typed):
        return _START
    near = min(len(word), len(typed)) >= _TYPED and abs(len(word) - len(typed)) <= 1
    return _MISTYPED if near and _one_letter_apart(word, typed) else 0.0


def _one_letter_apart(word: str, other: str) -> bool:
    """One letter is wrong, missing or too many, or two neighbours are exchanged."""
    i = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    if any(sign.isdigit() for sign in word[i:] + other[i:]):  # xfs v4 is not xfs v5
        return False
    return (
        word[i + 1 :] == other[i + 1 :]
        or word[i + 1 :] == other[i:]
        or word[i:] == other[i + 1 :]
        or (word[i + 2 :] == other[i + 2 :] and word[i : i + 2] == other[i : i + 2][::-1])
    )


@cache
def _document() -> Mapping[str, Any]:
    return own_table(Path(__file__).with_name("symptoms.toml"))


@cache
def places() -> Mapping[str, tuple[str, str]]:
    """Commands and probes by their key: how they are typed, and one line; and what is beyond the rules, by its name."""
    return {key: (typed, says) for table in ("place", "beyond") for key, (typed, says) in _document()[table].items()}


@cache
def _symptoms() -> tuple[_Symptom, ...]:
    return tuple(
        _Symptom(tuple(frozenset(words) for phrase in one["words"] if (words := stems(phrase))), tuple(one["leads"]))
        for one in _document()["symptom"]
    )


@cache
def _rarity() -> Mapping[str, float]:
    """The words of all symptoms, and how much each tells: what stands in few tells more."""
    count = Counter(word for one in _symptoms() for word in frozenset().union(*one.phrases))
    return {word: math.log(1 + len(_symptoms()) / times) ** _TELLING for word, times in count.items()}
