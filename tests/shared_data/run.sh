#!/bin/sh
# Real data through the API: run.sh PERDURE. Skipped, and says so, without ../shared/eval.
eval_dir="$(dirname "$0")/../../../shared/eval"
if [ ! -d "$eval_dir/open/memory_files" ]; then
  echo "skipped: ../shared/eval is not there"
  exit 77
fi
exec python3 "$(dirname "$0")/shared_data.py" "$1" "$eval_dir"
