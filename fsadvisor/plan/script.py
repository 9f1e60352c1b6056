"""plan.sh and undo.sh. plan.sh looks at everything, then goes part by part, and stops at the first surprise.

undo.sh brings back what was seen, in the opposite order; what is as it was seen already is passed over.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from fsadvisor._version import __version__
from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import counted
from fsadvisor.plan import shell
from fsadvisor.plan.parts import copies, parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.plan.model import Plan
    from fsadvisor.plan.parts import Part


_HEAD: Final = """\
Nothing has been run: this is for you to read first. It looks at everything before it changes anything, looks again
before and after each step, and stops at the first surprise or failure. As root:
"""
_STATUS: Final = """\
Exit status: 0 done; 1 stopped, and nothing was changed; 2 stopped on the way, and undo.sh brings back what was seen.
"""


def plan_script(plan: Plan) -> str:
    """The text of plan.sh."""
    all_parts = parts(plan)
    body = "\n".join((*_functions(all_parts), _main(plan, all_parts)))
    return "".join(
        (
            "#!/bin/sh\n",
            shell.comment(
                f"plan.sh, proposed by fsadvisor {__version__} for {plan.machine}"
                + (f", Linux {plan.kernel}" if plan.kernel else "")
                + f": {counted(len(all_parts), 'step')}."
            ),
            "#\n",
            shell.comment(_HEAD),
            "#     sh plan.sh --check    looks whether all is as it was seen, and changes nothing\n",
            "#     sh plan.sh            does it\n",
            "#     sh undo.sh            brings back what was seen\n",
            "#\n",
            shell.comment(_STATUS),
            "\n",
            *opening(plan, body),
            body,
        )
    )


def opening(plan: Plan, body: str) -> Iterator[str]:
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
    return sha256(repr(plan).encode(errors="backslashreplace")).hexdigest()[:12]


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
    if part.look:
        yield "#\n# To see it for yourself:\n"
        yield from (shell.verbatim(command) for command in part.look)


def _main(plan: Plan, all_parts: Sequence[Part]) -> str:
    numbers = range(1, len(all_parts) + 1)
    made = copies(plan)
    lines = [
        "# ---- Look at everything first ".ljust(shell.WIDTH, "-"),
        *asked("plan.sh"),
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


def asked(name: str) -> tuple[str, ...]:
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
    remounts = any(change.do.startswith("run mount ") for step in plan.steps for change in step.changes)
    if not remounts:
        return ()
    return ("mount --help | grep -q -e --options-source || stop 'mount(8) is too old: it lacks --options-source'",)


_UNDO_HEAD: Final = """\
It may be run after plan.sh, wherever that stopped. It first looks whether each thing is as plan.sh left it, or as it
was seen before. At anything else it stops, and changes nothing. What was seen stands in this script; files come
back, byte for byte, from the copies that plan.sh has made. As root:
"""


def undo_script(plan: Plan) -> str:
    """The text of undo.sh."""
    all_parts = parts(plan)
    body = "\n".join((*_undo_functions(all_parts), _undo_main(plan, all_parts)))
    return "".join(
        (
            "#!/bin/sh\n",
            shell.comment(f"undo.sh, the way back from plan.sh; by fsadvisor {__version__} for {plan.machine}."),
            "#\n",
            shell.comment(_UNDO_HEAD),
            "#     sh undo.sh --check    looks, and changes nothing\n",
            "#     sh undo.sh            does it\n",
            "\n",
            *opening(plan, body),
            body,
        )
    )


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
        *asked("undo.sh"),
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
