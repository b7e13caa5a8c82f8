#!/bin/sh
# The official MCP SDK clients against a server program.
#
# usage: run.sh PROGRAM            the fixture server, build/.../echo_server
#        run.sh --perdure PROGRAM  the product, build/.../perdure
set -eu
cd "$(dirname "$0")"
if [ "${1:-}" = --perdure ]; then
  MCP_KIND=perdure
  export MCP_KIND
  shift
fi
if [ $# -ne 1 ]; then
  sed -n '2,5p' "$0" >&2
  exit 2
fi
case "$1" in
  /*) MCP_SERVER=$1 ;;
  *) MCP_SERVER=$OLDPWD/$1 ;;
esac
export MCP_SERVER
[ -d node_modules/@modelcontextprotocol/client ] || npm ci --ignore-scripts --no-audit --no-fund
exec node --test --test-reporter=spec fixture.test.mjs product.test.mjs
