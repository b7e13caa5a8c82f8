#!/usr/bin/env python3
"""Checks a space that `perdure export` wrote, sharing no code with Perdure: Python 3 alone, written
from docs/FORMAT.md. What the checks mean, and what they cannot see: docs/PROOFS.md.

usage: verify.py EXPORT KEYS [HEAD...]

KEYS is a file with the verifier keys that may sign, one a line, received by a way of its own: a key
that comes with the data proves nothing. Each HEAD is a tree head kept from before: what it covered
must still be there, unchanged. Exit code 0 only when everything holds; else the first bad entry is
named.
"""

import hashlib
import os
import pathlib
import struct
import sys

from tree_head import Refused, need, open_head, parse_key, sha

ERASING = (15, 22, 42)  # MemoryErased, PayloadsCompacted, SuppressionErased
LOG_RESTORED = 41


class Tree:
    """RFC 9162, section 2.1, as it grows."""

    def __init__(self):
        self.size, self.peaks = 0, []  # roots of the perfect subtrees, largest first

    def append(self, entry):
        node, size = sha(b"\0" + entry), self.size
        while size & 1:
            node, size = sha(b"\1" + self.peaks.pop() + node), size >> 1
        self.peaks.append(node)
        self.size += 1

    def root(self):
        if not self.peaks:
            return sha(b"")
        root = self.peaks[-1]
        for peak in self.peaks[-2::-1]:
            root = sha(b"\1" + peak + root)
        return root


# --- an export
U16, U32, I32, U64, I64 = (struct.Struct("<" + kind).unpack_from for kind in "HIiQq")


def read_entry(data):
    """(format, space, seq, time, prev_hash, payload digest, seqs that it erased, branch that it
    began or None) of an entry."""
    need(data[4:8] == b"PDE1", "the identifier")
    table = U32(data, 0)[0]
    vtable = table - I32(data, table)[0]
    need(0 <= vtable, "the vtable")
    places = vtable + U16(data, vtable)[0]

    def place(field):
        at = vtable + 4 + 2 * field
        offset = U16(data, at)[0] if at + 2 <= places else 0
        return table + offset if offset else 0

    def value(field, read):
        at = place(field)
        return read(data, at)[0] if at else 0

    prev, digest, kind, event = place(7), place(8), value(11, lambda d, at: (d[at],)), place(12)
    need(prev and prev + 32 <= len(data) and digest + 32 <= len(data) and kind and event, "a field")
    table_of_event = event + U32(data, event)[0]
    erased = covered(data, table_of_event) if kind in ERASING else ()
    branch = branch_of(data, table_of_event) if kind == LOG_RESTORED else None
    return (value(0, U16), value(1, U32), value(2, U64), value(3, I64), data[prev : prev + 32],
            data[digest : digest + 32] if digest else None, erased, branch)


def covered(data, table):
    """Field 1 of a MemoryErased, PayloadsCompacted or SuppressionErased."""
    vtable = table - I32(data, table)[0]
    at = U16(data, vtable + 6)[0] if U16(data, vtable)[0] >= 8 else 0
    if not at:
        return ()
    vector = table + at + U32(data, table + at)[0]
    return struct.unpack_from(f"<{U32(data, vector)[0]}Q", data, vector + 4)


def branch_of(data, table):
    """Field 2 of a LogRestored."""
    vtable = table - I32(data, table)[0]
    at = U16(data, vtable + 8)[0] if U16(data, vtable)[0] >= 10 else 0
    return U64(data, table + at)[0] if at else 0


