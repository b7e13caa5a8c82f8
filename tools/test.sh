#!/bin/sh
# Installs what is missing, builds everything and runs every test. See usage below.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/setup.sh"

usage() {
  cat <<'END'
usage: sh tools/test.sh [--preset PRESET] [--filter REGEX]

Installs the missing packages of tools/packages.txt (as root or through sudo), fetches the
embedding model and the hnswlib headers into build/, builds everything, runs the test programs
and then each tests/*/run.sh. The last line reads "N passed, N failed" and counts single test
cases; the exit code is 0 only when none failed. Can be repeated: only what changed is built again.

  -h                  this text
  --preset PRESET     release (default), debug, asan or tsan
  --filter REGEX      only the test programs and tests/* folders whose name matches
END
}

preset=release
filter=.
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --preset) preset=${2:?"--preset needs a name"}; shift 2 ;;
    --filter) filter=${2:?"--filter needs a regular expression"}; shift 2 ;;
    *) usage >&2; exit 2 ;;
  esac
done
case $preset in release | debug | asan | tsan) ;; *) usage >&2; exit 2 ;; esac

install_packages build
fetch_inputs
configure "$preset"
build "$preset"

binary_dir=$root/build/$preset
results=$binary_dir/test-results
rm -rf "$results"
mkdir -p "$results/cases" "$results/scripts"

say "tests: ctest in build/$preset"
# Each GoogleTest program leaves its cases in test-results/cases/NAME.xml.
(cd "$root" && GTEST_OUTPUT="xml:$results/cases/" ctest --preset "$preset" --parallel 2 \
  --tests-regex "$filter" --output-junit "$results/ctest.xml" </dev/null) || true

# A script test gets the program as $1; it passes with 0, skips itself with 77, fails otherwise. If
# its last line is "N passed, N failed" those cases are counted, else it counts as one.
for script in "$root"/tests/*/run.sh; do
  [ -f "$script" ] || continue
  name=$(basename "$(dirname "$script")")
  printf '%s\n' "$name" | grep -Eq -e "$filter" || continue
  say "tests: tests/$name/run.sh"
  code=0
  sh "$script" "$binary_dir/perdure" </dev/null >"$results/scripts/$name.log" 2>&1 || code=$?
  echo "$code" >"$results/scripts/$name.code"
  cat "$results/scripts/$name.log"
done

exec python3 "$root/tools/count_tests.py" "$results"
