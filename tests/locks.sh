#!/bin/sh
# Whether what a mutex guards is used with it held: locks.sh. Clang's thread safety analysis reads
# every source of the product; nothing is built but the headers that the schema makes.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/setup.sh"

install_packages build fuzz
fetch_inputs
configure release
build release perdure_schema_headers
exec python3 - "$root" "$(build_jobs)" <<'END'
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
PRODUCT = ("engine/", "index/", "server/", "tools/")
ANALYSIS = ["-fsyntax-only", "-Wno-everything", "-Werror", "-Wthread-safety",
            "-Wthread-safety-beta"]
CONTROL = """
#include "engine/base/mutex.h"
using perdure::MutexLock;
struct Guarded {
  int Get() { %s return value_; }
  perdure::Mutex first_ ACQUIRED_BEFORE(mutex_);
  perdure::Mutex mutex_;
  int value_ GUARDED_BY(mutex_) = 0;
};
"""
LOCK, FIRST = "const MutexLock lock(mutex_);", "const MutexLock first(first_);"
CONTROLS = {  # what Get does first: what must be said of it
    "": "reading variable 'value_' requires holding mutex 'mutex_'",
    LOCK + FIRST: "mutex 'first_' must be acquired before 'mutex_'",
    FIRST + LOCK: "",
}


def flags_of(entry):
    """What the compiler of record is called with, but for warnings and files."""
    words = shlex.split(entry["command"])
    while not re.search(r"(?:g|clang)\+\+[-\d.]*$", words[0]):
        words.pop(0)  # a launcher
    kept, skips = [], False
    for word in words[1:]:
        if skips or word == "-o":
            skips = word == "-o"
        elif word != "-c" and not word.startswith("-W") and word != entry["file"]:
            kept.append(word)
    return kept


def findings(entry, source=None):
    """What the analysis says; empty when all is well. With `source`: of that text."""
    files = ["-xc++", "-"] if source else [entry["file"]]
    run = subprocess.run(["clang++-19", *flags_of(entry), *ANALYSIS, *files],
                         cwd=entry["directory"], input=source or "", capture_output=True, text=True)
    return run.stderr if run.returncode != 0 else ""


entries = {}
for entry in json.loads((ROOT / "build/release/compile_commands.json").read_text()):
    path = os.path.relpath(entry["file"], ROOT)
    if path.startswith(PRODUCT):
        entries[path] = entry

some = entries["engine/engine.cc"]
missed = 0
for does, wanted in CONTROLS.items():
    said = findings(some, CONTROL % does)
    if wanted not in said or (said and not wanted):
        missed += 1
        print(f"--- a control\n{CONTROL % does}of this was wanted: {wanted!r}, and said: {said!r}")

with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2])) as pool:
    found = dict(zip(entries, pool.map(findings, entries.values())))
for path, said in found.items():
    if said:
        print(f"--- {path}\n{said}")
failed = sum(map(bool, found.values())) + missed

sources = [path.read_text() for folder in PRODUCT for path in (ROOT / folder).rglob("*.[hc]*")
           if path.suffix in (".h", ".cc") and path.name != "thread_annotations.h"]
guarded, left_out = (sum(text.count(word) for text in sources)
                     for word in (" GUARDED_BY(", "NO_THREAD_SAFETY_ANALYSIS"))
print(f"figures: {guarded} guarded members in {len(entries)} sources, {left_out} functions left out")
print(f"{len(entries) + len(CONTROLS) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
END
