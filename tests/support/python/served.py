"""A served store and a client of its REST API, for the tests in Python."""
import http.client
import json
import os
import pathlib
import signal
import subprocess
import time

IDLE_MAX = 2  # seconds that a connection is kept without a call


class Server:
    """A `perdure serve` on a free port, with the agent's and the operator's token."""

    def __init__(self, program, data, *options, stderr=subprocess.DEVNULL, env=None):
        self.process = subprocess.Popen(
            [program, "serve", "--data", data, "--port", "0", "--json", *options],
            stdout=subprocess.PIPE, stderr=stderr, env=env, text=True)
        welcome = json.loads(self.process.stdout.readline())
        self.port = int(welcome["address"].rsplit(":", 1)[1])
        self.token = pathlib.Path(data, "token").read_text().strip()
        self.operator_token = pathlib.Path(data, "operator.token").read_text().strip()

    def stop(self, patience=60):
        """As Ctrl-C does; the exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=patience)
        self.process.stdout.close()
        return code

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


class Client:
    """One connection that is kept; the agent's unless another token is given."""

    def __init__(self, server, token=None, timeout=60):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
        self.headers = {"Authorization": f"Bearer {token or server.token}",
                        "Content-Type": "application/json"}
        self.used = time.monotonic()

    def call(self, method, path, body=None):
        """The status and the answer; an OSError or HTTPException when the server died."""
        if time.monotonic() - self.used > IDLE_MAX:
            self.connection.close()  # as the server does, perhaps at this very moment
        data = json.dumps(body) if body is not None else None
        self.connection.request(method, path, data, self.headers)
        reply = self.connection.getresponse()
        answer = reply.status, json.loads(reply.read())
        self.used = time.monotonic()
        return answer
