"""What importing costs, what the distribution says, and which way imports point."""

import ast
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import codoku_env
from codoku_env.version import __version__

PACKAGE = Path(codoku_env.__file__).parent
HEAVY = {"z3", "ray", "torch", "openai", "pyarrow"}

LAYERS = (
    "version",
    "errors",
    "runtime",
    "puzzle",
    "checking",
    "synthesis",
    "metrics",
    "instruction",
    "envs",
    "bank",
    "cli",
)
"""Each module imports from its own layer and from those before it."""

TOP = {"codoku_env", "codoku_env.__main__"}
"""Modules above all layers."""


def modules():
    """(dotted name, path) of every module of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(path):
    """Dotted names that a module imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: expected absolute imports only"
            module = node.module or ""
            if module == "codoku_env":
                yield from (f"codoku_env.{alias.name}" for alias in node.names)
            else:
                yield module


def layer_violations(name, imported):
    """Imports of the module ``name`` that point down the list of layers."""
    if name in TOP:
        return []
    own = LAYERS.index(name.split(".")[1])
    found = [target.split(".")[1] for target in imported if target.startswith("codoku_env.")]
    return [layer for layer in found if layer in LAYERS and LAYERS.index(layer) > own]


def test_every_module_belongs_to_a_layer():
    assert [name for name, _ in modules() if name not in TOP and name.split(".")[1] not in LAYERS] == []


@pytest.mark.parametrize(("name", "path"), list(modules()))
def test_imports_point_only_up_the_list_of_layers(name, path):
    assert layer_violations(name, imports(path)) == []


def test_an_import_down_the_list_would_be_found():
    assert layer_violations("codoku_env.puzzle.model", ["codoku_env.checking"]) == ["checking"]
    assert layer_violations("codoku_env.checking.check", ["codoku_env.puzzle", "ast"]) == []


def test_only_one_module_imports_pyarrow():
    found = {name for name, path in modules() if any(target.split(".")[0] == "pyarrow" for target in imports(path))}
    assert found <= {"codoku_env.bank.parquet"}


def test_only_the_smt_module_imports_z3():
    found = {name for name, path in modules() if any(target.split(".")[0] == "z3" for target in imports(path))}
    assert found <= {"codoku_env.synthesis.smt"}


@pytest.mark.parametrize(
    "statement",
    [f"import codoku_env{module}" for module in ("", ".cli", ".metrics", ".envs", ".bank")],
)
def test_importing_loads_nothing_heavy(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert HEAVY & set(loaded) == set()


def test_the_runtime_can_be_imported_alone():
    assert list(imports(PACKAGE / "runtime.py")) == []


def test_the_distribution_has_the_version_of_the_package():
    assert importlib.metadata.version("codoku_env") == __version__


def test_core_dependencies_are_three():
    requirements = importlib.metadata.requires("codoku_env") or []
    core = {re.split(r"[<>=]", requirement)[0] for requirement in requirements if "extra ==" not in requirement}
    assert core == {"gymnasium", "numpy", "z3-solver"}


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").is_file()
