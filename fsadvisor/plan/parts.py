"""What plan.sh and undo.sh do, part by part: the steps in rank order, then files, then fstab.

Each part knows how to tell that all is as it was seen, what to do, how to tell that it worked, and the way back.
Its lines are shell code in which every word from outside is quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.plan.shell import quoted, sum_of_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.plan.model import Change, FileChange, Finding, FstabChange, Plan, Setting, Step

_FSTAB: Final = '"$FSTAB"'
_FSTAB_COPY: Final = '"$STATE"/fstab'


class Part(Struct, frozen=True, kw_only=True):
    """One part. `before`, `after` and `either` (of the two) stop the script; `seen` is a condition."""

    title: str
    findings: tuple[Finding, ...]
    why: str
    advice: str
    look: tuple[str, ...]
    before: tuple[str, ...]
    do: tuple[str, ...]
    after: tuple[str, ...]
    seen: tuple[str, ...]
    either: tuple[str, ...]
    undo: tuple[str, ...]
    functions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Shell functions of its own: name and lines."""


def parts(plan: Plan) -> tuple[Part, ...]:
    """All parts in the order of running: where a timer keeps watch over a setting, the watch stands first."""
    watched = {finding for change in plan.files if _is_timer(change) for finding in change.findings}
    files = [(bool(watched.intersection(it.findings)), _file(it, at)) for at, it in enumerate(plan.files, start=1)]
    return (
        *(part for first, part in files if first),
        *(_step(step) for step in plan.steps),
        *(part for first, part in files if not first),
        *((_fstab(plan.fstab),) if plan.fstab else ()),
    )


def _is_timer(change: FileChange) -> bool:
    """Whether it is a new timer of systemd, which counts only once it is enabled."""
    return change.before is None and change.path.startswith("/etc/systemd/") and change.path.endswith(".timer")


def copies(plan: Plan) -> tuple[str, ...]:
    """The files that plan.sh leaves in its folder for undo.sh."""
    numbers = range(1, len(plan.files) + 1)
    return (*(f"file-{it}" for it in numbers), *(f"made-{it}" for it in numbers), *(("fstab",) if plan.fstab else ()))


def _expect(what: str, values: Iterable[str], probe: str) -> str:
    return f"expect {quoted(what)} {quoted('|'.join(values))} {probe}"


def _step(step: Step) -> Part:
    settings = [it for change in step.changes for it in change.settings]
    conditions = list(dict.fromkeys(it for change in step.changes for it in change.conditions))
    same = tuple(_expect(it.what, (it.value,), it.probe) for it in conditions)
    return Part(
        title=step.findings[0].title,
        findings=step.findings,
        why=step.why,
        advice=step.advice,
        look=step.look,
        before=(*same, *(_expect(it.what, (it.seen,), it.probe) for it in settings)),
        do=tuple(line for change in step.changes for line in _done(change, change.do)),
        after=(*same, *(_expect(it.what, it.wanted, it.probe) for it in settings)),
        seen=tuple(f"is {quoted(it.seen)} {it.probe}" for it in settings),
        either=(*same, *(_expect(it.what, _either(it), it.probe) for it in settings)),
        undo=tuple(line for change in reversed(step.changes) for line in _done(change, change.undo)),
    )


def _either(setting: Setting) -> tuple[str, ...]:
    return (setting.seen, *setting.wanted)


def _done(change: Change, command: str) -> Iterator[str]:
    """A command that must succeed, and must leave alone what it is not about."""
    for probe in change.unmoved:
        yield f"others=$({probe}) || stop 'nothing can be told of this mount'"
    yield command
    for probe in change.unmoved:
        yield f"expect 'what it is not about' \"$others\" {probe}"


