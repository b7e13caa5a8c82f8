"""Kills of the server at chosen steps of an erasure, each of which the next start must complete.

A step is a change on disk. A first erasure is only watched, to learn what its steps are."""
import collections
import http.client
import mmap
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import threading

from herd import Caller, Failed
from served import Server

HEAD = 32                  # the numbers of the page, see steps.cc
PAGE = HEAD + (1 << 20)


class Steps:
    """The page shared with a server that runs with liberasure_steps.so."""

    def __init__(self, library, work, data):
        path = work / "steps"
        path.write_bytes(bytes(PAGE))
        with open(path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), PAGE)
        self.env = os.environ | {
            "LD_PRELOAD": str(library), "PERDURE_STEPS": str(path), "PERDURE_STEPS_ROOT": str(data),
            "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def arm(self, kill_at):
        self.page[:HEAD] = struct.pack("=4Q", 0, kill_at, 0, 0)
        self.page[:8] = struct.pack("=Q", 1)

    def disarm(self):
        self.page[:8] = struct.pack("=Q", 0)

    def trace(self):
        """(call, path) of each step, numbers in names replaced: what kind of step it was."""
        used = struct.unpack("=4Q", self.page[:HEAD])[3]
        lines = bytes(self.page[HEAD:HEAD + used]).decode().splitlines()
        return [re.sub(r"[0-9]+", "#", re.sub(r"cache\.[0-9a-f]+", "cache.#", line))
                for line in lines]


def choose_steps(kinds, count):
    """So many steps: the very first and last and the first of each kind, in the order in which they
    come and evenly thinned when they are too many; then others, each kind as likely as another."""
    numbers = collections.defaultdict(list)
    for number, kind in enumerate(kinds, 1):
        numbers[kind].append(number)
    chosen = sorted({1, len(kinds), *(of_kind[0] for of_kind in numbers.values())})
    if len(chosen) >= count:
        return [chosen[n * (len(chosen) - 1) // (count - 1)] for n in range(count)]
    chooser, chosen = random.Random(7), set(chosen)
    while len(chosen) < min(count, len(kinds)):
        chosen.add(chooser.choice(numbers[chooser.choice(sorted(numbers))]))
    return sorted(chosen)


class Kills:
    def __init__(self, test, prepared, subjects):
        self.test, self.prepared, self.subjects = test, prepared, subjects
        self.ghosts = [s for s in subjects if s.herd == "ghost"]
        self.data = test.work / "killed"
        self.outcomes = collections.Counter()
        self.reached = collections.Counter()

    def begin(self, kill_at):
        """Erases all ghosts in one call on a copy of the store; whether it was answered."""
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.copytree(self.prepared, self.data)
        steps = Steps(self.test.steps_library, self.test.work, self.data)
        server = Server(self.test.program, str(self.data), "--model", str(self.test.work / "none"),
                        env=steps.env)
        operator = Caller(server, True)
        for subject in self.subjects[::4]:  # caches are warm and something is pending
            subject.edit_late(operator)
        steps.arm(kill_at)
        try:
            self.test.erase(operator, self.ghosts)
            answered = True
        except (OSError, http.client.HTTPException):
            answered = False
        steps.disarm()
        server.kill()
        return answered, steps.trace()

    def left_after(self, may_be_torn=False):
        """Codes of ghosts of which the files still hold something."""
        found = self.test.scan([self.data], may_be_torn=may_be_torn)
        return {hit.code for hit in found.hits if hit.herd == "ghost"}

    def finish(self, step, kind, answered):
        """The next start, and what must be true after it."""
        check, name = self.test.check, f"killed at step {step} ({kind})"
        held = self.left_after(may_be_torn=True)
        server = Server(self.test.program, str(self.data), "--model", str(self.test.work / "none"))
        operator = Caller(server, True)
        begun = operator.call("GET", "/api/v1/log?event=MemoryErased&limit=1000")["entries"]
        receipts = operator.call("GET", "/api/v1/log?event=ErasureCompleted&limit=1000")["entries"]
        causes = {entry["cause"] for entry in receipts}
        complete = {entry["seq"] for entry in begun} == causes
        whole = len(begun) in (0, len(self.ghosts))
        hidden = [s.id for s in self.ghosts if not self.test.is_erased(operator, s)]
        lost = [s.id for s in self.subjects if s.herd == "alive" and
                "zqalive" not in str(operator.call("GET", f"/api/v1/memories/{s.id}"))]
        code = server.stop()
        left = self.left_after()
        verified = subprocess.run([self.test.program, "log", "verify", "--data", self.data],
                                  capture_output=True, text=True)
        if begun:
            good = complete and whole and not hidden and not left
        else:
            good = not answered and len(hidden) == len(self.ghosts)
        outcome = ("answered" if answered else "not begun" if not begun else
                   "bytes left" if held else "no bytes left")
        self.outcomes[outcome] += 1
        self.reached[kind] += 1
        good = good and not lost and code == 0 and verified.returncode == 0
        check(f"{name}, {outcome}: the next start completes it", good,
              f"receipts {complete}, whole {whole}, shown {hidden[:3]}, lost {lost[:3]}, left "
              f"{sorted(left)[:3]}, exit {code}, {verified.stdout[-200:]}{verified.stderr[-200:]}")

    def run(self, count):
        answered, kinds = self.begin(0)
        if not answered:
            raise Failed("an erasure that nobody disturbs is answered")
        for step in choose_steps(kinds, count):
            answered, trace = self.begin(step)
            kind = trace[step - 1] if len(trace) >= step else "after the answer"
            self.finish(step, kind, answered)
        return {"steps": len(kinds), "kinds": len(set(kinds)), "kills": sum(self.outcomes.values()),
                "kinds_killed": len(self.reached), "killed_when": dict(self.outcomes)}
