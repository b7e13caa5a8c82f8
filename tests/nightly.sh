#!/bin/sh
# Runs every harness at full size and writes what it found into docs/TESTING.md. See usage below.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/setup.sh"

usage() {
  cat <<'END'
usage: sh tests/nightly.sh [HARNESS...]

Builds the release preset and runs each HARNESS (all of them) of tests/nightly.py at its full size,
one after the other; those that need another build make it themselves. What each printed stays in
build/nightly/NAME.log; its row in docs/TESTING.md, "The last full run", is replaced. The exit code
is 0 only when all passed. Takes a night; `python3 tests/nightly.py --list` names them.
END
}

case ${1-} in -h | --help) usage; exit 0 ;; esac
install_packages build fuzz dev
fetch_inputs
configure release
build release
exec python3 "$root/tests/nightly.py" "$@"
