"""Where things may stand and what may import what (design.md, "Layout"), read from the files without running them."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine", "functions", "infra")
MAY_IMPORT = {
    "engine": {"engine"},
    "functions": {"engine", "functions"},
    "infra": {"engine", "functions", "infra"},
}
NOT_IN_ENGINE = {"random", "time", "os", "secrets", "datetime"}
MOST_LINES = 400


def files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, absolute; of `from a import b` both `a` and `a.b`, since `b` may be one."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) + 1 - node.level]] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def top(module: str) -> str:
    return module.partition(".")[0]


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def is_private(identifier: str) -> bool:
    return identifier.startswith("_")


def handlers() -> list[str]:
    """The packages of functions that are deployed on their own."""
    return sorted({path.parent.name for path in (ROOT / "functions").glob("*/*.py")} - {"shared"})


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_those_below_it(package: str) -> None:
    own = set(PACKAGES) | {"tests"}
    wrong = [
        (name(path), module)
        for path in files(package)
        for module in imports(path)
        if top(module) in own - MAY_IMPORT[package]
    ]
    assert files(package)
    assert wrong == []


def test_the_engine_imports_the_standard_library_and_itself_only() -> None:
    allowed = sys.stdlib_module_names | {"engine"}
    assert [(name(p), m) for p in files("engine") for m in imports(p) if top(m) not in allowed] == []


def test_the_engine_has_no_clock_and_no_chance_of_the_machine() -> None:
    assert [(name(p), m) for p in files("engine") for m in imports(p) if top(m) in NOT_IN_ENGINE] == []


def test_no_function_imports_another_one() -> None:
    wrong = [
        (name(path), module)
        for own in handlers()
        for path in files(f"functions/{own}")
        for module in imports(path)
        if is_in(module, "functions") and not any(is_in(module, f"functions.{p}") for p in ("shared", own))
        if module != "functions"
    ]
    assert wrong == []


def test_what_functions_share_imports_none_of_them() -> None:
    wrong = [
        (name(path), module)
        for path in files("functions/shared")
        for module in imports(path)
        if any(is_in(module, f"functions.{handler}") for handler in handlers())
    ]
    assert wrong == []


def test_only_the_store_imports_pynamodb() -> None:
    """Beside it, infra/local may: it puts its own DynamoDB below pynamodb."""
    wrong = [
        name(path)
        for path in files(*PACKAGES)
        if not name(path).startswith(("functions/shared/store/", "infra/local/"))
        if any(top(module) == "pynamodb" for module in imports(path))
    ]
    assert wrong == []


def undocumented(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[str]:
    """The public functions and classes without a docstring, in classes too."""
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not is_private(child.name):
            if ast.get_docstring(child) is None and not is_described_elsewhere(child):
                yield f"{prefix}{child.name}"
            if isinstance(child, ast.ClassDef):
                yield from undocumented(child, f"{prefix}{child.name}.")


def is_described_elsewhere(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether it is an overload, the setter of a property, or the settings of a pynamodb model."""
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    return "overload" in decorators or f"{node.name}.setter" in decorators or node.name == "Meta"


def test_every_public_function_and_class_has_a_docstring() -> None:
    assert [f"{name(path)}: {what}" for path in files(*PACKAGES) for what in undocumented(tree(path), "")] == []


def test_every_module_has_a_docstring() -> None:
    assert [name(path) for path in files(*PACKAGES) if ast.get_docstring(tree(path)) is None] == []


def test_no_file_is_too_long() -> None:
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files(*PACKAGES, "tests")}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}


# The readers above find what they look for.


def test_imports_are_read_in_all_their_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "functions" / "matches" / "handler.py"
    path.parent.mkdir(parents=True)
    path.write_text(
        "import os.path, json as j\nfrom . import near\nfrom ..players.handler import x\ndef f():\n    import random\n"
    )
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert list(imports(path)) == [
        *("os.path", "json"),
        *("functions.matches", "functions.matches.near"),
        *("functions.players.handler", "functions.players.handler.x"),
        "random",
    ]


def test_a_missing_docstring_is_found() -> None:
    source = "def f(): ...\ndef _g(): ...\nclass C:\n    '''C.'''\n    def m(self): ...\n    def _n(self): ...\n"
    assert list(undocumented(ast.parse(source), "")) == ["f", "C.m"]
