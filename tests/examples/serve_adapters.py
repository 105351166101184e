"""A run that loops under an agent framework is nudged and recovers: the real packages, with a model that is scripted."""
import asyncio
import logging
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../examples/python")
os.environ.update(HEELER_SERVE=os.environ["HEELER_BIN"] + "/heeler-serve", HEELER_PING_URL="",
                  OPENAI_AGENTS_DISABLE_TRACING="1", LANGSMITH_TRACING="false")

from agents import Agent, Runner, function_tool  # noqa: E402
from agents.items import ModelResponse  # noqa: E402
from agents.models.interface import Model  # noqa: E402
from agents.usage import Usage  # noqa: E402
from langchain.agents import create_agent  # noqa: E402
from langchain.agents.middleware import before_model  # noqa: E402
from langchain_core.language_models import BaseChatModel  # noqa: E402
from langchain_core.messages import AIMessage  # noqa: E402
from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langgraph.graph import START, MessagesState, StateGraph  # noqa: E402
from langgraph.prebuilt import ToolNode, tools_condition  # noqa: E402
from openai.types.responses import (ResponseFunctionToolCall, ResponseOutputMessage,  # noqa: E402
                                    ResponseOutputText)

import heeler  # noqa: E402
from heeler.langchain import WatchedCallbacks  # noqa: E402
from heeler.openai_agents import WatchedHooks  # noqa: E402

FAST = {"HEELER_INTERVAL_S": "1", "HEELER_VERIFY_AFTER_S": "2"}
TASK = "Make the tests pass"


async def run_tests(suite: str) -> str:
    """Runs the tests."""
    await asyncio.sleep(0.2)
    return "2 tests failed" if suite == "all" else f"{suite}: passed"


class Script:
    """What a model does: the same again and again, until it is told; something new, until that is seen; then it is done."""

    def __init__(self):
        self.turns, self.heard, self.recovered, self.events = 0, [], False, []

    def next(self, texts):
        """The suite to try, or None: the work is done."""
        self.turns += 1
        self.heard = [text for text in texts if "[watchdog]" in text]
        if self.turns > 200 or self.recovered:
            return None
        return f"part {self.turns}" if self.heard else "all"

    def note(self, event):
        self.events.append(event)
        self.recovered = self.recovered or event.get("outcome") == "recovered"


class FakeModel(Model):
    def __init__(self, script):
        self.script = script

    async def get_response(self, system_instructions, input, *rest, **more):
        texts = [str(item.get("content")) for item in input if item.get("role") == "user"]
        suite = self.script.next(texts)
        number = str(self.script.turns)
        if suite is None:
            text = ResponseOutputText(text="all done", type="output_text", annotations=[])
            said = ResponseOutputMessage(id="m" + number, content=[text], role="assistant", status="completed",
                                         type="message")
        else:
            said = ResponseFunctionToolCall(name="run_tests", arguments='{"suite": "%s"}' % suite,
                                            call_id="c" + number, type="function_call")
        return ModelResponse(output=[said], usage=Usage(requests=1, input_tokens=10, output_tokens=2),
                             response_id=None)

    def stream_response(self, *rest, **more):
        raise NotImplementedError


class FakeChat(BaseChatModel):
    script: object

    @property
    def _llm_type(self):
        return "fake"

    def bind_tools(self, tools, **keys):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **keys):
        suite = self.script.next([str(each.content) for each in messages if each.type == "human"])
        calls = [] if suite is None else [{"name": "run_tests", "args": {"suite": suite},
                                           "id": f"c{self.script.turns}", "type": "tool_call"}]
        message = AIMessage(content="" if calls else "all done", tool_calls=calls,
                            usage_metadata={"input_tokens": 10, "output_tokens": 2, "total_tokens": 12})
        return ChatResult(generations=[ChatGeneration(message=message)])


class AdapterTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.script, self.nudges = Script(), heeler.Nudges()

    def watch(self, name):
        return heeler.watch(name, task=TASK, inject=self.nudges, on_event=self.script.note,
                            environment=dict(FAST, XDG_STATE_HOME=self.work.name))

    async def recovered(self, run):
        self.assertTrue(self.script.recovered, self.script.events)
        self.assertEqual(len(self.script.heard), 1, "it is said once, and stays in the conversation")
        async with asyncio.timeout(30):  # it is told once it is stored, which is after it was seen
            while not any(event.get("alert") == "run.recovered" for event in self.script.events):
                await asyncio.sleep(0.05)
        alerts = str([event for event in self.script.events if "alert" in event])
        self.assertIn("(run_tests)", alerts)
        self.assertIn("tokens since the run started", alerts)
        report = await run.report()
        # A loop that is certain by the first look would be paused, which nobody here can.
        self.assertEqual([each for each in report["actions"] if each != "pause"], ["inject:nudge"])


class OpenAIAgents(AdapterTest):
    async def test_a_loop_is_nudged_and_recovers(self):
        agent = Agent(name="coder", model=FakeModel(self.script), tools=[function_tool(run_tests)])
        async with self.watch("openai") as run:
            hooks = WatchedHooks(run, self.nudges)
            result = await Runner.run(agent, TASK, hooks=hooks, run_config=hooks.config(), max_turns=300)
            self.assertEqual(result.final_output, "all done")
            await self.recovered(run)

    async def test_an_agent_outlives_its_watchdog(self):
        logging.getLogger("heeler").setLevel(logging.CRITICAL)
        self.addCleanup(logging.getLogger("heeler").setLevel, logging.NOTSET)
        self.script.turns = 195  # four turns, and then it ends
        agent = Agent(name="coder", model=FakeModel(self.script), tools=[function_tool(run_tests)])
        async with self.watch("lost") as run:
            hooks = WatchedHooks(run, self.nudges)
            await run.client.close()
            result = await Runner.run(agent, TASK, hooks=hooks, run_config=hooks.config(), max_turns=300)
        self.assertEqual(result.final_output, "all done")


class LangChain(AdapterTest):
    async def run_graph(self, name, make, in_thread=False):
        async with self.watch(name) as run:
            watched = WatchedCallbacks(run, self.nudges)
            graph = make(FakeChat(script=self.script), [tool(run_tests)], watched)
            given = {"messages": [("user", TASK)]}, {"callbacks": [watched], "recursion_limit": 2000}
            result = await (asyncio.to_thread(graph.invoke, *given) if in_thread else graph.ainvoke(*given))
            self.assertEqual(result["messages"][-1].content, "all done")
            await self.recovered(run)

    async def test_an_agent_of_langchain_is_nudged_and_recovers(self):
        await self.run_graph("langchain", lambda model, tools, watched: create_agent(
            model, tools, middleware=[before_model(watched.nudge)]))

    async def test_so_is_one_that_is_called_without_asyncio(self):
        def sync_tests(suite: str) -> str:
            """Runs the tests."""
            return asyncio.run(run_tests(suite))

        sync_tests.__name__ = "run_tests"
        await self.run_graph("sync", lambda model, tools, watched: create_agent(
            model, [tool(sync_tests)], middleware=[before_model(watched.nudge)]), in_thread=True)

    async def test_a_loop_that_is_held_up_is_no_deadlock(self):
        async with self.watch("held-up") as run:
            told = []
            tell, run.client.tell = run.client.tell, lambda op, **keys: told.append(op) or tell(op, **keys)
            self.script.recovered = True
            FakeChat(script=self.script).invoke("Hello", {"callbacks": [WatchedCallbacks(run, self.nudges)]})
            await asyncio.sleep(0.1)
        self.assertEqual(told[:3], ["heartbeat", "usage", "message"])

    async def test_a_graph_of_langgraph_is_nudged_and_recovers(self):
        def make(model, tools, watched):
            async def ask(state):
                return {"messages": [await model.ainvoke(state["messages"])]}

            graph = StateGraph(MessagesState)
            for name, node in (("nudge", watched.nudge), ("model", ask), ("tools", ToolNode(tools))):
                graph.add_node(name, node)
            graph.add_edge(START, "nudge")
            graph.add_edge("nudge", "model")
            graph.add_conditional_edges("model", tools_condition)
            graph.add_edge("tools", "nudge")
            return graph.compile()

        await self.run_graph("langgraph", make)


if __name__ == "__main__":
    unittest.main()
