#!/usr/bin/env python3
"""What strangers can do to a server with sockets alone, and what its logs tell about its callers.

Each flood runs while a probe asks good questions on connections of its own: all must be answered in
time. The controls show that the probe sees a server that is starved, and that the search of the logs
finds what is there.

usage: abuse.py PERDURE
"""
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

NIGHTLY = os.environ.get("PERDURE_NIGHTLY") == "1"
PATIENCE = 15  # seconds that an answer may take while a flood of twenty runs
results = []


def check(name, ok, detail=""):
    results.append(ok)
    print(f"{'ok   ' if ok else 'FAIL '} {name}{' (' + str(detail) + ')' if detail != '' else ''}",
          flush=True)


class Server:
    """A `perdure serve` on a free port, its output in files of `work`."""

    def __init__(self, program, work):
        self.data = work / "data"
        self.out, self.err = work / "serve.out", work / "serve.err"
        self.process = subprocess.Popen(
            [program, "serve", "--data", self.data, "--port", "0", "--json"],
            stdout=self.out.open("wb"), stderr=self.err.open("wb"))
        deadline = time.monotonic() + 60
        while not self.out.read_text().endswith("\n") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.port = int(json.loads(self.out.read_text())["address"].rsplit(":", 1)[1])
        self.token = (self.data / "token").read_text().strip()

    def status(self, name):
        line = next(line for line in pathlib.Path(f"/proc/{self.process.pid}/status").open()
                    if line.startswith(name + ":"))
        return int(line.split()[1])

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


