"""Texts that people give and others read."""

import unicodedata

from functions.shared.problems import invalid

_CONTROLS = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
"""Unicode categories of control and direction characters, and of what is no character."""

_JOINERS = "\u200c\u200d"
"""Formats like the others, but some scripts and emoji can't be written without."""


def checked(field: str, text: str, longest: int) -> str:
    """The text in normal form C. Raises `Rejected` (invalid-request) for control and direction characters, for blanks
    alone, and for what is too long in that form."""
    text = unicodedata.normalize("NFC", text)
    if len(text) > longest or not text.strip():
        raise invalid((field,), f"must have 1 to {longest} characters, not only blanks")
    if any(unicodedata.category(char) in _CONTROLS and char not in _JOINERS for char in text):
        raise invalid((field,), "must have no control or direction characters")
    return text
