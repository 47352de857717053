"""The command `bluffhouse`."""

import typer

from infra.cli.admin import app as admin
from infra.cli.demo import demo
from infra.cli.demo_tournament import demo_tournament
from infra.cli.serve import serve
from infra.cli.verify import verify

app = typer.Typer(
    name="bluffhouse", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)
app.command()(serve)
app.command()(demo)
app.command()(demo_tournament)
app.command()(verify)
app.add_typer(admin, name="admin")


@app.callback()
def root() -> None:
    """Bluffing games by HTTP, one request a turn."""


if __name__ == "__main__":
    app()
