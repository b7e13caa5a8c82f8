#!/usr/bin/env python3
"""Makes the tables that engine/decide/injection.cc walks out of injection_patterns.txt.

usage: injection_table.py PATTERNS TABLE_HEADER EXAMPLES_HEADER

The grammar of PATTERNS stands at its top. A malformed line ends this with "PATTERNS:LINE: why" and
exit code 1, so that the build fails. The same PATTERNS give the same bytes.
"""
import dataclasses
import pathlib
import re
import sys
import unicodedata

GAP_MAX = 12  # words; injection.cc jumps by more than this where a sentence ends
WORD_BYTES_MAX = 48  # folded; injection.cc keeps that many of a word
BETWEEN = re.compile(r'\|(?=(?:[^"]*"[^"]*")*[^"]*$)')  # "|", but not within a literal
APOSTROPHES = "'\u2018\u2019\u02bc"


class Malformed(Exception):
    def __init__(self, line, why):
        super().__init__(why)
        self.line = line


@dataclasses.dataclass
class Element:
    alternatives: list  # of folded strings; a prefix ends with "*"
    gap: int = 0  # words that may stand between it and the next element


@dataclasses.dataclass
class Match:
    elements: list
    guard: list  # alternatives that must not stand right before, or []


@dataclasses.dataclass
class Entry:
    name: str
    line: int
    language: str = ""
    source: str = ""
    matches: list = dataclasses.field(default_factory=list)
    hits: list = dataclasses.field(default_factory=list)
    misses: list = dataclasses.field(default_factory=list)


