#!/usr/bin/env python3
"""A test run that lost, crashed or skipped something does not count it as passed."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "tools" / "count_tests.py"

PASSED = '<testcase name="good_test" status="run"/>'
CASES = (
    '<testsuites><testsuite><testcase classname="A" name="One" status="run"/>'
    '<testcase classname="A" name="Two" status="run"/>{}</testsuite></testsuites>'
)
FAILED_CASE = '<testcase classname="A" name="Three" status="run"><failure message="x"/></testcase>'
SKIPPED_CASE = '<testcase classname="A" name="Three" status="run"><skipped message="x"/></testcase>'


class CountTests(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.results = pathlib.Path(self.directory.name)
        (self.results / "cases").mkdir()
        (self.results / "scripts").mkdir()

    def ctest(self, *cases):
        (self.results / "ctest.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")

    def cases(self, name, more=""):
        (self.results / "cases" / f"{name}.xml").write_text(CASES.format(more))

    def script(self, name, code, log):
        (self.results / "scripts" / f"{name}.code").write_text(f"{code}\n")
        (self.results / "scripts" / f"{name}.log").write_text(log)

    def closes_with(self, line, code):
        run = subprocess.run(
            [sys.executable, PROGRAM, self.results], capture_output=True, text=True
        )
        self.assertEqual(run.stdout.splitlines()[-1], line, run.stdout + run.stderr)
        self.assertEqual(run.returncode, code)
        return run.stdout

    def test_a_program_counts_as_its_cases(self):
        self.ctest(PASSED)
        self.cases("good_test")
        self.closes_with("2 passed, 0 failed", 0)

    def test_a_program_without_a_report_counts_as_one(self):
        self.ctest(PASSED)
        self.closes_with("1 passed, 0 failed", 0)

    def test_a_failed_case_is_named(self):
        self.ctest('<testcase name="good_test" status="fail"><failure message=""/></testcase>')
        self.cases("good_test", FAILED_CASE)
        self.assertIn("FAILED: good_test: A.Three", self.closes_with("2 passed, 1 failed", 1))

    def test_a_crash_after_passing_cases_fails(self):
        self.ctest('<testcase name="good_test" status="fail"><failure message=""/></testcase>')
        self.cases("good_test")
        self.closes_with("2 passed, 1 failed", 1)

    def test_a_program_that_could_not_start_fails(self):
        self.ctest(
            PASSED,
            '<testcase name="lost_test" status="notrun">'
            '<skipped message="Unable to find executable"/></testcase>',
        )
        self.closes_with("1 passed, 1 failed", 1)

    def test_a_skipped_case_is_named_and_not_counted(self):
        self.ctest(PASSED)
        self.cases("good_test", SKIPPED_CASE)
        self.assertIn("skipped: good_test: A.Three", self.closes_with("2 passed, 0 failed", 0))

    def test_a_run_without_any_test_fails(self):
        self.ctest()
        self.closes_with("0 passed, 0 failed", 1)

    def test_a_missing_ctest_report_fails(self):
        self.script("mcp", 0, "ok\n")
        self.closes_with("1 passed, 1 failed", 1)

    def test_a_script_counts_as_the_cases_of_its_last_line(self):
        self.ctest(PASSED)
        self.script("mcp", 0, "ok\n12 passed, 0 failed\n\n")
        self.closes_with("13 passed, 0 failed", 0)

    def test_a_script_that_exits_non_zero_fails_whatever_it_counted(self):
        self.ctest(PASSED)
        self.script("mcp", 3, "12 passed, 0 failed\n")
        self.closes_with("13 passed, 1 failed", 1)

    def test_a_script_that_skips_itself_is_named(self):
        self.ctest(PASSED)
        self.script("mcp", 77, "no npm\n")
        self.assertIn("skipped: tests/mcp/run.sh", self.closes_with("1 passed, 0 failed", 0))


if __name__ == "__main__":
    unittest.main()
