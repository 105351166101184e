"""heeler-serve as exporters of OpenTelemetry know it: spans and logs come in, verdicts go out as log records."""
import contextlib
import http.client
import http.server
import json
import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import serve_schema

SERVE = os.environ["HEELER_BIN"] + "/heeler-serve"
TOKEN = "a secret of the exporters"
FAST = {"HEELER_INTERVAL_S": "1", "HEELER_VERIFY_AFTER_S": "2"}
FIRST = 1_750_000_000_000_000_000
TRACE = "5b8efff798038103d269b633813fc60c"


def attributes(values):
    typed = {str: "stringValue", int: "intValue"}
    return [{"key": key, "value": {typed[type(value)]: str(value)}} for key, value in values.items()]


class Spans:
    """An agent's spans, each a second after the one before."""

    def __init__(self, trace=TRACE):
        self.trace, self.count = trace, 0

    def span(self, operation, parent="00000000000000aa", status=1, **more):
        self.count += 1
        values = {"gen_ai.operation.name": operation} if operation else {}
        values.update({"gen_ai." + key.replace("__", "."): value for key, value in more.items()})
        return {"traceId": self.trace, "spanId": "%016x" % self.count, "parentSpanId": parent, "name": "n", "kind": 1,
                "startTimeUnixNano": str(FIRST + self.count * 10**9), "status": {"code": status},
                "endTimeUnixNano": str(FIRST + self.count * 10**9 + 5 * 10**8), "attributes": attributes(values)}

    def call(self, args='{"command":"make test"}', result="2 tests failed", **more):
        return self.span("execute_tool", tool__name="bash", tool__call__arguments=args, tool__call__result=result, **more)

    def chat(self, tokens=100, **more):
        return self.span("chat", usage__input_tokens=tokens, usage__output_tokens=10, **more)


def traces(*spans):
    resource = {"attributes": attributes({"service.name": "bookings"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "s"}, "spans": list(spans)}]}]}


def logs(*records):
    return {"resourceLogs": [{"resource": {}, "scopeLogs": [{"logRecords": list(records)}]}]}


