#!/usr/bin/env python3
"""Checks an answer of log_proof (GET /api/v1/proof), sharing no code with Perdure.

usage: check_proof.py ANSWER.json VERIFIER_KEY [KEPT_HEAD]

VERIFIER_KEY is a file with the space's verifier key, received by a way of its own: a key that comes
with the answer proves nothing. KEPT_HEAD is a tree head from an earlier answer; the answer must
then have been asked for with its size as old_size. Exit code 0 only when everything holds. Needs
Python 3 and the program openssl (1.1.1 or later, for Ed25519). The rules: docs/PROOFS.md, docs/FORMAT.md.
"""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile


def need(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def b64(text):
    return base64.b64decode(text, validate=True)


def verify_signature(public_key, message, signature):
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in ("key", "message", "signature")]
        der = bytes.fromhex("302a300506032b6570032100") + public_key  # RFC 8410, section 4
        for file, data in zip(files, (der, message, signature)):
            file.write_bytes(data)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-rawin"]
        command += ["-inkey", files[0], "-in", files[1], "-sigfile", files[2]]
        need(subprocess.run(command, capture_output=True).returncode == 0, "the signature")


def open_head(note, verifier_key):
    """(size, root) of a signed tree head."""
    name, _, key = verifier_key.split("+", 2)
    key = b64(key)  # 0x01, then the public key
    key_id = sha(name.encode(), b"\n", key)[:4]
    body, _, signatures = note.rpartition("\n\n")
    body += "\n"
    signed = False
    for line in signatures.splitlines():
        dash, signer, signature = line.split(" ")
        signature = b64(signature)
        if (dash, signer, signature[:4]) == ("\u2014", name, key_id):
            verify_signature(key[1:], body.encode(), signature[4:])
            signed = True
    need(signed, "a signature by the key of this space")
    origin, size, root = body.split("\n")[:3]
    need(origin == name, "the head is one of this log")
    return int(size), b64(root)


def walk(index, last, path, seeds):
    """The loop of RFC 9162, 2.1.3.2 and 2.1.4.2: every seed takes the left siblings, the last one
    the right siblings too."""
    for sibling in path:
        need(last > 0, "the length of the path")
        if index & 1 or index == last:
            seeds = [sha(b"\1", sibling, seed) for seed in seeds]
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            seeds[-1] = sha(b"\1", seeds[-1], sibling)
        index, last = index >> 1, last >> 1
    need(last == 0, "the length of the path")
    return seeds


def check_inclusion(proof, size, root):
    index = proof["seq"] - 1
    need(0 <= index < size, "the entry lies under the head")
    path = [b64(sibling) for sibling in proof["path"]]
    leaf = sha(b"\0", b64(proof["entry"]))
    need(walk(index, size - 1, path, [leaf]) == [root], f"entry {proof['seq']} is under the head")
    print(f"entry {proof['seq']} is under the head of {size} entries")


def check_consistency(proof, old_size, old_root, size, root):
    need(0 < old_size <= size, "the kept head is the older one")
    path = [b64(sibling) for sibling in proof["path"]]
    if old_size == size:
        need(not path and old_root == root, "the two heads are equal")
    else:
        if old_size & (old_size - 1) == 0:
            path.insert(0, old_root)
        need(path, "the length of the path")
        index, last = old_size - 1, size - 1
        while index & 1:
            index, last = index >> 1, last >> 1
        roots = walk(index, last, path[1:], [path[0], path[0]])
        need(roots == [old_root, root], "the head extends the kept one")
    print(f"the head of {size} entries extends the one of {old_size}")


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    answer, verifier_key, *kept = (pathlib.Path(name).read_text("utf-8") for name in sys.argv[1:])
    answer, verifier_key = json.loads(answer), verifier_key.strip()
    size, root = open_head(answer["tree_head"], verifier_key)
    print(f"the head of {size} entries is signed")
    if "inclusion" in answer:
        check_inclusion(answer["inclusion"], size, root)
    if kept:
        need("consistency" in answer, "the answer has a consistency proof (ask with old_size)")
        check_consistency(answer["consistency"], *open_head(kept[0], verifier_key), size, root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
