"""heeler-serve as its clients know it: what it answers, what it asks, and what it does with bad input and lost clients."""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import serve_schema

SERVE = os.environ["HEELER_BIN"] + "/heeler-serve"
HERE = os.path.dirname(os.path.abspath(__file__))
HELLO = {"op": "hello", "protocol": "heeler", "version": 1}
FAST = {"HEELER_INTERVAL_S": "1", "HEELER_VERIFY_AFTER_S": "2"}


class Client:
    """Says lines and hears lines, of a process or of a socket."""

    def __init__(self, read, write):
        self.read, self.write, self.heard = read, write, []

    def say(self, **request):
        self.raw(json.dumps(request).encode() + b"\n")

    def raw(self, line):
        self.write.write(line)
        self.write.flush()

    def hear(self, fits, seconds=100):
        """The next line that fits; what came before it is kept in `heard`."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            line = self.read.readline()
            if not line:
                break
            self.heard.append(serve_schema.told(line))
            if fits(self.heard[-1]):
                return self.heard[-1]
        raise AssertionError("nothing fits in %r" % self.heard[-8:])

    def ask(self, **request):
        self.say(id=len(self.heard), **request)
        return serve_schema.answered(request["op"], self.hear(lambda line: "id" in line))

    def error(self, **request):
        return self.ask(**request)["error"]

    def greet(self, verbs=()):
        self.assert_ok(self.ask(**HELLO, verbs=list(verbs)))
        return self

    def assert_ok(self, line):
        assert "ok" in line, line
        return line["ok"]

    def loop(self, run, rounds=8):
        """An agent that goes round in circles."""
        for _ in range(rounds):
            self.say(op="tool_call", run=run, name="bash", args={"command": "make test"})
            self.say(op="tool_result", run=run, ok=False, output="2 tests failed")


def sanitized(option):
    """Of a build with the address sanitizer; others know no such variable."""
    return {"ASAN_OPTIONS": ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), option)))}


class ServeTest(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.path = self.work.name + "/heeler.sock"

    def start(self, *options, most_files=None, **environment):
        environment = dict(os.environ, HEELER_PING_URL="", **FAST, **environment)
        limits = ["prlimit", "--nofile=%d" % most_files] if most_files else []
        process = subprocess.Popen([*limits, SERVE, "--state-dir", self.work.name, *options], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.stdin.close()
        process.wait(100)
        process.stdout.close()
        process.stderr.close()

    def piped(self, *options, **environment):
        process = self.start(*options, **environment)
        return Client(process.stdout, process.stdin)

    def listening(self, *options, **more):
        process = self.start("--socket", self.path, *options, **more)
        until = time.monotonic() + 100
        while not self.answers() and time.monotonic() < until:
            time.sleep(0.02)
        return process

    def answers(self):
        """The file of a server that was killed answers nobody."""
        with socket.socket(socket.AF_UNIX) as one:
            return one.connect_ex(self.path) == 0 and bool(one.recv(1))

    def reached(self):
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(100)
        one.connect(self.path)
        self.addCleanup(one.close)
        client = Client(one.makefile("rb"), one.makefile("wb"))
        client.socket = one
        self.addCleanup(client.read.close)
        return client

    def connected(self, verbs=()):
        return self.reached().greet(verbs)

    def kilobytes(self, process, what):
        with open("/proc/%d/status" % process.pid) as file:
            return int(re.search(what + r":\s+(\d+) kB", file.read()).group(1))

    def comes_to_attach(self, client, run):
        """When the server has heard that the run's client is gone."""
        until = time.monotonic() + 100
        while "error" in (answer := client.ask(op="attach", run=run)):
            self.assertEqual(answer["error"]["code"], "conflict")
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        return answer["ok"]

    def gone(self, client):
        """As if it was killed."""
        client.socket.shutdown(socket.SHUT_RDWR)