def ask(port, method, path, headers=None, body=None, timeout=PATIENCE):
    """The status and body of one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


class Probe:
    """Asks while a flood runs; `worst` is the longest time that an answer took."""

    def __init__(self, port, path="/healthz"):
        self.port, self.path = port, path
        self.answers, self.failures, self.worst = 0, [], 0.0
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ends.is_set():
            start = time.monotonic()
            try:
                status, _ = ask(self.port, "GET", self.path)
                if status == 200:
                    self.answers += 1
                else:
                    self.failures.append(status)
            except (OSError, http.client.HTTPException) as problem:
                self.failures.append(repr(problem))
            self.worst = max(self.worst, time.monotonic() - start)
            time.sleep(0.05)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()


def connect(port, timeout=PATIENCE):
    client = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def close_all(clients):
    for client in clients:
        with contextlib.suppress(OSError):
            client.close()


def send_quietly(client, data):
    """False when the server has had enough."""
    try:
        client.sendall(data)
        return True
    except OSError:
        return False


# --- floods: each takes a port and returns when it has done its worst

def slow_loris(port, count, seconds):
    clients = [connect(port) for _ in range(count)]
    for client in clients:
        send_quietly(client, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(1)
        for i, client in enumerate(clients):
            if not send_quietly(client, b"a"):
                client.close()  # thrown out: back with a new one
                with contextlib.suppress(OSError):
                    clients[i] = connect(port, 1)
                    send_quietly(clients[i], b"GET / HTTP/1.1\r\nX-")
    close_all(clients)


def slow_bodies(port, count, seconds, token):
    head = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            "Content-Length: 1000\r\n\r\n{").encode()
    clients = [connect(port) for _ in range(count)]
    for client in clients:
        send_quietly(client, head)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(1)
        for client in clients:
            send_quietly(client, b" ")
    close_all(clients)


def idle_connections(port, count):
    clients = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            clients.append(connect(port))
    time.sleep(2)
    close_all(clients)
    return len(clients)


def send_flood(port, pieces):
    """Sends until the server ends it; what it answered, and how many bytes it took."""
    sent = 0
    with contextlib.closing(connect(port)) as client:
        for piece in pieces:
            if not send_quietly(client, piece):
                break
            sent += len(piece)
        answer = b""
        with contextlib.suppress(OSError):
            while part := client.recv(65536):
                answer += part
    return answer, sent


def many_headers(port, count):
    yield_head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    lines = b"".join(b"X-%d: y\r\n" % i for i in range(count))
    return send_flood(port, [yield_head, lines, b"\r\n"])


def chunk_head(token):
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    return (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{authorization}"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").encode()


def repeat(piece, total):
    block = piece * max(1, 65536 // len(piece))
    return (block for _ in range(total // len(block)))


def flood_chunks(port, token, piece, total):
    def pieces():
        yield chunk_head(token)
        yield from repeat(piece, total)
    return send_flood(port, pieces())


def unread_pipeline(port, count):
    """Asks and never reads, until the server stops taking more."""
    with contextlib.closing(connect(port, 5)) as client:
        for _ in range(count // 100):
            if not send_quietly(client, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100):
                return


# --- the parts

def try_floods(server):
    size = 1000 if NIGHTLY else 200
    floods = {
        f"{size} half heads": lambda: slow_loris(server.port, size, 20),
        f"{size} half bodies": lambda: slow_bodies(server.port, size, 20, server.token),
        f"{10_000 if NIGHTLY else 500} idle connections":
            lambda: idle_connections(server.port, 10_000 if NIGHTLY else 500),
        "pipelines that are never read": lambda: unread_pipeline(server.port, 100_000),
    }
    for name, flood in floods.items():
        with Probe(server.port) as probe:
            flood()
        check(f"others are answered during {name}", probe.answers > 1 and not probe.failures,
              f"{probe.answers} answers, longest {probe.worst:.2f} s, {probe.failures[:3]}")


def try_heads_and_bodies(server):
    answer, _ = many_headers(server.port, 100_000)
    check("100,000 headers are refused", answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 431"))
          or answer == b"", answer[:40])
    answer, _ = many_headers(server.port, 1_000)
    check("1,000 headers are not", answer.startswith(b"HTTP/1.1 200"), answer[:40])
    total = (1024 if NIGHTLY else 256) << 20
    floods = {"chunks of one byte": b"1\r\na\r\n",
              "chunks of 64 KiB": b"10000\r\n" + b"a" * 65536 + b"\r\n",
              "one endless chunk-size": b"0",
              "one endless chunk extension": b"1;a=",
              "one endless trailer": b"0\r\n" + b"X-a: b\r\n"}
    for name, piece in floods.items():
        for token in (server.token, ""):
            with Probe(server.port) as probe:
                answer, sent = flood_chunks(server.port, token, piece, total)
            check(f"{name} {'with' if token else 'without'} a token are cut off",
                  sent < total // 2 and not probe.failures and
                  not answer.startswith(b"HTTP/1.1 200"),
                  f"after {sent >> 10} KiB, {answer[:12]}, others at most {probe.worst:.2f} s")


def try_recovery(server, files, memory_kib):
    deadline = time.monotonic() + 60
    while server.files() > files + 5 and time.monotonic() < deadline:
        time.sleep(0.5)
    check("every connection is given back", server.files() <= files + 5,
          f"{server.files()} files, {files} before")
    grown = server.status("VmRSS") - memory_kib
    check("memory does not stay taken", grown < 256 * 1024, f"{grown >> 10} MiB more")
    headers = {"Authorization": f"Bearer {server.token}"}
    status, body = ask(server.port, "POST", "/api/v1/memories", headers,
                       json.dumps({"text": "after all that"}))
    check("a write is taken afterwards", status == 200, body[:80])


def secret_requests(server, canaries):
    """Requests that carry a canary wherever one can stand."""
    def canary(place):
        canaries[place] = f"canary{len(canaries):02d}zq{os.getpid()}x"
        return canaries[place]

    good = {"Authorization": f"Bearer {server.token}"}
    canaries["a token's secret"] = server.token.split("_", 2)[2]
    canaries["the operator's secret"] = \
        (server.data / "operator.token").read_text().strip().split("_", 2)[2]
    draft = {"text": canary("a text"), "title": canary("a title"), "tags": [canary("a tag")],
             "metadata": {"key": canary("metadata")}, "scope": canary("a scope"),
             "reason": canary("a reason"), "idempotency_key": canary("a key"),
             "source": canary("a source"), "type": canary("a type")}
    yield "POST", "/api/v1/memories", good, json.dumps(draft)
    yield "POST", "/api/v1/memories", good, json.dumps({"tekst": canary("a wrong argument")})
    yield "POST", "/api/v1/memories", good, '{"text": "' + canary("broken JSON")
    yield "POST", "/api/v1/search", good, json.dumps({"query": canary("a search")})
    yield "GET", "/api/v1/memories?cursor=" + canary("a query string"), good, None
    yield "GET", "/api/v1/memories?" + canary("a query's name") + "=1", good, None
    yield "GET", "/api/v1/memories/" + canary("an id"), good, None
    yield "GET", "/api/v1/" + canary("an unknown route"), good, None
    yield "GET", "/" + canary("an unknown path"), {}, None
    yield canary("a method").upper(), "/", good, None
    for place, name in (("a wrong token", "Authorization"), ("an agent", "User-Agent"),
                        ("a session", "Perdure-Session"), ("a voucher", "Perdure-Stdio"),
                        ("a header", "X-Header"), ("a cookie", "Cookie"), ("a host", "Host"),
                        ("an origin", "Origin"), ("a key in a header", "Idempotency-Key")):
        prefix = {"Authorization": "Bearer perdure_", "Origin": "http://"}.get(name, "")
        yield "POST", "/mcp", good | {name: prefix + canary(place)}, "{}"
        yield "POST", "/api/v1/memories", good | {name: prefix + canaries[place]}, '{"text": "x"}'
    for method, params in (("tools/call", {"name": canary("a tool")}),
                           ("tools/call", {"name": "memory_store",
                                           "arguments": {"text": canary("a tool's text")}}),
                           ("resources/read", {"uri": "perdure://memory/" + canary("a URI")}),
                           ("prompts/get", {"name": "recall_before_work",
                                            "arguments": {"task": canary("a prompt's task")}}),
                           ("initialize", {"clientInfo": {"name": canary("a client"),
                                                          "version": "1"}}),
                           (canary("an MCP method"), {})):
        message = {"jsonrpc": "2.0", "id": canary("an MCP id"), "method": method, "params": params}
        yield "POST", "/mcp", good, json.dumps(message)


def found_in(paths, needle):
    return [path.name for path in paths if needle.lower().encode() in path.read_bytes().lower()]


def try_logs(server, work):
    canaries = {}
    statuses = [ask(server.port, *request[:2], headers=request[2], body=request[3])[0]
                for request in secret_requests(server, canaries)]
    _, metrics = ask(server.port, "GET", "/metrics")
    (work / "metrics").write_bytes(metrics)
    check("the requests with canaries were answered", 200 in statuses and 401 in statuses
          and 403 in statuses and 404 in statuses, sorted(set(statuses)))
    check("the server ends cleanly", server.stop() == 0)
    logs = [server.out, server.err, work / "metrics", *server.data.glob("store/**/LOG*"),
            *server.data.glob("**/*.log.txt")]
    for place, canary in canaries.items():
        check(f"no log holds {place}", not found_in(logs, canary), found_in(logs, canary))
    planted = work / "planted"
    planted.write_bytes(server.err.read_bytes() + canaries["a text"].encode())
    check("control: the search finds a canary that was planted",
          found_in([planted], canaries["a text"]) == ["planted"])
    for known in ('"route":"/api/v1/memories/{id}"', '"event":"started"', '"status":401'):
        check(f"control: the log does hold {known}", found_in([server.err], known) != [])


def try_controls():
    """A server that serves one connection at a time is starved by a single half head."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def handle(self):
            with contextlib.suppress(OSError):  # the probe that gave up
                super().handle()
    weak = http.server.HTTPServer(("127.0.0.1", 0), Quiet)
    thread = threading.Thread(target=weak.serve_forever, daemon=True)
    thread.start()
    port = weak.server_address[1]
    check("control: a weak server answers when left alone", ask(port, "GET", "/")[0] == 200)
    with contextlib.closing(connect(port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nX-")
        starved = False
        try:
            ask(port, "GET", "/", timeout=2)
        except OSError:
            starved = True
        check("control: half a head starves it, and the probe sees that", starved)
    weak.shutdown()


def main():
    files_max = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files_max, files_max))
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        os.chdir(work)
        try_controls()
        server = Server(sys.argv[1], work)
        try:
            files, memory_kib = server.files(), server.status("VmRSS")
            try_floods(server)
            try_heads_and_bodies(server)
            try_recovery(server, files, memory_kib)
            try_logs(server, work)
        finally:
            if server.process.poll() is None:
                server.stop()
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
