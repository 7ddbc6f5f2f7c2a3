"""What a user's policy is made of besides its own file: the modules of the user that it imports.

Results are kept by content, so a change in any of them has to change the key. Installed packages and the
standard library do not count.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import sysconfig
from hashlib import sha256
from pathlib import Path

import packwise


def imports_digest(source: str, module: str) -> str:
    """A hash over the user's own modules that a loaded module imports, and theirs; "" if none."""
    found: dict[str, str] = {}
    _collect(source, module, found)
    if not found:
        return ""
    return sha256(
        "\0".join(f"{name}\0{found[name]}" for name in sorted(found)).encode()
    ).hexdigest()


def _collect(source: str, module: str, found: dict[str, str]) -> None:
    for name in _imported(source, module):
        file = getattr(sys.modules.get(name), "__file__", None)
        if name not in found and file is not None and _is_users(Path(file)):
            found[name] = importlib.util.decode_source(Path(file).read_bytes())
            _collect(found[name], name, found)


def _imported(source: str, module: str) -> list[str]:
    """Full names of all modules that a source may import."""
    names = []
    package = "" if module.endswith(".py") else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join(filter(None, [*above, base]))
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return names


def _is_users(file: Path) -> bool:
    if file.suffix != ".py":
        return False
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    installed = [Path(place).resolve() for place in places] + [Path(packwise.__file__).parent]
    return not any(file.resolve().is_relative_to(place) for place in installed)