class Answers(ServeTest):
    def test_first_line_names_the_protocol(self):
        first = self.piped("--store", "memory").hear(lambda line: True)
        self.assertEqual([first["protocol"], first["version"]], ["heeler", 1])
        self.assertTrue(first["program"].startswith("heeler-serve "))

    def test_a_run_from_start_to_report(self):
        client = self.piped("--store", "memory").greet()
        self.assertEqual(client.assert_ok(client.ask(op="start", run="r", task="t", metric="tests")),
                         {"run": "r", "found": False, "not_stored": None})
        kinds = [("heartbeat", {"seq": 1}), ("progress", {"value": 3}), ("output", {"text": "x\n"}),
                 ("tool_call", {"name": "bash", "args": {"a": 1}, "call_id": "1", "turn": 1, "timeout_s": 9}),
                 ("tool_result", {"ok": True, "output": "y", "call_id": "1"}), ("message", {"role": "user", "text": "z"}),
                 ("usage", {"tokens_in": 5, "cost_usd": 0.5}), ("compaction", {"tokens_before": 9, "tokens_after": 1}),
                 ("resource", {"name": "disk", "used": 1, "limit": 9}), ("output_access", {"ok": True}),
                 ("liveness", {"source": "s"}), ("state", {"state": "waiting_human", "prompt": "Which?"})]
        for kind, keys in kinds:
            answer = {"advice": "continue", "because": None} if kind == "heartbeat" else {}
            self.assertEqual(client.assert_ok(client.ask(op=kind, run="r", **keys)), answer, kind)
        client.assert_ok(client.ask(op="checkpoint", run="r", step=1, text="one", reason="risky_step"))
        self.assertEqual(client.assert_ok(client.ask(op="status", run="r"))["status"], "HEALTHY")
        self.assertIn("r", client.assert_ok(client.ask(op="explain", run="r"))["text"])
        self.assertIn("recommended", client.assert_ok(client.ask(op="describe"))["text"])
        client.assert_ok(client.ask(op="decide", verb="snooze", run="r", until=4102444800, by="me"))
        client.assert_ok(client.ask(op="finish", run="r", how="failed"))
        self.assertEqual(client.assert_ok(client.ask(op="report", run="r"))["final_status"], "failed")

    def test_a_request_without_an_id_is_answered_only_if_something_is_wrong(self):
        client = self.piped("--store", "memory").greet()
        client.say(op="start", run="r")
        client.say(op="heartbeat", run="nobody")
        wrong = client.hear(lambda line: "id" in line)
        self.assertEqual([wrong["id"], wrong["error"]["code"]], [None, "unknown_run"])

    def test_a_clock_that_stands_is_moved_by_its_client(self):
        client = self.piped("--store", "memory", "--clock", "manual").greet(["inject"])
        client.assert_ok(client.ask(op="start", run="r", preset="long_run"))
        due = client.assert_ok(client.ask(op="clock", t=0.5))["next"]
        self.assertGreater(due, 0.5)
        self.assertIn("go back", client.error(op="clock", t=0.25)["message"])
        self.assertIn("period, startup or on_demand", client.error(op="clock", t=due, cycle="now")["message"])
        client.assert_ok(client.ask(op="clock", t=due, cycle="period"))
        self.assertEqual([line["t"] for line in client.heard if "status" in line], [due])
        client.say(id="a", op="clock", t=9 * due, cycle="period")
        self.assertEqual(client.hear(lambda line: "ask" in line)["verb"], "inject")
        self.assertEqual(client.error(op="clock", t=9 * due)["code"], "busy")
        client.say(op="answer", ask=client.heard[-2]["ask"], outcome="done")
        client.hear(lambda line: line.get("id") == "a")
        self.assertTrue([line for line in client.heard if line.get("outcome") == "done"])

    def test_a_limit_that_hides_a_stall_is_told_of_that_run(self):
        client = self.piped("--store", "memory", "--clock", "manual").greet()
        client.assert_ok(client.ask(op="start", run="short", timeout_s=600))
        client.assert_ok(client.ask(op="start", run="long", timeout_s=601))
        for t in (90, 180):
            client.assert_ok(client.ask(op="clock", t=t, cycle="period"))
        told = [line for line in client.heard if line.get("audit") == "contradiction"]
        self.assertEqual([(line["run"], line["setting"]) for line in told], [("short", "progress_age")])

    def test_the_clock_of_the_machine_is_not_moved(self):
        client = self.piped("--store", "memory").greet()
        self.assertEqual(client.error(op="clock", t=10)["code"], "unsupported")

    def test_the_schema_beside_the_program_is_that_of_the_code(self):
        printed = subprocess.run([SERVE, "--protocol"], stdout=subprocess.PIPE, check=True).stdout
        with open(HERE + "/../../examples/serve/protocol.schema.json", "rb") as file:
            self.assertEqual(printed, file.read(), "write it anew: heeler-serve --protocol >protocol.schema.json")
        json.loads(printed)