def _file(change: FileChange, number: int) -> Part:
    target = f'"$FILES_IN"{change.path}'
    folder = f'"$FILES_IN"{change.path.rpartition("/")[0]}'
    old, new = sum_of_text(change.before), sum_of_text(change.after)
    probe = f"sum_of {target}"
    reload = ("reload_udev",) if "/udev/" in change.path else ("reload_systemd",) if "/systemd/" in change.path else ()
    if change.before is None:
        back: tuple[str, ...] = (
            f"rm -f -- {target}",
            f'if [ -e "$STATE"/made-{number} ]; then rmdir -- {folder}; fi',
        )
        copied: tuple[str, ...] = ()
    else:
        copy = f'"$STATE"/file-{number}'
        back = (f"put {target} {old} < {copy} || stop {quoted(f'{change.path} can not be brought back')}",)
        copied = (f"is {old} {probe} || {_expect(f'the copy of {change.path}', (old,), f'sum_of {copy}')}",)
    timer = (quoted(change.path.rpartition("/")[2]),) if _is_timer(change) else ()
    return Part(
        title=f"{'New file' if change.before is None else 'More lines in'} {change.path}, so that it lasts",
        findings=change.findings,
        why="",
        advice="",
        look=(f"cat {change.path}",),
        before=(_expect(change.path, (old,), probe), *("systemd_runs" for _ in timer)),
        do=(
            f"keep_copy {target} file-{number} || stop 'no copy could be kept'",
            "changed=yes",
            f'if [ ! -d {folder} ]; then mkdir -p -- {folder} && : > "$STATE"/made-{number}; fi',
            f"text_{number} | put {target} {new} || stop {quoted(f'{change.path} can not be written')}",
            *reload,
            *(f"start_timer {name}" for name in timer),
        ),
        after=(_expect(change.path, (new,), probe), *(f"timer_waits {name}" for name in timer)),
        seen=(f"is {old} {probe}",),
        either=(_expect(change.path, (old, new), probe), *copied),
        undo=("changed=yes", *(f"stop_timer {name}" for name in timer), *back, *reload),
        functions=((f"text_{number}", tuple(_text(change, target))),),
    )


def _text(change: FileChange, target: str) -> Iterator[str]:
    """Lines that print the new text."""
    last = (change.before or "").count("\n") + 1
    for piece in change.pieces:
        if isinstance(piece, str):
            yield f"printf '%s\\n' {quoted(piece)}"
        else:
            yield f"sed -n '{piece[0]},{piece[1]}p' -- {target}"
            if change.open_ended and piece[1] == last:
                yield "echo"


def _fstab(change: FstabChange) -> Part:
    old, new = sum_of_text(change.before), sum_of_text(change.after)
    probe = f"sum_of {_FSTAB}"
    return Part(
        title="The options in /etc/fstab, so that it lasts",
        findings=change.findings,
        why="",
        advice="",
        look=("findmnt --verify --tab-file /etc/fstab",),
        before=(
            _expect("the content of fstab", (old,), probe),
            f"errors=$(fstab_errors {_FSTAB})",
            "new_errors=$(new_fstab_errors) || stop 'no free space for a copy of fstab'",
            '[ "$new_errors" = none ] || [ "$new_errors" = "$errors" ] ||',
            '    stop "findmnt --verify is not content with the new fstab: $new_errors"',
        ),
        do=(
            f"keep_copy {_FSTAB} fstab || stop 'no copy could be kept'",
            "changed=yes",
            f"edited_fstab | put {_FSTAB} {new} || stop 'fstab can not be written'",
            "reload_systemd",
        ),
        after=(_expect("the content of fstab", (new,), probe),),
        seen=(f"is {old} {probe}",),
        either=(
            _expect("the content of fstab", (old, new), probe),
            f"is {old} {probe} || {_expect('the copy of fstab', (old,), f'sum_of {_FSTAB_COPY}')}",
        ),
        undo=(
            "changed=yes",
            f"put {_FSTAB} {old} < {_FSTAB_COPY} || stop 'fstab can not be brought back'",
            "reload_systemd",
        ),
        functions=(("edited_fstab", tuple(_edited(change))),),
    )


def _edited(change: FstabChange) -> Iterator[str]:
    """Lines that print the new fstab: the old one's lines, but for those that change."""
    following = 1
    count = change.before.count("\n") + 1
    for edit in change.edits:
        if edit.number > following:
            yield f"sed -n '{following},{edit.number - 1}p' -- {_FSTAB}"
        last_and_open = edit.number == count
        yield f"printf '%s{'' if last_and_open else chr(92) + 'n'}' {quoted(edit.after)}"
        following = edit.number + 1
    if following <= count:
        yield f"tail -n +{following} -- {_FSTAB}"
