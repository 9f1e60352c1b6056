"""The board: a row for each mount, where trouble is felt, and for each drive, where it comes from.

What is between them is folded away: unfolded, a mount is a tree down to its drives. What several mounts stand on is
shown once, under the first that is unfolded, and referred to from the others.

What a subject stands on down to the hardware, and what stands on it, as the lines of a tree.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct, field

from fsadvisor.facts import Known
from fsadvisor.pages.document import Paragraph
from fsadvisor.pages.glyphs import UNICODE, Line, Span, Tone, clean, cut, line, padded, span, width
from fsadvisor.pages.screen import laid
from fsadvisor.pages.values import counted
from fsadvisor.rulebook.ranking import SICK
from fsadvisor.tui.views import board
from fsadvisor.tui.views.badges import badges, disks_below, name, words
from fsadvisor.tui.views.board import figures, measured
from fsadvisor.tui.views.rows import LazyRows, Row
from fsadvisor.tui.views.severity import mark, weight, wrong_now
from fsadvisor.tui.views.snapshot import as_people_count, named, reached

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.report.findings import Finding
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.board import Traffic
    from fsadvisor.tui.views.snapshot import Snapshot


_APART: Final = "\0"
_LONGEST_NAME: Final = 120
_TREE_SHARE: Final = 0.3
_NARROWEST_NAMES: Final = 12
SORTS: Final = ("worst", "name", "used")
"""What the rows of mounts, and those of drives, can be sorted by."""


_SORTED: Final = {"worst": "worst first", "name": "by name", "used": "fullest first"}


class Folds(Struct, frozen=True):
    """Which rows are folded: the outermost, unless their keys are among `turned`, and the reverse of the others."""

    turned: AbstractSet[str] = field(default_factory=frozenset)
    sort: str = SORTS[0]

    def is_folded(self, key: str, depth: int) -> bool:
        """Whether what is below that row is not shown."""
        return (depth == 0) != (key in self.turned)

    def turn(self, key: str) -> Folds:
        """Fold what is unfolded, and the reverse."""
        return Folds(self.turned ^ {key}, self.sort)

    def sorted_otherwise(self) -> Folds:
        """By the next of the sorts."""
        return Folds(self.turned, SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)])


class Node(NamedTuple):
    """A row of the tree; `stem` draws how it hangs on its parent."""

    key: str
    subject: Subject
    depth: int
    stem: str
    parent: str = ""
    has_children: bool = False
    is_folded: bool = False
    is_reference: bool = False


class TopRows:
    """What of a snapshot's board stays the same however it is folded."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._nodes: dict[str, Sequence[Node]] = {}

    def nodes(self, sort: str) -> Sequence[Node]:
        """The mounts, what stands below none of them, all drives, and the machine as a whole; each folded."""
        if sort not in self._nodes:
            mounts, others, drives, hosts = self._by_name
            self._nodes[sort] = [*self._sorted(mounts, sort), *others, *self._sorted(drives, sort), *hosts]
        return self._nodes[sort]

    def _sorted(self, some: Sequence[Node], sort: str) -> Sequence[Node]:
        if sort == "worst":
            return sorted(some, key=lambda it: self.snapshot.gravities[it.key])
        return sorted(some, key=lambda it: _used(it.subject), reverse=True) if sort == "used" else some

    @cached_property
    def _by_name(self) -> tuple[Sequence[Node], ...]:
        tops = [self.snapshot.subjects[one] for one in self.snapshot.relations.roots]
        mounts, hosts = ([one for one in tops if one.kind == kind] for kind in ("mount", "host"))
        others = [one for one in tops if one.kind not in ("mount", "disk", "host")]
        drives = [one for one in self.snapshot.storage.subjects if one.kind == "disk"]
        drives.sort(key=lambda it: as_people_count(it.name))
        return tuple([self._node(one) for one in some] for some in (mounts, others, drives, hosts))

    def _node(self, root: Subject) -> Node:
        has_children = next(named(self.snapshot.relations, self.snapshot.subjects, root.id), None) is not None
        return Node(root.id, root, 0, "", has_children=has_children, is_folded=has_children)

    @cached_property
    def length(self) -> int:
        """Columns that the longest of them takes."""
        return max(map(_length, self.nodes(SORTS[0])), default=0)

    @cached_property
    def rooms(self) -> Mapping[str, int]:
        """By subject id, the columns that its row takes in what a search finds."""
        return {one.id: _room(one) for one in self.snapshot.storage.subjects}

    @cached_property
    def measured(self) -> frozenset[str]:
        """What of the columns that not every machine has is known of any subject."""
        return frozenset(what for one in self.snapshot.storage.subjects for what in measured(one))


