"""What `packing` keeps, held to what it was packed as."""

from collections import Counter
from typing import Any

from functions.shared.store import packing
from functions.shared.store.records import MatchRecord


class Kept(dict[bytes, MatchRecord]):
    """Records by their bodies. None may come back other than it would be read, or have been changed since."""

    unlike = 0
    """How often one did, in all of these."""

    def __init__(self) -> None:
        super().__init__()
        self._hits = Counter[int]()

    def get(self, body: bytes, default: Any = None) -> Any:
        """The record kept with a body; counted, and refused, when the body says something else.

        That is looked at whenever the record has come back twice as often as before: reading it costs what keeping it
        saves.
        """
        record = super().get(body, default)
        if record is None:
            return None
        hits = self._hits[hash(body)] = self._hits[hash(body)] + 1
        if hits & (hits - 1) == 0 and packing._read(body, log=True) != record._replace(version=0, due=None):
            Kept.unlike += 1
            raise AssertionError(f"{record.match.id} was kept as what its body is not")
        return record
