"""What `make mutants` would break is there to be broken."""

from pathlib import Path

from tests.mutants.table import MUTANTS

ROOT = Path(__file__).resolve().parents[2]


def test_the_text_of_each_mutant_stands_once_in_its_file() -> None:
    found = {mutant.name: (ROOT / mutant.file).read_text().count(mutant.before) for mutant in MUTANTS}
    assert {name: count for name, count in found.items() if count != 1} == {}
