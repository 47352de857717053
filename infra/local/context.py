"""What a handler gets as its context."""

import random
import time
import uuid
from functools import cached_property

from infra.local.template import Function

ACCOUNT = "000000000000"
REGION = "us-east-1"

_ids = random.Random()  # noqa: S311 - they tell calls apart; the system's own chance is slow to come by


class LambdaContext:
    """Stands for the object that Lambda hands to a handler, with the same attributes."""

    def __init__(self, function: Function) -> None:
        name = function.name
        self.function_name = name
        self.function_version = "$LATEST"
        self.invoked_function_arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"
        self.memory_limit_in_mb = str(function.memory)
        self.log_group_name = f"/aws/lambda/{name}"
        self.log_stream_name = "local"
        self.identity = None
        self.client_context = None
        self._deadline = time.monotonic() + function.timeout

    @cached_property
    def aws_request_id(self) -> str:
        """The id of the call."""
        return str(uuid.UUID(int=_ids.getrandbits(128), version=4))

    def get_remaining_time_in_millis(self) -> int:
        """Give the milliseconds until the function would be stopped."""
        return max(0, int((self._deadline - time.monotonic()) * 1000))
