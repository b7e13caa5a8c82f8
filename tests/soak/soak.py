#!/usr/bin/env python3
"""Four clients with mixed verbs for a while: memory and disk within bounds, without a trend.

The working set stays the same: when a client has its share of memories, it erases one for each that
it stores. The log grows all the same, so the bounds are a fixed part and so many bytes an entry.
In the end the server is idle and its indexes are held against a rebuild, the projections against a
replay, the log against its proof. Any answer that is an error counts as a failure. Vectors are the
stand-in's: four clients write faster than two cores embed, and the model's memory does not grow.

usage: soak.py PERDURE SECONDS
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support" / "python"))
from served import Client, Server  # noqa: E402

CLIENTS = 4
MEMORIES_EACH = 400
FACTS_EACH = 200
RSS_BASE_MIB = 400        # program, and caches of RocksDB, Xapian and decoded postings
RSS_BYTES_AN_ENTRY = 2048  # columns and postings of past versions
DISK_BASE_MIB = 160       # log files of RocksDB before they are merged
DISK_BYTES_AN_ENTRY = 6600
WORDS = [a + b for a in "ba de fi go lu ma ne ro si tu".split() for b in
         "lan mer nok pil rus sat tev vog xim zur".split()]

# Operations that the soak leaves out, and why.
EXCUSED = {
    "token_issue": "grows the system log, not the working set", "token_revoke": "as token_issue",
    "space_create": "a space stays for ever", "index_rebuild": "called once, at the end",
    "scope_rollback": "would undo other clients' work under their feet",
    "snapshot_create": "a name stays for ever", "clock_confirm": "no clock jumps here",
    "backup": "a copy each would fill the disk",
    "suppression_create": "a rejected value stays for ever", "suppression_lift": "as its creation",
    "suppression_erase": "as its creation", "review_dismiss": "what is refused is another client's",
    "container_move": "its former path finds it for ever", "source_add": "a source stays for ever",
    "source_remove": "as its addition", "source_files": "as its addition",
    "source_sync": "as its addition",
}


class Worker:
    """One client with memories of its own, so that no other changes them under its feet."""

    def __init__(self, server, number, seed):
        self.number = number
        self.choose = random.Random(seed)
        self.agent = Client(server)
        self.operator = Client(server, server.operator_token)
        self.reviewer = Client(server, self.operator.call(
            "POST", "/api/v1/tokens", {"roles": ["reviewer"]})[1]["token"])
        self.memories = {}  # id -> text
        self.facts = []
        self.archived = set()
        self.pinned = set()  # an agent may not put these away
        self.counts = {}
        self.errors = []

    def words(self, count):
        return " ".join(self.choose.choice(WORDS) for _ in range(count))

    def some(self):
        """A memory that is not archived; there is always one, as run() sees to it."""
        return self.choose.choice([i for i in self.memories if i not in self.archived])

    def loose(self):
        """A memory that an agent may put away."""
        return self.choose.choice([i for i in self.memories
                                   if i not in self.archived and i not in self.pinned])

    def call(self, verb, method, path, body=None, operator=False, reviewer=False):
        self.counts[verb] = self.counts.get(verb, 0) + 1
        client = self.reviewer if reviewer else self.operator if operator else self.agent
        status, answer = client.call(method, path, body)
        if status != 200:
            self.errors.append(f"{verb} {path}: {status} {answer}")
        return answer

    def memory_store(self):
        text = f"{self.words(60)} number {self.number}.{self.choose.random()}"
        answer = self.call("memory_store", "POST", "/api/v1/memories",
                           {"text": text, "title": self.words(4), "tags": [self.words(1)],
                            "scope": f"soak/{self.number}"})
        self.memories[answer["id"]] = text
        if len(self.memories) > MEMORIES_EACH:
            self.memory_erase()

    def memory_store_many(self):
        texts = [f"{self.words(30)} batch {self.number}.{self.choose.random()}" for _ in range(3)]
        answer = self.call("memory_store_many", "POST", "/api/v1/memories:batch",
                           {"memories": [{"text": text} for text in texts]})
        for text, result in zip(texts, answer["results"]):
            self.memories[result["id"]] = text
        while len(self.memories) > MEMORIES_EACH:
            self.memory_erase()

    def memory_erase(self):
        identity = self.some()
        self.call("memory_erase", "POST", f"/api/v1/memories/{identity}/erase", {}, operator=True)
        del self.memories[identity]
        self.pinned.discard(identity)

    def memory_edit(self):
        identity = self.some()
        text = f"{self.words(40)} edit {self.choose.random()}"
        self.call("memory_edit", "PATCH", f"/api/v1/memories/{identity}/text", {"text": text})
        self.memories[identity] = text

    def memory_describe(self):
        self.call("memory_describe", "PATCH", f"/api/v1/memories/{self.some()}",
                  {"title": self.words(3), "tags": [self.words(1), self.words(1)]})

    def memory_get(self):
        identity = self.some()
        answer = self.call("memory_get", "GET", f"/api/v1/memories/{identity}")
        if answer["memories"][0]["text"] != self.memories[identity]:
            self.errors.append(f"memory {identity} does not say what was written last")

    def memory_search(self):
        identity = self.some()
        words = self.memories[identity].split()
        answer = self.call("memory_search", "POST", "/api/v1/search",
                           {"query": " ".join(words[:5] + words[-1:]), "limit": 5})
        if any(arm["status"] == "failed" for arm in answer.get("arms", [])):
            self.errors.append(f"an arm failed: {answer['arms']}")

    def memory_archive(self):
        identity = self.loose()
        self.call("memory_archive", "POST", f"/api/v1/memories/{identity}/archive", {})
        self.archived.add(identity)

    def memory_restore(self):
        if self.archived:
            identity = self.archived.pop()
            self.call("memory_restore", "POST", f"/api/v1/memories/{identity}/restore", {})

    def memory_forget(self):
        identity = self.loose()
        self.call("memory_forget", "POST", f"/api/v1/memories/{identity}/forget", {})
        del self.memories[identity]

    def memory_revert(self):
        identity = self.some()
        self.call("memory_revert", "POST", f"/api/v1/memories/{identity}/revert", {"version": 1})
        answer = self.call("memory_get", "GET", f"/api/v1/memories/{identity}")
        self.memories[identity] = answer["memories"][0]["text"]

    def memory_pin(self):
        identity = self.choose.choice(list(self.pinned)) if len(self.pinned) > 3 else self.some()
        self.call("memory_pin", "POST", f"/api/v1/memories/{identity}/pin", {}, operator=True)
        self.pinned.add(identity)

    def memory_unpin(self):
        identity = self.pinned.pop() if self.pinned else self.some()
        self.call("memory_unpin", "POST", f"/api/v1/memories/{identity}/unpin", {}, operator=True)

    def memory_list(self):
        self.call("memory_list", "GET", f"/api/v1/memories?limit=20&scope=soak/{self.number}")

    def memory_history(self):
        self.call("memory_history", "GET", f"/api/v1/memories/{self.some()}/history")

    def memory_diff(self):
        self.call("memory_diff", "GET", f"/api/v1/memories/{self.some()}/diff?from=1&to=1")

    def claim(self):
        return {"subject": f"person {self.number}.{self.choose.randrange(20)}",
                "predicate": self.choose.choice(("drinks", "likes", "lives in")),
                "object": self.words(1), "evidence": {"quote": self.words(5)},
                "scope": f"soak/{self.number}"}

    def keep_fact(self, answer):
        if answer["outcome"] in ("stored", "changed"):
            self.facts.append(answer["id"])
        if len(self.facts) > FACTS_EACH:
            self.call("memory_erase", "POST", f"/api/v1/memories/{self.facts.pop(0)}/erase", {},
                      operator=True)

    def fact_assert(self):
        self.keep_fact(self.call("fact_assert", "POST", "/api/v1/facts", self.claim()))

    def fact_assert_many(self):
        answer = self.call("fact_assert_many", "POST", "/api/v1/facts:batch",
                           {"facts": [self.claim() for _ in range(3)], "partial": True})
        for result in answer["results"]:
            self.keep_fact(result)

    def fact_about(self):
        self.call("fact_about", "GET", f"/api/v1/facts?subject=person%20{self.number}.3")

    def review(self):
        """A candidate let in, taken back, and let in for good."""
        text = f"{self.words(20)} proposed {self.number}.{self.choose.random()}"
        identity = self.call("candidate_propose", "POST", "/api/v1/candidates",
                             {"text": text})["id"]
        self.call("review_list", "GET", "/api/v1/review?limit=5", reviewer=True)
        for again in (True, False):
            decided = self.call("review_decide", "POST", f"/api/v1/candidates/{identity}/decide",
                                {"decision": "approve"}, reviewer=True)
            if again:
                self.call("review_undo", "POST", "/api/v1/review/undo",
                          {"decision": decided["decision"]}, reviewer=True)
        self.memories[identity] = text
        if len(self.memories) > MEMORIES_EACH:
            self.memory_erase()

    def merge(self):
        """Two memories made one and parted again; what they were made into goes for good."""
        parts = [self.loose()]
        while len(parts) < 2 or parts[0] == parts[1]:
            parts[1:] = [self.loose()]
        merged = self.call("memory_merge", "POST", "/api/v1/memories:merge",
                           {"parts": parts, "text": self.words(20)})["id"]
        self.call("memory_unmerge", "POST", f"/api/v1/memories/{merged}/unmerge", {})
        self.call("memory_erase", "POST", f"/api/v1/memories/{merged}/erase", {}, operator=True)

    def govern(self):
        identity = self.call("memory_store", "POST", "/api/v1/memories",
                             {"text": f"{self.words(9)} {self.choose.random()}"})["id"]
        self.call("memory_score", "POST", f"/api/v1/memories/{identity}/score",
                  {"importance": 0.6, "pass": f"pass {self.number}", "reason": "soak"})
        self.call("memory_verify", "POST", f"/api/v1/memories/{identity}/verify",
                  {"evidence": {"quote": "seen"}}, reviewer=True)
        self.call("genre_change", "POST", f"/api/v1/memories/{identity}/genre",
                  {"genre": "personal"}, reviewer=True)
        self.call("memory_erase", "POST", f"/api/v1/memories/{identity}/erase", {}, operator=True)
        self.call("predicate_declare", "POST", "/api/v1/predicates",
                  {"name": "likes", "multi_valued": True}, reviewer=True)
        self.call("policy_set", "PATCH", "/api/v1/policy", {"fade": 0.6}, reviewer=True)
        self.call("policy_get", "GET", "/api/v1/policy", reviewer=True)
        self.call("suppression_list", "GET", "/api/v1/suppressions", reviewer=True)

    def places(self):
        """A container that is made, described and deleted again."""
        body = {"container": f"soak/{self.number}/part"}
        self.call("container_create", "POST", "/api/v1/containers", body)
        self.call("container_describe", "PATCH", "/api/v1/containers",
                  body | {"description": self.words(5)})
        self.call("scope_list", "GET", "/api/v1/scopes")
        self.call("container_delete", "POST", "/api/v1/containers/delete", body, operator=True)

    def links(self):
        ends = {"from": self.some(), "type": "follows"}
        while ends.get("to", ends["from"]) == ends["from"]:
            ends["to"] = self.some()
        self.call("link_add", "POST", "/api/v1/links", ends | {"cross_scope": True})
        self.call("link_list", "GET", f"/api/v1/memories/{ends['from']}/links")
        self.call("link_remove", "POST", "/api/v1/links/remove", ends)

    def matching(self):
        """All memories of a type that nobody else has: hidden, then gone for good."""
        only = {"type": f"passing {self.number}", "scope": f"soak/{self.number}"}
        self.call("memory_store", "POST", "/api/v1/memories",
                  only | {"text": f"{self.words(9)} {self.choose.random()}"})
        for verb, what in (("memory_forget_matching", "forget"), ("memory_erase_matching", "erase")):
            self.call(verb, "POST", f"/api/v1/memories/{what}_matching", only, operator=True)

    def memory_context(self):
        self.call("memory_context", "POST", "/api/v1/context",
                  {"query": self.words(4), "tokens": 500})

    def reads_of_operators(self):
        for verb, path in (("memory_contents", "/api/v1/contents"),
                           ("log_query", "/api/v1/log?limit=20"), ("log_entry", "/api/v1/log/1"),
                           ("log_proof", "/api/v1/proof?seq=1"), ("status", "/api/v1/status"),
                           ("index_status", "/api/v1/index"), ("token_list", "/api/v1/tokens"),
                           ("snapshot_list", "/api/v1/snapshots"),
                           ("source_list", "/api/v1/sources")):
            self.call(verb, "GET", path, operator=True)

    def compact(self):
        self.call("compact", "POST", "/api/v1/compact", {"before": "2020-01-01T00:00:00Z"},
                  operator=True)

    MIX = ((24, memory_store), (1, memory_store_many), (14, memory_edit), (6, memory_describe),
           (18, memory_get), (18, memory_search), (2, memory_archive), (2, memory_restore),
           (1, memory_forget), (2, memory_revert), (1, memory_pin), (1, memory_unpin),
           (6, fact_assert), (1, fact_assert_many), (3, fact_about), (1, review), (1, merge),
           (0.5, govern), (0.5, places), (1, links), (0.5, matching), (1, memory_context),
           (3, memory_list), (2, memory_history), (2, memory_diff), (0.3, reads_of_operators),
           (0.05, compact))

    def run(self, until):
        weights = [weight for weight, _ in self.MIX]
        verbs = [verb for _, verb in self.MIX]
        try:
            self.memory_store()
            while time.monotonic() < until and len(self.errors) < 20:
                verb = self.choose.choices(verbs, weights)[0]
                if len(self.memories) - len(self.archived) < 5:
                    verb = Worker.memory_store
                verb(self)
        except Exception as error:  # reported as what it is: a failure of the run
            self.errors.append(f"{type(error).__name__}: {error}")


class Watch:
    """Samples the server once in a while: (seconds, entries, bytes in memory, bytes on disk)."""

    def __init__(self, server, data):
        self.server, self.data = server, data
        self.client = Client(server, server.operator_token)
        self.samples = []

    def sample(self, seconds):
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        rss = int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024
        disk = 0
        for path in pathlib.Path(self.data).rglob("*"):
            try:
                disk += path.stat().st_blocks * 512
            except FileNotFoundError:  # files come and go
                pass
        _, answer = self.client.call("GET", "/api/v1/index")
        entries = sum(space["log_seq"] for space in answer["spaces"])
        self.samples.append((seconds, entries, rss, disk))

    def faults(self):
        faults = []
        for seconds, entries, rss, disk in self.samples:
            rss_max = RSS_BASE_MIB * 2**20 + RSS_BYTES_AN_ENTRY * entries
            disk_max = DISK_BASE_MIB * 2**20 + DISK_BYTES_AN_ENTRY * entries
            if rss > rss_max:
                faults.append(f"after {seconds:.0f} s: {rss >> 20} MiB in memory, at most "
                              f"{rss_max >> 20} for {entries} entries")
            if disk > disk_max:
                faults.append(f"after {seconds:.0f} s: {disk >> 20} MiB on disk, at most "
                              f"{disk_max >> 20} for {entries} entries")
        slope = self.slope()
        if slope > RSS_BYTES_AN_ENTRY:
            faults.append(f"memory grows by {slope:.0f} bytes an entry in the second half, at most "
                          f"{RSS_BYTES_AN_ENTRY}")
        return faults

    def slope(self):
        """Bytes in memory an entry over the second half, above what caches may fill: the median of
        all pairs of samples."""
        base = RSS_BASE_MIB * 2**20
        late = [(t, entries, max(rss, base), disk)
                for t, entries, rss, disk in self.samples[len(self.samples) // 2:]]
        slopes = sorted((b[2] - a[2]) / (b[1] - a[1]) for i, a in enumerate(late)
                        for b in late[i + 1:] if b[1] > a[1])
        return slopes[len(slopes) // 2] if slopes else 0.0


def control():
    """A server that loses 3 KiB an entry must be seen."""
    leaking = Watch.__new__(Watch)
    leaking.samples = [(n, 1000 * n, RSS_BASE_MIB * 2**20 + 3072 * 1000 * n, 0) for n in range(20)]
    return [] if len(leaking.faults()) > 1 else ["control: a leak is not seen"]


def settle(client):
    """Waits until both arms have followed the log to its end."""
    for _ in range(600):
        _, answer = client.call("GET", "/api/v1/index")
        if all(s["lexical_seq"] == s["semantic_seq"] == s["log_seq"] and
               not s["pending_embeddings"] for s in answer["spaces"]):
            return
        time.sleep(0.2)
    raise SystemExit("the indexes did not follow the log within two minutes")


def answers(client, queries):
    found = []
    for query in queries:
        _, answer = client.call("POST", "/api/v1/search", {"query": query, "limit": 20})
        found.append(sorted((round(hit["score"], 4), hit["id"]) for hit in answer["results"]))
    return found


def differences(before, after):
    """Queries whose answers differ by more than ties at the end of the list."""
    different = 0
    for old, new in zip(before, after):
        last = max((min(old)[0], min(new)[0])) if old and new else 0
        if [hit for hit in old if hit[0] > last] != [hit for hit in new if hit[0] > last]:
            different += 1
    return different


def check_end(server, workers, program, data):
    faults = []
    client = Client(server, server.operator_token)
    settle(client)
    choose = random.Random(5)
    queries = [" ".join(choose.choice(WORDS) for _ in range(4)) for _ in range(100)]
    before = answers(client, queries)
    if before == answers(client, queries[1:] + queries[:1]):
        faults.append("control: other queries have the same answers")
    client.call("POST", "/api/v1/index/rebuild", {})
    settle(client)
    if count := differences(before, answers(client, queries)):
        faults.append(f"{count} of {len(queries)} answers changed by a rebuild of the indexes")
    for worker in workers:
        for identity in list(worker.memories)[:50]:
            _, answer = client.call("GET", f"/api/v1/memories/{identity}")
            if answer["memories"][0]["text"] != worker.memories[identity]:
                faults.append(f"memory {identity} does not say what was written last")
    if code := server.stop():
        faults.append(f"the server ended with {code}")
    for verb in (["log", "verify"], ["replay"]):
        done = subprocess.run([program, *verb, "--data", data], capture_output=True, text=True)
        if done.returncode != 0:
            faults.append(f"{' '.join(verb)}: {done.stdout}{done.stderr}")
    return faults


def verbs_left_out(program_operations, counts):
    return sorted(program_operations - set(counts) - set(EXCUSED))


def main():
    program, seconds = sys.argv[1], float(sys.argv[2])
    openapi = pathlib.Path(__file__).resolve().parents[2] / "schema" / "openapi.yaml"
    operations = set(re.findall(r'"operationId": "(\w+)"', openapi.read_text()))
    with tempfile.TemporaryDirectory() as work:
        data = str(pathlib.Path(work, "data"))
        server = Server(program, data, "--model", str(pathlib.Path(work, "none")))
        try:
            faults, watch, counts = soak(server, data, seconds, program)
        finally:
            if server.process.poll() is None:
                server.kill()
    if left_out := verbs_left_out(operations, counts):
        faults.append(f"operations that the soak neither calls nor excuses: {left_out}")
    if not verbs_left_out(operations | {"memory_new"}, counts):
        faults.append("control: a new operation is not missed")
    faults += control()
    last = watch.samples[-1]
    print(f"figures: {seconds:.0f} s, {sum(counts.values())} calls, {last[1]} entries, "
          f"{last[2] >> 20} MiB of memory, {last[3] >> 20} MiB of disk, "
          f"{watch.slope():.0f} bytes of memory an entry")
    for fault in faults:
        print(f"FAILED {fault}")
    sys.exit(1 if faults else 0)


def soak(server, data, seconds, program):
    start = time.monotonic()
    workers = [Worker(server, number, seed=number) for number in range(CLIENTS)]
    threads = [threading.Thread(target=worker.run, args=(start + seconds,)) for worker in workers]
    for thread in threads:
        thread.start()
    watch = Watch(server, data)
    while any(thread.is_alive() for thread in threads):
        time.sleep(min(5.0, seconds / 20))
        watch.sample(time.monotonic() - start)
    counts = {"index_rebuild": 1}
    for worker in workers:
        for verb, count in worker.counts.items():
            counts[verb] = counts.get(verb, 0) + count
    faults = [error for worker in workers for error in worker.errors] + watch.faults()
    return faults + check_end(server, workers, program, data), watch, counts


if __name__ == "__main__":
    main()
