#!/usr/bin/env python3
"""Checks an answer of log_proof (GET /api/v1/proof, `perdure log prove --json`), sharing no code with
Perdure: Python 3 alone. The rules: docs/PROOFS.md, docs/FORMAT.md.

usage: check_proof.py ANSWER.json KEYS [HEAD]

KEYS is a file with the verifier keys that may sign, one a line, received by a way of its own. HEAD is
a tree head from an earlier answer; this one must then have been asked for with its size as
old_size. Exit code 0 only when everything holds.
"""

import json
import pathlib
import sys

from tree_head import Refused, b64, need, open_head, parse_key, sha


def walk(index, last, path, seeds):
    """The loop of 2.1.3.2 and 2.1.4.2: every seed takes the left siblings, the last one the right
    siblings too."""
    for sibling in path:
        need(last > 0, "the length of the path")
        if index & 1 or index == last:
            seeds = [sha(b"\1" + sibling + seed) for seed in seeds]
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            seeds[-1] = sha(b"\1" + seeds[-1] + sibling)
        index, last = index >> 1, last >> 1
    need(last == 0, "the length of the path")
    return seeds


def check_inclusion(index, entry, path, size, root):
    need(0 <= index < size, "the entry lies under the head")
    seeds = walk(index, size - 1, path, [sha(b"\0" + entry)])
    need(seeds == [root], f"entry {index + 1} is under the head")


def check_consistency(old_size, old_root, path, size, root):
    need(0 < old_size <= size, "the kept head is the older one")
    if old_size == size:
        need(not path and old_root == root, "the two heads are equal")
        return
    path = path if old_size & (old_size - 1) else [old_root, *path]
    need(path, "the length of the path")
    index, last = old_size - 1, size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    roots = walk(index, last, path[1:], [path[0], path[0]])
    need(roots == [old_root, root], "the head extends the kept one")


def check_proof(answer, keys, heads):
    origin, size, root = open_head(answer["tree_head"], keys)
    print(f"the head of {size} entries is signed")
    if "inclusion" in answer:
        proof = answer["inclusion"]
        path = [b64(sibling) for sibling in proof["path"]]
        check_inclusion(proof["seq"] - 1, b64(proof["entry"]), path, size, root)
        print(f"entry {proof['seq']} is under the head of {size} entries")
    for head in heads:
        need("consistency" in answer, "the answer has a consistency proof (ask with old_size)")
        old_origin, old_size, old_root = open_head(head, keys)
        need(old_origin == origin, "the kept head is one of this log")
        path = [b64(sibling) for sibling in answer["consistency"]["path"]]
        check_consistency(old_size, old_root, path, size, root)
        print(f"the head of {size} entries extends the one of {old_size}")


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        answer, keys, *heads = (pathlib.Path(name).read_text("utf-8") for name in sys.argv[1:])
        check_proof(json.loads(answer), [parse_key(line) for line in keys.split()], heads)
    except (Refused, ValueError, KeyError, TypeError, OSError) as problem:
        print(f"does not hold: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
