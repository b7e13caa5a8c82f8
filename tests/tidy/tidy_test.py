#!/usr/bin/env python3
"""The house style, as far as a fast reader of the sources can check it.

usage: tidy_test.py CHECKOUT      checks the checkout
       tidy_test.py --self-test   checks the checks: each must find its planted fault

Each rule is a function of one Source that yields (line, sentence). Comments and string literals
are blanked before code is looked at. clang-tidy (tools/lint.sh) goes deeper and takes longer.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

CODE_FOLDERS = ("schema", "engine", "index", "server", "tools", "tests", "fuzz")
PRODUCT = ("schema", "engine", "index", "server", "tools")
SKIPPED_FOLDERS = ("node_modules", "build")

# DESIGN, section 1: which folder may use which. A folder may always use itself.
MAY_USE = {
    "schema": (),
    "engine": ("schema",),
    "index": ("engine", "schema"),
    "server": ("index", "engine", "schema"),
    "tools": ("server", "index", "engine", "schema"),
    "tests": CODE_FOLDERS,
    "fuzz": CODE_FOLDERS,
}

# Which paths may include a library. Tests of the same room and the benchmark's raw peers may too.
CONFINED = {
    "rocksdb/": r"engine/storage/|tests/engine/storage/|tests/support/|tools/bench",
    "sqlite3.h": r"tools/bench",
    "hnswlib/": r"index/vector/|tests/index/vector/",
    "xapian": r"index/text/|tests/index/text/",
    "httplib.h": r"server/http/|tests/server/http/",
    "cmark-gfm": r"index/chunk/",
    "CLI/": r"tools/",
    "toml++/": r"tools/settings/",
    "openssl/": r"engine/base/",
    "sodium": r"engine/proof/",
}
# These break, or only sprawl, when a second product file includes them.
ONE_FILE = ("hnswlib/", "xapian")

HEADER_LINES_MAX = 200
SOURCE_LINES_MAX = 500
FUNCTION_LINES_MAX = 80
LINE_COLUMNS_MAX = 100

BANNED_EVERYWHERE = {
    r"\bnew\s+[A-Za-z_:(]": "no `new`: use std::make_unique or a value",
    r"(?<!=)(?<!= )(?<!operator )\bdelete\b(?!;)": "no `delete`: let an owner do it",
    r"\b(?:std::)?s?rand\s*\(": "no rand(): randomness is handed in",
    r"(?<![\w.>])(?:std::)?time\s*\(\s*(?:NULL|nullptr|0|&)": "no time(): the clock is handed in",
    r"\b(?:std::)?(?:localtime|gmtime)(?:_r)?\s*\(": "no localtime or gmtime: use std::chrono",
    r"(?<![\w.>:])(?:std::)?system\s*\(": "no system(): start no shell",
    r"\busing\s+namespace\s+(?!std::\w*literals\b)": "no `using namespace`",
    r"\bstd::endl\b": "no std::endl: write '\\n'",
    r"\b(?:strcpy|strcat|sprintf|gets|atoi|atol|atof)\s*\(": "unbounded or silent C call",
}
BANNED_OUTSIDE_TOOLS = {
    r"\b(?:std::)?v?(?:f|s|sn|d)?printf\s*\(": "no printf family: use fmt::format or the logger",
    r"\bfmt::print\s*\(": "no fmt::print outside tools/: use the logger",
    r"\b(?:std::)?(?:secure_)?getenv\s*\(": "no getenv outside tools/: settings are handed in",
    r"\bstd::(?:cout|cerr)\b": "no console output outside tools/",
}
# A failed check ends the program: it has no logger to hand its last words to. RocksDB hands its log
# lines over as printf formats.
SPEAKS = ("engine/base/check.cc", "engine/storage/info_log.cc")
# The product's locks carry annotations, which tests/locks.sh checks; the one header may use bare ones.
LOCKS = "engine/base/mutex.h"
BANNED_OUTSIDE_LOCKS = {
    r"\bstd::(?:\w*mutex|(?:unique|shared|scoped)_lock|lock_guard|condition_variable\w*)\b":
        "no bare lock: use engine/base/mutex.h",
}
# The core is pure: what these rooms need of the world is handed in.
PURE = re.compile(r"(?:engine/(?:decide|apply)/)")
BANNED_IN_PURE = {
    r"\bstd::chrono::\w+_clock\b": "decide and apply read no clock",
    r"\bstd::(?:random_device|mt19937\w*)\b": "decide and apply draw nothing at random",
    r"\bstd::(?:j?thread|mutex|shared_mutex|atomic|async)\b": "decide and apply share nothing",
    r"\b(?:(?:Shared)?Mutex|(?:Stoppable)?CondVar)\b": "decide and apply share nothing",
    r"\bstd::(?:[io]?fstream|filesystem)\b": "decide and apply touch no file",
    r"\bstd::unordered_\w+\b": "order may reach a byte: use std::map, std::set or a sorted vector",
}


@dataclasses.dataclass
class Source:
    path: str  # from the top of the checkout, with /
    text: str

    def __post_init__(self):
        self.folder = self.path.split("/")[0]
        self.lines = self.text.split("\n")
        self.code = blank(self.text)
        self.code_lines = self.code.split("\n")

    def includes(self):
        """(line, name, quoted) of each #include; read from the text, as blanking takes quotes."""
        for number, line in enumerate(self.lines, 1):
            match = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
            if match:
                yield number, match[1] or match[2], match[1] is not None


TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""
    r"""|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)\""""
    r"""|"(?:\\.|[^"\\\n])*\""""
    r"""|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)


def blank(text):
    """The text with comments and literals replaced by spaces, line ends kept."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def check_include_graph(source):
    allowed = MAY_USE[source.folder] + (source.folder,)
    for number, name, quoted in source.includes():
        if ".." in name.split("/"):
            yield number, f'"{name}": name the folder, never ../'
        elif not quoted:
            continue
        elif name.split("/")[0] in MAY_USE and name.split("/")[0] not in allowed:
            yield number, f'"{name}": {source.folder}/ may not use {name.split("/")[0]}/'
        elif "/" not in name and not name.endswith("_generated.h"):
            yield number, f'"{name}": write the whole path, "folder/room/file.h"'


def check_confined_libraries(source):
    for number, name, _ in source.includes():
        for library, where in CONFINED.items():
            if name.startswith(library) and not re.match(where, source.path):
                yield number, f"<{name}> belongs to {where.split('|')[0]} alone"


def is_header(source):
    """What ends in _inl.h is a source that several sources compile, each its own way."""
    return source.path.endswith(".h") and not source.path.endswith("_inl.h")


def check_lengths(source):
    most = HEADER_LINES_MAX if is_header(source) else SOURCE_LINES_MAX
    count = len(source.lines) - 1
    if count > most:
        yield most, f"{count} lines, over {most}: this file is two"
    for number, line in enumerate(source.lines, 1):
        if len(line) > LINE_COLUMNS_MAX and not re.search(r"https?://|R\"|#include", line):
            yield number, f"{len(line)} columns, over {LINE_COLUMNS_MAX}"


SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b[^()]*$")


def functions(code):
    """(first line, last line) of each outermost function body, by its braces.

    A body's brace stands after a space and some ")"; one right after a name opens an initialiser.
    """
    braces = []  # kinds of those open: "body", "initialiser" or "scope"
    head = 0  # where the text that introduces the next brace began
    start = 0
    line = 1
    for index, character in enumerate(code):
        if character == "\n":
            line += 1
        elif character == "{":
            introduction = code[head:index]
            if re.search(r"(?:[\w>(,{]|=\s*)$", introduction):
                braces.append("initialiser")
                continue
            is_body = ")" in introduction and not SCOPE.search(introduction.split(")")[-1])
            if is_body and "body" not in braces:
                start = line - introduction.lstrip().count("\n")
            braces.append("body" if is_body else "scope")
            head = index + 1
        elif character == "}":
            kind = braces.pop() if braces else "scope"
            if kind == "body" and "body" not in braces:
                yield start, line
            if kind != "initialiser":
                head = index + 1
        elif character == ";" and "initialiser" not in braces:
            head = index + 1


def check_function_lengths(source):
    for first, last in functions(source.code):
        if last - first + 1 > FUNCTION_LINES_MAX:
            yield first, f"a function of {last - first + 1} lines, over {FUNCTION_LINES_MAX}"


