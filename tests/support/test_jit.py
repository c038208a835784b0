"""The door to numba: one answer from either form, a cache that follows its sources, and none where none can be.

Damaged, full, read-only and missing places cost time and nothing else.
"""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import consortium.api as api
from consortium.support import jit as door
from consortium.support.jit import jit, lean, overwrite, plain, quickest

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = [
    ("verify", "agmon2003/5.2.1", {}),
    pytest.param("search", "minimal/declaration", {}, marks=pytest.mark.exhaustive),
    pytest.param("search", "cordeiro2012/figure-5.5-k3-repaired", {}, marks=pytest.mark.exhaustive),
    pytest.param("search", "cordeiro2012/section-5.2-small", {}, marks=pytest.mark.slow),
    ("run", "minimal/federation", {"mechanism.rule": "ilba"}),
    ("run", "cordeiro2012/figure-6.2", {}),
    ("run", "minimal/sharing", {}),
    pytest.param("run", "minimal/sharing", {"mechanism.rule": "direct-contribution"}, marks=pytest.mark.exhaustive),
    pytest.param("run", "skowron-rzadca2013/figure-7", {}, marks=pytest.mark.exhaustive),
    pytest.param(
        "run",
        "skowron-rzadca2013/figure-7",
        {"mechanism.rule": "direct-contribution"},
        marks=pytest.mark.exhaustive,
    ),
]


@lean
def square(x: int) -> int:
    return x * x


@lean
def total(values: door.Ints) -> int:
    answer = 0
    for v in values:
        answer += square(v)
    return answer


@jit
def fibonacci(x: int) -> int:
    return x if x < 2 else fibonacci(x - 1) + fibonacci(x - 2)


@jit
def extremes(values: door.Ints) -> tuple[int, int]:
    return fibonacci(values.min()), fibonacci(values.max())


def test_kernels_and_their_plain_functions_agree() -> None:
    values = np.arange(5)
    assert total(values) == plain(total)(values) == 30
    assert plain(total)(np.array([10**20, 1], dtype=object)) == 10**40 + 1
    assert extremes(values) == plain(extremes)(values) == (0, 3)


@pytest.mark.parametrize(("verb", "name", "overrides"), QUESTIONS)
def test_both_forms_give_the_same_record(
    monkeypatch: pytest.MonkeyPatch, verb: str, name: str, overrides: dict[str, Any]
) -> None:
    monkeypatch.setattr(door, "INTERPRETED", -1)
    compiled = api.ask(verb, name, overrides=overrides).to_dict()
    monkeypatch.setattr(door, "compiles", lambda kernel, steps: False)
    assert api.ask(verb, name, overrides=overrides).to_dict() == compiled


@pytest.mark.parametrize("on_disk", [False, True])
def test_long_calls_and_many_short_ones_are_compiled(monkeypatch: pytest.MonkeyPatch, on_disk: bool) -> None:
    def fresh() -> Callable[[door.Ints], tuple[int, int]]:
        return jit(lambda values: (values.sum(), values.size))

    monkeypatch.setattr(door.Kernel, "on_disk", on_disk)
    most = door.INTERPRETED // (door.LOADED if on_disk else 1)
    kernel = fresh()
    assert quickest(kernel, most + 1) is kernel
    kernel = fresh()
    assert [quickest(kernel, most) is kernel for _ in range(6)] == [False] * 5 + [True]
    small = quickest(fresh(), 1)(np.arange(4))
    assert small == kernel(np.arange(4)) == (6, 4)
    assert [type(x) for x in small] == [int, int]
    assert quickest(kernel, 0) is kernel  # it is compiled now


CALLER = """
from consortium.support.jit import jit, lean
from pieces import FACTOR, Pair, first, second

@jit
def double(x):
    return first(x) * FACTOR

@lean
def both(pair: Pair) -> int:
    return first(pair.left) + second(pair.right) * FACTOR
"""
PIECES = """
from typing import NamedTuple
from consortium.support.jit import jit, lean
from deep import deeper

FACTOR = 2

class Pair(NamedTuple):
    left: int
    right: int

@jit
def first(x):
    return deeper(x)

@lean
def second(x):
    return x
"""
DEEP = """
from consortium.support.jit import jit

@jit
def deeper(x):
    return x
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Writes three modules with one place changed, and imports them as another process would."""
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python's own cache looks at whole seconds

    def write(old: str = "", new: str = "") -> ModuleType:
        texts = {"caller": CALLER, "pieces": PIECES, "deep": DEEP}
        assert any(old in text for text in texts.values())
        for name, text in texts.items():
            changed = text.replace(old, new) if old else text
            if not (path := tmp_path / f"{name}.py").exists() or path.read_text() != changed:
                path.write_text(changed)
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module("caller")

    return write


