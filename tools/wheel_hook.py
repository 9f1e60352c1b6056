"""What hatchling calls while it builds a wheel: the rules and tables go in compiled too."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledRules(BuildHookInterface):  # type: ignore[type-arg]
    """Found by hatchling as the only hook in this file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's
        """Compile them; the build's own process knows no package `tools`."""
        root = Path(self.root)
        compiler = runpy.run_path(str(root / "tools" / "compile_rules.py"))
        for made in compiler["compile_rules"](root / "rules"):
            build_data["force_include"][str(made)] = f"fsadvisor/_{made.name}"
        for made in compiler["compile_tables"](root / "fsadvisor"):
            build_data["force_include"][str(made)] = str(made.relative_to(root))
