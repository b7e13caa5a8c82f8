#!/bin/sh
# The set-up scripts explain themselves, refuse what they do not know, and find what is missing.
set -eu
checkout=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

holds() {
  if "$@"; then
    echo "ok: $*"
  else
    echo "FAILED: $*"
    failures=$((failures + 1))
  fi
}

usage_names() { sh "$checkout/tools/$1" -h | grep -q "usage: sh tools/$1"; }
refuses() {
  code=0
  sh "$checkout/tools/$1" "$2" "$3" >"$work/out" 2>&1 || code=$?
  [ "$code" -eq 2 ]
}

for script in run.sh test.sh lint.sh; do holds usage_names "$script"; done
holds refuses test.sh --no-such-option x
holds refuses test.sh --preset no-such-preset

# A list of our own: one package that every Debian has, one that none has, one that a command
# excuses, one of another group.
mkdir -p "$work/tools"
cat >"$work/tools/packages.txt" <<'END'
# comment
dpkg build
perdure-no-such-package build
perdure-excused-package build unless sh
perdure-other-group dev
END
missing_of() {
  root=$work sh -c '. "$1/tools/setup.sh"; shift; missing_packages "$@"' setup "$checkout" "$@"
}
finds() { [ "$(missing_of "$1")" = "$2" ]; }
holds finds build 'perdure-no-such-package '
holds finds dev 'perdure-other-group '

jobs_of() { root=$checkout sh -c '. "$root/tools/setup.sh"; build_jobs'; }
jobs_fit() { [ "$(jobs_of)" -ge 1 ] && [ "$(jobs_of)" -le "$(nproc)" ]; }
holds jobs_fit

[ "$failures" -eq 0 ]
