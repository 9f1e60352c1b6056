"""What is said of a drive's family: the table's word, and that of a person who read the data sheet. Never a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Known
from fsadvisor.survey.power_loss.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.drives import Family
    from fsadvisor.storage import PlpVerdict
    from fsadvisor.survey.power_loss.evidence import Case

_SAYS: dict[str, tuple[PlpVerdict, str]] = {
    "claimed": ("claimed", "sold as protected against power loss"),
    "partial": ("partial", "protects what is on the media already, not what is on its way"),
    "absent": ("absent", "sold without protection against power loss"),
    "unknown": ("unknown", "it is not settled whether it is protected"),
    "oem": ("unknown", "a reseller's number that hides the family"),
    "cloud": ("unknown", "a name that hypervisors and clouds give"),
}


def evidence(case: Case) -> Iterator[Evidence]:
    """The family's and the data sheet's word."""
    if case.family is not None:
        yield _family(case.family)
        if case.family.lossy:
            says = "drives of the family lost data after a completed flush in a published test"
            yield Evidence("unknown", says, "drive table")
    if isinstance(case.datasheet, Known):
        verdict: PlpVerdict = "claimed" if case.datasheet.value else "absent"
        does = "promises" if case.datasheet.value else "does not promise"
        yield Evidence(verdict, f"a person read that the data sheet {does} it", case.datasheet.source, "claim")


def _family(family: Family) -> Evidence:
    verdict, says = _SAYS[family.verdict]
    sources = f": {'; '.join(family.sources)}" if family.sources else ""
    return Evidence(
        verdict,
        f"the model is of the family {family.name}, {says} ({family.confidence} confidence{sources})",
        "drive table",
        "note" if verdict == "unknown" else "claim",
    )
