"""Every reader: a `parse` under fsadvisor.readers, or a `parse_…` where a module reads more than one source."""

import importlib
import pkgutil

import fsadvisor.readers


def readers():
    """Reader name -> parse function: a module's only, or its main, `parse` goes by the module's name."""
    names = sorted(module.name for module in pkgutil.iter_modules(fsadvisor.readers.__path__))
    modules = {name: importlib.import_module(f"fsadvisor.readers.{name}") for name in names}
    return dict(sorted(found for name, module in modules.items() for found in _of(name, module)))


def _of(name, module):
    for attribute, value in vars(module).items():
        if attribute == "parse":
            yield name, value
        elif attribute.startswith("parse_") and value.__module__ == module.__name__:
            yield attribute.removeprefix("parse_"), value
