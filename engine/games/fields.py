"""Reading an action strictly: exactly the fields that its type has, each of exactly its type."""

from collections.abc import Collection

from engine.errors import IllegalAction
from engine.types import Action, Json


def kind(action: Action, known: Collection[str]) -> str:
    """The action's type. Raises `IllegalAction` unless it is one of `known`, which are possible now."""
    value = action.get("type")
    if type(value) is not str or value not in known:
        raise IllegalAction("the type of action must be one of: " + ", ".join(known))
    return value


def exactly(action: Action, *names: str) -> None:
    """Raises `IllegalAction` unless the action has a type and the fields `names`, and no others."""
    if len(action) != len(names) + 1 or not all(name in action for name in names):
        wanted = ", ".join(names) if names else "no further field"
        raise IllegalAction(f"an action of this type has exactly: type, {wanted}" if names else f"it takes {wanted}")


def integer(action: Action, name: str, low: int, high: int) -> int:
    """The integer field `name`. Raises `IllegalAction` for another type (true, 1.0) or out of low…high."""
    value = action[name]
    if type(value) is not int or not low <= value <= high:
        raise IllegalAction(f"{name} must be an integer from {low} to {high}")
    return value


def one_of(action: Action, name: str, values: Collection[Json]) -> Json:
    """The field `name`. Raises `IllegalAction` unless it is one of `values`, type included."""
    value = action[name]
    if not any(type(value) is type(v) and value == v for v in values):
        raise IllegalAction(f"{name} must be one of: " + ", ".join(map(str, values)))
    return value
