#!/bin/sh
# Runs the collector for real, in all the ways a customer might. Prints ok, FAIL or skip a test. Arguments: parts of test names to run.
# CORONER_BIN=path/to/coroner also analyses the bundles.
exec python3 "$(dirname "$0")/run.py" "$@"
