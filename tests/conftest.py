"""Asserts of the suites' shared modules say what they compared, as those of test modules do."""

import pytest

for folder in ("engine", "faults", "infra", "leaks", "service", "soak", "storage"):
    pytest.register_assert_rewrite(f"tests.{folder}")
