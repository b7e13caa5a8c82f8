#!/bin/sh
# Runs clang-tidy over the sources that differ from a commit, or over all. See usage below.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/setup.sh"

usage() {
  cat <<'END'
usage: sh tools/lint.sh [--all | --since COMMIT]

Runs clang-tidy-19 with .clang-tidy, warnings as errors, over the C++ sources changed since COMMIT
(default HEAD: what is not committed yet). Takes 5 to 30 seconds a file, so --all is for an
evening; the fast checks of the house style are tests/tidy/tidy_test.py and run with every test.
END
}

since=HEAD
case ${1:-} in
  '') ;;
  -h | --help) usage; exit 0 ;;
  --all) since= ;;
  --since) since=${2:?"--since needs a commit"} ;;
  *) usage >&2; exit 2 ;;
esac

install_packages build dev
fetch_inputs
configure release
# Generated headers must be there; nothing else needs to be built.
build release perdure_schema perdure_injection_headers

cd "$root"
if [ -n "$since" ]; then
  files=$(git diff --name-only --diff-filter=d "$since" -- '*.cc'
    git ls-files -o --exclude-standard -- '*.cc')
else
  files=$(git ls-files -- '*.cc')
fi
files=$(printf '%s\n' "$files" | grep -Ev '^fuzz/' || true)
if [ -z "$files" ]; then
  say "lint: no source to look at"
  exit 0
fi
say "lint: $(printf '%s\n' "$files" | wc -l) sources"
printf '%s\n' "$files" | xargs -n 1 -P "$(nproc)" clang-tidy-19 -p build/release --quiet
say "lint: clean"
