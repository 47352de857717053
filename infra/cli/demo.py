"""`bluffhouse demo`: one match of each game, played over HTTP and told in sentences."""

import random
from contextlib import closing
from typing import Annotated, Any

import typer

from infra.cli.account import sentences
from infra.client import Client
from infra.load.serving import serving


def demo(
    game: Annotated[str | None, typer.Argument(help="The id of a game; without it, one match of each.")] = None,
    seed: Annotated[int, typer.Option(help="What the programs draw their luck from.")] = 1,
) -> None:
    """Start the service, let programs play house bots, and print what happened."""
    with serving() as service, closing(Client(service.url)) as client:
        token = client.ok("POST", "/v1/players", {"name": "ada"})["token"]
        client.token = token
        known = client.ok("GET", "/v1/games")["items"]
        wanted = [one for one in known if game in (None, one["id"])]
        if not wanted:
            raise typer.BadParameter("must be one of: " + ", ".join(one["id"] for one in known))
        for one in wanted:
            _show(one, _played(client, one, random.Random(seed)), client)  # noqa: S311 - a game's luck, no secret


def _played(client: Client, game: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A whole match of a program that plays any legal action against house bots."""
    seats = game["seats"]["min"]
    match: dict[str, Any] = client.ok("POST", "/v1/matches", {"game": game["id"], "seats": seats, "bots": seats - 1})
    path = f"/v1/matches/{match['id']}"
    while match["status"] == "active":
        legal = client.ok("GET", path + "/legal-actions")
        action = chance.choice(legal["actions"][-6:])
        match = client.ok("POST", path + "/actions", {"turn": legal["turn"], "action": action})
    return match


def _show(game: dict[str, Any], match: dict[str, Any], client: Client) -> None:
    names = [seat["player"]["name"] for seat in match["seats"]]
    typer.secho(f"\n{game['title']}: {' against '.join(names)}", bold=True)
    after = 0
    while True:
        page = client.ok("GET", f"/v1/matches/{match['id']}/log", query={"after": after, "limit": 100})["items"]
        for line in sentences(page, names):
            typer.echo(f"  {line}")
        if len(page) < 100:
            break
        after = page[-1]["n"]
    result = match["result"]
    places = sorted(zip(result["ranks"], names, result["scores"], strict=True))
    typer.echo("  " + ", ".join(f"{rank}. {name} ({score})" for rank, name, score in places))
