#!/usr/bin/env python3
"""Holds the schema to the one before it.

`flatc --conform` finds changed ids and types; it misses removals, renames, `required` and changed
structs, so the declarations are compared too: everything that was there must still be there, as it
was. When a schema has grown, copy it over tests/schema/previous in the same commit.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREVIOUS = ROOT / "tests" / "schema" / "previous"
CURRENT = ROOT / "schema"


def declarations(text):
    """{declaration: {member: its text}} of tables and structs, and [members] of enums and unions."""
    text = re.sub(r"//[^\n]*", "", text)
    found = {}
    for kind, name, body in re.findall(r"\b(table|struct|enum|union)\s+(\w+)[^{]*\{([^}]*)\}", text):
        separator = ";" if kind in ("table", "struct") else ","
        members = [" ".join(m.split()) for m in body.split(separator) if m.strip()]
        found[kind, name] = members
    return found


def problems(before, after):
    was, now = declarations(before), declarations(after)
    for (kind, name), members in was.items():
        if (kind, name) not in now:
            yield f"{kind} {name} is gone"
        elif kind == "table":
            for member in members:
                if member not in now[kind, name]:
                    yield f"{kind} {name}: '{member}' is gone or changed"
            for member in now[kind, name]:
                if "required" in member and member not in members:
                    yield f"{kind} {name}: '{member}' may not be required"
        elif kind == "struct" and members != now[kind, name]:
            yield f"struct {name} changed its layout"
        elif kind in ("enum", "union") and now[kind, name][: len(members)] != members:
            yield f"{kind} {name} lost or moved a member"


def conforms(before, after):
    """Whether flatc accepts the file `after` as a successor of `before`."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run(["flatc", "--cpp", "-o", out, "-I", str(CURRENT), "--conform",
                               str(before), "--conform-includes", str(PREVIOUS), str(after)],
                              capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def control():
    """A removal, a rename, a moved union member and a changed struct must each be seen."""
    before = (PREVIOUS / "entry.fbs").read_text()
    spoiled = [before.replace("  cause: uint64 (id: 9);", ""),
               before.replace("session: uint64", "sitting: uint64"),
               before.replace("SpaceCreated, TokenIssued", "TokenIssued, SpaceCreated"),
               before.replace("struct Id { high: uint64;", "struct Id { high: uint32;")]
    return all(text != before and list(problems(before, text)) for text in spoiled)


def main():
    if not control():
        sys.exit("the check itself is broken: it misses a change it must see")
    bad = []
    for previous in sorted(PREVIOUS.glob("*.fbs")):
        current = CURRENT / previous.name
        bad += [f"{previous.name}: {p}" for p in problems(previous.read_text(), current.read_text())]
        accepted, message = conforms(previous, current)
        if not accepted:
            bad.append(f"{previous.name}: {message.strip()}")
    if bad:
        sys.exit("the schema breaks with the past:\n" + "\n".join(bad))


if __name__ == "__main__":
    main()
