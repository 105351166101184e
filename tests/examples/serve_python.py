"""The Python client against the real heeler-serve, and against servers that misbehave."""
import asyncio
import contextlib
import functools
import inspect
import json
import logging
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = HERE + "/../../examples/python"
sys.path.insert(0, PACKAGE)
os.environ["HEELER_SERVE"] = os.environ["HEELER_BIN"] + "/heeler-serve"
os.environ["HEELER_PING_URL"] = ""

import heeler  # noqa: E402
import serve_schema  # noqa: E402

FAST = {"HEELER_INTERVAL_S": "1", "HEELER_VERIFY_AFTER_S": "2"}


class PythonTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.variables = dict(FAST, XDG_STATE_HOME=self.work.name)
        logging.getLogger("heeler").setLevel(logging.CRITICAL)
        self.told, self.pretends, get = [], False, heeler.wire.Wire.get

        async def hear(wire):
            message = await get(wire)
            self.told.append(message)
            return message

        self.patch(heeler.wire.Wire, "get", hear)
        self.addCleanup(self.fits)

    def fits(self):
        """All that the client was told is what a heeler-serve says."""
        for message in self.told:
            if message is not None and not self.pretends:  # none: it has ended
                serve_schema.fits(message, serve_schema.KINDS)

    def watch(self, run="nightly", **keys):
        return heeler.watch(run, task="Make the tests pass", environment=self.variables, **keys)

    def patch(self, where, name, value):
        patched = unittest.mock.patch.object(where, name, value)
        patched.start()
        self.addCleanup(patched.stop)

    def said(self, client):
        """What the client says from now on."""
        lines, put = [], client._wire.put

        def listen(line):
            if asyncio.get_running_loop() is client._loop:  # no other thread may
                lines.append(json.loads(line))
            put(line)

        self.patch(client._wire, "put", listen)
        return lines

    async def serve(self):
        """A heeler-serve at a socket, and where."""
        path = self.work.name + "/heeler.sock"
        server = subprocess.Popen([os.environ["HEELER_SERVE"], "--socket", path, "--store", "memory"])
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        for _ in range(5000):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as listens:
                listens.connect(path)
                return server, path
            await asyncio.sleep(0.02)
        self.fail("heeler-serve does not listen")

    def in_fork(self, body):
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                body()
                os._exit(0)
            os._exit(1)
        for _ in range(5000):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.01)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.fail("it hangs")

    def pretend(self, script):
        """A program in the place of heeler-serve, which may say anything."""
        self.pretends = True
        path = self.work.name + "/pretender"
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, stat.S_IRWXU)
        before = os.environ["HEELER_SERVE"]
        os.environ["HEELER_SERVE"] = path
        self.addCleanup(os.environ.__setitem__, "HEELER_SERVE", before)

    @staticmethod
    def nudge_in(events):
        """What came of the first nudge. That of a pause, which clients without the verb are asked for, is another."""
        return next((event for event in events if event.get("action") == "inject:nudge"), None)

    async def loop(self, run, until, seconds=100):
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
            await self.loop(run, lambda: self.nudge_in(events))
            self.assertIn("LOOP_DETECTED", await run.explain())
        self.assertEqual([asked[0].verb, asked[0].run, asked[0].message], ["inject", "nightly", "nudge"])
        self.assertIn("Make the tests pass", asked[0].text)
        action = self.nudge_in(events)
        self.assertEqual([action["outcome"], action["key"]], ["done", asked[0].key])

    async def test_handlers_that_wait_refuse_or_fail(self):
        async def refuse(ask):
            await asyncio.sleep(0)
            raise heeler.Rejected("not now")

        def fail(ask):
            raise OSError("gone")

        async def cancel(ask):
            task = asyncio.ensure_future(asyncio.sleep(9))
            task.cancel()
            await task

        for handler, outcome in ((refuse, "rejected"), (fail, "unknown"), (cancel, "unknown")):
            events, options = [], ("--name", handler.__name__, "--patience", "10m")
            async with self.watch(inject=handler, on_event=events.append, options=options) as run:
                await self.loop(run, lambda: self.nudge_in(events))
            self.assertEqual(self.nudge_in(events)["outcome"], outcome)

    async def test_a_handler_is_ended_with_its_client(self):
        begun = []

        async def hang(ask):
            begun.append(ask)
            await asyncio.sleep(100)

        async with self.watch(inject=hang) as run:
            with self.assertLogs("heeler") as log:
                await self.loop(run, lambda: begun)
                await asyncio.wait_for(run.client.close(), 100)
                logging.getLogger("heeler").error("to have one")
        self.assertEqual(len(log.output), 1, log.output)

    async def test_a_handler_may_end_its_agent(self):
        ended = []
        async with self.watch(preset="long_run", spec={"timeout_s": 2}, snapshot=lambda ask: "nothing to save",
                              terminate=lambda ask: ended.append(ask)) as run:
            for _ in range(1000):
                await run.heartbeat()
                await asyncio.sleep(0.1)
                if ended:
                    break
        self.assertEqual([ask.verb for ask in ended], ["terminate"])

    async def test_an_agent_is_told_what_to_do_when_it_asks(self):
        async with self.watch(preset="long_run", spec={"timeout_s": 3600}) as run:
            advice = await run.advice()
            self.assertEqual((advice.advice, advice.because, advice.usd_left), ("continue", None, None))
            self.assertLess(3500, advice.time_left_s)
            await run.client.ask("decide", verb="mark_stopped", run=run.id, by="me")
            with self.assertRaises(heeler.Error) as refused:
                for _ in range(100):
                    await run.advice()
                    await asyncio.sleep(0.1)
            self.assertEqual(refused.exception.code, "ended")

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

    async def test_what_takes_long_is_no_stall(self):
        self.variables.update(HEELER_PROGRESS_AGE__SHOWN_S="1", HEELER_PROGRESS_AGE__ACTED_ON_S="2")
        async with self.watch() as run:
            await run.progress(1)
            with run.expect(1200, "cargo build"):
                await asyncio.sleep(4)
                self.assertEqual(await run.status(), "HEALTHY")
                with self.assertRaises(heeler.Error) as refused:
                    await run.expect_begin(99999, "cargo test")
                self.assertEqual(refused.exception.code, "invalid_argument")
                self.assertIn("`cargo test` must take some time", str(refused.exception))
            with self.assertRaises(heeler.Error):
                await run.expect_over("cargo build")
            await run.expect_begin(600, "cargo doc")
            await run.expect_over("")
            for _ in range(1000):
                if await run.status() == "STALLED":
                    return
                await asyncio.sleep(0.1)
            self.fail("it is no stall after it either")

    async def test_over_a_socket_with_several_runs(self):
        _, path = await self.serve()
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

    async def test_each_run_has_a_store_of_its_own(self):
        names = ["任务", "工作", "a/b", "a_b", "a:b", ".a", "_a", "A" * 64 + "1", "A" * 64 + "2"]
        async with contextlib.AsyncExitStack() as stack:
            for name in names:
                await stack.enter_async_context(self.watch(name))
        kept = os.listdir(self.work.name + "/heeler/runs")
        self.assertEqual(len(kept), len(names))
        self.assertIn("a_b", kept)

    async def test_each_observation_is_taken(self):
        with self.assertLogs("heeler") as log:
            async with self.watch() as run:
                await run.usage(tokens_in=1, tokens_out=2, api_calls=1, bytes_written=1 << 20, cost_usd=0.5)
                await run.compaction(tokens_before=1000, tokens_after=10)
                await run.liveness("pid")
                await run.output_access(False)
                await run.tool_result("x", ok=True, output_sha="0" * 40)
                await run.resource("disk", 1, 2)
                await run.state("rate_limited", until=4102444800)
                first = run.of_incarnation(1)
                await first.heartbeat(seq=1)
                await first.checkpoint(1, "by the first")
                said = self.said(run.client)
                await run.of_incarnation(2).progress(2)
                await run.progress(3)
                await run.status()
            logging.getLogger("heeler").error("to have one")
        self.assertEqual([line.get("incarnation") for line in said[:2]], [2, None])
        self.assertEqual(len(log.output), 1, log.output)

    async def test_the_quickstart_runs_twice(self):
        for _ in range(2):
            done = await asyncio.to_thread(
                subprocess.run, [sys.executable, PACKAGE + "/quickstart.py"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=dict(os.environ, PYTHONPATH=PACKAGE, **self.variables), check=True)
            self.assertIn(b"to the agent: [watchdog]", done.stdout)


class Tools(PythonTest):
    async def test_a_loop_of_tools_is_nudged(self):
        nudges = heeler.Nudges()
        async with self.watch(inject=nudges) as run:
            @run.tool
            async def make(target, jobs=1):
                """Builds."""
                await asyncio.sleep(0.2)
                return "2 tests failed"

            self.assertEqual(make.__doc__, "Builds.")
            self.assertTrue(inspect.iscoroutinefunction(make))
            for _ in range(1000):
                self.assertEqual(await make("all", jobs=2), "2 tests failed")
                if nudges.take():
                    return
        self.fail("it was not nudged")

    async def test_what_is_told_of_a_call(self):
        class Caller:
            async def __call__(self, what):
                raise OSError(what)

        async with self.watch() as run:
            said = self.said(run.client)

            async def wait(seconds):
                await asyncio.sleep(seconds)

            async def told(call, result):
                await asyncio.sleep(0.01)
                self.assertEqual({name: said[-2].get(name) for name in ("op", "name", "args")},
                                 dict(call, op="tool_call"))
                self.assertEqual({name: said[-1].get(name) for name in ("op", "output", "ok")},
                                 dict(result, op="tool_result"))
                self.assertEqual(said[-1]["call_id"], said[-2]["call_id"])

            double = run.tool(lambda x: 2 * x)
            self.assertEqual(double(4), 8)
            await told({"name": "<lambda>", "args": {"x": 4}}, {"output": "8", "ok": True})
            self.assertEqual(await asyncio.to_thread(double, "a"), "aa")
            await told({"name": "<lambda>", "args": {"x": "a"}}, {"output": "aa", "ok": True})
            with self.assertRaises(OSError):
                await run.tool(Caller())("gone")
            await told({"name": "Caller", "args": {"what": "gone"}}, {"output": "OSError('gone')", "ok": False})
            self.assertEqual(run.tool(functools.partial(max, 3))(4), 4)
            await told({"name": "partial", "args": {"args": [4]}}, {"output": "4", "ok": True})
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(run.tool(wait)(10), 0.1)
            await told({"name": "wait", "args": {"seconds": 10}}, {"output": "CancelledError()", "ok": False})
            await asyncio.gather(run.tool(wait)(0.02), run.tool(wait)(0.01))
            self.assertEqual(len({line["call_id"] for line in said}), 7)
            double(5)
            await run.finish()
            self.assertEqual([line["op"] for line in said[-3:]], ["tool_call", "tool_result", "finish"])
        self.assertEqual(double(5), 10)

    async def test_a_generator_is_none(self):
        def parts():
            yield 1

        async with self.watch() as run:
            with self.assertRaises(TypeError):
                run.tool(parts)

    async def test_a_forked_child_is_not_heard(self):
        async def body():
            assert run.tool(abs)(-3) == 3
            with self.assertRaises(heeler.ConnectionLost):
                await run.heartbeat()
            await run.client.close()

        def end():
            with contextlib.suppress(StopIteration):
                body().send(None)

        async with self.watch() as run:
            said = self.said(run.client)
            self.assertEqual(self.in_fork(end), 0)
            self.assertEqual(await run.status(), "HEALTHY")
            self.assertEqual([line["op"] for line in said], ["status"])

    async def test_an_agent_outlives_its_watchdog(self):
        async with self.watch() as run:
            await run.client.close()
            with self.assertLogs("heeler") as log:
                self.assertEqual([run.tool(abs)(-3) for _ in range(3)], [3, 3, 3])
                await asyncio.sleep(0.01)
            self.assertEqual(len(log.output), 1)


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
            for _ in range(1000):
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
                with self.watch("look", options=("--name", "run-" + how)) as look:
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

    def test_a_tool_that_is_async(self):
        async def double(x):
            await asyncio.sleep(0)
            return 2 * x

        with self.watch() as run:
            said = self.said(run.run.client)
            self.assertEqual(asyncio.run(run.tool(double)(4)), 8)
            run.tell("status")
            self.assertEqual([said[1]["output"], said[1]["ok"]], ["8", True])

    def test_a_handler_that_tells(self):
        refused = []

        def inject(ask):
            with self.assertRaises(RuntimeError) as error:
                run.tell("heartbeat")
            refused.append(error)

        with self.watch(inject=inject) as run:
            make = run.tool(lambda target: time.sleep(0.2) or "2 tests failed")
            for _ in range(1000):
                make("all")
                if refused:
                    return
        self.fail("it was not nudged")

    def test_a_forked_child_is_not_heard_and_not_held_up(self):
        def body():
            assert tool(-3) == 3
            with self.assertRaises(heeler.ConnectionLost):
                run.tell("heartbeat")
            assert not leave.__exit__(SystemExit, SystemExit(), None)

        leave = self.watch()
        with leave as run:
            tool = run.tool(abs)
            self.assertEqual(self.in_fork(body), 0)
            tool(-2)
            self.assertEqual(run.tell("status"), "HEALTHY")

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


class WhatIsSaid(PythonTest):
    """Whatever an agent says is a line that heeler-serve reads."""

    async def test_texts_that_are_no_unicode(self):
        async with self.watch(spec={"tags": ["\udcff"]}, preset="long_run") as run:
            await asyncio.wait_for(run.checkpoint(1, "caf\udce9"), 100)
            await asyncio.wait_for(run.client.start("other", task="x\udcff"), 100)
            self.assertIn("caf?", await run.explain())

    async def test_values_that_json_has_no_form_for(self):
        class Unspeakable:
            def __str__(self):
                raise OSError("no")

        class Changing(dict):
            def items(self):
                raise RuntimeError("dictionary changed size during iteration")

        deep = around = []
        for _ in range(5000):
            deep = [deep]
        around.append(around)
        with self.assertLogs("heeler") as log:
            async with self.watch() as run:
                said = self.said(run.client)
                for value in (pathlib.Path("/x"), float("nan"), float("-inf"), 10**30, -2**63, 2**64 - 1, {(1, 2): {3}},
                              Unspeakable(), Changing(), deep, around, b"\xff", "\0\ud800", {"\udcff": "\udcff"}):
                    await run.tool_call("bash", {"value": value})
                    await run.tool_result(value)
                await run.status()
            logging.getLogger("heeler").error("to have one")
        self.assertEqual(len(log.output), 1, log.output)
        self.assertEqual([line["args"]["value"] for line in said[:12:2]],
                         ["/x", "nan", "-inf", str(10**30), -2**63, 2**64 - 1])

    async def test_lines_that_are_too_long(self):
        with self.assertLogs("heeler") as log:
            async with self.watch() as run:
                said = self.said(run.client)
                for text in ("x" * (5 << 20), "x" * ((5 << 20) - 1) + "y", "\0" * (5 << 20), ["x"] * (2 << 20)):
                    await run.tool_call("bash", text)
                    await run.tool_result(text)
                with self.assertRaises(heeler.Error) as refused:
                    await asyncio.wait_for(run.checkpoint(1, "x" * (5 << 20)), 100)
                self.assertEqual(refused.exception.code, "invalid_argument")
                self.assertIn("at most 4194304", str(refused.exception))
                await asyncio.wait_for(run.checkpoint(1, "é" * (1 << 20)), 100)
            logging.getLogger("heeler").error("to have one")
        self.assertEqual(len(log.output), 1, log.output)
        self.assertEqual(said[0]["args"][:3], "xxx")
        self.assertNotEqual(said[0]["args"], said[2]["args"])


class Stuck(PythonTest):
    """A server that does not listen."""

    async def stopped(self):
        server, path = await self.serve()
        client = await heeler.connect(socket=path)
        run = await client.start("one")
        server.send_signal(signal.SIGSTOP)
        self.addAsyncCleanup(client.close)
        self.addCleanup(server.send_signal, signal.SIGCONT)
        return server, client, run

    async def test_an_agent_is_held_up_once_and_heard_again(self):
        self.patch(heeler.client, "TAKEN_S", 0.5)
        server, client, run = await self.stopped()
        began = time.monotonic()
        with self.assertLogs("heeler") as log:
            await asyncio.gather(*(run.output("x" * 5000) for _ in range(200)))
            for _ in range(2000):
                await run.output("x" * 5000)
        self.assertLess(time.monotonic() - began, 100)
        self.assertEqual(len(log.output), 1, log.output)
        server.send_signal(signal.SIGCONT)
        self.assertTrue(await asyncio.wait_for(run.status(), 100))
        said = self.said(client)
        await run.output("again")
        self.assertEqual(len(said), 1)

    async def test_tools_cost_no_memory(self):
        _, client, run = await self.stopped()
        tool = run.tool(lambda text: text)
        for _ in range(300):
            tool("x" * 50000)
        self.assertLess(client._wire.waiting(), 8 << 20)

    async def test_an_answer_that_does_not_come(self):
        self.patch(heeler.client, "ANSWER_S", 0.3)
        _, _, run = await self.stopped()
        with self.assertRaises(heeler.Error) as late:
            await run.checkpoint(1)
        self.assertEqual(late.exception.code, "timed_out")

    async def test_the_end_does_not_wait_for_it(self):
        self.patch(heeler.client, "TAKEN_S", 0.1)
        self.patch(heeler.wire, "END_S", 0.3)
        _, client, run = await self.stopped()
        for _ in range(200):
            await run.output("x" * 5000)
        await asyncio.wait_for(client.close(), 100)

    def is_gone(self):
        with open(self.work.name + "/pid") as file, self.assertRaises(ProcessLookupError):
            for _ in range(5000):  # until it is buried
                os.kill(int(file.read()), 0)
                file.seek(0)
                time.sleep(0.02)

    async def test_one_that_never_greets_or_never_ends(self):
        self.patch(heeler.wire, "END_S", 0.3)
        greeting = 'echo \'{"protocol":"heeler","version":1,"program":"x"}\'; read -r line\n'
        for script in ("exec sleep 100", "trap '' TERM; while :; do sleep 100; done", greeting + "exec sleep 100"):
            self.pretend('echo $$ >"$0.pid"; mv "$0.pid" "${0%/*}/pid"\n' + script)
            with self.assertRaises(heeler.ConnectionLost) as lost:
                await asyncio.wait_for(heeler.connect(greeting_s=3), 100)
            self.assertIn("3 s", str(lost.exception))
            self.is_gone()
        self.pretend(greeting + 'sleep 100 & echo $! >"${0%/*}/pid"; echo \'{"id":1,"ok":{}}\'; wait')
        client = await heeler.connect()
        await asyncio.wait_for(client.close(), 100)
        self.is_gone()


class Misbehaviour(PythonTest):
    async def refused(self, part):
        with self.assertRaises(heeler.ConnectionLost) as lost:
            async with self.watch():
                pass
        self.assertIn(part, str(lost.exception))

    async def test_a_listener_that_raises(self):
        for error in (ValueError("mine"), RuntimeError("mine")):
            heard = []

            def fail(event):
                heard.append(event)
                raise error

            with self.assertLogs("heeler", "ERROR") as log:
                async with self.watch(type(error).__name__, on_event=fail) as run:
                    await self.loop(run, lambda: heard)
                    self.assertTrue(await asyncio.wait_for(run.status(), 100))
            self.assertIn("mine", log.output[0])

    async def test_a_socket_of_another_user(self):
        path = self.work.name + "/heeler.sock"
        other = subprocess.Popen([sys.executable, "-c", """if True:
            import os, socket, sys
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            if os.getuid() == 0:
                os.setuid(4711)
            server.listen()
            print("listens", flush=True)
            sys.stdin.read()
            """, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        other.stdout.readline()
        self.patch(os, "geteuid", lambda: 4712)
        with self.assertRaises(PermissionError) as refused:
            await heeler.connect(socket=path, greeting_s=2)
        self.assertIn("another user", str(refused.exception))
        other.communicate()

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
        for line in ('{"id":1}', '{"id":[]}', '{"id":1,"error":"x"}', '{"id":1,"error":{}}'):
            self.pretend(hello + f"echo '{line}'; cat >/dev/null\n")
            await self.refused("cannot be read")
        self.pretend(hello + 'echo \'{"id":1,"ok":{}}\'; read -r line; exit 0\n')
        await self.refused("has ended")


if __name__ == "__main__":
    unittest.main()
