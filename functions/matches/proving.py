"""The route of a proof."""

from functions.matches.common import READING, app, current_match
from functions.shared.http.answer import Answer
from functions.shared.http.request import Request
from functions.shared.problems import Problem
from functions.shared.render import proof as render


@app.route(
    "GET",
    "/v1/matches/{match}/proof",
    token=False,
    answers={200: render.ProofBody},
    problems=(*READING, Problem.MATCH_ACTIVE),
)
def read_proof(request: Request, match: str) -> Answer:
    """Read the proof of a match that is over. It opens all cards, nonces and actions, and the key of all chance."""
    from functions.shared.flows import proving  # only this route needs it

    return Answer(render.body(proving.proof_of(request.services, current_match(request, match))))
