"""Errors of the embedded DynamoDB, as the classes and response dicts that botocore gives for the real one."""

from functools import cache
from typing import Any

from botocore.errorfactory import ClientExceptionsFactory
from botocore.exceptions import ClientError
from botocore.parsers import create_parser
from moto.core.exceptions import JsonRESTError
from moto.core.utils import get_service_model


@cache
def exceptions() -> Any:
    """What a client's ``exceptions`` is: the modeled subclasses of ``ClientError`` as attributes, and ``from_code``."""
    return ClientExceptionsFactory().create_client_exceptions(get_service_model("dynamodb"))


@cache
def _parser() -> Any:
    return create_parser("json")


def to_client_error(operation: str, error: JsonRESTError) -> ClientError:
    """What botocore raises when ``operation`` is answered with ``error``: the same class, the same response."""
    reply = {"status_code": 400, "headers": {"x-amzn-requestid": "local"}, "body": error.get_body().encode()}
    parsed = _parser().parse(reply, None)
    code = parsed["Error"]["Code"]
    shape = get_service_model("dynamodb").shape_for_error_code(code)
    if shape is not None:
        parsed.update(_parser().parse(reply, shape))
    return exceptions().from_code(code)(parsed, operation)


def client_error(operation: str, code: str, message: str) -> ClientError:
    """An error with this code, for tests that make a call fail, say by ``ProvisionedThroughputExceededException``."""
    return to_client_error(operation, JsonRESTError(code, message))
