"""Of msgspec.structs: a changed copy."""

from __future__ import annotations

from typing import Any

S = Any


def replace(struct: Any, /, **changes: Any) -> Any:
    """The same but for these fields."""
    fields = {name: getattr(struct, name) for name in struct.__struct_fields__}
    for name in changes:
        if name not in fields:
            raise TypeError(f"`{type(struct).__name__}` has no field '{name}'")
    return type(struct)(**(fields | changes))
