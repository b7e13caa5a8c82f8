"""A store full of memories: most are filler, some are subjects with canaries in every place that
holds text. Subjects are of two herds, alike in all but their fate: ghosts are erased, the others
stay alive."""
import base64
import os
import queue
import random
import threading

from served import Client

LETTERS = "bcdfghjklmnpqrtvwx"  # no stemmer shortens a word without vowels or s
WORDS = [a + b + c for a in "ba de fi go lu ma ne ro si tu".split()
         for b in "lan mer nok pil rus sat tev vog xim dur".split()
         for c in ("", "a", "en", "is", "ot", "um")]
BATCH = 50
CLIENTS = 4


class Failed(Exception):
    pass


class Caller:
    """A connection that expects each call to succeed unless told otherwise."""

    def __init__(self, server, operator=False, timeout=600):
        self.client = Client(server, server.operator_token if operator else None, timeout)

    def call(self, method, path, body=None, status=200):
        got, answer = self.client.call(method, path, body)
        if got != status:
            raise Failed(f"{method} {path}: {got} {str(answer)[:300]}")
        return answer


def code_of(number):
    code = ""
    for _ in range(4):
        number, digit = divmod(number, len(LETTERS))
        code = LETTERS[digit] + code
    return code


class Subject:
    """One memory with a canary in each place of each of its versions; see canaries.h."""

    def __init__(self, herd, number):
        self.herd, self.number, self.code = herd, number, code_of(number)
        self.choose = random.Random(herd + self.code)
        self.id = None
        self.is_hidden = number % 7 == 5  # from default reads: forgotten or archived

    def canary(self, place):
        return f"zq{self.herd}{self.code}{place}"

    def words(self, count):
        return " ".join(self.choose.choices(WORDS, k=count))

    def text(self, place):
        """Five paragraphs, so that each has chunks of its own, each with a canary."""
        return "\n\n".join(f"{self.words(60)} {self.canary(place)} {self.words(60)}"
                           for _ in range(5))

    def store(self, agent):
        body = {"text": self.text("b"), "title": f"{self.words(3)} {self.canary('c')}",
                "tags": [self.canary("d"), "kept"], "metadata": {"note": self.canary("f")},
                "type": self.canary("g"), "theme": self.canary("h"), "source": self.canary("j"),
                "reason": self.canary("k"), "idempotency_key": self.canary("l"),
                "scope": f"herds/{self.number % 5}"}
        self.id = agent.call("POST", "/api/v1/memories", body)["id"]
        if agent.call("POST", "/api/v1/memories", body)["id"] != self.id:
            raise Failed("the same call again gave another memory")

    def revise(self, agent, operator):
        path = f"/api/v1/memories/{self.id}"
        agent.call("PATCH", path + "/text", {"text": self.text("m"), "reason": self.canary("n")})
        agent.call("PATCH", path, {"title": f"{self.words(2)} {self.canary('p')}",
                                   "tags": [self.canary("q")],
                                   "metadata": {"other": self.canary("r")}})
        agent.call("PATCH", path + "/text", {"text": self.canary("t"), "expected_version": 1,
                                             "reason": self.canary("v")}, status=409)
        agent.call("POST", "/api/v1/search", {"query": self.canary("m"), "limit": 3})
        agent.call("PATCH", path + "/text", {"append": f"\n\n{self.words(20)} {self.canary('w')}"})
        if self.number % 3 == 0:
            agent.call("POST", path + "/revert", {"version": 1})
        if self.number % 5 == 1:
            operator.call("POST", path + "/pin", {"reason": self.canary("x")})
        if self.is_hidden:
            verb = "forget" if self.number % 2 else "archive"
            # An agent may not put away what is pinned.
            operator.call("POST", f"{path}/{verb}", {"reason": self.canary("x")})

    def edit_late(self, agent):
        """One more version, whose vectors are still to be made when the erasure comes."""
        if not self.is_hidden:
            agent.call("PATCH", f"/api/v1/memories/{self.id}/text",
                       {"append": f"\n\n{self.words(100)} {self.canary('z')}"})


def fill(agent, choose, payload_bytes):
    """A batch of memories about nothing; what is not text is metadata that does not compress."""
    memories = []
    for _ in range(BATCH):
        text = " ".join(choose.choices(WORDS, k=180))
        memory = {"text": text, "title": " ".join(choose.choices(WORDS, k=3)), "tags": ["filler"]}
        if payload_bytes > len(text):
            blob = base64.b64encode(os.urandom((payload_bytes - len(text)) * 3 // 4)).decode()
            memory["metadata"] = {"blob": blob}
        memories.append(memory)
    agent.call("POST", "/api/v1/memories:batch", {"memories": memories})


def run_jobs(server, jobs):
    """Each job(agent, operator, random), begun in order by a few clients."""
    waiting, errors = queue.SimpleQueue(), []
    for job in jobs:
        waiting.put(job)

    def work(seed):
        agent, operator, choose = Caller(server), Caller(server, True), random.Random(seed)
        while not errors:
            try:
                waiting.get_nowait()(agent, operator, choose)
            except queue.Empty:
                return
            except Exception as error:  # reported by whoever waits for the threads
                errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def spread(few, many):
    """`few` among `many`, evenly and in order."""
    merged, taken = [], 0
    for number, one in enumerate(many, 1):
        merged.append(one)
        until = len(few) * number // len(many)
        merged += few[taken:until]
        taken = until
    return merged


def populate(server, memories, each_herd, payload_bytes):
    """The subjects of both herds, spread over a store of so many memories."""
    subjects = [Subject(herd, number) for number in range(each_herd) for herd in ("ghost", "alive")]
    batches = [lambda agent, _, choose: fill(agent, choose, payload_bytes)
               for _ in range(max(2, (memories - len(subjects)) // BATCH))]
    half = len(batches) // 2
    stores = [lambda agent, operator, _, s=s: s.store(agent) for s in subjects]
    revisions = [lambda agent, operator, _, s=s: s.revise(agent, operator) for s in subjects]
    run_jobs(server, spread(stores, batches[:half]))
    Caller(server, True).call("POST", "/api/v1/snapshots", {"name": "halfway"})
    run_jobs(server, spread(revisions, batches[half:]))
    return subjects
