#!/bin/sh
# Formats every C++ file of the checkout in place; with --check only names those that differ.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in
  '') mode=-i ;;
  --check) mode='--dry-run --Werror' ;;
  *) echo "usage: sh tools/format.sh [--check]" >&2; exit 2 ;;
esac
cd "$root"
# shellcheck disable=SC2086  # the mode is meant to split
find schema engine index server tools tests fuzz \( -name '*.h' -o -name '*.cc' \) -print0 \
  2>/dev/null | xargs -0 -r clang-format-19 $mode
