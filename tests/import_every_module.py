"""Import every module of the installed package; run from a folder that does not hold the source."""

import importlib
import pkgutil

import consortium

names = [
    name for _, name, _ in pkgutil.walk_packages(consortium.__path__, "consortium.") if not name.endswith("__main__")
]
assert not any(part in name.split(".") for name in names for part in ("tests", "benchmarks", "docs")), names
for name in names:
    importlib.import_module(name)
print(f"{len(names)} modules imported from {consortium.__path__[0]}")
