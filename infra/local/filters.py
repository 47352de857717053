"""Event filter patterns: which stream records a function gets.

The part of the language that the template uses: values, `exists`, `prefix`, at leaves of the record. As in Lambda,
`exists` looks at leaves only, so that an attribute is asked for together with its type.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Fits = Callable[[Mapping[str, Any]], bool]

_MISSING = object()
_KNOWN = ([("exists", bool)], [("prefix", str)])
"""Rules by their operator and the type of what it takes."""


class _Leaf(NamedTuple):
    path: tuple[str, ...]
    rules: list[Any]


def fitting(patterns: Sequence[Mapping[str, Any]]) -> Fits:
    """What tells whether a record fits one of the patterns; without any, each record does.

    Raises `ValueError` for what it can't apply.
    """
    ways = [tuple(_leaves(pattern, ())) for pattern in patterns] or [()]

    def fits(record: Mapping[str, Any]) -> bool:
        return any(all(_fits(rules, _at(path, record)) for path, rules in leaves) for leaves in ways)

    return fits


def _leaves(pattern: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[_Leaf]:
    for name, part in pattern.items():
        path = (*above, name)
        if isinstance(part, Mapping):
            yield from _leaves(part, path)
        elif not isinstance(part, list) or not part:
            raise ValueError(f"a pattern has objects and lists only: {name}: {part!r}")
        else:
            for rule in part:
                if isinstance(rule, Mapping) and [(name, type(taken)) for name, taken in rule.items()] not in _KNOWN:
                    raise ValueError(f"no such rule in the local service: {rule!r}")
            yield _Leaf(path, part)


def _at(path: tuple[str, ...], value: Any) -> Any:
    try:
        for name in path:
            value = value[name]
    except (KeyError, TypeError):  # not there, or no object in which it could be
        return _MISSING
    return value


def _fits(rules: list[Any], value: Any) -> bool:
    leaf = not isinstance(value, dict) and value is not _MISSING
    for rule in rules:
        if not isinstance(rule, dict):
            fits = leaf and value == rule
        elif "exists" in rule:
            fits = leaf is rule["exists"]
        else:
            fits = isinstance(value, str) and value.startswith(rule["prefix"])
        if fits:
            return True
    return False
