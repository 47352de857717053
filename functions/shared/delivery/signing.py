"""Signatures by the Standard Webhooks scheme (standardwebhooks.com, "Signature scheme"), with a shared secret."""

import base64
import hmac

from engine.types import EpochMs
from functions.shared.delivery.parcels import Message

_PREFIX = "whsec_"


def shown(secret: bytes) -> str:
    """The secret as its owner gets it."""
    return _PREFIX + base64.b64encode(secret).decode()


def signed(message: Message, secret: bytes, now: EpochMs) -> dict[str, str]:
    """The headers that say which message this is, when it was sent, and that it comes from who has the secret."""
    timestamp = str(now // 1000)
    content = b".".join((message.id.encode(), timestamp.encode(), message.body))
    signature = base64.b64encode(hmac.digest(secret, content, "sha256")).decode()
    return {"webhook-id": message.id, "webhook-timestamp": timestamp, "webhook-signature": f"v1,{signature}"}
