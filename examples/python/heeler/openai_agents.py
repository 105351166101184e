"""Runs of the OpenAI Agents SDK (package `openai-agents`).

    nudges = heeler.Nudges()
    async with heeler.watch("nightly", task=task, inject=nudges) as run:
        hooks = WatchedHooks(run, nudges)
        await Runner.run(agent, task, hooks=hooks, run_config=hooks.config())
"""
from __future__ import annotations

import dataclasses
from typing import Any, List, Optional, Tuple

from agents import ItemHelpers, RunConfig, RunHooks
from agents.items import MessageOutputItem, ModelResponse
from agents.run_config import CallModelData, ModelInputData
from openai.types.responses import ResponseOutputMessage

from .adapter import Adapter, Nudges
from .client import Run


class WatchedHooks(Adapter, RunHooks[Any]):
    """Reports turns, tools, messages and tokens; `config` makes the model hear nudges."""

    def __init__(self, run: Run, nudges: Nudges) -> None:
        super().__init__(run, nudges)
        self._said: List[Tuple[Any, str]] = []  # after which item of the conversation, and what

    def config(self, config: Optional[RunConfig] = None) -> RunConfig:
        """Yours, with nudges put into what the model is given, after a filter of your own."""
        config = config or RunConfig()
        before = config.call_model_input_filter

        async def fill(data: CallModelData[Any]) -> ModelInputData:
            given = data.model_data
            if before:
                filtered = before(data)
                given = filtered if isinstance(filtered, ModelInputData) else await filtered
            return ModelInputData(input=self._with_nudges(given.input), instructions=given.instructions)

        return dataclasses.replace(config, call_model_input_filter=fill)

    def _with_nudges(self, items: List[Any]) -> List[Any]:
        """The SDK does not keep what a filter adds: each stays where it was said, for as long as its place is there."""
        self._said += [(items[-1] if items else None, text) for text in self.nudges.take()]
        filled: List[Any] = []
        for item in items or [None]:
            filled += [] if item is None else [item]
            filled += [{"role": "user", "content": text} for after, text in self._said if after == item]
        return filled

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
        self._turn += 1
        await self._tell(self.run.heartbeat())

    async def on_llm_end(self, context: Any, agent: Any, response: ModelResponse) -> None:
        used = response.usage
        await self._tell(self.run.usage(tokens_in=used.input_tokens, tokens_out=used.output_tokens, api_calls=1))
        for item in response.output:
            if isinstance(item, ResponseOutputMessage):
                await self._tell(self.run.message(ItemHelpers.text_message_output(MessageOutputItem(agent, item))))

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        await self._tell(self.run.tool_call(tool.name, getattr(context, "tool_arguments", None), turn=self._turn,
                                            call_id=getattr(context, "tool_call_id", None)))

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        # The SDK makes a text for the model of what a tool raised: whether it failed is not known here.
        await self._tell(self.run.tool_result(str(result), call_id=getattr(context, "tool_call_id", None)))
