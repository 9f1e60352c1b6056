"""Scopes for expressions: the facts that a test names are known, all others are not."""

from types import SimpleNamespace

from fsadvisor.rulebook.mutants import imagined


def scope(subject, facts):
    return imagined(SimpleNamespace(subject=subject), facts).scope
