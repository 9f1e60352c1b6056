"""From a rule's commands and their undo to changes that can be checked: before, after, and on the way back.

Findings that want different things of one setting: the higher rank wins, of equals neither is planned.

Configuration files that make a remedy last: lines of several findings gathered by file.

How to change a mount that a unit file configures: a drop-in, proposed in words and never written.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from fsadvisor import secrecy
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.plan import Change, Condition, FileChange, Refusal, Setting, UnfitError, fstab_patch
from fsadvisor.plan.commands import Remount, Sysctl, UnitSwitch, Write, recognised, sysctl_family
from fsadvisor.plan.fstab_patch import NONE, family, in_family, of_the_mount, shown
from fsadvisor.readers import mount_tables
from fsadvisor.rulebook.ranking import weight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fsadvisor.machine.port import Answer
    from fsadvisor.plan import Finding
    from fsadvisor.plan.commands import Command
    from fsadvisor.plan.fstab_patch import Wish
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.remedy import Instructions
    from fsadvisor.storage import Facts, Mount

MOUNTS: Final = "/proc/self/mountinfo"
_ONE_WORD: Final = re.compile(r"[^|\n]+")


class SeenMounts(Struct, frozen=True):
    """What is mounted, as it was seen."""

    at: Mapping[str, tuple[mount_tables.MountEntry, ...]]

    def only(self, point: str) -> mount_tables.MountEntry:
        """The one mount at a point."""
        mounts = self.at.get(point, ())
        if len(mounts) != 1:
            raise UnfitError(f"{point} is {'mounted over' if mounts else 'not seen among the mounts'}")
        return mounts[0]


def mounts(read: Callable[[str], Answer]) -> SeenMounts:
    """The mounts of the machine, none where it does not tell."""
    answer = read(MOUNTS)
    table = answer if isinstance(answer, Unknown) else mount_tables.parse_mountinfo(answer.text)
    by_point: dict[str, tuple[mount_tables.MountEntry, ...]] = {}
    for mount in () if isinstance(table, Unknown) else table.mounts:
        by_point[mount.mount_point] = (*by_point.get(mount.mount_point, ()), mount)
    return SeenMounts(by_point)


def changes(todo: Instructions, scope: Mapping[str, Facts], seen: SeenMounts) -> tuple[Change, ...]:
    """One change for each command, with its undo. Raises UnfitError."""
    commands = tuple(_all_recognised(todo.now))
    undo = {command.pair: command for command in _all_recognised(todo.undo)}
    changed = tuple(_change(command, undo.pop(command.pair, None), scope, seen) for command in commands)
    if undo:
        raise UnfitError("its undo does more than bring back what it changes")
    for change in changed:
        _hold_together(change)
    return changed


def _all_recognised(texts: Iterable[str]) -> Iterator[Command]:
    for text in texts:
        command = recognised(text)
        if command is None:
            raise UnfitError(f"no check before and after is known for `{text}`")
        yield command


def _change(now: Command, undo: Command | None, scope: Mapping[str, Facts], seen: SeenMounts) -> Change:
    match now, undo:
        case Remount(), Remount():
            return _remount(now, undo, seen)
        case Write(), Write():
            return _write(now, undo, scope)
        case Sysctl(), Sysctl():
            return _sysctl(now, undo)
        case UnitSwitch(), UnitSwitch():
            return _unit(now, undo)
    raise UnfitError(f"the value that was seen is not known for `{now.line}`")


def _hold_together(change: Change) -> None:
    """Values must be words that a script can compare, and what is wanted must differ from what was seen."""
    for setting in change.settings:
        if not all(_ONE_WORD.fullmatch(value) and value.isprintable() for value in (setting.seen, *setting.wanted)):
            raise UnfitError(f"{setting.what} has a value that a script can't compare")
        if not setting.wanted or setting.seen in setting.wanted:
            raise UnfitError(f"{setting.what} would look the same before and after")


def _remount(now: Remount, undo: Remount, seen: SeenMounts) -> Change:
    mount = seen.only(now.point)
    wanted = {family(option): option for option in now.options}
    back = {family(option): option for option in undo.options}
    if set(wanted) != set(back):
        raise UnfitError("its undo sets other options than it does")
    in_force = (*mount.options, *mount.super_options)
    settings = tuple(_option(now.point, names, option, in_force) for names, option in wanted.items())
    for setting, option in zip(settings, (back[names] for names in wanted), strict=True):
        if setting.seen not in shown(option, setting.wanted[0] if setting.wanted else NONE):
            raise UnfitError(f"its undo would not bring back {setting.what}, which is '{setting.seen}'")
    names = sorted(name for names in wanted for name in names)
    return Change(
        do=now.line,
        undo=undo.line,
        claims=tuple((_whose(now.point, option, mount), option) for option in wanted.values()),
        settings=settings,
        conditions=(
            Condition(what=f"the filesystem at {now.point}", probe=_probe("kind_at", now.point), value=mount.fs_type),
        ),
        unmoved=(_probe("other_options", now.point, *names),),
    )


def _option(point: str, names: tuple[str, ...], option: str, in_force: tuple[str, ...]) -> Setting:
    before = in_family(in_force, names)
    return Setting(
        what=f"the option {'/'.join(names[:2])} at {point}",
        probe=_probe("options_among", point, *names),
        seen=before,
        wanted=shown(option, before),
    )


def _whose(point: str, option: str, mount: mount_tables.MountEntry) -> str:
    """The setting that an option decides: of the mount, or of the filesystem wherever it is mounted."""
    name = family(option)[0]
    return f"{name} at {point}" if of_the_mount(option) else f"{name} of filesystem {mount.major_minor}"


def _write(now: Write, undo: Write, scope: Mapping[str, Facts]) -> Change:
    probe = "chosen_in" if now.path.endswith("/scheduler") else "value_of"
    return Change(
        do=now.line,
        undo=undo.line,
        claims=((now.path, now.value),),
        settings=(Setting(what=now.path, probe=_probe(probe, now.path), seen=undo.value, wanted=(now.value,)),),
        conditions=tuple(_same_drive(now.path, scope)),
    )


def _same_drive(path: str, scope: Mapping[str, Facts]) -> Iterator[Condition]:
    """Names like sda move between drives: the model must still be the one that was judged."""
    model = getattr(scope.get("disk"), "model", None)
    if isinstance(model, Known) and model.source.endswith("/device/model"):
        if not path.startswith(f"{model.source.removesuffix('/device/model')}/"):
            raise UnfitError(f"{path} is another drive's")
        if model.value and model.value.isprintable() and "|" not in model.value:
            yield Condition(what=model.source, probe=_probe("value_of", model.source), value=model.value)


def _sysctl(now: Sysctl, undo: Sysctl) -> Change:
    first = Setting(what=now.key, probe=_probe("sysctl", "-n", now.key), seen=undo.value, wanted=(now.value,))
    settings: tuple[Setting, ...] = (first,)
    if now.key != undo.key:
        settings = (
            Setting(what=now.key, probe=first.probe, seen="0", wanted=(now.value,)),
            Setting(what=undo.key, probe=_probe("sysctl", "-n", undo.key), seen=undo.value, wanted=("0",)),
        )
    return Change(do=now.line, undo=undo.line, claims=((now.pair[1], f"{now.key}={now.value}"),), settings=settings)


_STATE: Final = {"enable": "enabled active", "disable": "disabled inactive"}


def _unit(now: UnitSwitch, undo: UnitSwitch) -> Change:
    state = Setting(
        what=now.unit,
        probe=_probe("unit_state", now.unit),
        seen=_STATE[undo.verb],
        wanted=(_STATE[now.verb],),
    )
    return Change(do=now.line, undo=undo.line, claims=((now.unit, now.verb),), settings=(state,))


def _probe(*words: str) -> str:
    return shlex.join(words)


_SYSCTL_LINE: Final = re.compile(r"-?([A-Za-z0-9_.*/-]+)\s*=\s*(.*)")
_UDEV_ASSIGNMENT: Final = re.compile(r'(?:^|,)\s*([A-Z]+(?:\{[^}]*\})?)(?::=|\+=|=(?!=))\s*"([^"]*)"')

QUARREL: Final = "it wants something else of"
"""How the reason begins of a finding that is refused because of another."""


class Claim(NamedTuple):
    """What a finding decides of a setting: it shall have the value, or (there is False) it shall not."""

    setting: str
    value: str
    there: bool


class Proposal(Struct, frozen=True, kw_only=True):
    """What one finding would have a script do."""

    verdict: Verdict
    finding: Finding
    todo: Instructions
    changes: tuple[Change, ...]
    wishes: tuple[Wish, ...]
    lines: tuple[tuple[str, str], ...]
    """Files, and a line that each shall have."""

    def claims(self) -> Iterator[Claim]:
        """Every setting that the proposal decides, with its value."""
        for change in self.changes:
            yield from (Claim(setting, value, True) for setting, value in change.claims)
        for wish in self.wishes:
            yield from (Claim(*claim) for claim in fstab_patch.claims(wish))
        for file, line in self.lines:
            yield from (Claim(setting, value, True) for setting, value in _of_line(file, line))


def _of_line(file: str, line: str) -> Iterator[tuple[str, str]]:
    if "/sysctl.d/" in file and (found := _SYSCTL_LINE.fullmatch(line.strip())):
        yield f"{sysctl_family(found[1])} at boot", f"{found[1]} = {found[2]}"
    elif "/rules.d/" in file:
        matches = _UDEV_ASSIGNMENT.sub("", line).strip(" ,")
        yield from ((f"{key} by udev where {matches}", value) for key, value in _UDEV_ASSIGNMENT.findall(line))


def without_conflicts(proposals: Iterable[Proposal]) -> tuple[tuple[Proposal, ...], tuple[Refusal, ...]]:
    """The proposals, in rank order, that agree with each other; the others refused, both names in the reason.

    What was refused among equals stays contested: nothing of lower rank may decide it instead.
    """
    standing: list[Proposal] = []
    out: dict[int, str] = {}
    for new in proposals:
        for other in standing:
            setting = _quarrel(other, new)
            if setting is None:
                continue
            if weight(other.verdict.rank()) == weight(new.verdict.rank()):
                out.setdefault(id(other), _reason(setting, new, "and neither ranks before the other"))
                out.setdefault(id(new), _reason(setting, other, "and neither ranks before the other"))
            else:
                out.setdefault(id(new), _reason(setting, other, f"which ranks first ({other.finding.reason})"))
        if id(new) not in out or "neither" in out[id(new)]:
            standing.append(new)
    accepted = tuple(it for it in standing if id(it) not in out)
    return accepted, tuple(Refusal(finding=it.finding, reason=out[id(it)]) for it in proposals if id(it) in out)


def _reason(setting: str, other: Proposal, why: str) -> str:
    return f"{QUARREL} {setting} than {other.finding.rule} on {other.finding.subject}, {why}"


def _quarrel(proposal: Proposal, other: Proposal) -> str | None:
    """A setting of which the two want different things, or that `other` would change again along with more."""
    made = {setting for change in proposal.changes for setting, _ in change.claims}
    for change in other.changes:
        again = [setting for setting, _ in change.claims if setting in made]
        if again and len(again) < len(change.claims):
            return again[0]
    wanted = {claim.setting: claim.value for claim in proposal.claims() if claim.there}
    unwanted = {(claim.setting, claim.value) for claim in proposal.claims() if not claim.there}
    for setting, value, there in other.claims():
        if there and (wanted.get(setting, value) != value or (setting, value) in unwanted):
            return setting
        if not there and wanted.get(setting) == value:
            return setting
    return None


_PATH: Final = re.compile(r"/etc(/[A-Za-z0-9_@:-][A-Za-z0-9_.@:-]*)+")


def see_to(lines: Iterable[tuple[str, str]], read: Callable[[str], Answer]) -> None:
    """Raise UnfitError where one of these lines can't be written into its file."""
    for path, line in lines:
        if not _PATH.fullmatch(path) or path == "/etc/fstab":
            raise UnfitError(f"{path} is no file that a plan would write")
        if not line.isprintable():
            raise UnfitError(f"a line for {path} has characters that can't be printed")
        answer = read(path)
        if isinstance(answer, Unknown) and answer.cause is not Cause.NOT_EXPOSED:
            raise UnfitError(f"{path} could not be read")


