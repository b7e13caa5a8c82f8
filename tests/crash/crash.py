#!/usr/bin/env python3
"""kill -9 of the server at random moments, under load.

An oracle keeps what was acknowledged: after each restart every acknowledged memory is there with
the acknowledged text, a write that was under way may be there or not, and the log verifies. What
this cannot see is a missing fsync: the kernel outlives the process.

usage: crash.py PERDURE [ROUNDS [SEED]]
"""
import http.client
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support" / "python"))
from served import Client, Server  # noqa: E402

CLIENTS = 6


class Oracle:
    """What was acknowledged, and what may or may not have happened."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = {}  # id -> text
        self.pending = {}       # id -> text of an edit without an answer
        self.fresh = set()      # ids touched since the last check
        self.count = 0

    def next_text(self):
        with self.lock:
            self.count += 1
            return f"memory number {self.count} of the crash test"

    def some(self, choose):
        with self.lock:
            ids = [i for i in self.acknowledged if i not in self.pending]
            return choose.choice(ids) if ids else None


def load(server, oracle, seed, stop):
    """Stores and edits until the server dies. Each memory is edited by one client at a time."""
    choose = random.Random(seed)
    client = Client(server)
    while not stop.is_set():
        identity = oracle.some(choose) if choose.random() < 0.4 else None
        text = oracle.next_text()
        try:
            if identity is None:
                status, answer = client.call("POST", "/api/v1/memories", {"text": text})
                if status == 200:
                    with oracle.lock:
                        oracle.acknowledged[answer["id"]] = text
                        oracle.fresh.add(answer["id"])
            else:
                with oracle.lock:
                    if identity in oracle.pending:
                        continue
                    oracle.pending[identity] = text
                    oracle.fresh.add(identity)
                status, answer = client.call("PATCH", f"/api/v1/memories/{identity}/text",
                                             {"text": text})
                if status == 200:
                    with oracle.lock:
                        oracle.acknowledged[identity] = text
                        del oracle.pending[identity]
            if status != 200:
                raise SystemExit(f"a write was refused: {status} {answer}")
        except (OSError, http.client.HTTPException, ValueError):
            return


def check(server, oracle, ids=None):
    """The acknowledged texts of `ids` (of all, without) are there. Settles what was pending."""
    client = Client(server)
    for identity in list(oracle.acknowledged) if ids is None else ids:
        status, answer = client.call("GET", f"/api/v1/memories/{identity}")
        if status != 200:
            raise SystemExit(f"acknowledged memory {identity} is lost: {answer}")
        text = answer["memories"][0]["text"]
        allowed = {oracle.acknowledged[identity], oracle.pending.get(identity)}
        if text not in allowed:
            raise SystemExit(f"memory {identity} says {text!r}, not one of {allowed}")
        oracle.acknowledged[identity] = text
    oracle.pending.clear()
    oracle.fresh.clear()


def control(server, oracle):
    """The check must see a loss: an id that was never acknowledged is not there."""
    lost = Oracle()
    lost.acknowledged["0190aaaa-0000-7000-8000-000000000000"] = "never written"
    try:
        check(server, lost)
    except SystemExit:
        return
    raise SystemExit("the check itself is broken: it did not see a lost memory")


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    choose = random.Random(seed)
    oracle = Oracle()
    with tempfile.TemporaryDirectory() as work:
        data = str(pathlib.Path(work, "data"))
        subprocess.run([program, "init", "--data", data], check=True, stdout=subprocess.DEVNULL)
        for number in range(rounds):
            server = Server(program, data)
            check(server, oracle, oracle.fresh)  # all of them at the end
            stop = threading.Event()
            clients = [threading.Thread(target=load, args=(server, oracle, choose.random(), stop))
                       for _ in range(CLIENTS)]
            for client in clients:
                client.start()
            time.sleep(choose.uniform(0.05, 1.5))
            server.kill()
            stop.set()
            for client in clients:
                client.join()
            verified = subprocess.run([program, "log", "verify", "--data", data],
                                      capture_output=True, text=True)
            if verified.returncode != 0:
                raise SystemExit(f"round {number}: the log does not verify\n{verified.stdout}"
                                 f"{verified.stderr}")
        server = Server(program, data)
        try:
            check(server, oracle)
            control(server, oracle)
        finally:
            server.kill()
        if not oracle.acknowledged:
            raise SystemExit("nothing was acknowledged: the test tested nothing")
    print(f"figures: {rounds} kills, {len(oracle.acknowledged)} acknowledged memories, none lost "
          f"(seed {seed})")


if __name__ == "__main__":
    main()
