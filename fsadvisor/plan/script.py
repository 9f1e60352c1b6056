"""plan.sh and undo.sh, part by part: the steps in rank order, then files, then fstab.

plan.sh looks at everything, then goes part by part, and stops at the first surprise. undo.sh brings back what was seen,
in the opposite order; what is as it was seen already is passed over. Each part knows how to tell that all is as it was
seen, what to do, how to tell that it worked, and the way back. In its lines every word from outside is quoted.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec import Struct, to_builtins

from fsadvisor import __version__
from fsadvisor.pages.glyphs import clean
from fsadvisor.pages.values import counted
from fsadvisor.plan import shell
from fsadvisor.plan.shell import quoted, sum_of_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.plan import Change, FileChange, Finding, FstabChange, Plan, Step


_HEAD: Final = """\
Nothing has been run: this is for you to read first. It looks at everything before it changes anything, looks again
before and after each step, and stops at the first surprise or failure. As root:
"""
_STATUS: Final = """\
Exit status: 0 done; 1 stopped, and nothing was changed; 2 stopped on the way, and undo.sh brings back what was seen.
"""
_UNDO_HEAD: Final = """\
It may be run after plan.sh, wherever that stopped. It first looks whether each thing is as plan.sh left it, or as it
was seen before. At anything else it stops, and changes nothing. What was seen stands in this script; files come
back, byte for byte, from the copies that plan.sh has made. As root:
"""


def plan_script(plan: Plan) -> str:
    """The text of plan.sh."""
    all_parts = parts(plan)
    kernel = f", Linux {plan.kernel}" if plan.kernel else ""
    title = (
        f"plan.sh, proposed by fsadvisor {__version__} for {plan.machine}{kernel}: {counted(len(all_parts), 'step')}."
    )
    usage = (
        "#     sh plan.sh --check    looks whether all is as it was seen, and changes nothing\n",
        "#     sh plan.sh            does it\n",
        "#     sh undo.sh            brings back what was seen\n",
        "#\n",
        shell.comment(_STATUS),
    )
    return _script(plan, (title, _HEAD), usage, "\n".join((*_functions(all_parts), _main(plan, all_parts))))


def undo_script(plan: Plan) -> str:
    """The text of undo.sh."""
    all_parts = parts(plan)
    title = f"undo.sh, the way back from plan.sh; by fsadvisor {__version__} for {plan.machine}."
    usage = (
        "#     sh undo.sh --check    looks, and changes nothing\n",
        "#     sh undo.sh            does it\n",
    )
    body = "\n".join((*_undo_functions(all_parts), _undo_main(plan, all_parts)))
    return _script(plan, (title, _UNDO_HEAD), usage, body)


def _script(plan: Plan, head: tuple[str, str], usage: tuple[str, ...], body: str) -> str:
    title, what_it_does = map(shell.comment, head)
    return "".join(("#!/bin/sh\n", title, "#\n", what_it_does, *usage, "\n", *_opening(plan, body), body))


def _opening(plan: Plan, body: str) -> Iterator[str]:
    """What both scripts begin with: the functions that the body uses, where it works, who may run it."""
    yield "# shellcheck disable=SC2317 # is and expect call functions by the names that they are given\n"
    yield shell.start(body)
    yield "\n"
    if plan.fstab:
        yield 'FSTAB=$(readlink -f -- "${FSTAB:-/etc/fstab}")\n'
    elif "reload_systemd" in body:
        yield "FSTAB=/etc/fstab\n"
    if plan.files or plan.fstab:
        yield "FILES_IN=${FILES_IN:-}\n"
        yield f"STATE=${{STATE:-/var/lib/fsadvisor/plan-{_id(plan)}}}\n"
    yield "\n"


def _id(plan: Plan) -> str:
    """Names the folder of copies: the same for the same plan."""
    return sha256(json.dumps(to_builtins(plan)).encode()).hexdigest()[:12]


def _functions(all_parts: Sequence[Part]) -> Iterator[str]:
    for number, part in enumerate(all_parts, start=1):
        yield "".join(_comments(part, number, len(all_parts)))
        yield from (shell.function(name, lines) for name, lines in part.functions)
        yield shell.function(f"before_{number}", part.before)
        yield shell.function(f"after_{number}", part.after)
        told = shell.quoted(f"Step {number} of {len(all_parts)}: {clean(part.title, None)}")
        yield shell.function(f"step_{number}", (f"say {told}", f"before_{number}", *part.do, f"after_{number}"))


def _comments(part: Part, number: int, of: int) -> Iterator[str]:
    line = f"# ---- Step {number} of {of} "
    yield line.ljust(shell.WIDTH, "-") + "\n"
    yield shell.comment(part.title)
    for finding in part.findings:
        yield shell.comment(f"Rule {finding.rule}, on {finding.subject} ({finding.reason})", "# - ")
    for paragraph in (part.why, part.advice and f"Note: {part.advice}"):
        if paragraph:
            yield "#\n"
            yield shell.comment(paragraph)
    if part.verify:
        yield "#\n# To see it for yourself:\n"
        yield from (shell.verbatim(command) for command in part.verify)


def _main(plan: Plan, all_parts: Sequence[Part]) -> str:
    numbers = range(1, len(all_parts) + 1)
    made = copies(plan)
    lines = [
        "# ---- Look at everything first ".ljust(shell.WIDTH, "-"),
        *_asked("plan.sh"),
        *_demands(plan),
        *(
            ('[ ! -e "$STATE" ] || stop "this plan was begun before: $STATE is there; undo.sh clears it"',)
            if made
            else ()
        ),
        *(f"before_{number}" for number in numbers),
        'if [ "${1:-}" = --check ]; then',
        "    say 'All is as it was seen.'",
        "    exit 0",
        "fi",
        "",
        "# ---- Then do it ".ljust(shell.WIDTH, "-"),
        "trap 'stop interrupted' HUP INT TERM",
        *(('(umask 077 && mkdir -p -- "$STATE") || stop "no directory $STATE for the copies"',) if made else ()),
        *(f"step_{number}" for number in numbers),
        "",
        "# ---- And look at all of it once more ".ljust(shell.WIDTH, "-"),
        *(f"after_{number}" for number in numbers),
        "say 'Done. To bring back what was seen: sh undo.sh'",
        "exit 0",
    ]
    return "".join(f"{line}\n" for line in lines)


def _asked(name: str) -> tuple[str, ...]:
    """Who may run it, and how."""
    return (
        "case ${1:-} in",
        "    '' | --check) ;;",
        f"    *) stop 'usage: sh {name} [--check]' ;;",
        "esac",
        "[ \"$(id -u)\" -eq 0 ] || stop 'this needs root'",
    )


def _demands(plan: Plan) -> tuple[str, ...]:
    """Tools without which it should not begin."""
    remounts = any(change.do.startswith("run mount --options-source") for step in plan.steps for change in step.changes)
    if not remounts:
        return ()
    return ("mount --help | grep -q -e --options-source || stop 'mount(8) is too old: it lacks --options-source'",)


def _undo_functions(all_parts: Sequence[Part]) -> Iterator[str]:
    for number, part in reversed(list(enumerate(all_parts, start=1))):
        line = f"# ---- Back from step {number}: ".ljust(shell.WIDTH, "-")
        yield f"{line}\n{shell.comment(part.title)}"
        yield shell.function(f"known_{number}", part.either)
        yield shell.function(f"seen_{number}", (" &&\n        ".join(part.seen),))
        message = shell.quoted(f"Step {number} is as it was seen before.")
        yield shell.function(
            f"undo_{number}",
            (
                f"if seen_{number}; then",
                f"    say {message}",
                "    return",
                "fi",
                f"say {shell.quoted(f'Bringing back what was seen before step {number}.')}",
                *part.undo,
                f"seen_{number} || stop {shell.quoted(f'step {number} is not as it was seen before')}",
            ),
        )


def _undo_main(plan: Plan, all_parts: Sequence[Part]) -> str:
    numbers = range(len(all_parts), 0, -1)
    made = copies(plan)
    lines = [
        "# ---- Look at everything first ".ljust(shell.WIDTH, "-"),
        *_asked("undo.sh"),
        *(f"known_{number}" for number in numbers),
        'if [ "${1:-}" = --check ]; then',
        "    say 'All is either as plan.sh left it or as it was seen before.'",
        "    exit 0",
        "fi",
        "",
        "# ---- Then bring it back ".ljust(shell.WIDTH, "-"),
        *(f"undo_{number}" for number in numbers),
        *(f'rm -f -- "$STATE"/{name}' for name in made),
        *(('[ ! -d "$STATE" ] || rmdir -- "$STATE"',) if made else ()),
        "say 'All is as it was seen before.'",
        "exit 0",
    ]
    return "".join(f"{line}\n" for line in lines)


_FSTAB: Final = '"$FSTAB"'
_FSTAB_COPY: Final = '"$STATE"/fstab'


class Part(Struct, frozen=True, kw_only=True):
    """One part. `before`, `after` and `either` (of the two) stop the script; `seen` is a condition."""

    title: str
    findings: tuple[Finding, ...]
    why: str
    advice: str
    verify: tuple[str, ...]
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
        verify=step.look,
        before=(*same, *(_expect(it.what, (it.seen,), it.probe) for it in settings)),
        do=tuple(line for change in step.changes for line in _done(change, change.do)),
        after=(*same, *(_expect(it.what, it.wanted, it.probe) for it in settings)),
        seen=tuple(f"is {quoted(it.seen)} {it.probe}" for it in settings),
        either=(*same, *(_expect(it.what, (it.seen, *it.wanted), it.probe) for it in settings)),
        undo=tuple(line for change in reversed(step.changes) for line in _done(change, change.undo)),
    )


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
        verify=(f"cat {change.path}",),
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
        verify=("findmnt --verify --tab-file /etc/fstab",),
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
