"""Puts a change into a process that has imported everything: its functions get other code, its names other values."""

from __future__ import annotations

import ast
import functools
import gc
import sys
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tools.mutate.changes import Change


class Living:
    """A module as it is in this process."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.file = str(module.__file__)
        self.source = Path(self.file).read_text()
        self._tree = ast.parse(self.source)
        self._code = compile(self.source, self.file, "exec")
        self._functions: dict[tuple[str, int], list[FunctionType]] = {}
        for held in gc.get_objects():
            if isinstance(held, FunctionType) and held.__code__.co_filename == self.file:
                code = held.__code__
                self._functions.setdefault((code.co_qualname, code.co_firstlineno), []).append(held)

    def put(self, change: Change) -> None:
        """Change it, for this process's rest, and have it forget what it remembers."""
        for held in vars(self.module).values():
            if isinstance(held, functools._lru_cache_wrapper):
                held.cache_clear()
        if change.statement is not None:
            self._rebind(change.statement)
            return
        for old, new in _differing(self._code, change.code):
            for function in self._functions.get((old.co_qualname, old.co_firstlineno), []):
                if function.__code__.co_freevars == new.co_freevars:
                    function.__code__ = new

    def _rebind(self, statement: ast.stmt) -> None:
        """Give the module's name its changed value wherever it was imported, and what is made of it, too."""
        changed = self._run(statement)
        later = False
        for other in self._tree.body:
            if isinstance(other, ast.Assign | ast.AnnAssign) and other.value is not None:
                named = {it.id for it in ast.walk(other.value) if isinstance(it, ast.Name)}
                if later and named & changed:
                    changed |= self._run(other)
                later = later or bool(changed & _names(other))

    def _run(self, statement: ast.stmt) -> set[str]:
        space = vars(self.module)
        before = dict(space)
        exec(compile(ast.Module([statement], []), self.file, "exec"), space)
        names = _names(statement)
        for name in names & set(before):
            for module in list(sys.modules.values()):
                held = getattr(module, "__dict__", {})
                if name in held and held[name] is before[name]:
                    held[name] = space[name]
        return names


def _names(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", statement)]
    return {it.id for target in targets for it in ast.walk(target) if isinstance(it, ast.Name)}


def _differing(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions, nested ones too, whose code differs."""
    if old == new:
        return
    if old.co_name != "<module>":
        yield old, new
    ours, theirs = ([it for it in code.co_consts if isinstance(it, CodeType)] for code in (old, new))
    if len(ours) == len(theirs):
        for one, other in zip(ours, theirs, strict=True):
            yield from _differing(one, other)
