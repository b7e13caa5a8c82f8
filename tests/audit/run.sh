#!/bin/sh
# tools/audit against exports and proofs of the program, and against forgeries: run.sh PERDURE.
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$(dirname "$0")/audit.py" "$1"