class BadInput(ServeTest):
    def test_each_mistake_is_named(self):
        client = self.piped("--store", "memory").greet()
        client.assert_ok(client.ask(op="start", run="r"))
        for request, part in [
                ({"op": "hartbeat", "run": "r"}, "did you mean 'heartbeat'?"),
                ({"op": "heartbeat", "run": "r", "sec": 1}, "'heartbeat' has no key 'sec'; did you mean 'seq'?"),
                ({"op": "heartbeat"}, "'run' is missing"),
                ({"op": "heartbeat", "run": None}, "'run' is missing"),
                ({"op": "heartbeat", "run": 5}, "must be a string"),
                ({"op": "progress", "run": "r", "value": "x"}, "must be a whole number"),
                ({"op": "usage", "run": "r", "tokens_in": -1}, "cannot be negative"),
                ({"op": "resource", "run": "r", "name": "disk", "used": 1, "limit": 0}, "outside its limits"),
                ({"op": "state", "run": "r", "state": "sleepy"}, "the state 'sleepy' is not known"),
                ({"op": "start", "run": "q", "preset": "long"}, "did you mean 'long_run'?"),
                ({"op": "start", "run": "r"}, "r"),
                ({"op": "finish", "run": "r", "how": "terminated"}, "must be completed, failed or cancelled"),
                ({"op": "decide", "verb": "shout"}, "the verb 'shout' is not known"),
                ({"op": "answer", "ask": "x", "outcome": "done"}, "was not asked of you"),
                ({"op": "answer", "ask": "x", "outcome": "perhaps"}, "there is no outcome 'perhaps'"),
                ({"op": None}, "'op' is missing"), (HELLO, "'hello' was said before")]:
            with self.subTest(request=request):
                self.assertIn(part, client.error(**request)["message"])

    def test_lines_that_are_none(self):
        client = self.piped("--store", "memory").greet()
        for line, part in [(b"garbage\n", "not JSON"), (b"[1]\n", "not a JSON object"), (b"\xff\xfe\n", "not JSON"),
                           (b'{"op":"describe","id":{}}\n', "'id' is {}"), (b"[" * 5000 + b"\n", "not JSON")]:
            with self.subTest(line=line[:20]):
                client.raw(line)
                self.assertIn(part, client.hear(lambda line: "error" in line)["error"]["message"])
        client.raw(b"\n")
        client.assert_ok(client.ask(op="describe"))

    def test_a_line_that_is_far_too_long_costs_no_memory_and_is_skipped(self):
        process = self.start("--store", "memory")
        client = Client(process.stdout, process.stdin).greet()
        before = self.kilobytes(process, "VmHWM")
        for _ in range(1024 if os.environ.get("HEELER_SCENARIOS_ALL") else 128):  # a gigabyte in tests/run.sh --full
            client.raw(b"x" * (1 << 20))
        client.raw(b"\n")
        self.assertIn("longer than 4194304 bytes", client.hear(lambda line: "error" in line)["error"]["message"])
        client.assert_ok(client.ask(op="describe"))
        self.assertLess(self.kilobytes(process, "VmHWM") - before, 32 << 10)

    def test_odd_values_of_every_key_end_nobody(self):
        client = self.piped("--store", "memory").greet()
        client.assert_ok(client.ask(op="start", run="r"))
        with open(HERE + "/../../examples/serve/protocol.schema.json") as file:
            operations = [each["properties"] for each in json.load(file)["$defs"]["said_by_client"]["anyOf"]]
        odd = [b"null", b"true", b"-1", b"0.5", b"18446744073709551615", b"-9223372036854775808", b"1e308", b"-1e308",
               b"1e-308", b'""', b'"\\u0000"', b'"%s"' % (b"x" * 100000), b"[]", b"{}", b"[[[{}]]]", b'{"a":[1,null]}',
               b'["","r"]', b"[9223372036854775807,-1]", b'"9999-12-31T23:59:59Z"', b'"0000-01-01T00:00:00Z"']
        count = 0
        for properties in operations:
            for key in set(properties) - {"op"}:
                for value in odd:
                    given = {name: b'"r"' for name in properties if name in ("run", "ask", "verb")}
                    given.update({"op": json.dumps(properties["op"]["const"]).encode(), key: value})
                    client.raw(b"{%s}\n" % b",".join(b'"%s":%s' % (name.encode(), said) for name, said in given.items()))
                    count += 1
                client.say(op="describe", id="next")
                client.hear(lambda line: line.get("id") == "next")
        self.assertGreater(count, 1000)

    def test_half_a_line_is_not_obeyed(self):
        process = self.start("--store", "memory")
        said, _ = process.communicate(json.dumps(HELLO).encode() + b'\n{"op":"describe","id":1}')
        self.assertIn(b"the last line has no end; it was not obeyed", said)
        self.assertNotIn(b'"ok":{"text"', said)

    def test_who_has_not_said_hello_or_speaks_another_version(self):
        client = self.piped("--store", "memory")
        self.assertIn("first", client.error(op="describe")["message"])
        old = client.error(**dict(HELLO, version=0))
        self.assertEqual(old["code"], "unsupported")
        self.assertIn("update the client", old["message"])
        self.assertIn("update the server", client.error(**dict(HELLO, version=2))["message"])
        self.assertIn("did you mean 'inject'?", client.error(**HELLO, verbs=["injekt"])["message"])
        client.greet()

    def test_options_that_make_no_sense(self):
        for options, part in [(["--store", "file"], "--store is 'file'"), (["--name", "../x"], "--name"),
                              (["--patience", "1ms"], "--patience"), (["--preset", "x"], "--preset"),
                              (["--config", "/no/such"], "/no/such"), (["--sokcet", "x"], "did you mean '--socket'?")]:
            done = subprocess.run([SERVE, "--state-dir", self.work.name, *options], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(part, done.stderr.decode())


class Errors(ServeTest):
    def wrong(self, client):
        return client.hear(lambda line: isinstance(line.get("error"), str))

    def test_what_a_cycle_could_not_do_is_told(self):
        path = self.work.name + "/store"
        client = self.piped("--store", "sqlite:" + path).greet()
        client.assert_ok(client.ask(op="start", run="r"))
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            client.loop("r")
            wrong = self.wrong(client)
        self.assertEqual([wrong["error"], wrong["where"], "run" in wrong], ["busy", "commit", False])

    def test_an_alert_that_does_not_go_out_is_told_of_its_run(self):
        client = self.piped("--store", "memory", "--notify", "command:/bin/false").greet()
        client.assert_ok(client.ask(op="start", run="r"))
        client.loop("r")
        wrong = self.wrong(client)
        self.assertEqual([wrong["error"], wrong["where"], wrong["run"]], ["delivery_failed", "notifier", "r"])


class Stores(ServeTest):
    def refused(self, part, *options):
        done = subprocess.run([SERVE, "--state-dir", self.work.name, *options], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual([done.returncode, done.stdout], [74, b""])
        self.assertIn(part, done.stderr.decode())

    def test_one_works_on_a_store(self):
        client = self.piped().greet()
        client.assert_ok(client.ask(op="start", run="r"))
        self.refused("another watchdog")

    def test_a_store_that_is_none(self):
        with open(self.path, "w") as file:
            file.write("precious " * 100)
        self.refused(self.path, "--store", "sqlite:" + self.path)
        self.refused("/no/such", "--store", "sqlite:/no/such/store.sqlite")


class Actions(ServeTest):
    def looping(self, *options, verbs=("inject",), **environment):
        client = self.piped("--store", "memory", *options, **environment).greet(verbs)
        client.assert_ok(client.ask(op="start", run="r", task="Make the tests pass", expected_s=3600))
        client.loop("r")
        return client

    def test_a_loop_is_told_and_its_client_asked_to_nudge(self):
        client = self.looping()
        asked = client.hear(lambda line: "ask" in line)
        self.assertEqual([asked["verb"], asked["run"], asked["message"]], ["inject", "r", "nudge"])
        self.assertIn("Make the tests pass", asked["text"])
        self.assertIn("LOOP_DETECTED", [line.get("status") for line in client.heard])
        client.say(op="answer", ask=asked["ask"], outcome="done", note="heard")
        done = client.hear(lambda line: "action" in line)
        self.assertEqual([done["outcome"], done["key"]], ["done", asked["ask"]])
        self.assertEqual(client.hear(lambda line: "alert" in line)["run"], "r")

    def test_a_refusal_is_one(self):
        client = self.looping()
        client.say(op="answer", ask=client.hear(lambda line: "ask" in line)["ask"], outcome="rejected", note="no")
        self.assertEqual(client.hear(lambda line: "action" in line)["outcome"], "rejected")

    def test_what_a_client_cannot_do_it_is_not_asked(self):
        client = self.looping(verbs=())
        self.assertEqual(client.hear(lambda line: "action" in line)["outcome"], "unsupported")
        self.assertFalse([line for line in client.heard if "ask" in line])

    def test_who_does_not_answer_in_time_is_asked_what_became_of_it(self):
        client = self.looping("--patience", "1s", verbs=("inject", "find"))
        key = client.hear(lambda line: line.get("verb") == "inject")["ask"]
        looked = client.hear(lambda line: line.get("verb") == "find")
        self.assertEqual(looked["key"], key)
        client.say(op="answer", ask=looked["ask"], outcome="found")
        self.assertEqual(client.hear(lambda line: "action" in line)["outcome"], "done")

    def test_who_cannot_say_either_leaves_it_unknown(self):
        client = self.looping("--patience", "500ms")
        said = client.hear(lambda line: line.get("action") == "inject:nudge")  # a pause is no verb of this client
        self.assertEqual(said["outcome"], "unknown")

    def test_a_heartbeat_is_answered_by_what_the_agent_is_to_do(self):
        client = self.piped("--store", "memory", "--clock", "manual", HEELER_SPEND__LINEAGE_USD="10").greet(["pause", "resume"])
        client.assert_ok(client.ask(op="start", run="r", timeout_s=1000, metric="files"))

        def advice():
            return client.assert_ok(client.ask(op="heartbeat", run="r"))

        def cycle(t):
            number = client.say(op="clock", t=t, cycle="period", id=9000 + t)
            while True:
                line = client.hear(lambda line: "ask" in line or line.get("id") == 9000 + t)
                if "ask" not in line:
                    return number
                client.say(op="answer", ask=line["ask"], outcome="done")

        self.assertEqual(advice(), {"advice": "continue", "because": None, "time_left_s": 1000})
        client.say(op="usage", run="r", cost_usd=8.5)
        cycle(60)
        self.assertEqual(advice(), {"advice": "wind_down", "because": "lineage_usd", "usd_left": 1.5, "time_left_s": 940})
        client.assert_ok(client.ask(op="decide", verb="limit", run="r", usd=100, by="me"))
        cycle(120)
        self.assertEqual(advice(), {"advice": "continue", "because": None, "usd_left": 91.5, "time_left_s": 880})
        client.assert_ok(client.ask(op="decide", verb="pause", run="r", by="me"))
        cycle(180)
        self.assertEqual((advice()["advice"], advice()["because"]), ("pause", "paused"))
        client.assert_ok(client.ask(op="decide", verb="resume", run="r", by="me"))
        cycle(240)
        self.assertEqual(advice()["advice"], "continue")
        client.assert_ok(client.ask(op="decide", verb="mark_stopped", run="r", by="me"))
        cycle(300)
        self.assertEqual(client.error(op="heartbeat", run="r")["code"], "ended")

    def test_who_is_to_go_on_with_a_run_is_told_as_which_incarnation(self):
        client = self.piped("--store", "memory", "--clock", "manual").greet(["spawn"])
        client.assert_ok(client.ask(op="start", run="r", preset="checkpoint_continuation", task="Port it"))
        for number, incarnation in ((1, 2), (2, 3)):
            for t in range(1500 * (number - 1) + 300, 1500 * number, 300):
                client.assert_ok(client.ask(op="clock", t=t, cycle="period"))
            client.say(op="clock", t=1500 * number, cycle="period", id="cycle")
            asked = client.hear(lambda line: line.get("verb") == "spawn")
            self.assertEqual(asked["incarnation"], incarnation)
            self.assertIn("as incarnation %d." % incarnation, asked["text"])
            client.say(op="answer", ask=asked["ask"], outcome="done")
            client.hear(lambda line: line.get("id") == "cycle")
        self.assertEqual(client.error(op="heartbeat", run="r", incarnation=2)["code"], "fenced")
        client.assert_ok(client.ask(op="heartbeat", run="r", incarnation=3))

    def test_nothing_is_asked_in_shadow_mode(self):
        client = self.looping("--shadow")
        self.assertEqual(client.hear(lambda line: "action" in line)["outcome"], "skipped")
        self.assertFalse([line for line in client.heard if "ask" in line])


class Sockets(ServeTest):
    def test_nobody_else_is_let_in(self):
        self.listening()
        mode = os.stat(self.path).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("to connect as somebody else takes root, and setpriv")
        # Somebody has opened the file to all; each peer is looked at nevertheless.
        os.chmod(self.work.name, 0o711)
        os.chmod(self.path, 0o666)
        connect = "import socket, sys; one = socket.socket(socket.AF_UNIX); one.connect(sys.argv[1]); print(one.recv(99))"
        for person, heard in (([], "b'{\"protocol"), (["setpriv", "--reuid=65534", "--clear-groups"], "b''")):
            done = subprocess.run([*person, sys.executable, "-c", connect, self.path], stdout=subprocess.PIPE, text=True)
            self.assertTrue(done.stdout.startswith(heard), (person, done))

    def test_what_lies_at_the_path_stays(self):
        with open(self.path, "w") as file:
            file.write("precious")
        process = self.start("--socket", self.path)
        self.assertEqual(process.wait(100), 69)
        self.assertIn(b"is no socket", process.stderr.read())
        with open(self.path) as file:
            self.assertEqual(file.read(), "precious")

    def test_a_second_one_finds_it_taken_and_one_after_a_kill_does_not(self):
        first = self.listening("--name", "one")
        second = self.start("--socket", self.path, "--name", "two")
        self.assertEqual(second.wait(100), 69)
        first.kill()
        first.wait(100)
        self.listening("--name", "one")
        self.connected()

    def test_two_clients_for_one_run(self):
        self.listening()
        one, other = self.connected(), self.connected()
        one.assert_ok(one.ask(op="start", run="r"))
        for operation in ({"op": "start"}, {"op": "attach"}, {"op": "heartbeat"}, {"op": "finish"}):
            self.assertEqual(other.error(run="r", **operation)["code"], "conflict", operation)
        self.assertEqual(other.assert_ok(other.ask(op="status", run="r"))["status"], "HEALTHY")
        one.assert_ok(one.ask(op="finish", run="r"))
        self.assertEqual(other.error(op="attach", run="r")["code"], "ended")

    def test_a_client_that_dies_loses_nothing_that_was_answered(self):
        self.listening()
        one = self.connected()
        one.assert_ok(one.ask(op="start", run="r"))
        one.assert_ok(one.ask(op="checkpoint", run="r", step=7, text="seven"))
        one.raw(b'{"op":"finish","run":"r"')
        self.gone(one)
        other = self.connected()
        self.assertTrue(self.comes_to_attach(other, "r")["found"])
        other.assert_ok(other.ask(op="heartbeat", run="r"))

    def test_a_server_that_is_killed_keeps_what_was_answered(self):
        first = self.listening()
        one = self.connected()
        one.assert_ok(one.ask(op="start", run="r"))
        one.assert_ok(one.ask(op="checkpoint", run="r", step=7, text="seven"))
        first.kill()
        first.wait(100)
        self.listening()
        other = self.connected()
        self.assertTrue(other.assert_ok(other.ask(op="attach", run="r"))["found"])
        self.assertEqual(other.assert_ok(other.ask(op="report", run="r"))["final_status"], "running")

    def test_what_a_lost_client_was_asked_is_looked_up_at_the_next(self):
        self.listening("--patience", "10m")
        one = self.connected(["inject", "find"])
        one.assert_ok(one.ask(op="start", run="r", expected_s=3600))
        one.loop("r")
        key = one.hear(lambda line: line.get("verb") == "inject")["ask"]
        other = self.connected(["inject", "find"])
        self.gone(one)
        self.comes_to_attach(other, "r")
        looked = next((line for line in other.heard if line.get("verb") == "find"), None)
        looked = looked or other.hear(lambda line: line.get("verb") == "find")
        self.assertEqual(looked["key"], key)
        other.say(op="answer", ask=looked["ask"], outcome="found")
        self.assertEqual(other.hear(lambda line: "action" in line)["outcome"], "done")

    def test_more_clients_than_files_can_be_open_are_refused_with_a_sentence(self):
        process = self.listening(most_files=256)
        first = self.connected()
        first.assert_ok(first.ask(op="start", run="r"))
        clients, refused = [], []
        for _ in range(300):
            one = self.reached()
            one.hear(lambda line: "protocol" in line)
            try:
                one.say(**HELLO, id=1)
            except BrokenPipeError:
                one.write.raw.close()  # what it did not take
            said = one.hear(lambda line: "id" in line)
            (clients if "ok" in said else refused).append(one)
            if "error" in said:
                self.assertEqual([said["id"], said["error"]["code"]], [None, "full"])
                self.assertIn("256", said["error"]["message"])
        self.assertGreater(len(clients), 128)
        self.assertGreater(len(refused), 10)
        first.assert_ok(first.ask(op="checkpoint", run="r", step=1))
        self.assertIsNone(process.poll())
        self.gone(clients.pop())
        until = time.monotonic() + 100
        while "error" in self.reached().ask(**HELLO):  # until it has heard of that
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_who_can_wait_for_nobody_any_more_says_so(self):
        process = self.listening("--store", "memory", **sanitized("detect_leaks=0"))
        clients = [self.connected() for _ in range(40)]
        for _ in range(6):  # sanitizers need files of their own
            self.gone(clients.pop(0))
        time.sleep(0.5)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (32, 32))
        clients[0].say(op="describe")
        self.assertEqual(process.wait(100), 70)
        self.assertIn(b"heeler-serve: clients cannot be waited for: Invalid argument", process.stderr.read())

    def test_those_who_do_not_answer_hold_up_others_once_and_not_each(self):
        self.listening("--patience", "5s")
        mute = [self.connected(["inject", "find"]) for _ in range(7)]
        mute[0].assert_ok(mute[0].ask(op="start", run="r", expected_s=3600))
        mute[0].loop("r")
        key = mute[0].hear(lambda line: line.get("verb") == "inject")["ask"]
        began = time.monotonic()
        for client in mute:
            self.assertEqual(client.hear(lambda line: line.get("verb") == "find")["key"], key)
        self.assertLess(time.monotonic() - began, 25)
        mute[3].say(op="answer", ask="find " + key, outcome="found")
        mute[3].say(op="answer", ask="find " + key, outcome="absent", id="twice")
        self.assertIn("was not asked of you, or is answered", mute[3].hear(lambda line: "id" in line)["error"]["message"])
        self.assertEqual(mute[0].hear(lambda line: "action" in line)["outcome"], "done")

    def test_who_lets_sixteen_megabytes_wait_is_given_up(self):
        process = self.listening("--store", "memory", "--clock", "manual", **sanitized("quarantine_size_mb=4"))
        deaf, other = self.connected(), self.connected()
        other.socket.settimeout(120)  # a slow build is long at it
        deaf.assert_ok(deaf.ask(op="start", run="deaf"))
        for number in range(60):
            deaf.assert_ok(deaf.ask(op="decide", verb="snooze", run="deaf", until=4102444800 + number))
            deaf.assert_ok(deaf.ask(op="checkpoint", run="deaf", step=number, text="x" * 300))
        deaf.assert_ok(deaf.ask(op="clock", t=300, cycle="period"))
        self.assertGreater(len(deaf.assert_ok(deaf.ask(op="explain", run="deaf"))["text"]), 10000)
        before = self.kilobytes(process, "VmHWM")
        deaf.socket.sendall(b'{"id":1,"op":"explain","run":"deaf"}\n' * 1200)
        until = time.monotonic() + 120
        while "error" in other.ask(op="attach", run="deaf"):  # it is free when its client is gone
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        self.assertLess(self.kilobytes(process, "VmHWM") - before, 64 << 10)

    def test_who_reads_nothing_holds_nobody_up(self):
        self.listening()
        deaf, other = self.connected(), self.connected()
        deaf.socket.settimeout(1)
        with self.assertRaises(TimeoutError):  # it is not heard any more, and not given up
            for number in range(1, 200000):
                deaf.socket.sendall(b'{"op":"describe","id":%d}\n' % number)
        other.assert_ok(other.ask(op="start", run="r"))


if __name__ == "__main__":
    unittest.main()
