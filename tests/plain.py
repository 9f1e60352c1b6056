"""Records as plain JSON values, for golden files."""

import datetime as dt
import enum

import msgspec

from fsadvisor.facts import Unknown


def plain(value):
    """Turn Structs, tuples, sets, enums and dates into what json.dumps takes."""
    if isinstance(value, Unknown):
        return {"cause": value.cause.value, "learn": value.learn, "source": value.source}
    if isinstance(value, msgspec.Struct):
        return {field: plain(getattr(value, field)) for field in value.__struct_fields__}
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
