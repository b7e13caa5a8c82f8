#!/usr/bin/env python3
"""A malformed line of injection_patterns.txt is refused by its number, and names why.

usage: injection_table_test.py SOURCE_DIR
"""
import pathlib
import subprocess
import sys
import tempfile

GOOD = """\
# a comment
set $verbs ignore|forget
pattern one
language en
source somewhere
match !we|they $verbs ..3 rules|instruction*
match "<|x|>" 忽略
hit ignore the rules
miss the rules
"""

# (line of GOOD, what stands there instead, what the message says)
MALFORMED = (
    (2, "set verbs ignore", "a set reads"),
    (2, "set $verbs", "a set reads"),
    (2, "set $verbs $other", "is not a set"),
    (2, "set $verbs ignore|ignore", "stands there twice"),
    (2, "set $verbs ignore||forget", "is not one word"),
    (2, "set $verbs x" + "y" * 48, "longer than 48 bytes"),
    (2, "language en", "before the first pattern"),
    (3, "pattern One", "lower case"),
    (4, "language english", "two letters"),
    (5, "sauce somewhere", "is no field"),
    (5, "source", "has no value"),
    (6, "match ignore", "a single word"),
    (6, "match ignore ..0 rules", "a gap is 1 to 12"),
    (6, "match ignore ..13 rules", "a gap is 1 to 12"),
    (6, "match ..2 rules", "between two elements"),
    (6, "match ignore ..2", "ends with an element"),
    (6, "match ignore ..2 ..2 rules", "between two elements"),
    (6, "match ignore !we rules", "is not one word"),
    (6, "match ignore $nouns", "is not a set"),
    (6, "match ig-nore rules", "is not one word"),
    (6, "match *  rules", "is not one word"),
    (6, "match 忽略x rules", "words of their own"),
    (6, "match 忽略* rules", "words of their own"),
    (7, 'match "<|x rules', "is not a literal"),
    (7, 'match "x|>" rules', "begins with a symbol"),
    (7, 'match ".x" rules', "begins with a symbol"),
)
# (the line that is blamed, text)
INCOMPLETE = (
    (3, GOOD.replace("hit ignore the rules\n", ""), "has no hits"),
    (3, GOOD.replace("miss the rules\n", ""), "has no misses"),
    (3, GOOD.replace("source somewhere\n", ""), "has no source"),
    (10, GOOD + "pattern one\n", "named twice"),
    (10, GOOD + "set $verbs x\n", "named twice"),
    (1, "# nothing\n", "no pattern"),
)


def run(tool, folder, text):
    patterns = folder / "patterns.txt"
    patterns.write_text(text, encoding="utf-8")
    outputs = [folder / "table.h", folder / "examples.h"]
    for output in outputs:
        output.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, tool, patterns, *outputs], capture_output=True, text=True)
    return done.returncode, done.stderr, [output.exists() for output in outputs]


def cases():
    for line, instead, why in MALFORMED:
        lines = GOOD.splitlines()
        lines[line - 1] = instead
        yield line, "\n".join(lines) + "\n", why
    yield from INCOMPLETE


def main():
    tool = pathlib.Path(sys.argv[1], "engine", "decide", "injection_table.py")
    faults = []
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        code, said, made = run(tool, folder, GOOD)
        if code != 0 or said or made != [True, True]:
            faults.append(f"the well-formed file was refused: {said}")
        table = (folder / "table.h").read_bytes()
        run(tool, folder, GOOD)
        if (folder / "table.h").read_bytes() != table:
            faults.append("the same patterns gave other bytes")
        for line, text, why in cases():
            code, said, made = run(tool, folder, text)
            if code != 1 or f"patterns.txt:{line}: " not in said or why not in said or any(made):
                faults.append(f"line {line}, {why!r}: exit {code}, {said.strip()!r}, made {made}")
    for fault in faults:
        print(fault)
    print(f"{len(MALFORMED) + len(INCOMPLETE)} malformed files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
