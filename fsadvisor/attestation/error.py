"""What people said can't be taken down."""

from __future__ import annotations


class ClaimError(Exception):
    """What is wrong with it, and the nearest that would be right: one line for people."""