def compiles(module: ModuleType) -> bool:
    """Whether a call compiles the kernel, which nothing was kept for."""
    assert module.double(21) == 42
    return not module.double.compiled.stats.cache_hits


def kept(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc"))


def test_the_second_process_compiles_nothing(
    written: Callable[..., ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    assert not written().double.on_disk
    assert [compiles(written()), compiles(written())] == [True, False]
    assert written().double.on_disk
    assert not written("return x", "return 10 * x").double.on_disk


def test_kernels_are_found_beside_their_module(
    written: Callable[..., ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    assert not written().double.on_disk
    assert compiles(written())
    assert list((tmp_path / "__pycache__").glob("*.nbi"))
    assert written().double.on_disk


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return deeper(x)", "return deeper(x) + 1"),
        ("def second(x):\n    return x", "def second(x):\n    return 3 * x"),
        ("def deeper(x):\n    return x", "def deeper(x):\n    return 4 * x"),
        ("FACTOR = 2", "FACTOR = 3"),
        ("left: int\n    right: int", "right: int\n    left: int"),
    ],
)
def test_whatever_is_compiled_into_a_kernel_names_its_files(
    written: Callable[..., ModuleType], old: str, new: str
) -> None:
    before, again, changed = [written(*how).both.compiled.py_func.__qualname__ for how in ((), (), (old, new))]
    assert before == again != changed


def test_after_a_change_in_another_file_a_kernel_is_compiled_anew(written: Callable[..., ModuleType]) -> None:
    answers = [
        written(*change).double(21) for change in ((), ("return x", "return 10 * x"), ("FACTOR = 2", "FACTOR = 3"))
    ]
    assert answers == [42, 420, 63]


@pytest.mark.parametrize("damage", [b"", b"\0" * 500, b"half", None])
def test_a_damaged_file_costs_a_compilation(
    tmp_path: Path, written: Callable[..., ModuleType], damage: bytes | None
) -> None:
    """Of every file in turn; ``None`` cuts it in the middle."""
    assert compiles(written())
    files = kept(tmp_path / "cache")
    assert len(files) == 2
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
        assert compiles(written()), file.suffix
        file.write_bytes(whole)


def test_a_full_disk_and_a_missing_folder_keep_nothing(
    tmp_path: Path, written: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    import numba
    from numba.core.caching import IndexDataCacheFile

    def full(self: Any, name: str, data: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(IndexDataCacheFile, "_save_data", full)
        assert [compiles(written()), compiles(written())] == [True, True]
    for name in ("file", "__pycache__"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file"))
    for variable in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, os.devnull)
    assert [compiles(written()), compiles(written())] == [True, True]


def confined() -> list[str]:
    """How to start a command that sees the file system with other mounts, or nothing where that is not allowed."""
    wrapper = ["unshare", "--user", "--map-root-user", "--mount"]
    if not shutil.which("unshare"):
        return []
    return wrapper if subprocess.run([*wrapper, "true"], capture_output=True, check=False).returncode == 0 else []


def test_a_read_only_installation_without_a_home(tmp_path: Path) -> None:
    """As in a container: the module's folder cannot be written and there is no home."""
    wrapper = confined()
    if not wrapper:
        pytest.skip("needs user namespaces")
    installed = tmp_path / "installed"
    installed.mkdir()
    (installed / "doubling.py").write_text(DEEP)
    script = f"""
    mount --bind {installed} {installed} && mount -o remount,ro,bind {installed} || exit 77
    {sys.executable} -c 'import doubling; print(doubling.deeper(42))'
    """
    environment = {"HOME": os.devnull, "PATH": os.environ["PATH"]}
    environment["PYTHONPATH"] = os.pathsep.join([str(installed), str(ROOT / ".types")])
    command = [*wrapper, "bash", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode == 77:
        pytest.skip("needs mounts")
    assert done.stdout.split() == ["42"], done.stderr
    assert done.stderr == ""


def test_a_longer_target_keeps_its_end() -> None:
    target = np.arange(4)
    overwrite(target, np.array([7, 8]))
    assert target.tolist() == [7, 8, 2, 3]
