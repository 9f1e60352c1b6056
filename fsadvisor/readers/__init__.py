"""Readers: one module per source, named after it.

Each has `parse(text: str) -> Record | Unknown`: pure, total (any text gives a record or
`Unknown(unreadable)`, never an exception), and says in its docstring which path or argv it reads, the
tool version it was written against, a short sample and the documentation. A record is a frozen dataclass;
a field that the source did not give is None. `unread` holds what was not understood.
"""
