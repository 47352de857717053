"""What a cold function loads, by name: each further package is paid for at every cold start."""

import os
import subprocess
import sys

ENVIRONMENT = {
    "PLAYERS_TABLE": "players",
    "MATCHES_TABLE": "matches",
    "LADDER_TABLE": "ladder",
    "TOURNAMENTS_TABLE": "tournaments",
    "SERVICE_SECRET": "secret",
    "POWERTOOLS_SERVICE_NAME": "matches",
    "POWERTOOLS_METRICS_NAMESPACE": "Bluffhouse",
    "AWS_DEFAULT_REGION": "us-east-1",
}
ALLOWED = {
    "certifi",  # where botocore finds it; it is not in the bundle
    "aws_lambda_powertools",
    "botocore",
    "dateutil",
    "engine",
    "functions",
    "jmespath",
    "msgspec",
    "pynamodb",
    "six",
    "typing_extensions",
    "urllib3",
}


def loaded(statement: str) -> set[str]:
    """The modules that a new process has after a statement and had not before."""
    return set(
        printed(f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))").split()
    )


def printed(statement: str) -> str:
    """What a new process prints."""
    environment = {**os.environ, **ENVIRONMENT}
    run = subprocess.run([sys.executable, "-c", statement], env=environment, capture_output=True, text=True, check=True)
    return run.stdout


def packages(modules: set[str]) -> set[str]:
    tops = {module.partition(".")[0] for module in modules}
    return {top for top in tops if top not in sys.stdlib_module_names and not top.startswith("_")}


def test_a_cold_play_handler_loads_these_packages_and_no_others():
    assert packages(loaded("import functions.matches.handler")) <= ALLOWED


def test_no_game_is_loaded_before_it_is_played_and_no_bot_before_it_is_asked():
    modules = loaded("import functions.matches.handler")
    games = {"liars_poker", "misfortune", "half_deck_poker", "micro_poker"}
    assert not {f"engine.{kind}.{game}" for kind in ("games", "bots") for game in games} & modules


def test_the_game_that_is_played_is_loaded_alone():
    modules = loaded("import functions.matches.handler; from engine import games; games.find('misfortune')")
    assert "engine.games.misfortune" in modules
    assert "engine.games.liars_poker" not in modules


def test_one_client_is_made_for_all_tables():
    statement = (
        "import functions.matches.handler; from functions.shared.store import models as m; "
        "assert {id(one._get_connection().connection) for one in "
        "(m.MatchItem, m.LogItem, m.JobItem, m.MessageItem, m.PlayerItem)} == {id(m.connection())}"
    )
    assert loaded(statement)


def test_no_start_looks_for_garbage():
    """Of what it makes everything stays; each look at it costs milliseconds."""
    statement = (
        "import gc, functions; runs = lambda: sum(one['collections'] for one in gc.get_stats()); before = runs(); "
        "import functions.matches.handler; from functions.shared import wiring; "
        "from functions.shared.store.models import connection; wiring.services(); connection().client; "
        "print(runs() - before)"
    )
    assert printed(statement) == "0\n"
