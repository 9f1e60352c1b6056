"""Records as plain JSON values, for golden files."""

import dataclasses
import datetime as dt
import enum


def plain(value):
    """Turn dataclasses, tuples, sets, enums and dates into what json.dumps takes."""
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(plain(key)): plain(member) for key, member in value.items()}
    if isinstance(value, tuple | list):
        return [plain(member) for member in value]
    if isinstance(value, set | frozenset):
        return sorted(plain(member) for member in value)
    return value
