"""The page of what is tried or compared at the moment, or was last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.tui.views import trials_compare, trials_try

if TYPE_CHECKING:
    from fsadvisor.pages.document import Document
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.trials_progress import TrialProgress


def page(progress: TrialProgress, width: int, glyphs: Glyphs) -> Document:
    """A trial's or a comparison's."""
    return (
        trials_try.trial_page(progress, width, glyphs)
        if progress.is_trial
        else trials_compare.page(progress, width, glyphs)
    )
