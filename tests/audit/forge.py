"""What a forger can do to an export: take it apart, change it, and make all fit again that takes no
key, or the stolen key."""

import base64
import hashlib
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "audit"))
import tree_head  # noqa: E402
import verify  # noqa: E402


def sha(data):
    return hashlib.sha256(data).digest()


def parse(data):
    """The records of an export without its end, as [kind, bytes] lists."""
    records, at = [], 8
    while data[at : at + 1] != b"Z":
        size = int.from_bytes(data[at + 1 : at + 5], "big")
        records.append([data[at : at + 1], data[at + 5 : at + 5 + size]])
        at += 5 + size
    return records


def build(records):
    """An export of these records, with an end record that fits."""
    out = b"PDEXPRT1" + b"".join(k + struct.pack(">I", len(d)) + d for k, d in records)
    counts = [sum(kind == wanted for kind, _ in records) for wanted in (b"E", b"P")]
    return out + b"Z" + struct.pack(">IQQ", 48, *counts) + sha(out)


def entries(records):
    """The indexes of the entries among the records, by seq - 1."""
    return [at for at, (kind, _) in enumerate(records) if kind == b"E"]


def field(entry, number):
    """Where a field of an entry lies, 0 when it is absent."""
    table = struct.unpack_from("<I", entry, 0)[0]
    vtable = table - struct.unpack_from("<i", entry, table)[0]
    at = vtable + 4 + 2 * number
    inside = at + 2 <= vtable + struct.unpack_from("<H", entry, vtable)[0]
    offset = struct.unpack_from("<H", entry, at)[0] if inside else 0
    return table + offset if offset else 0


def put(entry, number, data):
    at = field(entry, number)
    return entry[:at] + data + entry[at + len(data) :]


def rechain(records):
    """Makes every entry carry the hash of the one before, and every payload fit its entry."""
    before = bytes(32)
    for at in entries(records):
        entry = put(records[at][1], 7, before)
        if at + 1 < len(records) and records[at + 1][0] == b"P":
            entry = put(entry, 8, sha(records[at + 1][1]))
        records[at][1] = entry
        before = sha(entry)


def sign(seed, message):
    """RFC 8032, section 5.1.6."""
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    public = tree_head.bytes_of(tree_head.multiply(scalar, tree_head.BASE))
    nonce = int.from_bytes(hashlib.sha512(digest[32:] + message).digest(), "little") % tree_head.L
    point = tree_head.bytes_of(tree_head.multiply(nonce, tree_head.BASE))
    k = int.from_bytes(hashlib.sha512(point + public + message).digest(), "little") % tree_head.L
    return public, point + ((nonce + k * scalar) % tree_head.L).to_bytes(32, "little")


def seal(records, seed, origin):
    """The last record: a seal over all entries by the key of this seed."""
    tree = verify.Tree()
    for at in entries(records):
        tree.append(records[at][1])
    body = f"{origin}\n{tree.size}\n{base64.b64encode(tree.root()).decode()}\n"
    public, signature = sign(seed, body.encode())
    key_id = sha(f"{origin}\n".encode() + b"\1" + public)[:4]
    key = f"{origin}+{key_id.hex()}+{base64.b64encode(b'%c' % 1 + public).decode()}"
    line = f"\u2014 {origin} {base64.b64encode(key_id + signature).decode()}\n"
    return [b"H", f"{key}\n{body}\n{line}".encode()]


class NaiveTree:
    """RFC 9162, section 2.1, word by word."""

    def __init__(self, leaves):
        self.leaves, self.roots = leaves, {}

    def root(self, begin, end):
        if (begin, end) not in self.roots:
            if end - begin == 1:
                root = sha(b"\0" + self.leaves[begin])
            else:
                k = begin + split(end - begin)
                root = sha(b"\1" + self.root(begin, k) + self.root(k, end))
            self.roots[begin, end] = root
        return self.roots[begin, end]

    def path(self, m, begin, end):
        if end - begin == 1:
            return []
        k = split(end - begin)
        if m < k:
            return self.path(m, begin, begin + k) + [self.root(begin + k, end)]
        return self.path(m - k, begin + k, end) + [self.root(begin, begin + k)]

    def subproof(self, m, begin, end, whole):
        if m == end - begin:
            return [] if whole else [self.root(begin, end)]
        k = split(end - begin)
        if m <= k:
            return self.subproof(m, begin, begin + k, whole) + [self.root(begin + k, end)]
        return self.subproof(m - k, begin + k, end, False) + [self.root(begin, begin + k)]


def split(n):
    return 1 << (n - 1).bit_length() - 1
