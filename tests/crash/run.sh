#!/bin/sh
# kill -9 under load: run.sh PERDURE. PERDURE_CRASH_ROUNDS for more than the five of CI.
exec python3 "$(dirname "$0")/crash.py" "$1" "${PERDURE_CRASH_ROUNDS:-5}"
