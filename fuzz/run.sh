#!/bin/sh
# Builds the fuzz targets with clang, ASan and UBSan and runs each for a while. See usage below.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/setup.sh"

usage() {
  cat <<'END'
usage: sh fuzz/run.sh [SECONDS [core | TARGET...]]

Runs each fuzz target (core: each of engine/ and index/) for SECONDS (20), two at a time, from the committed corpus and what earlier
runs found under build/fuzz/corpus/. A crash, leak or hang leaves its input in build/fuzz/artifacts/
and is run again with build/fuzz/fuzz/TARGET FILE. The canary target must crash, or nothing counts.
The last line reads "N passed, N failed". Installs the group fuzz of tools/packages.txt.
END
}

case ${1-} in -h | --help) usage; exit 0 ;; esac
seconds=${1:-20}
[ $# -eq 0 ] || shift
case $seconds in '' | *[!0-9]*) usage >&2; exit 2 ;; esac

install_packages build fuzz
fetch_inputs
binary_dir=$root/build/fuzz
configure fuzz
targets=${*:-$(cat "$binary_dir/fuzz/targets")}
[ "$targets" != core ] || targets=$(cat "$binary_dir/fuzz/core")
# shellcheck disable=SC2086  # the targets are meant to split
build fuzz $targets canary_fuzz
artifacts=$binary_dir/artifacts
mkdir -p "$artifacts"

export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# One target; its words go to a log of its own, its result to NAME.code.
fuzz_one() {
  found=$binary_dir/corpus/$1
  mkdir -p "$found" "$root/fuzz/corpus/$1"
  dictionary=$root/fuzz/dictionaries/$1.dict
  set -- "$1" "$found" "$root/fuzz/corpus/$1"
  [ -f "$dictionary" ] && set -- "$@" "-dict=$dictionary"
  name=$1
  shift
  code=0
  "$binary_dir/fuzz/$name" "$@" "-max_total_time=$seconds" -timeout=20 -rss_limit_mb=4096 \
    -print_final_stats=1 "-artifact_prefix=$artifacts/$name-" \
    >"$artifacts/$name.log" 2>&1 || code=$?
  echo "$code" >"$artifacts/$name.code"
}

say "fuzz: $seconds s each: $(echo "$targets" | tr '\n' ' ')"
passed=0
failed=0
running=
# shellcheck disable=SC2086  # the targets are meant to split
for target in canary_fuzz $targets; do
  rm -f "$artifacts/$target.code"
  fuzz_one "$target" &
  running="$running $!"
  set -- $running
  if [ $# -ge 2 ]; then
    wait "$1" || true
    shift
    running=$*
  fi
done
wait

total=0
for target in $targets; do
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$artifacts/$target.log")
  total=$((total + ${runs:-0}))
  if [ "$(cat "$artifacts/$target.code")" = 0 ]; then
    passed=$((passed + 1))
    echo "ok      $target ${runs:-0} inputs"
  else
    failed=$((failed + 1))
    echo "FAILED  $target, see $artifacts/$target.log"
    tail -n 40 "$artifacts/$target.log"
  fi
done
if [ "$(cat "$artifacts/canary_fuzz.code")" != 0 ]; then
  passed=$((passed + 1))
  echo "ok      canary_fuzz crashed, as it must"
else
  failed=$((failed + 1))
  echo "FAILED  canary_fuzz did not crash: this run cannot see anything"
fi
echo "figures: $total inputs, $seconds s for each target"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
