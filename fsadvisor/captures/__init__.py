"""Captured outputs of nvme-cli and smartctl, from machines that one can't log in to: recognised, joined and judged."""

from fsadvisor.captures.judging import Judged, judged
from fsadvisor.captures.recognising import Parts, recognised, refused

__all__ = ["Judged", "Parts", "judged", "recognised", "refused"]
