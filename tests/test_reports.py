"""Each fault that comparable services were hurt by is looked for, and the tests that do are there."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.reports import REPORTS

ROOT = Path(__file__).parents[1]


@cache
def functions(path: str) -> set[str]:
    """The names of a file's functions. A test of the kind that a mixin defines would not be found: there is none."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"), path)
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_no_report_is_left_out() -> None:
    assert list(REPORTS) == list(range(1, 54))
    assert all(REPORTS.values())


@pytest.mark.parametrize("test", sorted({test for tests in REPORTS.values() for test in tests}))
def test_the_test_that_is_named_is_there(test: str) -> None:
    path, _, name = test.partition("::")
    assert name in functions(path)
