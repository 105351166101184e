"""The Python client against the real heeler-serve, and against servers that misbehave."""
import asyncio
import contextlib
import logging
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = HERE + "/../../examples/python"
sys.path.insert(0, PACKAGE)
os.environ["HEELER_SERVE"] = os.environ["HEELER_BIN"] + "/heeler-serve"
os.environ["HEELER_PING_URL"] = ""

import heeler  # noqa: E402

FAST = {"HEELER_INTERVAL_S": "1", "HEELER_VERIFY_AFTER_S": "2"}


class PythonTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.variables = dict(FAST, XDG_STATE_HOME=self.work.name)
        logging.getLogger("heeler").setLevel(logging.CRITICAL)

    def watch(self, run="nightly", **keys):
        return heeler.watch(run, task="Make the tests pass", environment=self.variables, **keys)

    def pretend(self, script):
        """A program in the place of heeler-serve."""
        path = self.work.name + "/pretender"
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, stat.S_IRWXU)
        before = os.environ["HEELER_SERVE"]
        os.environ["HEELER_SERVE"] = path
        self.addCleanup(os.environ.__setitem__, "HEELER_SERVE", before)

    async def loop(self, run, until, seconds=20):
        """An agent that goes round in circles, until something has happened."""
        for _ in range(seconds * 5):
            await run.tool_call("bash", {"command": "make test"})
            await run.tool_result("2 tests failed", ok=False)
            await asyncio.sleep(0.2)
            if until():
                return
        self.fail("it did not happen")


