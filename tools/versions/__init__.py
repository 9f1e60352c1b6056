"""Readers held against the tools of several Debians, which are run over the same storage in a guest."""
