"""What is said, as a line that a heeler-serve reads: whatever an agent's texts and values are, none is lost to JSON."""
from __future__ import annotations

import hashlib
import json
import math
from typing import Any, Callable, Mapping, Tuple

LONGEST = 4 << 20  # bytes of a line; a heeler-serve skips longer ones
LONGEST_TEXT = 1 << 18  # characters of one value, where the line would be too long
DEEPEST = 100  # of values within values


def text_of(value: Any, form: Callable[[Any], str] = str) -> str:
    """An agent does not end by what its watchdog is told."""
    try:
        return form(value)
    except Exception:
        return f"<{type(value).__name__}>"


def line_of(message: Mapping[str, Any]) -> bytes:
    """What JSON has no form for is said as its text; what Unicode has none for is a question mark."""
    return _bytes(_plain(message))


def short_line_of(message: Mapping[str, Any]) -> bytes:
    """The same; of a line that would be too long the beginning of each long value, with a fingerprint of the whole."""
    plain = _plain(message)
    line = _bytes(plain)
    return line if len(line) <= LONGEST else _bytes({name: _cut(value) for name, value in plain.items()})


def _encoded(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _bytes(message: Any) -> bytes:
    return _encoded(message).encode("utf-8", "replace") + b"\n"


def _plain(value: Any, within: Tuple[int, ...] = ()) -> Any:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 64:
        return value
    if len(within) == DEEPEST or id(value) in within:
        return text_of(value)
    inside = (*within, id(value))
    try:
        if isinstance(value, Mapping):
            return {text_of(key): _plain(each, inside) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [_plain(each, inside) for each in value]
    except Exception:  # another thread changes it, or it is a mapping by name alone
        return text_of(value)
    return text_of(value)


def _cut(value: Any) -> Any:
    text = value if isinstance(value, str) else _encoded(value)
    if len(text) <= LONGEST_TEXT:
        return value
    whole = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return f"{text[:LONGEST_TEXT]} [cut: {len(text)} characters, SHA-256 {whole}]"
