"""undo.sh: brings back what was seen, in the opposite order; what is as it was seen already is passed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor._version import __version__
from fsadvisor.plan import shell
from fsadvisor.plan.parts import copies, parts
from fsadvisor.plan.script import asked, opening

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.plan.model import Plan
    from fsadvisor.plan.parts import Part

_HEAD: Final = """\
It may be run after plan.sh, wherever that stopped. It first looks whether each thing is either as plan.sh left it or as
it was seen before; at anything else it stops, and changes nothing. What was seen stands in this script; files come
back, byte for byte, from the copies that plan.sh has made. As root:
"""


def undo_script(plan: Plan) -> str:
    """The text of undo.sh."""
    all_parts = parts(plan)
    body = "\n".join((*_functions(all_parts), _main(plan, all_parts)))
    return "".join(
        (
            "#!/bin/sh\n",
            shell.comment(f"undo.sh, the way back from plan.sh; by fsadvisor {__version__} for {plan.machine}."),
            "#\n",
            shell.comment(_HEAD),
            "#     sh undo.sh --check    looks, and changes nothing\n",
            "#     sh undo.sh            does it\n",
            "\n",
            *opening(plan, body),
            body,
        )
    )


def _functions(all_parts: Sequence[Part]) -> Iterator[str]:
    for number, part in reversed(list(enumerate(all_parts, start=1))):
        line = f"# ---- Back from step {number}: ".ljust(shell.WIDTH, "-")
        yield f"{line}\n{shell.comment(part.title)}"
        yield shell.function(f"known_{number}", part.either)
        yield shell.function(f"seen_{number}", (" &&\n        ".join(part.seen),))
        told = shell.quoted(f"Step {number} is as it was seen before.")
        yield shell.function(
            f"undo_{number}",
            (
                f"if seen_{number}; then",
                f"    say {told}",
                "    return",
                "fi",
                f"say {shell.quoted(f'Bringing back what was seen before step {number}.')}",
                *part.undo,
                f"seen_{number} || stop {shell.quoted(f'step {number} is not as it was seen before')}",
            ),
        )


def _main(plan: Plan, all_parts: Sequence[Part]) -> str:
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
