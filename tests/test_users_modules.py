"""Which modules are the user's own, and that nothing but their carried text is run."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from packwise.model.errors import InputError
from packwise.users_modules import UsersModule, joined, modules_digest, own_modules, running_with


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that modules are imported from; what it gave is forgotten in the end."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    importlib.invalidate_caches()


def names(found: tuple[UsersModule, ...]) -> list[str]:
    return [one.name for one in found]


def test_only_modules_of_the_user_count(folder):
    write(
        folder,
        {"helper_a": "import json, numpy\nimport helper_b\n", "helper_b": "import helper_a\n"},
    )
    assert names(own_modules("import helper_a, os.path\n", "my.py")) == ["helper_a", "helper_b"]
    assert own_modules("import numpy, json, sys\nfrom packwise import Decision\n", "my.py") == ()
    assert own_modules("import __main__\nimport nowhere.at_all\n", "my.py") == ()


def test_one_that_is_imported_later_counts(folder):
    write(folder, {"helper_late": "value = 1\n"})
    source = "def mine(view):\n    import helper_late\n"
    assert names(own_modules(source, "my.py")) == ["helper_late"]
    assert "helper_late" not in sys.modules


def test_a_package_with_what_it_imports(folder):
    write(
        folder,
        {
            "own_package/__init__": "from .first import value\n",
            "own_package/first": "from . import second\nvalue = second.value\n",
            "own_package/second": "value = 1\n",
            "own_package/unused": "",
        },
    )
    whole = ["own_package", "own_package.first", "own_package.second"]
    assert names(own_modules("import own_package\n", "my.py")) == whole
    assert names(own_modules("from own_package.second import value\n", "my.py")) == whole
    assert names(own_modules("from . import second\n", "own_package.first")) == whole


def test_text_and_name_count(folder):
    one, other = UsersModule("a", "/x/a.py", "1"), UsersModule("a", "/y/a.py", "1")
    assert modules_digest([one]) == modules_digest([other])
    assert modules_digest([one]) != modules_digest([UsersModule("b", "/x/a.py", "1")])
    assert modules_digest([one]) != modules_digest([UsersModule("a", "/x/a.py", "2")])
    assert modules_digest([]) == ""


def test_the_carried_text_is_run_whatever_the_file_says_now(folder):
    write(folder, {"helper_c": "value = 1\n"})
    import helper_c

    carried = own_modules("import helper_c\n", "my.py")
    for text in ("value = 2\n", "raise RuntimeError\n"):
        write(folder, {"helper_c": text})
        with running_with(carried):
            assert importlib.import_module("helper_c").value == 1
        assert sys.modules["helper_c"] is helper_c
    (folder / "helper_c.py").unlink()
    with running_with(carried):
        found = importlib.import_module("helper_c")
        assert (found.value, found.__file__) == (1, str(folder / "helper_c.py"))


def test_one_that_was_imported_before_it_changed_is_not_used(folder):
    """A worker that lives long has modules of an earlier study."""
    write(folder, {"helper_d": "value = 1\n"})
    old = own_modules("import helper_d\n", "my.py")
    write(folder, {"helper_d": "value = 2\n"})
    new = own_modules("import helper_d\n", "my.py")
    for carried, value in ((old, 1), (new, 2), (old, 1)):
        with running_with(carried):
            assert importlib.import_module("helper_d").value == value


def test_packages_are_carried_whole(folder):
    write(
        folder,
        {
            "package_e/__init__": "from .first import value\n",
            "package_e/first": "value = 1\n",
            "no_init/inside": "value = 3\n",
        },
    )
    carried = own_modules("import package_e, no_init.inside\n", "my.py")
    for path in [*folder.glob("*/*.py")]:
        path.unlink()
    importlib.invalidate_caches()
    with running_with(carried):
        assert importlib.import_module("package_e").value == 1
        assert importlib.import_module("no_init.inside").value == 3


def test_one_that_nobody_knew_of_is_refused(folder):
    write(folder, {"helper_f": "", "package_g/__init__": "", "package_g/hidden": ""})
    with (
        running_with(()),
        pytest.raises(InputError, match=r"'helper_f' \(.*helper_f.py\) .* Add `import helper_f`"),
    ):
        importlib.import_module("helper_f")
    importlib.import_module("package_g.hidden")
    with (
        running_with(own_modules("import package_g\n", "my.py")),
        pytest.raises(InputError, match=r"package_g.hidden"),
    ):
        importlib.import_module("package_g.hidden")
    with running_with(()):
        importlib.import_module("colorsys")  # of Python


def test_two_texts_of_one_module_are_refused():
    one, other = UsersModule("a", "/x/a.py", "1"), UsersModule("a", "/x/a.py", "2")
    assert joined([one], [one]) == (one,)
    with pytest.raises(InputError, match=r"/x/a.py: the file changed while the study was read"):
        joined([one], [other])


def test_numba_does_not_take_compiled_code_of_another_text(folder):
    """numba looks compiled code up by the file and its time, not by the constants of a function."""
    text = "from numba import njit\n@njit(cache=True)\ndef value():\n    return {}\n"
    write(folder, {"helper_h": text.format(1)})
    carried = own_modules("import helper_h\n", "my.py")
    with running_with(carried):
        assert importlib.import_module("helper_h").value() == 1
    write(folder, {"helper_h": text.format(2)})
    later = own_modules("import helper_h\n", "my.py")
    with running_with(later):
        assert importlib.import_module("helper_h").value() == 2
    again = UsersModule("helper_h", carried[0].path, carried[0].source + "# again\n")
    with running_with((again,)), pytest.raises(RuntimeError, match="as the study began"):
        importlib.import_module("helper_h")
