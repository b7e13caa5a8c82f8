#!/bin/sh
# This build's digests of the golden logs against the committed ones: run.sh PERDURE. Other
# compilers and sanitizers: matrix.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$("$(dirname "$1")/tests/determinism/golden_digest" "$here"/../golden/*) || true
printf '%s\n' "$out"
passed=$(printf '%s\n' "$out" | grep -c 'as expected$' || true)
wanted=$(find "$here/../golden" -name expected.txt | wc -l)
failed=$((wanted + 1 - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
