#!/usr/bin/env python3
"""Every decoder and parser that a header declares is reached by a fuzz target.

A decoder is a function whose name begins with Parse or Decode and that may refuse its input. It
counts as reached when a file in fuzz/ names it (Class::Parse for a static one). One that is reached
through another stands in THROUGH, with the one that calls it.

usage: fuzz_test.py SOURCE_DIR | --self-test
"""
import pathlib
import re
import sys

FOLDERS = ("engine", "index", "server", "tools")
DECLARATION = re.compile(
    r"^(?:class|struct) (?:\[\[\w+\]\] )?(\w+)[^;]*\{|"
    r"(static )?(?:Result|std::optional|RpcResult)<[^;()]*> ((?:Parse|Decode)\w*)\(", re.MULTILINE)

THROUGH = {
    "ParseFields": "http_fuzz: every request's head",
}


def decoders(header):
    """The names that a header declares: Parse..., or Class::Parse for a static member."""
    owner, names = "", []
    for match in DECLARATION.finditer(header):
        if match.group(1):
            owner = match.group(1)
        else:
            names.append(f"{owner}::{match.group(3)}" if match.group(2) else match.group(3))
    return names


def missing(headers, targets):
    return sorted(name for header in headers for name in decoders(header)
                  if name not in targets and name not in THROUGH)


def self_test():
    header = "class Entry {\n  static Result<Entry> Parse(std::string bytes);\n};\n" \
             "Result<int> ParseNumber(std::string_view text);\n"
    assert decoders(header) == ["Entry::Parse", "ParseNumber"]
    assert missing([header], "Entry::Parse(bytes)") == ["ParseNumber"]
    assert missing([header], "perdure::ParseNumber(x) Entry::Parse(y)") == []
    print("1 passed, 0 failed")


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    headers = [path.read_text() for folder in FOLDERS for path in sorted((root / folder).rglob("*.h"))]
    targets = "\n".join(path.read_text() for path in (root / "fuzz").glob("*.cc"))
    found = sum(len(decoders(header)) for header in headers)
    faults = missing(headers, targets)
    for name in faults:
        print(f"{name} is reached by no target in fuzz/: call it from one, or say in THROUGH how it is")
    stale = [name for name in THROUGH
             if not any(name in decoders(header) for header in headers)]
    for name in stale:
        print(f"THROUGH names {name}, which no header declares")
    print(f"{found} decoders, {len(faults) + len(stale)} faults")
    sys.exit(1 if faults or stale or not found else 0)


if __name__ == "__main__":
    main()