class Tree(Struct, frozen=True, dict=True):
    """The nodes that are not folded away, from top to bottom."""

    snapshot: Snapshot
    glyphs: Glyphs
    nodes: Sequence[Node]
    outermost: TopRows

    def rows(self, columns: int, moving: Traffic | None = None) -> LazyRows:
        """One line each; `moving` is what is written and read meanwhile."""
        inner = (_length(node) for node in self.nodes if node.depth)
        names = _names_width(max(self.outermost.length, max(inner, default=0)), columns)
        keys = [node.key for node in self.nodes]
        return LazyRows(
            keys,
            lambda at: self._row(self.nodes[at], columns, names, moving),
            lambda words: self._found(words, columns),
        )

    def node(self, key: str) -> Node | None:
        """The one with that key, if it is shown."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> Mapping[str, Node]:
        return {node.key: node for node in self.nodes}

    def whole(self, key: str, columns: int) -> Sequence[Line]:
        """All words of a row: for below the tree, whose lines may be cut."""
        node = self.node(key)
        if node is None:
            return ()
        words = (span(name(node.subject), Tone.STRONG, _LONGEST_NAME), Span(": "), *self._badges_of(node))
        return [cut(one, columns, self.glyphs.ellipsis) for one in laid((Paragraph(words, (Span(" "),), 1),), columns)]

    def _row(self, node: Node, columns: int, names: int, moving: Traffic | None) -> Row:
        relations, subject = self.snapshot.relations, node.subject
        subjects = relations.used(subject.id) if node.is_folded else (subject.id,)
        findings = [self.snapshot.findings[at] for at in relations.advice_on(subjects)]
        sign = "" if not node.has_children else self.glyphs.right if node.is_folded else self.glyphs.down
        opening = f" {sign or ' '} " if node.depth == 0 else f" {sign} " if sign else " "
        tone = Tone.DIM if node.is_reference else Tone.STRONG if subject.kind in ("mount", "host") else Tone.PLAIN
        stem = (Span(f"{node.stem}{opening}", Tone.DIM), span(name(subject), tone, _LONGEST_NAME))
        title = padded(cut(stem, names, self.glyphs.ellipsis), names)
        after = (
            (Span("shown above", Tone.DIM),)
            if node.is_reference
            else figures(
                subject,
                columns,
                self.glyphs,
                measured=self.outermost.measured,
                moving=moving,
                worst=_worst(subject, findings) if node.is_folded else None,
            )
        )
        row = (weight(findings, self.glyphs), mark(findings), *title, Span(" "), *after)
        return Row(node.key, (cut(row, columns, self.glyphs.ellipsis),))

    def _badges_of(self, node: Node) -> Line:
        """All words of a subject; a folded mount tells of its filesystem and disks, too."""
        own = badges(node.subject, self.glyphs)
        if not node.is_folded or node.subject.kind != "mount":
            return own
        below = [self.snapshot.subjects[one] for one in node.subject.below if one in self.snapshot.subjects]
        parts = [own, *(badges(one, self.glyphs) for one in below), disks_below(node.subject)]
        comma = Span(", ", Tone.DIM)
        return tuple(one for part in parts if part for one in (comma, *part))[1:]

    def _found(self, words: Sequence[str], columns: int) -> LazyRows:
        """Subjects that a search finds, be they folded away or not, without their places in the tree."""
        texts = self.snapshot.texts
        matches: Sequence[Subject] = self.snapshot.storage.subjects
        for word in words:
            matches = [one for one in matches if word in texts[one.id]]
        keys = [one.id for one in matches]
        names = _names_width(max(map(self.outermost.rooms.__getitem__, keys), default=0), columns)
        return LazyRows(
            keys,
            lambda at: self._row(Node(matches[at].id, matches[at], 0, ""), columns, names, None),
        )


def _names_width(wanted: int, columns: int) -> int:
    return min(wanted, max(int(columns * _TREE_SHARE), _NARROWEST_NAMES))


def tree(snapshot: Snapshot, glyphs: Glyphs, folds: Folds, before: Tree | None = None) -> Tree:
    """What is to be seen of the machine; one made `before` of the same snapshot is not made anew as a whole."""
    outermost = before.outermost if before is not None and before.snapshot is snapshot else TopRows(snapshot)
    return Tree(snapshot, glyphs, list(_TreeWalk(outermost, glyphs, folds).nodes()), outermost)


def _used(subject: Subject) -> float:
    """How full or how worn, what is not known last."""
    facts = subject.scope.get("filesystem" if subject.kind == "mount" else "disk")
    fact: Fact[int] | None = getattr(facts, "used_percent" if subject.kind == "mount" else "percentage_used", None)
    return fact.value if isinstance(fact, Known) else -1


class _TreeWalk:
    """From the roots down; what was shown already is referred to."""

    def __init__(self, outermost: TopRows, glyphs: Glyphs, folds: Folds) -> None:
        self._subjects = outermost.snapshot.subjects
        self._relations = outermost.snapshot.relations
        self._glyphs = glyphs
        self._folds = folds
        self._roots = outermost.nodes(folds.sort)
        self._shown: set[str] = set()

    def nodes(self) -> Iterator[Node]:
        """Only what is below an unfolded row is walked through."""
        shown, turned = self._shown, self._folds.turned
        for root in self._roots:
            if root.key in shown or root.key in turned:
                yield from self._below(root.subject)
            else:
                shown.add(root.key)
                yield root

    def _below(self, root: Subject) -> Iterator[Node]:
        """Depth first, without recursion: loop devices may stand on each other as high as somebody likes."""
        waiting = [(root, 0, "", "", "")]
        glyphs = self._glyphs
        while waiting:
            subject, depth, stem, rest, parent = waiting.pop()
            node, children = self._node(subject, depth, stem, parent)
            yield node
            for at, child in enumerate(reversed(children)):
                sign, through = (glyphs.tree_last, "  ") if at == 0 else (glyphs.tree_more, glyphs.tree_through)
                margin = f"{rest} " if depth == 0 else rest
                waiting.append((child, depth + 1, margin + sign, margin + through, node.key))

    def _node(self, subject: Subject, depth: int, stem: str, parent: str) -> tuple[Node, list[Subject]]:
        if depth and subject.kind == "disk":
            return Node(f"{parent}{_APART}{subject.id}", subject, depth, stem, parent), []
        if subject.id in self._shown:
            return Node(f"{parent}{_APART}{subject.id}", subject, depth, stem, parent, is_reference=True), []
        self._shown.add(subject.id)
        children = list(named(self._relations, self._subjects, subject.id))
        is_folded = bool(children) and self._folds.is_folded(subject.id, depth)
        node = Node(subject.id, subject, depth, stem, parent, bool(children), is_folded)
        return node, [] if is_folded else children


def _worst(subject: Subject, spoken: Sequence[Finding]) -> Span | None:
    """The gravest of what is wrong now with what a mount stands on; None where its own words tell of their trouble."""
    wrong = [one for one in spoken if wrong_now(one)]
    own = {subject.id, *(one for one in subject.below if one.startswith("filesystem:"))}
    is_own = any(at.id in own for one in wrong if one.rule.urgency in SICK for at in one.subjects)
    if not wrong or (is_own and any(one.tone is Tone.BAD for one in words(subject, UNICODE))):
        return None
    first = wrong[0]
    told = first.title if first.title != first.rule.title else f"{name(next(first.subjects))}: {first.title}"
    return span(told, Tone.BAD, _LONGEST_NAME)


def subject_of(key: str) -> str:
    """The id of the subject that a row stands for."""
    return key.rpartition(_APART)[2]


def _length(node: Node) -> int:
    return width(node.stem) + _room(node.subject)


def _room(subject: Subject) -> int:
    return 3 + min(len(name(subject)), _LONGEST_NAME)


def title(snapshot: Snapshot, sort: str = SORTS[0], moving: Traffic | None = None) -> Line:
    """The pane's title."""
    numbers = f"{counted(snapshot.kinds.get('mount', 0), 'mount')}, {counted(snapshot.kinds.get('disk', 0), 'drive')}"
    return line(
        span("Board", Tone.TITLE),
        span(f"  {numbers}; {_SORTED[sort]}{board.traffic_words(moving) if moving else ''}", Tone.DIM),
    )


