"""The JSON Schema (2020-12) of the report, made from its types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from fsadvisor.report import model

if TYPE_CHECKING:
    from collections.abc import Mapping


def schema() -> Mapping[str, Any]:
    """The schema; every object refuses keys that it does not name."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": model.SCHEMA,
        **msgspec.json.schema(model.Report),
    }


def schema_text() -> str:
    """The schema as it is published: the same bytes whenever the types are the same."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
