"""Nothing that decides a rating or a rank is a float: neither in the code nor in what it gives."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import ladder
from engine.ladder import elo, fide, ranks
from engine.ladder.elo import Entrant
from engine.ladder.standing import NEW, Standing
from tests.engine.ladder.results import results

FOLDER = Path(ladder.__file__).parent
NAMES = {"float", "complex", "decimal", "fractions", "statistics", "round", "pow", "fsum", "sqrt"}
EXACT = {"isqrt"}


def inexact(tree: ast.AST) -> Iterator[str]:
    """Whatever of a program can make a float, or round as one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            yield repr(node.value)
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            yield "/"
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            names = [alias.name for alias in node.names]
            yield from (n for n in names if n in NAMES or n == "math" or (module == "math" and n not in EXACT))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_code_has_no_floats(path: Path) -> None:
    assert list(inexact(ast.parse(path.read_text(encoding="utf-8")))) == []


def test_floats_are_found_in_all_their_forms() -> None:
    source = "import math\nfrom math import isqrt, sqrt\nx = 1.5 + a / b\nx /= 2\ny = float(round(x))\nz = 1e6\n"
    assert sorted(inexact(ast.parse(source))) == ["/", "/", "1.5", "1000000.0", "float", "math", "round", "sqrt"]


def leaves(value: object) -> Iterator[object]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def are_exact(value: object) -> bool:
    return all(type(leaf) in (int, str) for leaf in leaves(value))


@given(results())
def test_changes_hold_integers_and_ids_only(result: list[Entrant]) -> None:
    assert are_exact(elo.changes(result))
    assert are_exact(fide.changes(result[:2]))


@given(st.integers(-5_000, 5_000), st.integers(0, 900), st.booleans())
def test_the_tables_hold_integers_only(gap: int, games: int, reached: bool) -> None:
    values = (elo.expected(gap), fide.expected(gap), elo.shown(gap), elo.k_factor(games), fide.k_factor(games, reached))
    assert are_exact(values)
    assert are_exact((ranks.percentile(games, 901), ranks.rank(ranks.EMPTY, games), ranks.band(games)))
    assert are_exact(tuple(ranks.deltas([(None, games)]).items()))


def test_a_standing_holds_integers_and_one_flag_only() -> None:
    assert isinstance(NEW, Standing)
    assert [type(value) for value in NEW] == [int, int, int, int, bool]
