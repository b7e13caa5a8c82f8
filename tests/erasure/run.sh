#!/bin/sh
# Erases 100 of 2,000 memories of a served store and looks for what is left, in every file: run.sh
# PERDURE. PERDURE_NIGHTLY=1 for 1,000 of 50,000 with 1 GB of payloads. Needs erasure_scan and
# liberasure_steps.so of the same build.
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$(dirname "$0")/erasure.py" "$1"
