"""What guides say that does not hold: what holds comes first, the claim after it, the number of the erratum last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.rulebook.tables import seeds

if TYPE_CHECKING:
    from fsadvisor.rulebook.shape import Figure
    from fsadvisor.rulebook.tables import Erratum

TITLE: Final = "What guides say, and what is wrong with it"


def holds(one: Erratum) -> str:
    """What holds, and who says so: 'noatime implies nodiratime (mount(8))'."""
    return f"{one.correction} ({one.source})"


def claimed(one: Erratum) -> str:
    """'Imprecise, though told by a chapter on …: mount with noatime,nodiratime (E12)': never the claim alone."""
    told = "and" if one.verdict == "right" else "though"
    return f"{one.verdict.capitalize()}, {told} told by {seeds()[one.seed].name}: {one.says} ({one.number})"


def conditions(figure: Figure) -> str:
    """Those of a figure, and at the end the key of the table that it stands in."""
    return figure.conditions + (f" (table {figure.table})" if figure.table else "")
