"""From findings to a plan that people review and run themselves: scripts, diff, files, undo. It runs nothing.

A plan has steps for a script, files to change, what is left to people, what was refused.
"""

from __future__ import annotations

from msgspec import Struct

ABSENT = "absent"
"""What the sum of a file is called that is not there."""


class UnfitError(Exception):
    """Why something can't be scripted and is left to people; the text says it in a clause."""


class Finding(Struct, frozen=True, kw_only=True):
    """A rule and the subject that it was found on."""

    rule: str
    subject: str
    title: str
    reason: str
    """Its rank in words."""


class Setting(Struct, frozen=True, kw_only=True):
    """One value of the machine. `probe` is a command of the scripts that prints it, quoted for the shell."""

    what: str
    probe: str
    seen: str
    wanted: tuple[str, ...]
    """What it may be afterwards: never the value that was seen."""


class Condition(Struct, frozen=True, kw_only=True):
    """What has to be as it was seen before and after: the drive's model, the kind of filesystem."""

    what: str
    probe: str
    value: str


class Change(Struct, frozen=True, kw_only=True):
    """One command that sets settings, and the one that brings back what was seen.

    `claims` are what it decides: pairs of a setting's name, whatever the words for it, and the value.
    `unmoved` are probes that must print the same before and after.
    """

    do: str
    undo: str
    claims: tuple[tuple[str, str], ...]
    settings: tuple[Setting, ...]
    conditions: tuple[Condition, ...] = ()
    unmoved: tuple[str, ...] = ()


class Step(Struct, frozen=True, kw_only=True):
    """The changes of one finding, and of others that ask for the same."""

    findings: tuple[Finding, ...]
    why: str
    advice: str
    look: tuple[str, ...]
    """Commands by which people can see it for themselves."""
    changes: tuple[Change, ...]


class LineEdit(Struct, frozen=True, kw_only=True):
    """A line of fstab, by its number from 1, as it was and as it shall be."""

    number: int
    before: str
    after: str


class FstabChange(Struct, frozen=True, kw_only=True):
    """fstab as it was seen and as it shall be, its bytes held as surrogates where they are no UTF-8."""

    before: str
    after: str
    edits: tuple[LineEdit, ...]
    findings: tuple[Finding, ...]


class FileChange(Struct, frozen=True, kw_only=True):
    """A new file, or lines put into one that was there (`before`).

    `pieces` are, in their order, lines that are new, and ranges of lines that stay: first and last, from 1.
    """

    path: str
    before: str | None
    pieces: tuple[str | tuple[int, int], ...]
    findings: tuple[Finding, ...]

    @property
    def open_ended(self) -> bool:
        """Whether the last line that was there has no end of line."""
        return bool(self.before) and not str(self.before).endswith("\n")

    @property
    def after(self) -> str:
        """The whole new text."""
        lines = (self.before or "").split("\n")
        kept = (lines[it[0] - 1 : it[1]] if isinstance(it, tuple) else [it] for it in self.pieces)
        return "".join(f"{line}\n" for some in kept for line in some)


class Manual(Struct, frozen=True, kw_only=True):
    """What no script does: why, and what to do in words and commands."""

    finding: Finding
    reason: str
    advice: str = ""
    commands: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()


class Refusal(Struct, frozen=True, kw_only=True):
    """A finding that is not planned at all, and why."""

    finding: Finding
    reason: str


class Plan(Struct, frozen=True, kw_only=True):
    """All of it, in the order of running."""

    machine: str
    kernel: str
    steps: tuple[Step, ...]
    files: tuple[FileChange, ...]
    fstab: FstabChange | None
    manual: tuple[Manual, ...]
    refused: tuple[Refusal, ...]

    @property
    def scripted(self) -> bool:
        """Whether there is anything for a script to do."""
        return bool(self.steps or self.files or self.fstab)