class Audit:
    """Takes the records of an export one after another."""

    def __init__(self, keys, heads):
        self.keys, self.heads = keys, sorted(open_head(head, keys) for head in heads)
        self.heads = [head for head in self.heads if head[1] > 0]
        self.tree, self.space, self.name, self.origin = Tree(), None, None, None
        self.restored = []  # entries with which files of a backup became the log
        self.hash, self.time, self.digest = bytes(32), None, None
        self.gone, self.erased, self.present = set(), set(), set()
        self.sealed, self.sure = 0, 0  # entries under the last seal, and under a kept head

    def take(self, kind, data):
        need((self.space is None) == (kind == b"S"), "the space is named once, at the beginning")
        if kind == b"S":
            self.space, self.name = int.from_bytes(data[:4], "big"), "perdure/" + data[4:].decode()
            self.origin = self.name
        elif kind == b"E":
            self.take_entry(data)
        elif kind == b"K":
            need(self.tree.size == 0, "the secret is in its place")  # nothing to check without the passphrase
        elif kind == b"P":
            seq = self.tree.size
            need(sha(data) == self.digest, f"the payload of entry {seq} is the one written")
            self.digest = None
            self.gone.discard(seq)
            self.present.add(seq)
        else:
            self.take_seal(data)

    def take_entry(self, data):
        seq = self.tree.size + 1
        try:
            form, space, named, time, prev, digest, erased, branch = read_entry(data)
        except (struct.error, IndexError, Refused):
            raise Refused(f"entry {seq} is malformed") from None
        need(form == 1 and space == self.space, f"entry {seq} is of this format and space")
        need(named == seq, f"entry {seq} is in its place, where {named} stands")
        need(prev == self.hash, f"entry {seq - 1} is the one whose hash entry {seq} carries")
        need(self.time is None or time > self.time, f"entry {seq} is later than the one before")
        self.hash, self.time, self.digest = sha(data), time, digest
        if digest:
            self.gone.add(seq)
        self.erased.update(erased)
        if branch is not None:
            self.origin = f"{self.name}/{branch:016x}"
            self.restored.append(seq)
        self.tree.append(data)
        while self.sure < len(self.heads) and self.heads[self.sure][1] == seq:
            self.check_head(*self.heads[self.sure])

    def check_head(self, origin, size, root):
        first = self.heads[self.sure - 1][1] + 1 if self.sure else 1
        need(origin == self.origin, "a kept head is one of this log")
        need(self.tree.root() == root, f"entries {first} to {size} are those under the kept head")
        self.sure += 1

    def take_seal(self, data):
        line, _, note = data.decode().partition("\n")
        need(parse_key(line) in self.keys, "a seal is by a key that was given")
        origin, size, root = open_head(note, self.keys)
        need(origin == self.origin and size == self.tree.size, "a seal is in its place")
        need(root == self.tree.root(), f"entry {size} or one before is the one under the seal")
        self.sealed = size

    def finish(self):
        size = self.tree.size
        for _, kept, _ in self.heads[self.sure :]:
            raise Refused(f"entry {size + 1} is there: a kept head covers {kept} entries")
        need(self.space is not None and self.sealed == size, f"entry {size} is under a seal")
        for seq in sorted(self.gone - self.erased)[:1]:
            raise Refused(f"the payload of entry {seq} is there, or an entry says it was erased")
        for seq in sorted(self.present & self.erased)[:1]:
            raise Refused(f"the payload of entry {seq} is gone, as the log says")


def audit_export(path, keys, heads=()):
    audit, whole, payloads = Audit(keys, heads), hashlib.sha256(), 0
    with open(path, "rb") as file:
        left = os.fstat(file.fileno()).st_size - 8
        magic = file.read(8)
        need(magic == b"PDEXPRT1", "the file is an export")
        whole.update(magic)
        while True:
            head = file.read(5)
            size = int.from_bytes(head[1:], "big")
            left -= 5 + size
            need(len(head) == 5 and left >= 0, f"the file goes on after entry {audit.tree.size}")
            kind, data = head[:1], file.read(size)
            if kind == b"Z":
                break
            need(kind in b"SKEPH", f"the record after entry {audit.tree.size} has a known kind")
            whole.update(head + data)
            payloads += kind == b"P"
            audit.take(kind, data)
    audit.finish()
    counts = struct.pack(">QQ", audit.tree.size, payloads)
    need(data == counts + whole.digest() and left == 0, "the end record")
    return audit


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        keys, *heads = (pathlib.Path(name).read_text("utf-8") for name in sys.argv[2:])
        audit = audit_export(sys.argv[1], [parse_key(line) for line in keys.split()], heads)
    except (Refused, ValueError, OSError) as problem:
        print(f"does not hold: {problem}", file=sys.stderr)
        return 1
    print(f"{audit.origin}: {audit.tree.size} entries, {len(audit.present)} payloads "
          f"({len(audit.gone)} erased), {len(audit.heads)} kept heads: all hold")
    print(f"  root {audit.tree.root().hex()}")
    for seq in audit.restored:
        print(f"  entry {seq}: the log was restored from a backup; what came after the backup is not in it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