def gathered(proposals: Sequence[Proposal], read: Callable[[str], Answer]) -> tuple[FileChange, ...]:
    """Each file once, with the lines to add."""
    wanted: dict[str, list[list[str]]] = {}
    for proposal in proposals:
        for path in dict.fromkeys(path for path, _ in proposal.lines):
            wanted.setdefault(path, []).append([line for file, line in proposal.lines if file == path])
    file_changes = []
    for path, texts in wanted.items():
        answer = read(path)
        before = None if isinstance(answer, Unknown) else answer.text
        old = [] if not before else before.removesuffix("\n").split("\n")
        pieces: list[str | int] = list(range(1, len(old) + 1))
        for lines in texts:
            _merge(pieces, lines, old)
        if any(isinstance(piece, str) for piece in pieces):
            findings = tuple(it.finding for it in proposals if any(path == file for file, _ in it.lines))
            file_changes.append(FileChange(path=path, before=before, pieces=tuple(_ranges(pieces)), findings=findings))
    return tuple(file_changes)


def _merge(pieces: list[str | int], lines: list[str], old: list[str]) -> None:
    """Put in the lines that are missing, each before the next of its own that is there: order counts for udev."""
    position = len(pieces)
    fresh = not pieces
    for line in reversed(lines):
        there = [at for at, piece in enumerate(pieces) if (old[piece - 1] if isinstance(piece, int) else piece) == line]
        if there and not fresh:
            position = there[-1]
        else:
            pieces.insert(position, line)


def _ranges(pieces: list[str | int]) -> Iterator[str | tuple[int, int]]:
    """Numbers of neighbouring lines as ranges."""
    first: int | None = None
    for index, piece in enumerate(pieces):
        if isinstance(piece, str):
            yield piece
            continue
        first = piece if first is None else first
        if index + 1 == len(pieces) or isinstance(pieces[index + 1], str):
            yield first, piece
            first = None


def mount_unit_hint(mount: Mount | None, wish: Wish) -> tuple[str, ...]:
    """The drop-in's path and lines; () where its options are not known or not shown, or systemd might read others."""
    if mount is None or not isinstance(mount.configured_options, Known) or not isinstance(mount.configured_in, Known):
        return ()
    kept = [it for it in mount.configured_options.value if it and it not in wish.remove]
    options = ",".join((*kept, *(it for it in wish.add if it not in kept))) or "defaults"
    if "%" in options or secrecy.hides(options) or not options.isprintable():
        return ()
    name = mount.configured_in.value.rpartition("/")[2]
    return f"/etc/systemd/system/{name}.d/50-fsadvisor.conf:", "[Mount]", f"Options={options}"
