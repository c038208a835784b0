"""Where compiled kernels are kept: damaged, full, read-only and missing places cost time and nothing else.

What is kept holds no longer than the texts that were compiled into it.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numba
import pytest

from consortium.support import kernel_cache, kernel_places

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = """
from consortium.support.jit import compiled

@compiled
def double(x):
    return 2 * x
"""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module of one kernel, a usual place and a folder for temporary files."""
    (tmp_path / "doubling.py").write_text(SOURCE)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "usual"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    kernel_places.spare_folder.cache_clear()
    yield tmp_path
    kernel_places.spare_folder.cache_clear()


def fresh(folder: Path) -> ModuleType:
    """The module as another process would import it."""
    spec = importlib.util.spec_from_file_location("doubling", folder / "doubling.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiles(folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the kernel is compiled when another process calls it; 0 where it was kept."""
    module, count = fresh(folder), 0
    compiler: Any = module.double.form._compiler  # of numba's dispatcher
    compile_ = compiler.compile

    def counted(*arguments: object) -> object:
        nonlocal count
        count += 1
        return compile_(*arguments)

    monkeypatch.setattr(compiler, "compile", counted)
    assert module.double(21) == 42
    return count


def kept(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc"))


def test_the_second_process_compiles_nothing(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [compiles(places, monkeypatch) for _ in range(2)] == [1, 0]
    assert len(kept(places / "usual")) == 2
    assert kept(places / "temporary") == []


@pytest.mark.parametrize("place", ["chosen", "beside", "user", "spare"])
def test_what_was_kept_is_seen_without_numba(places: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    chosen = {"NUMBA_CACHE_DIR": str(places / "chosen")} if place == "chosen" else {}
    monkeypatch.setattr(numba.config, "CACHE_DIR", chosen.get("NUMBA_CACHE_DIR", ""))
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "user"))
    if place in ("user", "spare"):
        (places / "__pycache__").write_text("")
    if place == "spare":
        (places / "user").write_text("")
    function, seen = fresh(places).double.py_func, []
    for _ in range(2):
        with mock.patch.dict(os.environ):  # where something is compiled numba would read them again
            os.environ.pop("NUMBA_CACHE_DIR", None)
            os.environ.update(chosen)
            seen.append(kernel_places.written_before(function))
        compiles(places, monkeypatch)
    assert seen == [False, True]
    (found,) = {file.parent for file in kept(places) if file.suffix == ".nbi"}
    assert found.is_relative_to(places / {"beside": "__pycache__", "spare": "temporary"}.get(place, place))


@pytest.mark.parametrize("damage", [b"", b"\0" * 500, b"half", None])
def test_a_damaged_file_is_compiled_anew_and_replaced(
    places: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    """Of every file in turn; ``None`` cuts it in the middle."""
    assert compiles(places, monkeypatch) == 1
    for file in kept(places / "usual"):
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
        assert [compiles(places, monkeypatch) for _ in range(2)] == [1, 0], file.suffix


def test_a_full_disk_sends_it_to_the_temporary_files(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core.caching import IndexDataCacheFile

    save = IndexDataCacheFile._save_data

    def full(self: Any, name: str, data: object) -> None:
        if str(places / "usual") in self._cache_path:
            raise OSError(28, "No space left on device")
        save(self, name, data)

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", full)
    assert [compiles(places, monkeypatch) for _ in range(2)] == [1, 0]
    assert len(kept(places / "temporary")) == 2


def test_without_any_place_every_process_compiles(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file stands where the folders would be."""
    for name in ("usual", "__pycache__"):
        (places / name).write_text("")
    monkeypatch.setattr(tempfile, "tempdir", str(places / "usual"))
    monkeypatch.setenv("HOME", os.devnull)
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    assert [compiles(places, monkeypatch) for _ in range(2)] == [1, 1]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="temporary folders of Windows are the user's own")
def test_a_folder_that_others_may_write_is_not_trusted(places: Path) -> None:
    folder = places / "temporary" / f"consortium-kernels-{os.getuid()}"
    assert kernel_places.spare_folder() == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    for spoil in (lambda: folder.chmod(0o777), lambda: (folder.rmdir(), folder.symlink_to(places))):
        spoil()
        kernel_places.spare_folder.cache_clear()
        assert kernel_places.spare_folder() is None


def confined() -> list[str]:
    """How to start a command that sees the file system with other mounts, or nothing where that is not allowed."""
    wrapper = ["unshare", "--user", "--map-root-user", "--mount"]
    if not shutil.which("unshare"):
        return []
    return wrapper if subprocess.run([*wrapper, "true"], capture_output=True, check=False).returncode == 0 else []


def test_a_read_only_installation_without_a_home(tmp_path: Path) -> None:
    """As in a container: the module's folder cannot be written, there is no home, the disk of ``/tmp`` is small."""
    wrapper = confined()
    if not wrapper:
        pytest.skip("needs user namespaces")
    installed, temporary = tmp_path / "installed", tmp_path / "temporary"
    installed.mkdir()
    temporary.mkdir()
    (installed / "doubling.py").write_text(SOURCE)
    script = f"""
    mount --bind {installed} {installed} && mount -o remount,ro,bind {installed} || exit 77
    for size in 4m 4k; do  # the second holds an index, no kernel
        mount -t tmpfs -o size=$size none {temporary} || exit 77
        for _ in 1 2; do {sys.executable} -c 'import doubling; print(doubling.double(21))' || exit; done
        find {temporary} -name '*.nbc' | wc -l
    done
    """
    environment = {"HOME": os.devnull, "TMPDIR": str(temporary), "PATH": os.environ["PATH"]}
    environment["PYTHONPATH"] = os.pathsep.join([str(installed), str(ROOT / ".types")])
    command = [*wrapper, "bash", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode == 77:
        pytest.skip("needs mounts of one's own")
    assert done.stdout.split() == ["42", "42", "1", "42", "42", "0"], done.stderr
    assert done.stderr == ""


CALLER = """
from consortium.support.jit import compiled
from pieces import FACTOR, Pair, by_itself, linked, written_out

@compiled
def double(x):
    return by_itself(x) * FACTOR

@compiled
def all_kinds(pair: Pair) -> int:
    return by_itself(pair.first) + linked(pair.second) + written_out(FACTOR)
"""
PIECES = """
from typing import NamedTuple
from consortium.support.jit import inlined, inner, piece
from deep import deeper

FACTOR = 2

class Pair(NamedTuple):
    first: int
    second: int

@piece
def by_itself(x):
    return deeper(x)

@inner
def linked(x):
    return x

@inlined
def written_out(x):
    return x
"""
DEEP = """
from consortium.support.jit import piece

@piece
def deeper(x):
    return x
"""


@pytest.fixture
def written(places: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Writes the three modules with one place changed, and imports them as another process would."""
    monkeypatch.syspath_prepend(places)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python's own cache looks at whole seconds

    def write(old: str = "", new: str = "") -> ModuleType:
        texts = {"doubling": CALLER, "pieces": PIECES, "deep": DEEP}
        assert any(old in text for text in texts.values())
        for name, text in texts.items():
            (places / f"{name}.py").write_text(text.replace(old, new) if old else text)
            monkeypatch.delitem(sys.modules, name, raising=False)
        kernel_cache.hashed.cache_clear()
        importlib.invalidate_caches()
        return importlib.import_module("doubling")

    return write


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return deeper(x)", "return deeper(x) + 1"),
        ("def linked(x):\n    return x", "def linked(x):\n    return 2 * x"),
        ("def written_out(x):\n    return x", "def written_out(x):\n    return 3 * x"),
        ("def deeper(x):\n    return x", "def deeper(x):\n    return 4 * x"),
        ("FACTOR = 2", "FACTOR = 3"),
        ("first: int\n    second: int", "second: int\n    first: int"),
    ],
)
def test_whatever_is_compiled_into_a_kernel_belongs_to_its_digest(
    written: Callable[..., ModuleType], old: str, new: str
) -> None:
    before, again, changed = [kernel_cache.digest(written(*how).all_kinds.py_func) for how in ((), (), (old, new))]
    assert before == again != changed


def test_after_a_change_in_another_file_a_kernel_is_compiled_anew(
    written: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for change in ((), (), ("return x", "return 10 * x"), ("FACTOR = 2", "FACTOR = 3")):
        module = written(*change)
        answers.append((module.double(21), len(module.double.form.stats.cache_hits)))
    assert answers == [(42, 0), (42, 1), (420, 0), (63, 0)]
