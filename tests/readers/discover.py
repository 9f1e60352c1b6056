"""Every reader: a module under fsadvisor.readers with a `parse`."""

import importlib
import pkgutil

import fsadvisor.readers


def readers():
    """Reader name -> parse function."""
    names = sorted(module.name for module in pkgutil.iter_modules(fsadvisor.readers.__path__))
    modules = {name: importlib.import_module(f"fsadvisor.readers.{name}") for name in names}
    return {name: module.parse for name, module in modules.items() if hasattr(module, "parse")}
