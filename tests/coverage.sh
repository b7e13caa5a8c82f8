#!/bin/sh
# Which lines and branches of engine/ its tests reach: coverage.sh. Builds the engine and tests/engine
# with the preset `coverage`, runs them, and fails when fewer than 90 % of the lines of engine/ are
# reached. Branches of what must be exact are counted on their own, without those of exceptions.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/setup.sh"
wanted=90

install_packages build dev
fetch_inputs
configure coverage
build coverage tests/engine/all
cd "$root/build/coverage"
find . -name '*.gcda' -delete
ctest --parallel 2 --tests-regex '^engine_' --timeout 1800 --output-on-failure </dev/null

# percent FILTER FIELD: of the JSON summary of gcovr over what matches FILTER
percent() {
  gcovr --root "$root" --gcov-executable gcov --exclude-throw-branches \
    --exclude-unreachable-branches --gcov-ignore-parse-errors --filter "$root/$1" --json-summary-pretty \
    --json-summary - . 2>gcovr.log |
    python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}

lines=$(percent engine/ line_percent)
echo "figures: lines of engine/ $lines %; branches of decide $(percent engine/decide/ branch_percent) %," \
  "codec $(percent 'engine/(storage/keys|base/bytes|model/codec)' branch_percent) %," \
  "chain $(percent engine/log/ branch_percent) %, Merkle $(percent engine/proof/ branch_percent) %"
if python3 -c 'import sys; sys.exit(float(sys.argv[1]) < float(sys.argv[2]))' "$lines" "$wanted"; then
  echo "1 passed, 0 failed"
else
  echo "0 passed, 1 failed"
  exit 1
fi
