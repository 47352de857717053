"""Asserts of the shared suites say what they compared, as those of test modules do."""

import pytest

pytest.register_assert_rewrite("tests.engine.conformance", "tests.engine.walks", "tests.engine.adapters")
