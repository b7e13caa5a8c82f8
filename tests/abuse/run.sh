#!/bin/sh
# Floods, half-open connections and forged heads against a server program, and a search of all that
# it logged for what must not be there: run.sh PERDURE. PERDURE_NIGHTLY=1 for the full size.
exec python3 "$(dirname "$0")/abuse.py" "$1"
