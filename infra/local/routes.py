"""Which route takes a request: as an HTTP API chooses, the most specific one wins."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from infra.local.template import DEFAULT, Route


class Match(NamedTuple):
    """The route of a request and the values of its path variables."""

    route: Route
    variables: Mapping[str, str]


class _Shape(NamedTuple):
    """What routes of one method and length have in common: where their variables are."""

    fixed: tuple[int, ...]
    variable: tuple[int, ...]
    routes: dict[tuple[str, ...], tuple[Route, tuple[str, ...]]]
    """By their fixed segments: the route and the names of its variables."""


class Router:
    """The routes of an API, ordered for matching."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Take the routes of a template. Raises `ValueError` on a greedy variable, which no route here has."""
        self._default: Match | None = None
        found: dict[tuple[str, int], dict[tuple[int, ...], _Shape]] = {}
        for route in routes:
            if route.path == DEFAULT:
                self._default = Match(route, {})
                continue
            texts = route.path.split("/")
            variable = tuple(place for place, text in enumerate(texts) if _is_variable(text))
            fixed = tuple(place for place in range(len(texts)) if place not in variable)
            shape = _Shape(fixed, variable, {})
            shape = found.setdefault((route.method, len(texts)), {}).setdefault(variable, shape)
            names = tuple(texts[place][1:-1] for place in variable)
            shape.routes[tuple(texts[place] for place in fixed)] = (route, names)
        # Of two that fit, the one that names the earlier segment is the more specific.
        self._shapes = {
            (method, count): sorted(shapes.values(), key=lambda shape: [n in shape.variable for n in range(count)])
            for (method, count), shapes in found.items()
        }

    def match(self, method: str, path: str) -> Match | None:
        """Find the route for a decoded path, a method's own before ANY's; None when there is no default route."""
        segments = path.split("/")
        count = len(segments)
        for key in ((method, count), ("ANY", count)):
            for shape in self._shapes.get(key, ()):
                known = shape.routes.get(tuple([segments[place] for place in shape.fixed]))
                values = [segments[place] for place in shape.variable]
                if known is not None and all(values):
                    return Match(known[0], dict(zip(known[1], values, strict=True)))
        return self._default


def _is_variable(text: str) -> bool:
    if text.endswith("+}"):
        raise ValueError(f"greedy path variables are not emulated: {text}")
    return text.startswith("{")
