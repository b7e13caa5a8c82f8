#!/bin/sh
# The fuzz targets of engine/ and index/ for 20 seconds each, built with clang and sanitizers: run.sh
# PERDURE. Those of the front ends need a hundred more objects; they run with tests/nightly.sh.
exec sh "$(dirname "$0")/../../fuzz/run.sh" 20 core
