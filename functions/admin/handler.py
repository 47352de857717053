"""Commands of the operators. Nothing but an invocation by name reaches it: it has no route."""

from collections.abc import Callable, Mapping
from typing import Any

from functions.admin import ladders
from functions.shared import wiring
from functions.shared.clock import now
from functions.shared.flows import absence, redrive
from functions.shared.log import count, logger, publish
from functions.shared.store.ports import ConflictError, Services

_LADDERS: Mapping[str, Callable[[Services, dict[str, Any]], dict[str, Any]]] = {
    "annul": ladders.annul_match,
    "ladder-entries": ladders.entries,
    "ladder-ratings": ladders.ratings,
    "fsck": ladders.recount,
}


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Carries out `{"command": …}`; gives `{"ok": true, …}`, or `{"ok": false, "error": …}` when nothing was done."""
    command = event.get("command")
    logger.info("admin", extra={"command": command})
    try:
        count("AdminCommands")
        if command == "declare-outage":
            return _declare_outage(event)
        if command == "redrive":
            part = redrive.redrive(wiring.services(), event.get("shard", 0), event.get("after"), now())
            return {"ok": True, **part._asdict()}
        if isinstance(command, str) and command in _LADDERS:
            return _LADDERS[command](wiring.services(), event)
        known = ", ".join(("declare-outage", "redrive", *_LADDERS))
        return {"ok": False, "error": f"the command must be one of {known}"}
    finally:
        publish()


def _declare_outage(event: dict[str, Any]) -> dict[str, Any]:
    start, until = event.get("from"), event.get("until")
    if type(start) is not int or type(until) is not int or not 0 <= start < until:
        return {"ok": False, "error": "from and until must be instants in milliseconds, in this order"}
    outage_id = f"{start}-{until}"
    try:
        absence.declare_outage(wiring.services(), outage_id, start, until, now())
    except ConflictError:
        return {"ok": True, "outage": outage_id, "finished": False}
    return {"ok": True, "outage": outage_id, "finished": True}
