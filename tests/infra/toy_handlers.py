"""Functions of a toy stack, as the project's are: settings from the environment, pynamodb below."""

import json
import os

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.models import Model

from functions.shared import clock

SECRET = os.environ["SERVICE_SECRET"]
ticks: list[tuple[int, str]] = []


class Thing(Model):
    class Meta:
        table_name = os.environ["THINGS_TABLE"]
        region = "us-east-1"

    pk = UnicodeAttribute(hash_key=True)
    ended = NumberAttribute(null=True)
    at = NumberAttribute(null=True)


def http(event, context):
    """PUT /things/{thing} ends one; GET /things lists them, which no policy allows; GET /things/{thing} reads one."""
    name = (event.get("pathParameters") or {}).get("thing")
    if event["requestContext"]["http"]["method"] == "PUT":
        Thing(name, ended=clock.now()).save()
    found = list(Thing.scan()) if name is None else [Thing.get(name)]
    body = [{"pk": thing.pk, "ended": thing.ended, "at": thing.at} for thing in found]
    return {"statusCode": 200, "body": json.dumps(body)}


def settle(event, context):
    for record in event["Records"]:
        Thing("settled " + record["dynamodb"]["Keys"]["pk"]["S"], at=clock.now()).save()


def tick(event, context):
    ticks.append((clock.now(), event["time"]))
    Thing(f"tick {len(ticks)}", ended=clock.now()).save()
    if len(ticks) == 2:
        raise RuntimeError("the second one fails")
