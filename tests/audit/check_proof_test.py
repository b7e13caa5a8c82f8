"""check_proof.py: answers of the program, every small proof, and forged ones."""

import json
import random
import subprocess
import sys

import forge
import check_proof
from tree_head import Refused

SIZE = 64  # every proof of every tree up to this size
FORGERIES = 10_000


def holds(function, *arguments):
    try:
        function(*arguments)
    except (Refused, IndexError):
        return False
    return True


def answers(check, store, script):
    """Answers of `perdure log prove`."""
    kept, answer = store.work / "kept", store.work / "answer.json"
    old_size = kept.read_text().split("\n")[1]
    asked = ("log", "prove", "--seq", "3", "--old-size", old_size, "--json")
    good = store.run(*asked).stdout

    def ask(text):
        answer.write_text(text)
        return subprocess.run([sys.executable, script, answer, store.work / "key", kept],
                              capture_output=True, text=True)

    run = ask(good)
    check("check_proof.py finds an answer of the program good", run.returncode == 0
          and len(run.stdout.splitlines()) == 3, run.stdout + run.stderr)
    for name, change in (
        ("another seq", lambda a: a["inclusion"].update(seq=4)),
        ("another entry", lambda a: a["inclusion"].update(entry=a["root"])),
        ("a shorter path", lambda a: a["inclusion"]["path"].pop()),
        ("a shorter consistency path", lambda a: a["consistency"]["path"].pop()),
        ("another root", lambda a: a.update(tree_head=a["tree_head"].replace(
            a["root"], a["inclusion"]["leaf_hash"]))),
        ("no consistency proof", lambda a: a.pop("consistency")),
    ):
        forged = json.loads(good)
        change(forged)
        run = ask(json.dumps(forged))
        check(f"check_proof.py refuses {name}", run.returncode == 1 and "does not hold" in run.stderr,
              run.stdout + run.stderr)


def small_proofs(check):
    naive = forge.NaiveTree([b"leaf %d" % n for n in range(SIZE)])
    bad = 0
    for size in range(1, SIZE + 1):
        root = naive.root(0, size)
        for index in range(size):
            path = naive.path(index, 0, size)
            bad += not holds(check_proof.check_inclusion, index, naive.leaves[index], path, size, root)
        for old in range(1, size + 1):
            path = naive.subproof(old, 0, size, True)
            bad += not holds(check_proof.check_consistency, old, naive.root(0, old), path, size, root)
    check(f"every proof up to size {SIZE} holds", bad == 0, f"{bad} do not")


def other_path(rng, path):
    """The path with a bit flipped, or a hash dropped, doubled, added or swapped."""
    path = list(path)
    at = rng.randrange(len(path)) if path else 0
    kind = rng.randrange(5) if path else 0
    if kind == 0:
        path.insert(at, rng.randbytes(32))
    elif kind == 1:
        path[at] = bytes([path[at][0] ^ 1]) + path[at][1:]
    elif kind == 2:
        del path[at]
    elif kind == 3:
        path.insert(at, path[at])
    else:
        path.append(path.pop(0)) if len(path) > 1 else path.append(path[0])
    return path


def forged_proofs(check):
    size_max, rng = 200, random.Random(11)
    naive = forge.NaiveTree([b"leaf %d" % n for n in range(size_max)])
    refused = unsound = 0
    for _ in range(FORGERIES):
        size = rng.randrange(2, size_max + 1)
        root, index, old = naive.root(0, size), rng.randrange(size), rng.randrange(1, size)
        if rng.randrange(2):
            good = [index, naive.leaves[index], naive.path(index, 0, size), size, root]
            function, forged = check_proof.check_inclusion, list(good)
            change = rng.randrange(4)
            forged[0] = (index + rng.randrange(1, size)) % size if change == 0 else index
            forged[1] = naive.leaves[index] + b"x" if change == 1 else forged[1]
            forged[2] = other_path(rng, good[2]) if change >= 2 else forged[2]
        else:
            good = [old, naive.root(0, old), naive.subproof(old, 0, size, True), size, root]
            function, forged = check_proof.check_consistency, list(good)
            change = rng.randrange(4)
            forged[1] = forge.sha(forged[1]) if change == 0 else forged[1]
            forged[4] = forge.sha(forged[4]) if change == 1 else forged[4]
            forged[2] = other_path(rng, good[2]) if change >= 2 else forged[2]
        if forged == good:
            forged[2] = good[2] + [root]
        unsound += not holds(function, *good)
        refused += not holds(function, *forged)
    check(f"{FORGERIES} forged proofs are refused", refused == FORGERIES, f"only {refused}")
    check("each beside a good one that holds", unsound == 0, f"{unsound} good ones do not")


def run(check, store, script):
    answers(check, store, script)
    small_proofs(check)
    forged_proofs(check)
