"""Signed tree heads (C2SP tlog-checkpoint) for verify.py and check_proof.py: docs/FORMAT.md."""

import base64
import hashlib


class Refused(Exception):
    pass


def need(holds, what):
    if not holds:
        raise Refused(what)


def sha(data):
    return hashlib.sha256(data).digest()


def b64(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Refused(f"base64: {error}") from None
    need(base64.b64encode(data).decode() == text, "base64: the one way of writing these bytes")
    return data


# --- Ed25519 (RFC 8032, section 5.1), for verifying only: nothing here is secret
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(number, point):
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = add(total, point)
        point, number = add(point, point), number >> 1
    return total


def point_of(data):
    y, odd = int.from_bytes(data, "little") & (1 << 255) - 1, data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and odd):
        return None
    x = x if x & 1 == odd else P - x
    return x, y, 1, x * y % P


def bytes_of(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = point_of((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signed(key, message, signature):
    point, s = point_of(key) if len(key) == 32 else None, int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or s >= L or multiply(8, point)[0] == 0:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    minus = (P - point[0], point[1], 1, P - point[3])
    return bytes_of(add(multiply(s, BASE), multiply(k, minus))) == signature[:32]


# --- signed tree heads
def parse_key(line):
    """(name, key id, public key) of a verifier key."""
    name, _, rest = line.partition("+")
    key_id, _, key = rest.partition("+")
    key = b64(key)
    need(name and key[:1] == b"\1" and len(key) == 33, "a verifier key is malformed")
    need(sha(name.encode() + b"\n" + key)[:4].hex() == key_id, "the id in a verifier key")
    return name, bytes.fromhex(key_id), key[1:]


def open_head(note, keys):
    """(origin, size, root) of a tree head that one of the keys signed under its name."""
    body, blank, signatures = note.rpartition("\n\n")
    need(blank and body.count("\n") >= 2, "a tree head is malformed")
    origin, size, root = body.split("\n")[:3]
    need(size.isdecimal() and str(int(size)) == size, "the size in a tree head")
    need(signatures.endswith("\n"), "a tree head is cut off")
    for line in signatures[:-1].split("\n"):
        parts = line.split(" ")
        need(len(parts) == 3 and parts[0] == "\u2014", "a signature line is malformed")
        signature = b64(parts[2])
        for name, key_id, key in keys:
            if (name, key_id) == (parts[1], signature[:4]) and name == origin:
                signed = is_signed(key, (body + "\n").encode(), signature[4:])
                need(signed, f"the signature of the head of {size} entries")
                need(len(b64(root)) == 32, "the root in a tree head")
                return origin, int(size), b64(root)
    raise Refused(f"the head of {size} entries is signed by none of the keys that were given")
