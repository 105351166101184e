"""The C interface for Python: heeler/c/heeler.h in ctypes."""
import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64,
                    c_void_p)

(OK, INVALID_ARGUMENT, UNKNOWN_RUN, ENDED, FENCED, DUPLICATE, UNSUPPORTED, REJECTED, FAILED, TIMED_OUT,
 BUSY) = range(11)
NO_RECIPIENT, DELIVERY_FAILED, PERMANENT = 20, 21, 22
INJECT, PAUSE, RESUME, ISOLATE, SNAPSHOT, TERMINATE, SPAWN = (1 << bit for bit in range(7))
SECOND = 1_000_000


class Sized(Structure):
    """A struct that says its size first."""

    def __init__(self, **values):
        super().__init__(size=ctypes.sizeof(type(self)), **values)


class Action(Structure):
    _fields_ = [("size", c_size_t), ("verb", c_int), ("attempt", c_uint32), ("run", c_char_p), ("key", c_char_p),
                ("text", c_char_p), ("message", c_char_p), ("boundary", c_char_p), ("asker", c_char_p),
                ("fence", c_uint64), ("silent_us", c_int64), ("repeated", c_int)]


class Alert(Structure):
    _fields_ = [("size", c_size_t), ("key", c_char_p), ("kind", c_char_p), ("to", c_char_p), ("run", c_char_p),
                ("summary", c_char_p), ("json", c_char_p), ("severity", c_int), ("attempt", c_uint32)]


Notify = CFUNCTYPE(c_int, c_void_p, POINTER(Alert), c_void_p, c_size_t)
Act = CFUNCTYPE(c_int, c_void_p, POINTER(Action), c_void_p, c_size_t)
Ask = CFUNCTYPE(c_int, c_void_p, c_char_p)
Now = CFUNCTYPE(None, c_void_p, POINTER(c_int64), POINTER(c_int64))
Tell = CFUNCTYPE(None, c_void_p, c_char_p)


class Options(Sized):
    _fields_ = [("size", c_size_t), ("store", c_char_p), ("preset", c_char_p), ("settings", c_char_p),
                ("holder", c_char_p), ("context", c_void_p), ("notify", Notify), ("act", Act), ("verbs", c_uint),
                ("idempotent", c_int), ("find", Ask), ("prove_stopped", Ask), ("now", Now), ("wake", c_void_p),
                ("tell", Tell)]


class RunSpec(Sized):
    _fields_ = [("size", c_size_t), ("id", c_char_p), ("name", c_char_p), ("task", c_char_p), ("work_item", c_char_p),
                ("preset", c_char_p), ("expected_us", c_int64), ("timeout_us", c_int64), ("metric", c_int),
                ("metric_name", c_char_p), ("plan", POINTER(c_int64)), ("plan_count", c_size_t),
                ("tags", POINTER(c_char_p)), ("tag_count", c_size_t), ("shared_run", POINTER(c_char_p)),
                ("shared_run_count", c_size_t), ("parent", c_char_p), ("project", c_char_p), ("origin", c_char_p),
                ("owner", c_char_p), ("interactive", c_int), ("single_prompt", c_int), ("started_at_us", c_int64),
                ("continues", c_char_p)]


class Started(Sized):
    _fields_ = [("size", c_size_t), ("found", c_int), ("stored", c_int)]


class ToolCall(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("args", c_char_p), ("call_id", c_char_p),
                ("timeout_us", c_int64), ("turn", c_uint32)]


class ToolResult(Sized):
    _fields_ = [("size", c_size_t), ("success", c_int), ("output", c_char_p), ("output_size", c_size_t),
                ("call_id", c_char_p), ("output_hash", c_char_p)]


class Message(Sized):
    _fields_ = [("size", c_size_t), ("role", c_int), ("text", c_char_p), ("automatic", c_int)]


class Usage(Sized):
    _fields_ = [("size", c_size_t), ("tokens_in", c_int64), ("tokens_out", c_int64), ("api_calls", c_int64),
                ("bytes_written", c_int64), ("cost_usd", c_double)]


class State(Sized):
    _fields_ = [("size", c_size_t), ("state", c_char_p), ("reported", c_char_p), ("until_us", c_int64),
                ("prompt", c_char_p), ("outcome", c_char_p)]


class Note(Sized):
    _fields_ = [("size", c_size_t), ("text", c_char_p), ("reason", c_char_p), ("step", c_int64), ("has_step", c_int),
                ("incarnation", c_uint32)]


class Decision(Sized):
    _fields_ = [("size", c_size_t), ("verb", c_char_p), ("run", c_char_p), ("by", c_char_p), ("until_us", c_int64),
                ("because", c_char_p), ("preset", c_char_p), ("tag", c_char_p), ("kind", c_char_p),
                ("timeout_us", c_int64), ("tokens", c_int64), ("micro_usd", c_int64)]


def load(path):
    library = ctypes.CDLL(path)
    library.heeler_error_text.restype = c_char_p
    library.heeler_version.restype = c_char_p
    library.heeler_string_free.argtypes = [c_void_p]
    return library


def error_of(library):
    """Of the last function that failed in this thread."""
    return library.heeler_error_text().decode()
