#!/usr/bin/env bash
# Installs what the tests need (Debian packages, by name) and runs every test: unit, data-driven, command line,
# collector, browser. The last line is the total of all runners.
#
#   ./test.sh          everything
#   ./test.sh rust     only the Rust tests
#   ./test.sh quick    the unit tests and the rules' own examples
set -euo pipefail
cd "$(dirname "$0")"
what=${1:-all}
passed=0 failed=0 skipped=0

say() { printf '\n== %s\n' "$*"; }

# Adds the totals of a log whose summary reads "N passed, N failed[, N skipped]".
add() {
    local line
    line=$(grep -aE '(^|: )[0-9]+ passed, [0-9]+ failed' "$1" | tail -n 1 || true)
    if [ -z "$line" ]; then failed=$((failed + 1)); echo "no totals from $2"; return; fi
    passed=$((passed + $(sed -E 's/.*(^|[^0-9])([0-9]+) passed.*/\2/' <<<"$line")))
    failed=$((failed + $(sed -E 's/.* ([0-9]+) failed.*/\1/' <<<"$line")))
    case $line in *skipped*) skipped=$((skipped + $(sed -E 's/.* ([0-9]+) skipped.*/\1/' <<<"$line"))) ;; esac
}

step() { # name command...
    local name=$1; shift
    say "$name"
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; fi
}

install() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    local sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

command -v cargo >/dev/null || { echo "cargo is missing: install the Rust toolchain first" >&2; exit 1; }
if [ "$what" = quick ]; then
    cargo nextest --version >/dev/null 2>&1 || exec cargo test --lib --test rules --test report
    exec cargo nextest run --no-fail-fast --lib --test rules --test report
fi
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

if [ "$what" != rust ]; then
    install ca-certificates shellcheck busybox mksh dash zip unzip sysstat ethtool python3 procps util-linux nodejs npm \
        chromium poppler-utils
fi

step "format" cargo fmt --check
step "lints" cargo clippy --quiet --all-targets -- -D warnings

say "Rust tests"
# Both runners' totals are read: nextest where it is installed, else cargo's own.
if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --no-fail-fast 2>&1 | tee "$logs/rust" || true
    totals=$(grep -aE '^ *Summary ' "$logs/rust" | tail -n 1)
    p=$(grep -oE '[0-9]+ passed' <<<"$totals" | grep -oE '[0-9]+' || echo 0)
    f=$(grep -oE '[0-9]+ (failed|timed out)' <<<"$totals" | grep -oE '[0-9]+' | paste -sd+ | bc 2>/dev/null || echo 0)
    s=$(grep -oE '[0-9]+ skipped' <<<"$totals" | grep -oE '[0-9]+' || echo 0)
    [ -n "$totals" ] || f=1
    passed=$((passed + p)) failed=$((failed + ${f:-0})) skipped=$((skipped + s))
else
    cargo test --no-fail-fast 2>&1 | tee "$logs/rust" || true
    p=$(grep -aoE '^test result: .* ([0-9]+) passed' "$logs/rust" | grep -oE '[0-9]+ passed' | grep -oE '[0-9]+' | paste -sd+ | sed 's/^$/0/')
    f=$(grep -aoE '[0-9]+ failed' "$logs/rust" | grep -oE '[0-9]+' | paste -sd+ | sed 's/^$/0/')
    grep -qa '^test result' "$logs/rust" || f=1
    grep -qaE '^error(\[|:)' "$logs/rust" && f="${f:-0}+1"
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
fi

if cargo deny --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-deny; then
    step "licences and advisories" cargo deny --log-level error check bans licenses sources
    # Advisories need a database from outside; a machine without one skips them by name.
    if cargo deny --log-level error check advisories >"$logs/advisories" 2>&1; then passed=$((passed + 1));
    elif grep -qiE 'failed to (fetch|clone)|fetch advisory|network' "$logs/advisories"; then
        echo "skipped: advisories (no advisory database reachable)"; skipped=$((skipped + 1))
    else cat "$logs/advisories"; failed=$((failed + 1)); fi
else
    echo "skipped: cargo deny (cannot be installed here)"; skipped=$((skipped + 1))
fi

if [ "$what" != rust ]; then
    say "release build"
    cargo build --release --quiet
    export CORONER_BIN=$PWD/target/release/coroner
    say "collector"
    bash tests/collector/run.sh 2>&1 | tee "$logs/collector" || true
    add "$logs/collector" collector
    say "browser"
    bash tests/browser/run.sh 2>&1 | tee "$logs/browser" || true
    add "$logs/browser" browser
fi

echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
