"""The ranked advice as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.report.finding_parts import headline, where
from fsadvisor.views.look import finding_key
from fsadvisor.views.rows import Row
from fsadvisor.views.spans import Tone, cut, line, span

if TYPE_CHECKING:
    from fsadvisor.views.glyphs import Glyphs
    from fsadvisor.views.look import Look

_TONES: Final = {"critical": Tone.BAD, "high": Tone.BAD, "moderate": Tone.WARNING, "low": Tone.PLAIN}


def rows(look: Look, width: int, glyphs: Glyphs) -> list[Row]:
    """Two lines for each finding: what, and where."""
    found = []
    for finding in look.findings:
        title = line(span(f" {headline(finding)}  ", _TONES[finding.rule.severity]), span(finding.rule.title))
        place = line(span(f"   {where(finding, 3)}", Tone.DIM))
        lines = tuple(cut(one, width, glyphs.ellipsis) for one in (title, place))
        found.append(Row(finding_key(finding), lines, finding.rule.id))
    return found
