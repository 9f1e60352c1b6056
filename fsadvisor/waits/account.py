"""What `fsadvisor waits` tells: the window, its sentences, and what was watched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.waits.sentence import measured, sentences

if TYPE_CHECKING:
    from fsadvisor.waits.sentence import Sentence
    from fsadvisor.waits.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """`target` is the folder whose disks and journal were watched, '' for all; `job` the probe that ran meanwhile."""

    window: Window
    sentences: tuple[Sentence, ...]
    when: str
    target: str = ""
    job: str = ""
    notes: tuple[str, ...] = ()


def account(window: Window, when: str, target: str = "", job: str = "", notes: tuple[str, ...] = ()) -> Account:
    """With the sentences that the window supports."""
    return Account(window=window, sentences=sentences(measured(window)), when=when, target=target, job=job, notes=notes)