def check_banned(source):
    tables = [BANNED_EVERYWHERE]
    if source.folder not in ("tools", "tests", "fuzz") and source.path not in SPEAKS:
        tables.append(BANNED_OUTSIDE_TOOLS)
    if source.folder in PRODUCT and source.path != LOCKS:
        tables.append(BANNED_OUTSIDE_LOCKS)
    if PURE.match(source.path):
        tables.append(BANNED_IN_PURE)
    for table in tables:
        for pattern, sentence in table.items():
            for match in re.finditer(pattern, source.code):
                yield source.code.count("\n", 0, match.start()) + 1, sentence


def check_unfinished(source):
    for number, line in enumerate(source.lines, 1):
        if re.search(r"\b(?:TODO|FIXME)\b", line):
            yield number, "unfinished work is an issue, not a comment"


# Spelt in two halves, so that this file passes its own check.
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])(?:/wo" r"rk/|/ro" r"ot/|/ho" r"me/\w)")


def check_machine_paths(source):
    for number, line in enumerate(source.lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "names a path of one machine"


def check_pragma_once(source):
    if is_header(source) and "#pragma once" not in source.text:
        yield 1, "a header begins with #pragma once"


CPP_RULES = (
    check_include_graph,
    check_confined_libraries,
    check_lengths,
    check_function_lengths,
    check_banned,
    check_unfinished,
    check_machine_paths,
    check_pragma_once,
)
TEXT_RULES = (check_unfinished, check_machine_paths)
CPP_ENDINGS = (".h", ".cc")
TEXT_ENDINGS = (".py", ".sh", ".txt", ".cmake", ".fbs", ".yaml", ".json", ".js", ".mjs", ".html")


def check_one_file(sources):
    for library in ONE_FILE:
        users = sorted(
            source.path
            for source in sources
            if source.folder in PRODUCT
            and any(name.startswith(library) for _, name, _ in source.includes())
        )
        for path in users[1:]:
            yield path, 1, f"<{library}> is included by {users[0]} already, and one file is enough"


def check_format(checkout, sources):
    formatter = shutil.which("clang-format-19")
    if formatter is None:
        print("skipped: clang-format-19 is not installed")
        return
    paths = [source.path for source in sources]
    run = subprocess.run(
        [formatter, "--dry-run", "--Werror", *paths], cwd=checkout, capture_output=True, text=True
    )
    seen = set()
    for match in re.finditer(r"^([^\s:]+):(\d+):\d+: error", run.stderr, re.MULTILINE):
        if match[1] not in seen:
            seen.add(match[1])
            yield match[1], int(match[2]), "not as clang-format-19 writes it: sh tools/format.sh"
    if run.returncode != 0 and not seen:
        yield "clang-format-19", 1, run.stderr.strip()


# What a newcomer reads, all together (STYLE, habit 13).
NEWCOMER_PAGES = ("README.md",) + tuple(
    f"docs/{page}.md"
    for page in ("ARCHITECTURE", "FORMAT", "PROOFS", "ERASURE", "TESTING", "OPERATIONS", "SECURITY",
                 "GLOSSARY")
)
NEWCOMER_LINES_MAX = 1000


def check_pages(checkout):
    total = 0
    for page in NEWCOMER_PAGES:
        path = checkout / page
        if path.is_file():
            total += path.read_text(encoding="utf-8").count("\n")
        else:
            yield page, 1, "this page is missing"
    if total > NEWCOMER_LINES_MAX:
        yield "docs", 1, f"{total} lines for a newcomer to read, over {NEWCOMER_LINES_MAX}"
    for path in [checkout / "README.md", *sorted((checkout / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            target = match[1]
            if "://" not in target and not (path.parent / target).exists():
                line = text.count("\n", 0, match.start()) + 1
                yield path.relative_to(checkout).as_posix(), line, f"a link to nowhere: {target}"


def load(checkout):
    cpp, text = [], []
    for folder in CODE_FOLDERS:
        for directory, folders, files in os.walk(checkout / folder):
            folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
            for name in sorted(files):
                kept = cpp if name.endswith(CPP_ENDINGS) else text
                if not name.endswith(CPP_ENDINGS + TEXT_ENDINGS) or name == "package-lock.json":
                    continue
                path = pathlib.Path(directory, name)
                relative = path.relative_to(checkout).as_posix()
                kept.append(Source(relative, path.read_text(encoding="utf-8", errors="replace")))
    return cpp, text


def check(checkout):
    cpp, text = load(checkout)
    # This file holds the words and patterns that it looks for.
    text = [source for source in text if source.path != "tests/tidy/tidy_test.py"]
    faults = []
    for sources, rules in ((cpp, CPP_RULES), (text, TEXT_RULES)):
        for source in sources:
            for rule in rules:
                faults += [(source.path, line, sentence) for line, sentence in rule(source)]
    faults += list(check_one_file(cpp))
    faults += list(check_format(checkout, cpp))
    faults += list(check_pages(checkout))
    for path, line, sentence in sorted(set(faults)):
        print(f"{path}:{line}: {sentence}")
    print(f"{len(cpp)} C++ files and {len(text)} others read, {len(set(faults))} faults")
    return 1 if faults or not cpp else 0


# (rule, path, text with one fault, the same without it)
PLANTED = (
    (check_include_graph, "engine/a.cc", '#include "index/embed/embedder.h"\n',
     '#include "engine/base/result.h"\n'),
    (check_include_graph, "index/a.cc", '#include "server/mcp/tools.h"\n',
     '#include "engine/base/result.h"\n'),
    (check_include_graph, "engine/base/a.cc", '#include "../a.h"\n', '#include "engine/a.h"\n'),
    (check_confined_libraries, "index/a.cc", "#include <rocksdb/db.h>\n", "#include <vector>\n"),
    (check_confined_libraries, "server/mcp/a.cc", "#include <httplib.h>\n", "#include <map>\n"),
    (check_lengths, "engine/a.h", "\n" * 201, "\n" * 200),
    (check_lengths, "engine/a.cc", "\n" * 501, "\n" * 500),
    (check_lengths, "engine/a.cc", "/" * 101 + "\n", "/" * 100 + "\n"),
    (check_function_lengths, "engine/a.cc",
     "namespace a {\nint F(int b) {\n" + "b;\n" * 79 + "}\n}\n",
     "namespace a {\nint F(int b) {\n" + "b;\n" * 78 + "}\n}\n"),
    (check_function_lengths, "engine/a.cc",
     "struct A {\n  A() : b_{1} {\n" + ";\n" * 79 + "}\n};\n",
     "struct A {\n" + "  void F() {}\n" * 90 + "};\n"),
    (check_banned, "engine/a.cc", "auto* a = new A(1);\n", '// a new A\nauto a = "new A";\n'),
    (check_banned, "engine/a.cc", "delete a;\n", "A(const A&) = delete;\n"),
    (check_banned, "engine/a.cc", "std::printf(x);\n", "MyPrintf(x);\n"),
    (check_banned, "engine/a.cc", "auto t = time(nullptr);\n", "auto t = record_time(a);\n"),
    (check_banned, "engine/a.cc", "getenv(x);\n", "Environment(x);\n"),
    (check_banned, "engine/a.cc", "system(x);\n", "file_system(x);\n"),
    (check_banned, "engine/decide/a.cc", "auto t = std::chrono::system_clock::now();\n",
     "auto t = context.now;\n"),
    (check_banned, "index/a.h", "mutable std::mutex a_;\n", "mutable Mutex a_;\n"),
    (check_banned, "server/a.cc", "const std::lock_guard lock(a_);\n",
     "const MutexLock lock(a_);  // as std::lock_guard\n"),
    (check_banned, "engine/a.h", "std::shared_mutex a_;\n", "SharedMutex a_;\n"),
    (check_banned, "tools/a.h", "std::condition_variable_any a_;\n", "StoppableCondVar a_;\n"),
    (check_banned, "engine/decide/a.h", "Mutex a_;\n", "MutexLike a_;\n"),
    (check_unfinished, "engine/a.cc", "// TODO: more\n", "// done\n"),
    (check_machine_paths, "tools/a.sh", "cd /wo" "rk/main\n", "cd ../wo" "rk/main\n"),
    (check_pragma_once, "engine/a.h", "int a;\n", "#pragma once\n"),
)


def self_test():
    bad = 0
    for rule, path, faulty, clean in PLANTED:
        found, silent = list(rule(Source(path, faulty))), list(rule(Source(path, clean)))
        if not found or silent:
            bad += 1
            print(f"{rule.__name__} on {faulty[:40]!r}: found {found}; on the clean text {silent}")
    print(f"{len(PLANTED)} planted faults, {bad} checks wrong")
    return 1 if bad else 0


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--self-test":
        return self_test()
    return check(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