def title_of(subject: Subject) -> Line:
    """The title of what is told of a subject."""
    return line(span(subject.kind.capitalize(), Tone.TITLE), span(f"  {about(subject)}", Tone.DIM))


def about(subject: Subject) -> str:
    """A subject in the title of what is narrowed to it."""
    return clean(name(subject), 40)


_MOST: Final = 40
_LONGEST: Final = 60


class StackLine(Struct, frozen=True):
    """A line of the tree; `subject` is the id of what it shows, '' where it shows none."""

    subject: str
    line: Line


def stack(snapshot: Snapshot, subject: str, glyphs: Glyphs) -> list[StackLine]:
    """From the top down; what stands on two things is drawn under the first. Nothing where it stands alone."""
    related = snapshot.relations.stack(subject) & snapshot.subjects.keys()
    if len(related) < 2:
        return []
    nodes = list(_walk(snapshot, subject, related, glyphs))
    if len(nodes) > _MOST:
        words = f"and {counted(len(nodes) - _MOST, 'more line')} like these"
        here = next((one for one in nodes[_MOST:] if one.subject == subject), None)
        nodes = [*nodes[:_MOST], *([here] if here else []), StackLine("", line(span(f" {words}", Tone.DIM)))]
    return nodes


def _walk(snapshot: Snapshot, subject: str, related: set[str], glyphs: Glyphs) -> Iterator[StackLine]:
    """Without recursion: loop devices may stand on each other as high as somebody likes."""
    relations = snapshot.relations
    above = reached(subject, relations.above)
    roots = [one for one in related if one in above and not set(relations.above.get(one, ())) & related]
    waiting = [(one, "", "") for one in sorted(roots, reverse=True)]
    drawn: set[str] = set()
    while waiting:
        here, stem, rest = waiting.pop()
        if here in drawn:
            continue
        drawn.add(here)
        yield StackLine(here, _line(snapshot, here, stem, glyphs, is_subject=here == subject))
        children = [one for one in snapshot.subjects[here].below if one in related and one not in drawn]
        for index, child in enumerate(reversed(children)):
            sign, through = (glyphs.tree_last, "  ") if index == 0 else (glyphs.tree_more, glyphs.tree_through)
            waiting.append((child, rest + sign, rest + through))


def _line(snapshot: Snapshot, here: str, stem: str, glyphs: Glyphs, *, is_subject: bool) -> Line:
    shown = snapshot.subjects[here]
    mark = Span(f"{glyphs.right} " if is_subject else "  ", Tone.KEY)
    title = span(name(shown), Tone.STRONG if is_subject else Tone.PLAIN, _LONGEST)
    this = Span(" (this one)", Tone.KEY) if is_subject else Span("")
    kind = Span(f"{shown.kind} ", Tone.DIM)
    return (mark, Span(f"{stem} " if stem else "", Tone.DIM), kind, title, this, Span("  "), *badges(shown, glyphs))
