#!/usr/bin/env python3
"""Counts the test cases of one run of tools/test.sh and names those that failed.

usage: count_tests.py RESULTS

RESULTS/ctest.xml        JUnit report of ctest: one testcase a test program
RESULTS/cases/NAME.xml   report of the GoogleTest program NAME: one testcase a case
RESULTS/scripts/NAME.log, NAME.code   output and exit code of tests/NAME/run.sh

A program that ctest calls failed though its report shows no failed case (it crashed, leaked or
timed out) counts as one failure. The last line printed is "N passed, N failed".
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

SKIPPED_CODE = 77


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def add(self, name, outcome):
        if outcome == "passed":
            self.passed += 1
        else:
            getattr(self, outcome).append(name)


def outcome_of_program(case):
    """ctest also reports as skipped what it could not start, which is a failure here."""
    reason = case.find("skipped")
    if reason is not None and reason.get("message", "").startswith("SKIP_"):
        return "skipped"
    return "passed" if case.get("status") == "run" else "failed"


def outcome_of_case(case):
    if case.find("failure") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def cases_of(report):
    """The cases of a GoogleTest report; none when the program died before it was whole."""
    try:
        return list(ElementTree.parse(report).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return []


def count_programs(results, tally):
    try:
        programs = ElementTree.parse(results / "ctest.xml").getroot().iter("testcase")
    except (OSError, ElementTree.ParseError):
        tally.add("ctest (no report)", "failed")
        return
    for program in programs:
        name = program.get("name")
        outcome = outcome_of_program(program)
        cases = [] if outcome == "skipped" else cases_of(results / "cases" / f"{name}.xml")
        if not cases:
            tally.add(name, outcome)
            continue
        failed_before = len(tally.failed)
        for case in cases:
            tally.add(f"{name}: {case.get('classname')}.{case.get('name')}", outcome_of_case(case))
        if outcome == "failed" and len(tally.failed) == failed_before:
            tally.add(f"{name} (failed outside its cases)", "failed")


def count_scripts(results, tally):
    for code_file in sorted((results / "scripts").glob("*.code")):
        name = f"tests/{code_file.stem}/run.sh"
        code = int(code_file.read_text())
        if code == SKIPPED_CODE:
            tally.add(name, "skipped")
            continue
        lines = code_file.with_suffix(".log").read_text(errors="replace").split("\n")
        lines = [line for line in lines if line.strip()]
        summary = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1].strip()) if lines else None
        if summary is None:
            tally.add(name, "failed" if code else "passed")
            continue
        tally.passed += int(summary[1])
        failures = max(int(summary[2]), 1 if code else 0)
        tally.failed += [name] * failures


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    results = pathlib.Path(sys.argv[1])
    tally = Tally()
    count_programs(results, tally)
    count_scripts(results, tally)
    for name in tally.skipped:
        print(f"skipped: {name}")
    for name in tally.failed:
        print(f"FAILED: {name}")
    print(f"{tally.passed} passed, {len(tally.failed)} failed")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
