#!/bin/sh
# Installs what is missing, builds the release preset and serves. See usage below.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/setup.sh"

usage() {
  cat <<'END'
usage: sh tools/run.sh [OPTION...]

Installs the missing packages of tools/packages.txt (as root or through sudo), fetches the
embedding model and the hnswlib headers into build/, builds build/release/perdure, and becomes
`perdure serve OPTION...`. Can be repeated: only what changed is done again.

  -h                  this text
  --data DIR          where the memories live (default: PERDURE_DATA, then XDG_DATA_HOME/perdure)
  --port PORT         where to listen on 127.0.0.1 (default 7411)
Every other option goes to `perdure serve` as well: see `perdure serve --help`.
END
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac

install_packages build
fetch_inputs
configure release
build release perdure
say "serve: build/release/perdure serve $*"
exec "$root/build/release/perdure" serve "$@"
