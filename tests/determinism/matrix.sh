#!/bin/sh
# The golden logs, and a life lived by each build, under g++ -O2, clang -O2 and g++ with sanitizers:
# matrix.sh [CMAKE_ARGUMENT...]. Builds the engine and golden_digest three times, in build/release,
# build/clang and build/asan. All must print the same; every golden log must be as expected.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

# digest NAME PRESET [CMAKE_ARGUMENT...]
digest() {
  name=$1
  preset=$2
  shift 2
  cmake --preset "$preset" -B "build/$name" "$@" >"$out/$name.log"
  cmake --build "build/$name" --target golden_digest >>"$out/$name.log" || {
    tail -30 "$out/$name.log"
    return 1
  }
  "build/$name/tests/determinism/golden_digest" tests/golden/* >"$out/$name"
}

for build in "release release" "clang release -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19" \
  "asan asan"; do
  # shellcheck disable=SC2086  # the arguments are meant to split
  set -- $build "$@"
  name=$1
  if digest "$@" && cmp "$out/release" "$out/$name"; then
    passed=$((passed + 1))
    echo "ok    $name"
  else
    failed=$((failed + 1))
    echo "FAIL  $name"
  fi
  # shellcheck disable=SC2086
  for _ in $build; do shift; done
done
cat "$out/release"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
