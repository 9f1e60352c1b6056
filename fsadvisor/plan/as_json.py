r"""A plan as JSON, for scripts: steps with their checks, what is left to people, what was refused, and all files.

A byte of a file that is no UTF-8 stands as four characters, \xNN: what is to be applied is what --out writes.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from fsadvisor.pages.escape import json_escaped
from fsadvisor.plan import model
from fsadvisor.plan.documents import documents
from fsadvisor.report.published import encodable

SCHEMA: Final = "fsadvisor/plan/1"


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of the plan's folder; the mode in octal digits."""

    path: str
    mode: str
    text: str


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole document. The steps stand in the order of running; the changes of files follow them."""

    schema: Literal["fsadvisor/plan/1"]
    machine: str
    kernel: str
    steps: tuple[model.Step, ...]
    manual: tuple[model.Manual, ...]
    refused: tuple[model.Refusal, ...]
    files: tuple[File, ...]


def as_json(plan: model.Plan) -> str:
    """The document, with every character that is not printable as a JSON escape."""
    whole = Document(
        schema=SCHEMA,
        machine=plan.machine,
        kernel=plan.kernel,
        steps=plan.steps,
        manual=plan.manual,
        refused=plan.refused,
        files=tuple(File(path=it.path, mode=f"{it.mode:o}", text=it.text) for it in documents(plan)),
    )
    return _escaped(json.dumps(encodable(msgspec.to_builtins(whole)), indent=1, ensure_ascii=False))


def _escaped(document: str) -> str:
    """Escape within the lines; line ends between them are the document's own."""
    return "".join(f"{json_escaped(line)}\n" for line in document.split("\n"))


def schema() -> Mapping[str, Any]:
    """The JSON Schema (2020-12) of the document."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        **msgspec.json.schema(Document),
    }


def schema_text() -> str:
    """The schema as it is published: the same bytes whenever the types are the same."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