def fold(text):
    """As injection.cc folds a text: compatibility forms and case folded, marks and apostrophes
    dropped."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in folded
                   if not unicodedata.category(c).startswith("M") and c not in APOSTROPHES)


def is_ideograph(character):
    """A character that is a word of its own: Han and Kana."""
    code = ord(character)
    return (0x3041 <= code <= 0x30FF and code != 0x30FB) or 0x31F0 <= code <= 0x31FF or \
        0x3400 <= code <= 0x4DBF or 0x4E00 <= code <= 0x9FFF or 0x20000 <= code <= 0x323AF


def is_word_character(character):
    return character == "_" or unicodedata.category(character)[0] in "LN"


def read_word(text, line):
    """One alternative: a word, a prefix "word*", a run of ideographs or a literal "<|x|>"."""
    if text.startswith('"'):
        literal = text[1:-1].lower()
        if len(text) < 3 or not text.endswith('"') or '"' in literal:
            raise Malformed(line, f"{text} is not a literal between two quotation marks")
        if not literal.isascii() or literal[0].isalnum() or literal[0] in "_ '.!?":
            raise Malformed(line, f"{text}: a literal is ASCII and begins with a symbol that does "
                                  "not end a sentence")
        return literal
    prefix = text.endswith("*")
    word = fold(text.removesuffix("*"))
    if not word or not all(is_word_character(c) for c in word):
        raise Malformed(line, f"{text!r} is not one word")
    ideographs = [is_ideograph(c) for c in word]
    if any(ideographs) and (prefix or not all(ideographs)):
        raise Malformed(line, f"{text!r}: Han and Kana stand in words of their own, without '*'")
    if len(word.encode()) > WORD_BYTES_MAX:
        raise Malformed(line, f"{text!r} is longer than {WORD_BYTES_MAX} bytes")
    return word + ("*" if prefix else "")


class Reader:
    def __init__(self):
        self.sets = {}
        self.entries = []

    def alternatives(self, text, line):
        words = []
        for part in BETWEEN.split(text):
            if part.startswith("$"):
                if part not in self.sets:
                    raise Malformed(line, f"{part} is not a set that was named above")
                words += self.sets[part]
            else:
                words.append(read_word(part, line))
        doubled = {word for word in words if words.count(word) > 1}
        if doubled:
            raise Malformed(line, f"{sorted(doubled)[0]!r} stands there twice")
        return words

    def read_set(self, value, line):
        name, _, words = value.partition(" ")
        if not re.fullmatch(r"\$[a-z-]+", name) or not words.strip():
            raise Malformed(line, 'a set reads: set $name word|word')
        if name in self.sets:
            raise Malformed(line, f"{name} is named twice")
        self.sets[name] = self.alternatives("|".join(words.split()), line)

    def read_match(self, value, line):
        match = Match([], [])
        tokens = value.split()
        if tokens and tokens[0].startswith("!"):
            match.guard = self.alternatives(tokens.pop(0)[1:], line)
        may_gap = False
        for token in tokens:
            gap = re.fullmatch(r"\.\.([0-9]+)", token)
            if gap and not may_gap:
                raise Malformed(line, f"{token} does not stand between two elements")
            if gap:
                match.elements[-1].gap = int(gap[1])
                if not 1 <= int(gap[1]) <= GAP_MAX:
                    raise Malformed(line, f"{token}: a gap is 1 to {GAP_MAX} words")
            else:
                match.elements.append(Element(self.alternatives(token, line)))
            may_gap = not gap
        if not match.elements or not may_gap:
            raise Malformed(line, "a pattern ends with an element")
        if len(match.elements) == 1 and \
                any(not word.startswith(("<", "[")) for word in match.elements[0].alternatives):
            raise Malformed(line, "a single word is no pattern")
        return match

    def read(self, number, line):
        key, _, value = line.strip().partition(" ")
        value = value.strip()
        if not value:
            raise Malformed(number, f"{key!r} has no value")
        if key == "set":
            return self.read_set(value, number)
        if key == "pattern":
            return self.begin(value, number)
        if not self.entries:
            raise Malformed(number, f"{key!r} stands before the first pattern")
        entry = self.entries[-1]
        if key == "language":
            if not re.fullmatch(r"[a-z]{2}|any", value):
                raise Malformed(number, "a language is two letters, or any")
            entry.language = value
        elif key == "source":
            entry.source = value
        elif key == "match":
            entry.matches.append(self.read_match(value, number))
        elif key == "hit":
            entry.hits.append(value)
        elif key == "miss":
            entry.misses.append(value)
        else:
            raise Malformed(number, f"{key!r} is no field: set, pattern, language, source, match, "
                                    "hit or miss")

    def begin(self, name, line):
        if not re.fullmatch(r"[a-z]+(?:-[a-z]+)*", name):
            raise Malformed(line, f"{name!r}: a name is lower case words and hyphens")
        if any(entry.name == name for entry in self.entries):
            raise Malformed(line, f"{name} is named twice")
        self.entries.append(Entry(name, line))

    def finish(self):
        if not self.entries:
            raise Malformed(1, "no pattern")
        for entry in self.entries:
            for field in ("language", "source", "matches", "hits", "misses"):
                if not getattr(entry, field):
                    raise Malformed(entry.line, f"{entry.name} has no {field}")
        return self.entries


def read_patterns(text):
    reader = Reader()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            reader.read(number, line)
    return reader.finish()


class Node:
    def __init__(self):
        self.children = {}
        self.exact = []  # steps of the word that ends here
        self.prefix = []  # steps of each prefix that ends here or above


class Tables:
    """A trie of all words over bytes, and the steps that each word takes.

    A step below the number of states consumes a word in that state; the others note that a word of
    guard (step - states) went by.
    """

    def __init__(self, entries):
        self.root = Node()
        self.states = []  # (gap, guard, entry, first, last)
        guards = []
        for number, entry in enumerate(entries):
            for match in entry.matches:
                if match.guard and match.guard not in guards:
                    guards.append(match.guard)
                for index, element in enumerate(match.elements):
                    guard = guards.index(match.guard) if match.guard and index == 0 else -1
                    self.add(element.alternatives, len(self.states))
                    self.states.append((element.gap, guard, number, index == 0,
                                        index == len(match.elements) - 1))
        self.guards = len(guards)
        for index, words in enumerate(guards):
            self.add(words, len(self.states) + index)
        self.inherit(self.root, [])

    def add(self, words, step):
        for word in words:
            is_prefix = word.endswith("*")
            node = self.root
            for byte in word.removesuffix("*").encode():
                node = node.children.setdefault(byte, Node())
            (node.prefix if is_prefix else node.exact).append(step)

    def inherit(self, node, above):
        node.prefix = sorted(set(above + node.prefix))
        for child in node.children.values():
            self.inherit(child, node.prefix)

    def rows(self):
        """Nodes in breadth-first order, so that children lie together, each with its label and the
        begins of its children and steps; one more row ends the last. And all steps."""
        order, steps, rows = [(0, self.root)], [], []
        for label, node in order:
            rows.append((label, len(order), len(steps), len(steps) + len(node.exact)))
            order += sorted(node.children.items())
            steps += node.exact + node.prefix
        rows.append((0, len(order), len(steps), len(steps)))
        return rows, steps


def c_string(text):
    quoted = ""
    for byte in text.encode():
        plain = 32 <= byte < 127 and byte not in b'"\\?'
        quoted += chr(byte) if plain else f"\\{byte:03o}"
    return f'"{quoted}"'


def array(kind, name, values):
    lines = "".join(f"    {value},\n" for value in values)
    return f"inline constexpr {kind} {name}[] = {{\n{lines}}};\n"


PROLOGUE = "// Made by injection_table.py from injection_patterns.txt.\n#pragma once\n\n"


def table_header(entries):
    tables = Tables(entries)
    rows, steps = tables.rows()
    if max(len(rows), len(steps), len(tables.states) + tables.guards) > 0xFFFF:
        raise Malformed(1, "more patterns than 16 bits can number")
    states = [f"{{{gap}, {guard}, {entry}, {str(first).lower()}, {str(last).lower()}}}"
              for gap, guard, entry, first, last in tables.states]
    return (PROLOGUE + "#include <cstddef>\n#include <cstdint>\n\nnamespace perdure::injection {\n\n"
            f"inline constexpr std::size_t kGapMax = {GAP_MAX};\n"
            f"inline constexpr std::size_t kWordBytesMax = {WORD_BYTES_MAX};\n"
            f"inline constexpr std::size_t kGuards = {tables.guards};\n"
            "struct Node {\n  std::uint8_t label;\n  std::uint16_t children, exact, prefix;\n};\n"
            "struct State {\n  std::uint8_t gap;\n  std::int16_t guard;\n  std::uint16_t pattern;\n"
            "  bool first, last;\n};\n"
            + array("Node", "kNodes", ["{%d, %d, %d, %d}" % row for row in rows])
            + array("std::uint16_t", "kSteps", steps)
            + array("State", "kStates", states)
            + array("const char*", "kNames", [c_string(entry.name) for entry in entries])
            + "\n}  // namespace perdure::injection\n")


def examples_header(entries):
    rows = [f"{{{c_string(entry.name)}, {c_string(text)}, {hit}}}"
            for entry in entries
            for texts, hit in ((entry.hits, "true"), (entry.misses, "false")) for text in texts]
    return (PROLOGUE + "namespace perdure::injection {\n\n"
            "struct Example {\n  const char* pattern;\n  const char* text;\n  bool hit;\n};\n"
            + array("Example", "kExamples", rows) + "\n}  // namespace perdure::injection\n")


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    patterns, table, examples = map(pathlib.Path, sys.argv[1:])
    try:
        entries = read_patterns(patterns.read_text(encoding="utf-8"))
        headers = table_header(entries), examples_header(entries)
    except Malformed as malformed:
        print(f"{patterns}:{malformed.line}: {malformed}", file=sys.stderr)
        return 1
    for path, text in zip((table, examples), headers):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
