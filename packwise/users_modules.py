"""The user's own modules that a user's code imports: found with their text, and run with that very text.

Results are kept by content, so what a policy imports of the user's own is part of the key. A file may
change between the moment it was read and the moment a worker imports it, and a worker that lives long
may have imported it before it changed. So the text travels with the scenario, and nothing else is run.
Installed packages and the standard library do not count.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import sysconfig
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path, PurePath
from threading import RLock
from types import ModuleType
from typing import Any

from packwise.files.inputs import note_input
from packwise.model.errors import InputError

#: How many sets of modules a process keeps loaded.
_KEPT = 8
#: What a script is called in its own process and in those it starts: not to be run again.
_SCRIPTS = ("__main__", "__mp_main__")


@dataclass(frozen=True)
class UsersModule:
    """A module of the user: its full name, where its file was, and the text."""

    name: str
    path: str
    source: str

    @property
    def is_package(self) -> bool:
        return PurePath(self.path).name == "__init__.py"


def modules_digest(modules: Iterable[UsersModule]) -> str:
    """A hash over names and texts; "" if there are none."""
    named = sorted((one.name, one.source) for one in modules)
    if not named:
        return ""
    return sha256("\0".join(f"{name}\0{source}" for name, source in named).encode()).hexdigest()


def own_modules(source: str, module: str) -> tuple[UsersModule, ...]:
    """The user's own modules that a loaded module imports, at its top or later, and those that they import.

    ``module`` is the path of a file, or the name of a module: then it is one of them, and the others of
    its package count as the user's own wherever they are.
    """
    name = "" if module.endswith(".py") else module
    found: dict[str, UsersModule] = {}
    waiting = [name] if name else _imported(source, UsersModule("", module, source))
    while waiting:
        one = waiting.pop()
        if one in found or (file := _own_file(one, name.partition(".")[0])) is None:
            continue
        found[one] = UsersModule(one, str(file), _text(file))
        waiting += _imported(found[one].source, found[one])
    return tuple(found[one] for one in sorted(found))


def joined(*parts: Iterable[UsersModule]) -> tuple[UsersModule, ...]:
    """The modules of several; an InputError if one of them is there with two texts."""
    known: dict[str, UsersModule] = {}
    for one in (module for part in parts for module in part):
        if known.setdefault(one.name, one).source != one.source:
            raise InputError(
                f"{one.path}: the file changed while the study was read, so that one scenario would run "
                "with two versions of it. Start the study again."
            )
    return tuple(known.values())


def _imported(source: str, module: UsersModule) -> list[str]:
    """Full names of all modules that a text may import, and of the packages that they are in."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):  # who imports it will be told
        return []
    package = module.name if module.is_package else module.name.rpartition(".")[0]
    names: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join(filter(None, [*above, base]))
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    parents = [name[:i] for name in names for i, letter in enumerate(name) if letter == "."]
    return [name for name in dict.fromkeys([*parents, *names]) if name]


def _own_file(name: str, own: str) -> Path | None:
    """The file of a module of the user; None for any other. ``own``: a package that is the user's."""
    top = name.partition(".")[0]
    if top in _SCRIPTS or (top != name and not _may_be_own(top, own)):
        return None
    file = _file(name)
    if file is None or file.suffix != ".py" or file.is_relative_to(_packwise()):
        return None
    return file if top == own or is_users_file(file) else None


def _may_be_own(top: str, own: str) -> bool:
    """Whether a package may have modules of the user; looked at first, since asking for them imports it."""
    file = _file(top)
    return top == own or file is None or is_users_file(file)


def _file(name: str) -> Path | None:
    loaded = sys.modules.get(name)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
        return None if file is None else Path(file).resolve()
    try:
        spec = importlib.util.find_spec(name)
    except (Exception, SystemExit):  # a package of the user's that cannot be imported, or no module
        return None
    return Path(spec.origin).resolve() if spec and spec.has_location and spec.origin else None


def is_users_file(file: Path) -> bool:
    """Whether a file is the user's: no part of Python, of Packwise or of an installed package."""
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    installed = [*(Path(place).resolve() for place in places), _packwise()]
    resolved = file.resolve()
    packages = {"site-packages", "dist-packages"}.intersection(resolved.parts)
    return not packages and not any(resolved.is_relative_to(place) for place in installed)


def _packwise() -> Path:
    return Path(__file__).resolve().parent


def _text(file: Path) -> str:
    note_input(file)
    try:
        return importlib.util.decode_source(file.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(
            f"{file}: a module that a file of yours imports cannot be read ({error})."
        ) from error


def run_text(source: str | bytes, path: str, module: ModuleType) -> None:
    """Execute a module's text. ``path`` is what tracebacks call it.

    A file that has another text by now gets another name: numba keeps compiled code by file and time.
    """
    text = importlib.util.decode_source(source) if isinstance(source, bytes) else source
    try:
        same = importlib.util.decode_source(Path(path).read_bytes()) == text
    except (OSError, SyntaxError, ValueError):
        same = False
    named = path if same else f"{path} (as the study began)"
    exec(compile(source, named, "exec"), module.__dict__)


_one_at_a_time = RLock()
_loaded: OrderedDict[str, dict[str, ModuleType]] = OrderedDict()


@contextmanager
def running_with(modules: Sequence[UsersModule]) -> Iterator[None]:
    """Inside, these modules are imported from their texts, and no other module of the user is at all.

    Modules of their packages that this process has imported before are put aside until the end.
    """
    tops = {one.name.partition(".")[0] for one in modules}
    digest = modules_digest(modules)
    finder = _Finder(modules, tops)
    with _one_at_a_time:
        before = _taken_out(tops)
        sys.modules.update(_loaded.pop(digest, {}))
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)
            _loaded[digest] = _taken_out(tops)
            sys.modules.update(before)
            while len(_loaded) > _KEPT:
                _loaded.popitem(last=False)


def _taken_out(tops: set[str]) -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] in tops]
    return {name: sys.modules.pop(name) for name in names}


class _Finder(MetaPathFinder):
    """Finds the modules that were carried here, and refuses others of the user."""

    def __init__(self, modules: Sequence[UsersModule], tops: set[str]) -> None:
        self._modules = {one.name: one for one in modules}
        self._tops = tops

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        module = self._modules.get(name)
        if module is not None:
            return _spec(module)
        if any(known.startswith(f"{name}.") for known in self._modules):  # a package without a file
            return ModuleSpec(name, None, is_package=True)
        top = name.partition(".")[0]
        if top in sys.modules and top not in self._tops:
            return None
        found = PathFinder.find_spec(name, path)
        file = Path(found.origin) if found and found.has_location and found.origin else None
        if file is not None and file.suffix == ".py" and (top in self._tops or is_users_file(file)):
            raise InputError(
                f"module '{name}' ({file}) is imported while a scenario runs, but no import statement "
                "says so: then nobody knows what a result depends on. Add `import "
                f"{name}` to the file that needs it, and start the study again."
            )
        return None


def _spec(module: UsersModule) -> ModuleSpec:
    spec = ModuleSpec(
        module.name, _Loader(module), origin=module.path, is_package=module.is_package
    )
    spec.has_location = True
    if module.is_package:
        spec.submodule_search_locations = [str(PurePath(module.path).parent)]
    return spec


class _Loader(InspectLoader):
    def __init__(self, module: UsersModule) -> None:
        self._module = module

    def get_source(self, fullname: str) -> str:
        return self._module.source

    def is_package(self, fullname: str) -> bool:
        return self._module.is_package

    def exec_module(self, module: Any) -> None:
        run_text(self._module.source, self._module.path, module)
