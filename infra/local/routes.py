"""Which route takes a request: as an HTTP API chooses, the most specific one wins."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from infra.local.template import DEFAULT, Route


class Match(NamedTuple):
    """The route of a request and the values of its path variables."""

    route: Route
    variables: Mapping[str, str]


class _Pattern(NamedTuple):
    route: Route
    segments: tuple[tuple[str, bool], ...]
    """Each with whether it is a variable."""


class Router:
    """The routes of an API, ordered for matching."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Take the routes of a template. Raises `ValueError` on a greedy variable, which no route here has."""
        self._default: Match | None = None
        self._patterns: dict[tuple[str, int], list[_Pattern]] = {}
        for route in routes:
            if route.path == DEFAULT:
                self._default = Match(route, {})
                continue
            segments = tuple(_segment(text) for text in route.path.split("/"))
            self._patterns.setdefault((route.method, len(segments)), []).append(_Pattern(route, segments))
        for patterns in self._patterns.values():
            # Of two that fit, the one that names the earlier segment is the more specific.
            patterns.sort(key=lambda pattern: [variable for _, variable in pattern.segments])

    def match(self, method: str, path: str) -> Match | None:
        """Find the route for a decoded path, a method's own before ANY's; None when there is no default route."""
        segments = path.split("/")
        count = len(segments)
        for key in ((method, count), ("ANY", count)):
            for pattern in self._patterns.get(key, ()):
                variables = _fit(pattern.segments, segments)
                if variables is not None:
                    return Match(pattern.route, variables)
        return self._default


def _segment(text: str) -> tuple[str, bool]:
    if text.endswith("+}"):
        raise ValueError(f"greedy path variables are not emulated: {text}")
    return (text[1:-1], True) if text.startswith("{") else (text, False)


def _fit(pattern: tuple[tuple[str, bool], ...], segments: list[str]) -> dict[str, str] | None:
    variables = {}
    for (text, variable), segment in zip(pattern, segments, strict=True):
        if variable:
            if not segment:
                return None
            variables[text] = segment
        elif text != segment:
            return None
    return variables