class Watch(PythonTest):
    async def test_a_loop_is_told_and_nudged(self):
        asked, events = [], []
        async with self.watch(inject=lambda ask: asked.append(ask) or "told", on_event=events.append) as run:
            await self.loop(run, lambda: any("action" in event for event in events))
            self.assertIn("LOOP_DETECTED", await run.explain())
        self.assertEqual([asked[0].verb, asked[0].run, asked[0].message], ["inject", "nightly", "break_pattern"])
        self.assertIn("Make the tests pass", asked[0].text)
        action = next(event for event in events if "action" in event)
        self.assertEqual([action["outcome"], action["key"]], ["done", asked[0].key])

    async def test_handlers_that_wait_refuse_or_fail(self):
        async def refuse(ask):
            await asyncio.sleep(0)
            raise heeler.Rejected("not now")

        def fail(ask):
            raise OSError("gone")

        for handler, outcome in ((refuse, "rejected"), (fail, "unknown")):
            events = []
            async with self.watch("run-" + outcome, inject=handler, on_event=events.append) as run:
                await self.loop(run, lambda: any("action" in event for event in events))
            self.assertEqual(next(event for event in events if "action" in event)["outcome"], outcome)

    async def test_a_handler_may_end_its_agent(self):
        ended = []
        async with self.watch(preset="long_run", spec={"timeout_s": 2}, snapshot=lambda ask: "nothing to save",
                              terminate=lambda ask: ended.append(ask)) as run:
            for _ in range(100):
                await run.heartbeat()
                await asyncio.sleep(0.1)
                if ended:
                    break
        self.assertEqual([ask.verb for ask in ended], ["terminate"])

    async def test_how_the_block_ends_is_how_the_run_does(self):
        async def ending(run, error):
            try:
                async with self.watch(run) as watched:
                    if error:
                        raise error
            except (ValueError, asyncio.CancelledError):
                pass
            async with self.watch("other", options=("--name", run)) as other:
                return (await other.client.ask("report", run=watched.id))["final_status"]

        self.assertEqual(await ending("a", None), "completed")
        self.assertEqual(await ending("b", ValueError()), "failed")
        self.assertEqual(await ending("c", asyncio.CancelledError()), "cancelled")

    async def test_a_run_that_goes_on_is_taken_up_and_one_that_ended_is_not(self):
        client = await heeler.connect(options=("--name", "nightly"), environment=self.variables)
        run = await client.start("nightly")
        await run.checkpoint(3, "three")
        await client.close()  # as if it had died
        async with self.watch() as again:
            self.assertTrue(again.found)
        async with self.watch() as new:
            self.assertFalse(new.found)
            self.assertTrue(new.id.startswith("nightly@"))

    async def test_over_a_socket_with_several_runs(self):
        path = self.work.name + "/heeler.sock"
        server = subprocess.Popen([os.environ["HEELER_SERVE"], "--socket", path, "--store", "memory"])
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        while not os.path.exists(path):
            await asyncio.sleep(0.02)
        client = await heeler.connect(socket=path)
        one, two = await client.start("one"), await client.start("two")
        for run in (one, two):
            await run.progress(1)
            await run.usage(tokens_in=5)
            await run.state("waiting_human", prompt="Which?")
            self.assertEqual(await run.status(), "HEALTHY")
        with self.assertRaises(heeler.Error) as refused:
            await client.start("one")
        self.assertEqual(refused.exception.code, "duplicate")
        await client.decide("snooze", run="one", until=4102444800, by="me")
        self.assertIn("recommended", await client.describe())
        await one.finish()
        self.assertEqual((await one.report())["final_status"], "completed")
        await client.close()
        with self.assertRaises(heeler.ConnectionLost):
            await two.heartbeat()

    async def test_the_quickstart_runs_twice(self):
        for _ in range(2):
            done = await asyncio.to_thread(
                subprocess.run, [sys.executable, PACKAGE + "/quickstart.py"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=dict(os.environ, PYTHONPATH=PACKAGE, **self.variables), check=True)
            self.assertIn(b"to the agent: [watchdog]", done.stdout)


class Plain(PythonTest):
    """Without asyncio: what is told here is told by a thread that has no loop."""

    def watch(self, run="nightly", **keys):
        return heeler.plain.watch(run, task="Make the tests pass", environment=self.variables, **keys)

    def test_a_loop_is_nudged(self):
        heard = []

        def make(target, jobs=1):
            """Builds."""
            time.sleep(0.2)
            if target == "none":
                raise OSError("no such target")
            return "2 tests failed"

        with self.watch() as run:
            tool = run.tool(make)
            self.assertEqual(tool.__doc__, "Builds.")
            with self.assertRaises(OSError):
                tool("none")
            for _ in range(100):
                self.assertEqual(tool("test", jobs=2), "2 tests failed")
                heard += run.nudges.take()
                if heard:
                    break
            run.tell("usage", tokens_in=5)
            self.assertIn("LOOP_DETECTED", run.tell("explain"))
        self.assertIn("[watchdog]", heard[0])

    def test_how_the_block_ends_is_how_the_run_does(self):
        for error, how in ((None, "completed"), (ValueError(), "failed"), (KeyboardInterrupt(), "cancelled")):
            events = []
            with self.watch(how) as other:
                caught = contextlib.nullcontext() if error is None else self.assertRaises(type(error))
                with caught, self.watch("run-" + how, on_event=events.append):
                    if error:
                        raise error
                with self.watch("look", options=("--name", "run_" + how)) as look:
                    report = look._wait(look.run.client.ask("report", run="run-" + how))
                    self.assertEqual(report["final_status"], how)
                self.assertEqual(other.tell("status"), "HEALTHY")
        self.assertNotIn("heeler", [thread.name for thread in threading.enumerate()])

    def test_an_agent_outlives_its_watchdog(self):
        with self.watch() as run:
            run._wait(run.run.client.close())
            self.assertEqual(run.tool(lambda: 3)(), 3)
            with self.assertRaises(heeler.ConnectionLost):
                run.tell("checkpoint", 1)

    def test_a_program_that_is_missing(self):
        os.environ["HEELER_SERVE"], before = "/no/such", os.environ["HEELER_SERVE"]
        self.addCleanup(os.environ.__setitem__, "HEELER_SERVE", before)
        with self.assertRaises(FileNotFoundError):
            with self.watch():
                pass


class Pages(unittest.TestCase):
    def test_the_page_shows_the_quickstart_as_it_is(self):
        with open(PACKAGE + "/README.md") as page, open(PACKAGE + "/quickstart.py") as program:
            self.assertIn("```python\n" + program.read() + "```\n", page.read())


class Misbehaviour(PythonTest):
    async def refused(self, part):
        with self.assertRaises(heeler.ConnectionLost) as lost:
            async with self.watch():
                pass
        self.assertIn(part, str(lost.exception))

    async def test_a_verb_that_there_is_not(self):
        with self.assertRaises(TypeError):
            await heeler.connect(nudge=lambda ask: None)

    async def test_a_program_that_is_missing_or_something_else(self):
        self.pretend("echo hello; cat >/dev/null\n")
        await self.refused("no heeler-serve")
        self.pretend("exit 3\n")
        await self.refused("no heeler-serve")
        os.environ["HEELER_SERVE"] = "/no/such"
        with self.assertRaises(FileNotFoundError):
            await heeler.connect()

    async def test_a_server_of_another_version(self):
        self.pretend('echo \'{"protocol":"heeler","version":9,"program":"heeler-serve 9"}\'; cat >/dev/null\n')
        await self.refused("update the older one")

    async def test_a_server_that_ends_or_raves(self):
        hello = 'echo \'{"protocol":"heeler","version":1,"program":"x"}\'; read -r line\n'
        self.pretend(hello)
        await self.refused("has ended")
        self.pretend(hello + "echo garbage; cat >/dev/null\n")
        await self.refused("cannot be read")
        self.pretend(hello + 'echo \'{"id":1,"ok":{}}\'; read -r line; exit 0\n')
        await self.refused("has ended")


if __name__ == "__main__":
    unittest.main()
