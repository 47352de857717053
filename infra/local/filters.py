"""Event filter patterns: which stream records a function gets.

The part of the language that the template uses: values, `exists`, `prefix`, at leaves of the record. As in Lambda,
`exists` looks at leaves only, so that an attribute is asked for together with its type. Anything else raises
`ValueError` when the service starts.
"""

from collections.abc import Mapping
from typing import Any

_MISSING = object()
_KNOWN = ([("exists", bool)], [("prefix", str)])
"""Rules by their operator and the type of what it takes."""


def check(pattern: Mapping[str, Any]) -> None:
    """Raise `ValueError` unless `matches` can apply the pattern."""
    for name, part in pattern.items():
        if isinstance(part, Mapping):
            check(part)
        elif not isinstance(part, list) or not part:
            raise ValueError(f"a pattern has objects and lists only: {name}: {part!r}")
        else:
            for rule in part:
                if isinstance(rule, Mapping) and [(name, type(taken)) for name, taken in rule.items()] not in _KNOWN:
                    raise ValueError(f"no such rule in the local service: {rule!r}")


def matches(pattern: Mapping[str, Any], value: object) -> bool:
    """Tell whether a record fits a pattern: each of its names, in one of the listed ways."""
    for name, part in pattern.items():
        inner = value.get(name, _MISSING) if isinstance(value, dict) else _MISSING
        if isinstance(part, dict):
            if not matches(part, inner):
                return False
        elif not any(_fits(rule, inner) for rule in part):
            return False
    return True


def _fits(rule: object, value: object) -> bool:
    leaf = not isinstance(value, dict) and value is not _MISSING
    if not isinstance(rule, dict):
        return leaf and value == rule
    if "exists" in rule:
        return leaf is rule["exists"]
    return isinstance(value, str) and value.startswith(rule["prefix"])
