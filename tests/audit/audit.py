#!/usr/bin/env python3
"""tools/audit against what the program hands out, and against forgeries of it: audit.py PERDURE.

Every forgery stands beside the good one that it was made from, which must pass. What the program's
own reader (`import --adopt --dry-run`) can see, it must refuse too.
"""

import base64
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import urllib.request

import forge  # first: it finds tools/audit
import check_proof_test
import verify
from tree_head import Refused, parse_key

FLIPS = 1500  # of the bits of a small export, each with its end record left and made to fit
passed = failed = 0


def check(name, holds, why=""):
    global passed, failed
    print(f"{'ok   ' if holds else 'FAIL '} {name}" + ("" if holds else f"\n      {why}"))
    passed, failed = passed + bool(holds), failed + (not holds)


class Store:
    """A data directory with a log of every common kind of entry, made by the program."""

    def __init__(self, perdure, work):
        self.perdure, self.work, self.data = perdure, work, work / "data"
        self.run("init")
        server = subprocess.Popen(
            [perdure, "serve", "--data", self.data, "--port", "0", "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.address = json.loads(server.stdout.readline())["address"]
            self.fill()
            self.run("export", work / "beside.export")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()

    def run(self, *arguments, code=0):
        command = [self.perdure, *map(str, arguments), "--data", str(self.data)]
        run = subprocess.run(command, capture_output=True, text=True)
        assert code is None or run.returncode == code, (arguments, run.stdout, run.stderr)
        return run

    def post(self, path, body):
        request = urllib.request.Request(
            self.address + path, json.dumps(body).encode(),
            {"Authorization": "Bearer " + (self.data / "token").read_text().strip()})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)

    def fill(self):
        notes = [{"text": f"The {n}th note says {n * n}.", "title": f"Note {n}",
                  "tags": ["square"], "scope": "acme"} for n in range(1, 13)]
        ids = [one["id"] for one in self.post("/api/v1/memories:batch", {"memories": notes})["results"]]
        self.run("memory", "edit", ids[0], "--append", "Again.")
        self.run("memory", "pin", ids[1])
        self.run("memory", "erase", ids[2], "--yes")
        self.run("log", "checkpoint", "--out", self.work / "kept", "--key-out", self.work / "key")
        for n in range(4):
            self.post("/api/v1/memories", {"text": f"Later note {n}"})


class Auditor:
    """Asks both verifiers about one file."""

    def __init__(self, store, good, keys):
        self.store, self.good, self.keys = store, good, keys
        self.key_file, self.path = store.work / "key", store.work / "forged.export"

    def python(self, data, heads=()):
        """What verify.py says: nothing when all holds."""
        self.path.write_bytes(data)
        try:
            verify.audit_export(self.path, self.keys, heads)
        except (Refused, ValueError) as problem:
            return str(problem)
        return ""

    def program(self, data):
        self.path.write_bytes(data)
        run = self.store.run("import", self.path, "--adopt", "--dry-run", "--key", self.key_file,
                             code=None)
        return "" if run.returncode == 0 else run.stderr

    def forgery(self, name, records, expected, heads=(), by_program=True):
        """The forged export is refused by name, beside the good one, which passes."""
        data = records if isinstance(records, bytes) else forge.build(records)
        assert data != self.good
        said = self.python(data, heads)
        check(f"{name}: refused by name", expected in said, f"no '{expected}' in '{said}'")
        check(f"{name}: the good one passes", self.python(self.good, heads) == "")
        if by_program:
            check(f"{name}: the program refuses it too", self.program(data) != "")


def forgeries(auditor, store, kept):
    records = forge.parse(auditor.good)
    at = forge.entries(records)
    n = len(at)
    seed = (store.data / "keys" / "main.ed25519").read_bytes()
    fresh = lambda: [list(record) for record in records]  # noqa: E731
    check("taking an export apart and building it gives it back",
          forge.build(records) == auditor.good)

    forged = fresh()
    forged[at[4]][1] = forge.put(forged[at[4]][1], 6, b"\7") if forge.field(forged[at[4]][1], 6) \
        else forge.put(forged[at[4]][1], 4, b"\7" * 16)
    auditor.forgery("an altered entry", forged, "entry 5 is the one whose hash entry 6 carries")
    forged = fresh()
    forged[at[n - 1]][1] = forge.put(forged[at[n - 1]][1], 4, b"\7" * 16)
    auditor.forgery("an altered last entry", forged, f"entry {n} or one before")
    forged = fresh()
    forged[at[4]], forged[at[5]] = forged[at[5]], forged[at[4]]
    auditor.forgery("swapped entries", forged, "entry 5 is in its place, where 6 stands")
    forged = fresh()
    del forged[at[6] : at[7]]
    auditor.forgery("a missing entry", forged, "entry 7 is in its place, where 8 stands")
    forged = fresh()
    forged.insert(at[6], list(forged[at[5]]))
    auditor.forgery("an entry twice", forged, "entry 7 is in its place, where 6 stands")
    with_time = forge.put(records[at[4]][1], 3, records[at[3]][1][forge.field(records[at[3]][1], 3):][:8])
    forged = fresh()
    forged[at[4]][1] = with_time
    forge.rechain(forged)
    forged[-1] = forge.seal(forged, seed, "perdure/main")
    auditor.forgery("a time that stands still, signed", forged, "entry 5 is later than the one before")

    forged = [record for record in fresh()[: at[n - 2]]] + [list(records[-1])]
    auditor.forgery("a cut tail under the old seal", forged, "a seal is in its place")
    forged[-1] = forge.seal(forged, seed, "perdure/main")
    check("a cut tail, signed: without a kept head nobody can see it", auditor.python(
        forge.build(forged)) == "")
    forged = fresh()[: at[10]]
    forged.append(forge.seal(forged, seed, "perdure/main"))
    auditor.forgery("a cut tail, signed, and a kept head", forged, "entry 11 is there: a kept head",
                    [kept], by_program=False)

    payload = next(i for i in at if records[i + 1][0] == b"P")
    seq = at.index(payload) + 1
    forged = fresh()
    forged[payload + 1][1] = forged[payload + 1][1][:-9] + b"x" + forged[payload + 1][1][-8:]
    auditor.forgery("an altered payload", forged, f"the payload of entry {seq} is the one written")
    forge.rechain(forged)
    auditor.forgery("a rewritten past with a recomputed chain", forged, f"entry {n} or one before")
    forged[-1] = forge.seal(forged, seed, "perdure/main")
    check("a rewritten past, signed: without a kept head nobody can see it",
          auditor.python(forge.build(forged)) == "")
    size = kept.split("\n")[1]
    auditor.forgery("a rewritten past, signed, and a kept head", forged,
                    f"entries 1 to {size} are those under the kept head", [kept], by_program=False)
    forged = fresh()
    del forged[payload + 1]
    auditor.forgery("a payload left out", forged,
                    f"the payload of entry {seq} is there, or an entry says it was erased")
    forged = fresh()
    moved = forged.pop(payload + 1)
    forged.insert(payload + 2, moved)
    auditor.forgery("a payload at another entry", forged, f"the payload of entry {seq + 1}")
    erased = next(i for i in at if records[i + 1][0] != b"P" and forge.field(records[i][1], 8))
    seq = at.index(erased) + 1
    row = bytes(32) + b"a text that was erased"
    forged = fresh()
    forged.insert(erased + 1, [b"P", row])
    auditor.forgery("an erased payload made up", forged, f"the payload of entry {seq} is the one written")
    forge.rechain(forged)
    forged[-1] = forge.seal(forged, seed, "perdure/main")
    auditor.forgery("an erased payload, signed", forged, f"the payload of entry {seq} is gone")

    thief = os.urandom(32)
    forged = fresh()
    forged[-1] = forge.seal(forged, thief, "perdure/main")
    auditor.forgery("a seal by another key", forged, "a seal is by a key that was given")
    forged = fresh()
    forged[-1] = forge.seal(forged, seed, "perdure/other")
    auditor.forgery("a seal of another log", forged, "a seal is by a key that was given")
    auditor.forgery("no seal", fresh()[:-1], f"entry {n} is under a seal")
    auditor.forgery("no end", auditor.good[:-53], f"the file goes on after entry {n}")
    auditor.forgery("bytes after the end", auditor.good + b"\0", "the end record")
    _, signature = forge.sign(seed, b"x")
    lines = kept.split("\n")
    lines[4] = lines[4][:-90] + base64.b64encode(signature).decode()[:86] + lines[4][-4:]
    said = auditor.python(auditor.good, ["\n".join(lines)])
    check("a kept head with another signature: refused", said != "", said)


def flips(auditor):
    """Flipped bits, as they are and with an end record made to fit: all refused."""
    rng, accepted = random.Random(5), []
    bits = 8 * len(auditor.good)
    for bit in rng.sample(range(bits), FLIPS):
        data = bytearray(auditor.good)
        data[bit // 8] ^= 1 << bit % 8
        if auditor.python(bytes(data)) == "":
            accepted.append(bit)
    check(f"{FLIPS} flipped bits are refused", not accepted, f"accepted: {accepted[:9]}")
    records, accepted = forge.parse(auditor.good), []
    for _ in range(FLIPS):
        forged = [list(record) for record in records]
        one = forged[rng.randrange(len(forged))]
        bit = rng.randrange(8 * len(one[1]))
        data = bytearray(one[1])
        data[bit // 8] ^= 1 << bit % 8
        one[1] = bytes(data)
        if auditor.python(forge.build(forged)) == "":
            accepted.append((one[0], bit))
    check(f"{FLIPS} flipped bits under a fitting end are refused", not accepted, str(accepted[:9]))


def round_trip(store, good):
    """Export, adopt, export: equal bytes, and the store that adopted holds together."""
    other = Store.__new__(Store)
    other.perdure, other.work, other.data = store.perdure, store.work, store.work / "other"
    other.run("init")
    other.run("import", store.work / "one.export", "--adopt", "--key", store.work / "key")
    other.run("export", store.work / "again.export")
    check("export, adopt, export gives equal bytes",
          (store.work / "again.export").read_bytes() == good)
    check("the log that was adopted verifies", other.run("log", "verify", code=None).returncode == 0)
    check("its projections are those of the log", other.run("replay", code=None).returncode == 0)
    query = ("log", "query", "--limit", "1000", "--json")
    check("entries keep seq, time and actor", json.loads(other.run(*query).stdout)["entries"] ==
          json.loads(store.run(*query).stdout)["entries"])
    found = json.loads(other.run("search", "what does the 7th note say", "--json").stdout)
    check("what was adopted is found", found["results"][0]["title"] == "Note 7", str(found))
    other.run("memory", "store", "One more, after the adoption")
    other.run("log", "checkpoint", "--key-out", store.work / "other.key", "--out", os.devnull)
    other.run("export", store.work / "grown.export")
    keys = (store.work / "key").read_text().split() + (store.work / "other.key").read_text().split()
    verify.audit_export(store.work / "grown.export", [parse_key(key) for key in keys],
                        [(store.work / "kept").read_text()])
    check("what came after is under a seal of its own", True)
    run = other.run("import", store.work / "one.export", "--adopt", code=None)
    check("an export is not adopted over other entries", "has entries of its own" in run.stderr)


def main():
    perdure = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        store = Store(perdure, work)
        store.run("export", work / "one.export")
        store.run("export", work / "two.export")
        good = (work / "one.export").read_bytes()
        check("two exports of one log are equal", good == (work / "two.export").read_bytes())
        check("so is one made beside a running server", good == (work / "beside.export").read_bytes())
        check("an export is its owner's alone", os.stat(work / "one.export").st_mode & 0o777 == 0o600)
        run = store.run("export", work / "one.export", code=None)
        check("an export never overwrites a file", run.returncode == 1)
        run = store.run("export", work / "s.export", "--space", "system", code=None)
        check("the space system is never exported", run.returncode == 1)
        check("no secret is in an export", (store.data / "keys/main.secret").read_bytes() not in good)
        check("no token is in an export", (store.data / "token").read_bytes().strip() not in good)
        keys = [parse_key(line) for line in (work / "key").read_text().split()]
        kept = (work / "kept").read_text()
        script = pathlib.Path(verify.__file__)
        run = subprocess.run([sys.executable, script, work / "one.export", work / "key", work / "kept"],
                             capture_output=True, text=True)
        check("verify.py finds the export good", run.returncode == 0 and "all hold" in run.stdout,
              run.stderr)
        auditor = Auditor(store, good, keys)
        check("the program finds it good", auditor.program(good) == "")
        forgeries(auditor, store, kept)
        flips(auditor)
        check_proof_test.run(check, store, script.with_name("check_proof.py"))
        round_trip(store, good)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
