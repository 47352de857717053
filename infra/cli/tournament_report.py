"""A tournament in lines of text: its bracket, its table, and the ladder after it."""

from collections.abc import Iterator
from typing import Any

from infra.client import Client

Body = dict[str, Any]


def report(client: Client, event: str) -> Iterator[str]:
    """The lines of a tournament with its ladder, as the service shows them."""
    tournament = client.ok("GET", f"/v1/tournaments/{event}")
    yield f"\n{tournament['name']}: {tournament['format']}, {tournament['game']}, {tournament['entrants']} entrants"
    for stage in client.ok("GET", f"/v1/tournaments/{event}/bracket")["stages"]:
        for part in stage["rounds"]:
            yield from _round(stage["stage"], part)
    yield "  Standings"
    for row in items(client, f"/v1/tournaments/{event}/standings"):
        yield f"    {row['rank']:2}. {row['player']['name']:10} {row['points']:g}{_criteria(row)}"
    yield f"  Ladder of {tournament['game']}"
    for entry in items(client, f"/v1/ladders/{tournament['game']}"):
        games = f"won {entry['won']}, drawn {entry['drawn']}, lost {entry['lost']}"
        yield f"    {entry['rank']:2}. {entry['player']['name']:10} {entry['rating']}  {games}"


def items(client: Client, path: str) -> Iterator[Body]:
    """All items of a list, page by page."""
    query: dict[str, object] = {"limit": 100}
    while True:
        page = client.ok("GET", path, query=query)
        yield from page["items"]
        if page["next_cursor"] is None:
            return
        query["cursor"] = page["next_cursor"]


def _round(stage: str, part: Body) -> Iterator[str]:
    lines = [line for pairing in part["pairings"] if (line := _pairing(pairing))]
    if lines:
        yield f"  {stage}, round {part['round']}"
        yield from (f"    {line}" for line in lines)


def _pairing(pairing: Body) -> str:
    """One pairing; nothing for one that nobody plays."""
    result, names = pairing["result"], [_name(side) for side in pairing["sides"]]
    if pairing["status"] == "void":
        return ""
    if result is None:
        return f"{' – '.join(names)}: {pairing['status']}"
    if "bye" in names:
        (name,) = (name for name in names if name != "bye")
        return f"{name:10} has a bye"
    why = "" if result["reason"] == "played" else f" ({result['reason']})"
    if len(names) == 2:
        first, second = result["points"]
        return f"{names[0]:10} {first:g} – {second:g} {names[1]}{why}"
    places = sorted(zip(result["ranks"], names, result["scores"], strict=True))
    return f"table {pairing['place']}: " + ", ".join(f"{rank}. {name} ({score})" for rank, name, score in places) + why


def _name(side: Body) -> str:
    if side["player"] is not None:
        return str(side["player"]["name"])
    return "bye" if side["bye"] else "nobody"


def _criteria(row: Body) -> str:
    return "".join(f", {one['name']} {one['value']:g}" for one in row["tiebreaks"])
