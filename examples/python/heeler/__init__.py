"""heeler: a watchdog for agents that run for long. See README.md beside this package."""
from . import plain
from .adapter import Nudges
from .client import Advice, Ask, Client, ConnectionLost, Error, Rejected, Run, connect, watch

__all__ = ["Advice", "Ask", "Client", "ConnectionLost", "Error", "Nudges", "Rejected", "Run", "connect", "plain", "watch"]
