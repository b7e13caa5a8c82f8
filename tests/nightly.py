#!/usr/bin/env python3
"""Runs harnesses at full size and keeps their figures: nightly.py [--list | HARNESS...]

A harness says how it went with its exit code and, where it counts, with a last line "N passed, N
failed" or as GoogleTest does; each line "figures: ..." of its output is kept. The rows go into
docs/TESTING.md between its two markers, with the commit that was run.
"""

import datetime
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "nightly"
PAGE = ROOT / "docs" / "TESTING.md"
BEGIN, END = "<!-- written by tests/nightly.py: begin -->\n", "<!-- end -->\n"
HEAD = "| harness | commit | day | result | figures | minutes |\n|---|---|---|---|---|---|\n"
PROGRAM = "build/release/perdure"


def programs(pattern):
    """The test programs whose names match."""
    return ["ctest", "--test-dir", "build/release", "--verbose", "--timeout", "43200",
            "--tests-regex", f"^({pattern})$"]


def script(name):
    return ["sh", f"tests/{name}/run.sh", PROGRAM]


FULL = {"PERDURE_NIGHTLY": "1"}
# name: command, environment
HARNESSES = {
    "power cuts": (programs("power_cut_test"), FULL),
    "faults": (programs("allocation_test|clock_test|disk_fault_test|full_disk_test"), FULL),
    "facts": (programs("engine_facts_test"), FULL),
    "places": (programs("engine_places_test"), FULL),
    "bit flips": (programs("bitflips_test"), FULL),
    "simulation": (programs("simulation_test"), FULL),
    "determinism": (["sh", "tests/determinism/matrix.sh"], {}),
    "proofs": (script("audit"), FULL),
    "erasure at scale": (script("erasure"), FULL),
    "kill -9": (script("crash"), {"PERDURE_CRASH_ROUNDS": "50"}),
    "authorisation, forgeries": (programs("server_api_test|server_http_test"), FULL),
    "abuse": (script("abuse"), FULL),
    "conformance": (script("conformance"), FULL),
    "soak": (script("soak"), {"PERDURE_SOAK_SECONDS": "3600"}),
    "fuzzing": (["sh", "fuzz/run.sh", "300"], {}),
    "coverage": (["sh", "tests/coverage.sh"], {}),
    "lock annotations": (["sh", "tests/locks.sh"], {}),
    "asan, ubsan": (["sh", "tools/test.sh", "--preset", "asan"], {}),
    "tsan": (["sh", "tools/test.sh", "--preset", "tsan"], {}),
}


def counts(output):
    """(passed, failed) as the harness says; None when it does not count."""
    said = re.findall(r"^(\d+) passed, (\d+) failed", output, re.M)
    if said:
        return tuple(map(int, said[-1]))
    passed = re.findall(r"^(?:\d+: )?\[  PASSED  \] (\d+) test", output, re.M)
    failed = re.findall(r"^(?:\d+: )?\[  FAILED  \] (\d+) test", output, re.M)
    return (sum(map(int, passed)), sum(map(int, failed))) if passed else None


def commit():
    """The commit that stands in the tree, with a plus when files differ from it."""
    def git(*args):
        return subprocess.check_output(["git", *args], cwd=ROOT, text=True).strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/TESTING.md")
    return git("rev-parse", "--short=9", "HEAD") + ("+" if changed else "")


def run(name):
    """Runs one harness; its row, and whether it passed."""
    command, environment = HARNESSES[name]
    version = commit()
    start = time.monotonic()
    log = LOGS / (re.sub(r"\W+", "-", name) + ".log")
    with open(log, "w", encoding="utf-8") as out:
        code = subprocess.call(command, cwd=ROOT, env={**os.environ, **environment}, stdout=out,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    output = log.read_text(encoding="utf-8", errors="replace")
    known = counts(output)
    passed = code == 0 and (known is None or (known[0] > 0 and known[1] == 0))
    result = f"{known[0]} passed, {known[1]} failed" if known else f"exit code {code}"
    figures = "; ".join(re.findall(r"^(?:\d+: )?figures: (.+)$", output, re.M)).replace("|", "/")
    minutes = (time.monotonic() - start) / 60
    day = datetime.date.today().isoformat()
    return f"| {name} | {version} | {day} | {result} | {figures} | {minutes:.1f} |\n", passed


def record(name, row):
    """Puts the row into the page; the rows stand in the order of HARNESSES."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    table, after = rest.split(END)
    rows = {line.split(" | ")[0][2:]: line for line in table.splitlines(True)[2:]}
    rows[name] = row
    ordered = "".join(rows[known] for known in HARNESSES if known in rows)
    PAGE.write_text(before + BEGIN + HEAD + ordered + END + after, encoding="utf-8")


def main(names):
    if names == ["--list"]:
        print("\n".join(HARNESSES))
        return 0
    unknown = [name for name in names if name not in HARNESSES]
    if unknown:
        sys.exit(f"nightly.py: there is no harness named {unknown}; --list names them")
    LOGS.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in names or HARNESSES:
        print(f"nightly: {name}", flush=True)
        row, passed = run(name)
        print(row, end="", flush=True)
        record(name, row)
        if not passed:
            failed.append(name)
    print("nightly: all passed" if not failed else f"nightly: FAILED: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
