"""Readers: one module per source, or per family of related ones, named after it.

Each has `parse(text: str) -> Record | Unknown`, or a `parse_SOURCE` for each of several: pure, total (any text gives a
record or `Unknown(unreadable)`, never an exception). The docstring says which path or argv it reads, the tool's
version that it was written against, a short sample and the documentation. A record is a frozen Struct; a field that
the source did not give is None. `unread` holds what was not understood. Outputs are in
fixtures/outputs/SOURCE.
"""