class Server:
    def __init__(self, *options, token=TOKEN, store="memory", **more):
        environment = {**os.environ, **FAST, "HEELER_OTLP_TOKEN": token, **more}
        self.process = subprocess.Popen([SERVE, "--store", store, "--otlp", "0", *options], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.errors, self.answers = b"", 0
        self.port = int(re.search(rb"127\.0\.0\.1:(\d+)", self.says(b"spans are read")).group(1))
        self.ask(op="hello", protocol="heeler", version=1)

    def says(self, text, seconds=100):
        until = time.monotonic() + seconds
        while text not in self.errors and time.monotonic() < until:
            if select.select([self.process.stderr], [], [], 0.1)[0]:
                self.errors += os.read(self.process.stderr.fileno(), 65536)
        assert text in self.errors, self.errors
        return self.errors

    def post(self, path, body, token=TOKEN, kind="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)
        headers = {"Content-Type": kind, "Authorization": "Bearer " + token}
        connection.request("POST", path, body if isinstance(body, bytes) else json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text)

    def take(self, *spans):
        answer = self.post("/v1/traces", traces(*spans))
        assert answer == (200, {}), answer

    def ask(self, **request):
        self.answers += 1
        self.process.stdin.write(json.dumps({"id": self.answers, **request}).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = serve_schema.told(self.process.stdout.readline())
            if line.get("id") == self.answers:
                return serve_schema.answered(request["op"], line)

    def status(self, run):
        return self.ask(op="status", run=run)["ok"]["status"]

    def comes_to(self, run, status, seconds=100):
        until = time.monotonic() + seconds
        while self.status(run) != status:
            assert time.monotonic() < until, (self.status(run), self.errors)
            time.sleep(0.1)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.errors += self.process.communicate(timeout=100)[1]
        return self.process.returncode


class Collector(http.server.BaseHTTPRequestHandler):
    """Is busy once, and then takes what it is sent."""

    busy = 1
    taken = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        busy, Collector.busy = Collector.busy, 0
        if not busy:
            Collector.taken.append((self.path, self.headers["Content-Type"], body))
        self.send_response(503 if busy else 200)
        self.end_headers()

    def log_message(self, *_):
        pass


class Mute(threading.Thread):
    """A collector that takes everything and answers nothing; what it was sent is kept."""

    def __init__(self):
        super().__init__()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port, self.taken, self.heads = self.listening.getsockname()[1], [], b""
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                self.taken.append(self.listening.accept()[0])
                self.heads += self.taken[-1].recv(4096)

    def end(self):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self.join()
        for one in self.taken:
            one.close()


def records(export):
    return [record for resource in export["resourceLogs"] for scope in resource["scopeLogs"]
            for record in scope["logRecords"]]


class Otlp(unittest.TestCase):
    def serve(self, *options, **more):
        server = Server(*options, **more)
        self.addCleanup(server.end)
        return server

    def test_a_trace_that_loops_is_seen_and_ends_with_its_root(self):
        log = tempfile.NamedTemporaryFile(suffix=".jsonl")
        self.addCleanup(log.close)
        server, agent = self.serve("--otlp-log", log.name), Spans()
        for _ in range(4):
            server.take(agent.chat(), agent.call())
        server.comes_to(TRACE, "LOOP_DETECTED")
        server.take(agent.span("invoke_agent", parent="", agent__name="Booker"))
        answer = server.ask(op="status", run=TRACE)
        self.assertEqual(answer["error"]["code"], "ended", answer)
        report = server.ask(op="report", run=TRACE)["ok"]
        self.assertEqual(report["final_status"], "completed", report)
        self.assertEqual(report["conditions"], ["LOOP_DETECTED"])
        self.assertEqual(server.post("/v1/traces", traces(agent.chat()))[1]["partialSuccess"]["rejectedSpans"], "1")
        server.end()
        told = [record for line in log for record in records(json.loads(line))]
        found = [record for record in told if record["eventName"] == "heeler.status"
                 and record["body"]["stringValue"] == "LOOP_DETECTED"]
        self.assertTrue(found, told)
        self.assertEqual(found[0]["traceId"], TRACE)
        self.assertEqual(found[0]["severityText"], "WARN")
        self.assertIn({"key": "heeler.conditions", "value": {"stringValue": "LOOP_DETECTED"}}, found[0]["attributes"])

    def test_what_is_exported_again_is_no_loop_and_no_cost(self):
        server, agent = self.serve(), Spans()
        export = [agent.call(), agent.chat(tokens=1000)]
        for _ in range(8):
            server.take(*export)
        record = {"traceId": TRACE, "spanId": export[1]["spanId"], "timeUnixNano": str(FIRST),
                  "eventName": "gen_ai.client.inference.operation.details", "attributes": export[1]["attributes"]}
        self.assertEqual(server.post("/v1/logs", logs(record, {"body": {"stringValue": "a line"}})), (200, {}))
        time.sleep(2.5)
        self.assertEqual(server.status(TRACE), "HEALTHY")
        self.assertNotIn("LOOP", server.ask(op="explain", run=TRACE)["ok"]["text"].split("detector")[0])

    def test_a_conversation_goes_on_over_traces_and_waits_between_them(self):
        server, first, second = self.serve(), Spans(), Spans("0" * 31 + "2")
        server.take(first.call(), first.chat(conversation__id="c-1"), first.span("", parent=""))
        for _ in range(4):
            server.take(second.call(), second.chat(conversation__id="c-1"))
        server.comes_to("c-1", "LOOP_DETECTED")
        self.assertEqual(server.ask(op="status", run=TRACE)["error"]["code"], "unknown_run")

    def test_libraries_that_record_no_arguments_are_named(self):
        server, agent = self.serve(), Spans()
        server.take(agent.span("execute_tool", tool__name="bash"))
        server.says(b"lack gen_ai.tool.call.arguments")
        self.assertEqual(server.status(TRACE), "HEALTHY")

    def test_what_nothing_is_told_of_for_a_week_is_over(self):
        server, agent = self.serve("--clock", "manual"), Spans("0" * 31 + "4")
        server.take(Spans().chat(), agent.chat(conversation__id="c-5"), agent.chat(conversation__id="c-6"))
        server.ask(op="clock", t=4 * 86400, cycle="period")
        server.take(agent.chat(conversation__id="c-6"))
        server.ask(op="clock", t=8 * 86400, cycle="period")
        ends = [server.ask(op="report", run=run)["ok"]["final_status"] for run in ("c-5", "c-6")]
        self.assertEqual(ends, ["completed", "running"])
        self.assertEqual(server.ask(op="status", run=TRACE)["error"]["code"], "ended")
        said = server.post("/v1/traces", traces(agent.chat(conversation__id="c-5")))[1]
        self.assertEqual(said["partialSuccess"]["rejectedSpans"], "1")

    def test_a_root_ends_its_trace_after_a_restart(self):
        with tempfile.TemporaryDirectory() as work:
            first, agent = self.serve(store="sqlite:" + work + "/s"), Spans()
            first.take(agent.call())
            first.end()
            second = self.serve(store="sqlite:" + work + "/s")
            second.take(agent.span("", parent=""), Spans("0" * 31 + "3").span("", parent=""))
            self.assertEqual(second.ask(op="report", run=TRACE)["ok"]["final_status"], "completed")
            self.assertEqual(second.ask(op="status", run="0" * 31 + "3")["error"]["code"], "unknown_run")
            second.end()

    def test_a_model_that_fails_again_and_again_is_seen(self):
        server, agent = self.serve(HEELER_ERROR_CASCADE__THRESHOLD="5"), Spans()
        for _ in range(8):
            server.take(agent.chat(status=2))
        server.says(b"ERROR_CASCADE")
        self.assertEqual(server.ask(op="report", run=TRACE)["ok"]["conditions"], ["ERROR_CASCADE"])

    def test_logs_alone_tell_of_calls_of_a_model(self):
        server, agent = self.serve(), Spans()
        span = agent.chat(conversation__id="c-2")
        record = {"traceId": TRACE, "spanId": span["spanId"], "eventName": "gen_ai.client.inference.operation.details",
                  "attributes": span["attributes"]}
        self.assertEqual(server.post("/v1/logs", logs(record)), (200, {}))
        self.assertEqual(server.status("c-2"), "HEALTHY")

    def test_bad_requests_are_answered_and_change_nothing(self):
        server, agent = self.serve(), Spans()
        good = traces(agent.call())
        for token in ("", "wrong", TOKEN + "x"):
            status, said = server.post("/v1/traces", good, token=token)
            self.assertEqual(status, 401)
            self.assertIn("HEELER_OTLP_TOKEN", said["message"])
        status, said = server.post("/v1/traces", b"\x0a\x00", kind="application/x-protobuf")
        self.assertEqual((status, "http/json" in said["message"]), (415, True))
        for body in (b"", b"[]", b'{"resourceSpans":[', b"\xff\xfe"):
            self.assertEqual(server.post("/v1/traces", body)[0], 400, body)
        for body in ({}, {"resourceSpans": 7}, {"resourceSpans": [{"scopeSpans": [{"spans": [7, {}, {"attributes": 7}]}]}]}):
            self.assertEqual(server.post("/v1/traces", body), (200, {}), body)
        self.assertEqual(server.post("/v1/nothing", {})[0], 404)
        self.assertEqual(server.post("/v1/metrics", {})[1]["partialSuccess"]["rejectedDataPoints"], "0")
        status, said = server.post("/v1/traces", traces(agent.chat(conversation__id="x" * 200)))
        self.assertEqual((status, said["partialSuccess"]["rejectedSpans"]), (200, "1"))
        self.assertIn("128", said["partialSuccess"]["errorMessage"])
        self.assertEqual(server.ask(op="status", run=TRACE)["error"]["code"], "unknown_run")

    def test_too_large_a_request_is_refused(self):
        server = self.serve()
        status, said = server.post("/v1/traces", b" " * (21 << 20))
        self.assertEqual((status, "send less at once" in said["message"]), (413, True))

    def test_who_has_no_token_or_is_slow_holds_up_nobody(self):
        server, agent = self.serve(), Spans()
        strangers = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(120)]
        for number, one in enumerate(strangers):
            self.addCleanup(one.close)
            right = "Authorization: Bearer %s\r\n" % TOKEN if number % 4 == 0 else ""
            one.sendall(b"POST /v1/traces HTTP/1.1\r\nHost: x\r\n%sContent-Length: 1000\r\nX: " % right.encode())
        stopped = threading.Event()

        def drip():
            while not stopped.wait(0.3):
                for one in strangers:
                    with contextlib.suppress(OSError):
                        one.sendall(b"x")

        dripping = threading.Thread(target=drip)
        dripping.start()
        began = time.monotonic()
        for _ in range(10):
            server.take(agent.call())
            time.sleep(0.1)
        took = time.monotonic() - began
        stopped.set()
        dripping.join()
        self.assertLess(took, 30)

    def test_exporters_that_keep_their_connections_wait_for_nobody(self):
        server, agent = self.serve(), Spans()
        exporters = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=100) for _ in range(24)]  # whom it would wait for, 5 s each
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + TOKEN}
        began = time.monotonic()
        for _ in range(2):
            for one in exporters:
                self.addCleanup(one.close)
                one.request("POST", "/v1/traces", json.dumps(traces(agent.call())), headers)
                answer = one.getresponse()
                self.assertEqual((answer.status, answer.read()), (200, b"{}"))
        self.assertLess(time.monotonic() - began, 30)

    def test_requests_in_pieces_are_read(self):
        server, agent = self.serve(), Spans()
        body = json.dumps(traces(agent.chat(conversation__id="c-4"))).encode()
        for size in (7, 1000, len(body)):
            one = socket.create_connection(("127.0.0.1", server.port), 100)
            self.addCleanup(one.close)
            one.sendall(b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nAUTHORIZATION:Bearer %s\r\nTransfer-Encoding: Chunked\r\n"
                        b"Content-Type: application/json\r\n\r\n" % TOKEN.encode())
            for at in range(0, len(body), size):
                one.sendall(b"%x\r\n%s\r\n" % (len(body[at:at + size]), body[at:at + size]))
            one.sendall(b"0\r\n")
            time.sleep(0.1)
            one.sendall(b"\r\n")
            self.assertTrue(one.recv(1000).startswith(b"HTTP/1.1 200 "), size)
        self.assertEqual(server.status("c-4"), "HEALTHY")
        one = socket.create_connection(("127.0.0.1", server.port), 100)
        self.addCleanup(one.close)
        one.sendall(b"POST /v1/traces HTTP/1.1\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n"
                    b"ffffffff\r\nx" % TOKEN.encode())
        self.assertTrue(one.recv(1000).startswith(b"HTTP/1.1 413 "))

    def test_without_a_secret_it_does_not_listen(self):
        done = subprocess.run([SERVE, "--store", "memory", "--otlp", "0"], env={**os.environ, "HEELER_OTLP_TOKEN": "short"},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"HEELER_OTLP_TOKEN", done.stderr)

    def test_a_collector_that_never_answers_holds_up_the_end_for_five_seconds_in_all(self):
        collector = Mute()
        self.addCleanup(collector.end)
        server = self.serve("--otlp-log", "http://127.0.0.1:%d/v1/logs" % collector.port,
                            OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20a%2Cb, x-scope=me")
        for number in range(8):  # a line each
            agent = Spans("%032x" % (number + 1))
            for _ in range(4):
                server.take(agent.call())
            server.comes_to(agent.trace, "LOOP_DETECTED")
        time.sleep(2)
        began = time.monotonic()
        self.assertEqual(server.end(), 0)
        self.assertLess(time.monotonic() - began, 30)
        self.assertIn(b"did not take the last verdicts in time", server.errors)
        self.assertIn(b"\r\nAuthorization: Bearer a,b\r\nx-scope: me\r\n", collector.heads)

    def test_headers_that_are_none_are_refused(self):
        for headers in ("x", "=x", "x=%0aHost: evil", "x=%4", "x=%zz", "x=1,y"):
            done = subprocess.run([SERVE, "--store", "memory", "--otlp-log", "http://127.0.0.1:1/"],
                                  env={**os.environ, "OTEL_EXPORTER_OTLP_HEADERS": headers}, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=100)
            self.assertEqual(done.returncode, 2, headers)
            self.assertIn(b"OTEL_EXPORTER_OTLP_HEADERS: it is written as name=value", done.stderr)

    def test_verdicts_are_posted_to_a_collector_that_was_busy(self):
        collector = http.server.HTTPServer(("127.0.0.1", 0), Collector)
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(collector.server_close)
        self.addCleanup(collector.shutdown)
        server = self.serve("--otlp-log", "http://127.0.0.1:%d/v1/logs" % collector.server_port)
        agent = Spans()
        for _ in range(4):
            server.take(agent.call(conversation__id="c-3"))
        until = time.monotonic() + 100
        while not any("LOOP_DETECTED" in json.dumps(body) for _, _, body in Collector.taken):
            self.assertLess(time.monotonic(), until, Collector.taken)
            time.sleep(0.1)
        path, kind, body = Collector.taken[0]
        self.assertEqual((path, kind), ("/v1/logs", "application/json"))
        self.assertIn({"key": "gen_ai.conversation.id", "value": {"stringValue": "c-3"}}, records(body)[0]["attributes"])


if __name__ == "__main__":
    unittest.main()
