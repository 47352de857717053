"""`python -m tests.faults.matrix` writes `MATRIX.md`."""

import importlib

from tests.faults import world

if __name__ == "__main__":
    world.prepare()  # the others read the environment when they are imported
    importlib.import_module("tests.faults.matrix_table").main()
