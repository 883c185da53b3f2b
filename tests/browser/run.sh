#!/bin/sh
# Sample pages in a real browser, and their JSON against the schema. Further pages can be named as arguments.
# Needs Debian's chromium, nodejs and npm; fetches the packages of package.json once.
set -eu
cd "$(dirname "$0")/../.."
pages=${CORONER_SAMPLE_REPORTS:-$(mktemp -d)}
CORONER_SAMPLE_REPORTS=$pages cargo test --quiet --test report sample_pages
cd tests/browser
[ -d node_modules ] || npm install --silent --no-audit --no-fund
node schema.mjs ../../docs/report.schema.json "$pages"/*.report.json
node check.mjs "$pages"/*.report.html "$@"
