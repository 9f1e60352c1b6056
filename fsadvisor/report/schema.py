"""The JSON Schemas (2020-12) of the report and of what commands print, made from their types."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

import msgspec

from fsadvisor.plan import documents
from fsadvisor.report import (
    compare_figures,
    difference,
    doctor_page,
    forecast_json,
    formats,
    model,
    power_loss,
    probe_figures,
    trial_page,
    waits_json,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


def schema(document: str = "report") -> Mapping[str, Any]:
    """The schema; every object refuses keys that it does not name."""
    title, shape = _DOCUMENTS[document]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **_unindented(msgspec.json.schema(shape)),
    }


def _unindented(part: Any) -> Any:  # noqa: ANN401 - any part of a document in JSON
    """The same without the indentation of docstrings, which Python keeps up to 3.12."""
    if isinstance(part, dict):
        return {key: _unindented(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_unindented(value) for value in part]
    return inspect.cleandoc(part) if isinstance(part, str) else part


def schema_text(document: str = "report") -> str:
    """The schema as it is published: the same bytes whenever the types are the same."""
    return json.dumps(schema(document), indent=2, ensure_ascii=False) + "\n"


_DOCUMENTS = {
    "report": (model.SCHEMA, model.Report),
    "drive": (power_loss.SCHEMA, power_loss.Drives),
    "probe": (probe_figures.SCHEMA, probe_figures.Probe),
    "compare": (compare_figures.SCHEMA, compare_figures.Compare),
    "forecast": (forecast_json.SCHEMA, forecast_json.Forecast),
    "trial": (trial_page.SCHEMA, trial_page.Trial),
    "waits": (waits_json.SCHEMA, waits_json.Waits),
    "doctor": (doctor_page.FORMAT, doctor_page.DoctorJson),
    "lines": (formats.LINES, formats.Line),
    "brief": (formats.BRIEF, formats.Brief),
    "diff": (difference.SCHEMA, difference.Difference),
    "plan": (documents.SCHEMA, documents.Document),
}
