"""Runs of LangChain and LangGraph (package `langchain-core`).

    nudges = heeler.Nudges()
    async with heeler.watch("nightly", task=task, inject=nudges) as run:
        watched = WatchedCallbacks(run, nudges)
        agent = create_agent(model, tools, middleware=[before_model(watched.nudge)])
        await agent.ainvoke({"messages": [("user", task)]}, {"callbacks": [watched]})

In a graph of your own `watched.nudge` is a node before the model's. `invoke` works as well as `ainvoke`, in any thread.
"""
from __future__ import annotations

from typing import Any, Dict, List

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import HumanMessage

from .adapter import Adapter


class WatchedCallbacks(Adapter, AsyncCallbackHandler):
    """Reports turns, tools, messages and tokens; `nudge` makes the model hear nudges."""

    def nudge(self, state: Any, runtime: Any = None) -> Dict[str, List[HumanMessage]]:
        """What a node answers: the messages to add to those of the graph's state."""
        return {"messages": [HumanMessage(text) for text in self.nudges.take()]}

    async def on_chat_model_start(self, serialized: Any, messages: Any, **rest: Any) -> None:
        self._turn += 1
        await self._tell(self.run.heartbeat())

    async def on_llm_start(self, serialized: Any, prompts: Any, **rest: Any) -> None:
        await self.on_chat_model_start(serialized, prompts)

    async def on_llm_end(self, response: Any, **rest: Any) -> None:
        for choice in (choices[0] for choices in response.generations if choices):
            used = getattr(getattr(choice, "message", None), "usage_metadata", None) or {}
            await self._tell(self.run.usage(tokens_in=used.get("input_tokens"), tokens_out=used.get("output_tokens"),
                                            api_calls=1))
            if choice.text:
                await self._tell(self.run.message(choice.text))

    async def on_tool_start(self, serialized: Any, input_str: str, *, run_id: Any, inputs: Any = None,
                            **rest: Any) -> None:
        name = rest.get("name") or (serialized or {}).get("name") or "unknown"
        args = inputs if _is_plain(inputs) else input_str
        await self._tell(self.run.tool_call(name, args, call_id=str(run_id), turn=self._turn))

    async def on_tool_end(self, output: Any, *, run_id: Any, **rest: Any) -> None:
        status = getattr(output, "status", None)
        content = getattr(output, "content", output)
        await self._tell(self.run.tool_result(str(content), ok=status != "error" if status else True,
                                              call_id=str(run_id)))

    async def on_tool_error(self, error: BaseException, *, run_id: Any, **rest: Any) -> None:
        await self._tell(self.run.tool_result(str(error), ok=False, call_id=str(run_id)))


def _is_plain(value: Any) -> bool:
    """Whether JSON has a form for it; tools may be given what the graph injects."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (str, int, float, bool))
