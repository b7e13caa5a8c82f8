#!/bin/sh
# Four clients, mixed verbs: run.sh PERDURE. PERDURE_SOAK_SECONDS for more than CI's two minutes.
exec python3 "$(dirname "$0")/soak.py" "$1" "${PERDURE_SOAK_SECONDS:-120}"
