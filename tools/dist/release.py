"""What `make release` adds to what is copied to servers: what that is made of (CycloneDX), and what changed."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from datetime import UTC, datetime
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsadvisor import __version__
from tools.dist import packing

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIBRARY = re.compile(r"\.so(\.|$)")


def notes(changelog: str, version: str) -> str:
    """What a changelog says of a version; of what is not released yet, where it has no heading for the version."""
    parts = re.split(r"(?m)^(?=## \[)", changelog)
    for heading in (f"## [{version}]", "## [Unreleased]"):
        for part in parts:
            if part.startswith(heading):
                return f"# fsadvisor {version}\n{part.partition(chr(10))[2].rstrip()}\n"
    raise ValueError(f"CHANGELOG.md has no heading for {version}, and none for what is unreleased")


def bill(whole: Path, version: str) -> dict[str, Any]:
    """The bill of materials of the directory with its own Python, as CycloneDX 1.6; the same each time."""
    components = sorted(
        (*_packages(whole), _interpreter(whole, version), *_libraries(whole)), key=lambda it: it["bom-ref"]
    )
    name = f"fsadvisor@{__version__}"
    of_all = json.dumps(components, sort_keys=True)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, of_all)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(packing.epoch(), UTC).isoformat(),
            "component": {
                "type": "application", "bom-ref": name, "name": "fsadvisor", "version": __version__,
                "licenses": [{"license": {"id": "MIT"}}],
            },
        },
        "components": components,
        "dependencies": [
            {"ref": name, "dependsOn": [it["bom-ref"] for it in components]},
            *({"ref": it["bom-ref"]} for it in components),
        ],
    }  # fmt: skip


def _packages(whole: Path) -> Iterator[dict[str, Any]]:
    """The packages beside the program, as their own metadata names them."""
    for file in whole.rglob("*.dist-info/METADATA"):
        told = HeaderParser().parsestr(file.read_text("utf-8"))
        name, version = told["Name"].lower().replace("_", "-"), told["Version"]
        purl = f"pkg:pypi/{name}@{version}"
        licence = told["License-Expression"] or told["License"]
        said: dict[str, Any] = {"licenses": [{"license": {"name": licence}}]} if licence else {}
        yield {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, **said}


def _interpreter(whole: Path, version: str) -> dict[str, Any]:
    purl = f"pkg:generic/python@{version}"
    [program] = whole.glob("bin/python3*")
    return {
        "type": "platform", "bom-ref": purl, "name": "python", "version": version, "purl": purl,
        "licenses": [{"license": {"id": "PSF-2.0"}}], "hashes": [_hash(program)],
    }  # fmt: skip


def _libraries(whole: Path) -> Iterator[dict[str, Any]]:
    """The libraries that were copied with the interpreter; they say no version but that of their interface."""
    for file in (whole / "lib").iterdir():
        if file.is_file() and _LIBRARY.search(file.name):
            yield {"type": "library", "bom-ref": f"lib:{file.name}", "name": file.name, "hashes": [_hash(file)]}


def _hash(file: Path) -> dict[str, str]:
    return {"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}


def write(whole: Path, version: str, into: Path) -> None:
    """Write the bill and the notes beside what was made."""
    text = json.dumps(bill(whole, version), indent=1, sort_keys=True)
    (into / f"fsadvisor-{__version__}.cdx.json").write_text(f"{text}\n")
    changelog = (packing.ROOT / "CHANGELOG.md").read_text("utf-8")
    (into / "RELEASE.md").write_text(notes(changelog, __version__), "utf-8")


def same(one: Path, other: Path) -> list[str]:
    """The names of what differs between two directories."""
    names = {file.name for folder in (one, other) for file in folder.iterdir()}

    def content(file: Path) -> bytes | None:
        return file.read_bytes() if file.exists() else None

    return sorted(name for name in names if content(one / name) != content(other / name))
