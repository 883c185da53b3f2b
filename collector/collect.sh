#!/bin/sh
# Coroner's collector: gathers what the analyzer needs from a Linux host into one zip, and nothing else.
#
# What a reviewer wants to know first:
#   - It only reads. The only places it writes are a private temp folder (mode 0700) and the output folder.
#   - Every command has a deadline and a size cap. A watchdog stops what overruns and leaves behind what cannot be killed.
#   - Whatever happens (a signal, a full disk, hanging commands), it ends, cleans up, and delivers what it has.
#   - Secrets are masked before anything is packed. The environment of processes is never stored, but for four Go settings.
#   - It sends nothing anywhere. What it fetches comes from this host, or from addresses given on the command line.
#
# Parts, in order: settings, time and records, watchdog, steps, copying files, choosing what is busy, phases, remote parts,
# redaction, pseudonyms, manifest, packing, main. Runs on dash, busybox ash, bash and mksh; needs awk and ordinary
# file tools (coreutils or busybox). Everything else is used when present and listed as absent when not.

# shellcheck disable=SC2015,SC2016,SC2317 # `a && b || c` is meant where b cannot fail; functions are called by name, as steps and traps

VERSION=1
LC_ALL=C S_TIME_FORMAT=ISO S_COLORS=never NO_COLOR=1 TZ=${TZ:-}; [ -n "$TZ" ] || unset TZ
export LC_ALL S_TIME_FORMAT S_COLORS NO_COLOR
unset POSIXLY_CORRECT GREP_OPTIONS CDPATH ENV BASH_ENV
set -u
umask 077
IFS=' 	
'
# Tools of administrators live in sbin, which a user's PATH often lacks. A PATH without the ordinary folders is somebody's choice.
case :$PATH: in *:/usr/bin:*|*:/bin:*) PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; export PATH ;; esac

usage() { cat <<'HELP'
collect.sh: collects performance evidence of this Linux host into one zip for `coroner analyze`.

  sh collect.sh [--quick | --deep] [--output DIR|FILE.zip] [--cloud] [--go URL]... [--rabbitmq]
                [--k8s NAMESPACE/SELECTOR] [--pseudonymize] [--list] [--help]

  --quick          a window of 10 s (default 30 s); --deep 120 s
  --output WHERE   a folder that exists, or the name of the zip (default: the current folder)
  --cloud          instance type, zone and disks from the metadata service (never its credential paths); EBS statistics
  --go URL         a Go service, as http://host:port: CPU profile, trace, goroutine, mutex, block, heap, metrics twice. Repeatable
  --rabbitmq       queues, consumers, channels, connections of the broker on this host, twice; never messages or definitions
  --k8s NS/SEL     the pods of a label selector, by kubectl: limits, nodes, events, throttling, Go endpoints where they have one
  --pseudonymize   replaces host names, IPs, MACs and users by tokens of the same kind and width; the map stays beside the zip
  --list           prints what would be collected, and collects nothing

Run it during the incident, as root where possible: without root it works, and the manifest lists what that cost.
Passwords, tokens, user info in URLs and environment values are always masked; look into the zip before you send it.

  sudo sh collect.sh                                    this host, 30 s
  sudo sh collect.sh --quick --output /var/tmp          somewhere else, 10 s
  sh collect.sh --go http://10.0.0.5:6060 --go http://10.0.0.6:6060      two Go services in the same window
  ssh root@host 'sh -s -- --quick --output /tmp' < collect.sh            a host where nothing is installed

Exit status: 0 complete; 1 delivered, but cut short (a signal or the time limit); 2 cannot start (usage, disk space, awk missing);
3 nothing could be delivered.
HELP
}

say() { echo "collect: $*" >&2; }
die() { say "$1"; exit "${2:-2}"; }

# ---- Settings ----------------------------------------------------------------------------------------------------------

WINDOW=30 MODE=default WHERE='' CLOUD='' RABBIT='' PSEUDO='' LIST='' GO_URLS='' K8S='' OPTIONS=''
parse_options() {
  while [ $# -gt 0 ]; do
    case $1 in --output=* | --go=* | --k8s=*) o=${1%%=*} v=${1#*=}; shift; set -- "$o" "$v" "$@" ;; esac
    case $1 in --output | --go | --k8s) [ $# -gt 1 ] || die "$1 needs a value; see --help" ;; esac
    case $1 in
      --quick) WINDOW=10 MODE=quick ;;
      --deep) WINDOW=120 MODE=deep ;;
      --output) shift; WHERE=$1 ;;
      --cloud) CLOUD=1 ;;
      --go) shift; add_go "$1" ;;
      --rabbitmq) RABBIT=1 ;;
      --k8s) shift; K8S=$1 ;;
      --pseudonymize) PSEUDO=1 ;;
      --list) LIST=1 ;;
      -h | --help) usage; exit 0 ;;
      *) die "unknown option $1; --help shows what there is" ;;
    esac
    shift
  done
  # CORONER_WINDOW shortens the window for tests; the manifest says how long it really was.
  case ${CORONER_WINDOW:-} in '' | *[!0-9]* | 0*) ;; *) WINDOW=$CORONER_WINDOW ;; esac
  case $K8S in '' | ?*/?*) ;; *) die "--k8s needs NAMESPACE/SELECTOR, like shop/app=worker" ;; esac
  OPTIONS="$MODE${CLOUD:+ cloud}${RABBIT:+ rabbitmq}${K8S:+ k8s=$K8S}${PSEUDO:+ pseudonymize}$(for u in $GO_URLS; do echo " go=$u"; done)"
}
add_go() {
  case $1 in http://?*|https://?*) ;; *) die "--go needs a URL like http://host:6060, not $1" ;; esac
  case $1 in *[!A-Za-z0-9:/._~%@?=\&+,\;-]*) die "--go: unexpected character in the URL" ;; esac
  u=${1%/}; u=${u%/debug/pprof}; GO_URLS="$GO_URLS $u"
}

have() { command -v "$1" >/dev/null 2>&1; }

# Space for the bundle in KiB: what a folder must have free before we begin.
NEED_KIB=65536
writable_dir() { [ -d "$1" ] && [ -w "$1" ] && ( : >"$1/.coroner.$$" ) 2>/dev/null && rm -f "$1/.coroner.$$"; }
roomy() { df -Pk "$1" 2>/dev/null | awk -v need=$NEED_KIB 'NR > 1 { free = $4 } END { exit !(free >= need) }'; }

choose_places() {
  case $WHERE in
    *.zip) OUT_DIR=${WHERE%/*} OUT_NAME=${WHERE##*/}; [ "$OUT_DIR" != "$WHERE" ] || OUT_DIR=.; [ -n "$OUT_DIR" ] || OUT_DIR=/ ;;
    *) OUT_DIR=${WHERE:-.} OUT_NAME='' ;;
  esac
  if ! writable_dir "$OUT_DIR"; then
    [ -z "$WHERE" ] || die "cannot write to $OUT_DIR"
    OUT_DIR=''
    for d in "${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm; do writable_dir "$d" && { OUT_DIR=$d; break; }; done
    [ -n "$OUT_DIR" ] || die "no folder to write to; give one with --output"
    say "the current folder is not writable, the zip goes to $OUT_DIR"
  fi
  OUT_DIR=$(cd "$OUT_DIR" && pwd) || die "cannot enter the output folder"
  roomy "$OUT_DIR" || die "less than $((NEED_KIB / 1024)) MiB free in $OUT_DIR: refusing to fill a disk; choose another place with --output"
  # Memory rather than a disk that may be what is sick, where there is plenty; profiles and traces of services are too big for that.
  TEMP='' shm=''
  [ -n "${TMPDIR:-}$GO_URLS$K8S" ] || { awk '$1 == "MemAvailable:" { ok = $2 > 1048576 } END { exit !ok }' /proc/meminfo && shm=/dev/shm; }
  for d in $shm "${TMPDIR:-/tmp}" "$OUT_DIR" /var/tmp /dev/shm; do writable_dir "$d" && roomy "$d" && { TEMP=$d; break; }; done
  [ -n "$TEMP" ] || die "no temp folder with $((NEED_KIB / 1024)) MiB free; set TMPDIR"
  now; W=$(cd "$TEMP" && pwd)/coroner.$$.$BASE
  mkdir -m 0700 "$W" || die "cannot make a temp folder in $TEMP"
  B=$W/b; mkdir "$B" "$B/cmd" || die "cannot make a temp folder in $TEMP"
}

# ---- Time and records --------------------------------------------------------------------------------------------------
# The clock is /proc/uptime in hundredths of a second: monotonic, and reading it forks nothing. It counts from the start of this
# script, since mksh reckons in 32 bits.

BASE=0
now() { u_=0.00; read -r u_ _ 2>/dev/null </proc/uptime; s_=${u_%.*} c_=${u_#*.}; NOW=$(((s_ - BASE) * 100 + 1$c_ - 100)); }
wall() { WALL=$(date +%s.%N 2>/dev/null); case $WALL in *[!0-9.]* | *. | '') WALL=$(date +%s) ;; esac; }

TAB='	' STOP='' CUT=''
# One line of the manifest. $1 id, $2 file, $3 start, $4 duration, $5 exit status, $6 why absent or cut, $7 pid, $8 command
record() { printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@" 2>/dev/null >>"$W/steps.tsv" || CUT=${CUT:-no space left}; }
absent() { now; record "$1" "$2" "$NOW" 0 '' "$3" '' "$4"; }

phase() { # $1 name, $2 seconds it may take, $3 seconds to go. All collecting ends 100 s after the window at the latest
  now; PHASE_DUE=$((NOW + $2 * 100))
  [ -n "$FORCE" ] || [ "$PHASE_DUE" -le $((BEGIN + (WINDOW + 100) * 100)) ] || PHASE_DUE=$((BEGIN + (WINDOW + 100) * 100))
  [ -n "$LIST" ] && { echo "# $1"; return; }
  [ -n "$STOP" ] || say "$(( (NOW - BEGIN) / 100 )) s: $1 (about $3 s to go)"
}

# Own CPU in clock ticks, children that have ended included: fields 14 to 17 of our stat line.
own_ticks() {
  OWN=0; read -r line 2>/dev/null <"/proc/$$/stat" || return
  # shellcheck disable=SC2086 # the fields are numbers
  set -- ${line##*)}; OWN=$(( ${12} + ${13} + ${14} + ${15} ))
}

# ---- Watchdog ----------------------------------------------------------------------------------------------------------
# `timeout` may be missing, and it waits for ever for a command in uninterruptible sleep. So one background loop looks once a
# second at the files slot.N (one a running step: pid, due time, ...): TERM when due, KILL 2 s later, and 2 s after that it marks
# the step as left behind and wakes the main shell. It also clears up when the main shell was killed outright.

# The processes of a step: descendants of pid $1, and members of its session or process group. /proc/PID/stat never blocks. They are
# noted with their start times, for `sweep`: one that ignored TERM may have lost its parent by then.
family() {
  stats | awk -v root="$1" -v prey="$W/prey" '
    /^[0-9]+ \(/ { pid = $1; sub(/.*\) /, ""); parent[pid] = $2; born[pid] = $20; if ($3 == root || $4 == root) mine[pid] = 1 }
    END { mine[root] = 1
      do { more = 0; for (p in parent) if (!(p in mine) && (parent[p] in mine)) { mine[p] = 1; more = 1 } } while (more)
      for (p in mine) if (p in parent) { printf "%s ", p; print p, born[p] >> prey } }'
}
# shellcheck disable=SC2046 # a list of pids
slay() { kill -"$1" $(family "$2") 2>/dev/null; }

main_alive() { read -r line 2>/dev/null <"/proc/$MAIN/stat" || return 1; case ${line##*)} in ' Z'* | ' X'*) return 1 ;; esac; }
watchdog() {
  trap '' INT TERM HUP USR1
  while sleep 1; do
    [ -e "$W/done" ] && exit 0
    alive=1; main_alive || alive=''
    now; stop=''; { [ -e "$W/stop" ] && read -r stop <"$W/stop"; } 2>/dev/null
    for f in "$W"/slot.*; do
      read -r pid due _ 2>/dev/null <"$f" && [ "$pid" != idle ] || continue
      [ -n "$alive" ] || { slay KILL "$pid"; continue; }
      [ -z "$stop" ] || [ "$stop" -gt "$due" ] || due=$stop
      if [ "$NOW" -ge $((due + 400)) ]; then : >"$W/left.$pid"; kill -USR1 "$MAIN"
      elif [ "$NOW" -ge $((due + 200)) ]; then slay KILL "$pid"
      elif [ "$NOW" -ge "$due" ]; then slay TERM "$pid"
      fi
    done
    [ -n "$alive" ] || { rm -rf "$W" "${BALLAST:-$W}" "${PART:-$W}"; exit 0; }
  done
}

# INT, TERM, HUP: stop collecting, pack what is there. The third signal gives up.
SIGNALS=0 WOKEN='' FORCE=''
on_signal() {
  WOKEN=1 SIGNALS=$((SIGNALS + 1))
  [ "$SIGNALS" -lt 3 ] || { say "giving up"; cleanup; exit 130; }
  STOP="stopped by $1" CUT="stopped by $1"; now
  [ -n "$FORCE" ] || echo "$NOW" >"$W/stop"     # what finishes the bundle is not stopped
  [ "$SIGNALS" -gt 1 ] || say "stopping on $1, packing what there is (twice more to give up)"
}
settle() { [ -z "$STOP" ] || rm -f "$W/stop"; }    # all slots are empty: from here on steps run again

# ---- Steps -------------------------------------------------------------------------------------------------------------
# A step is one command with its output in one file of the bundle. Names of commands that are functions of this script begin with do_.

# ulimit -f counts in 512 bytes, but for bash outside its POSIX mode in 1024. Going over it ends the command: the size cap costs no process.
PER_KIB=2
# shellcheck disable=SC3028 # empty outside bash
[ -n "${BASH_VERSION:-}" ] && case :${SHELLOPTS:-}: in *:posix:*) ;; *) PER_KIB=1 ;; esac
SETSID='' SHOWN='' FETCHES=0

launch() { # $1 slot, $2 id, $3 file, $4 seconds, $5 KiB, then the command
  slot=$1 id=$2 file=$3 limit=$4 cap=$5; shift 5
  [ -z "$LIST" ] || { case $1 in do_*) set -- "$id" ;; esac; printf '%-34s %s\n' "$file" "$*"; return 1; }
  case $1 in do_either) needs=$2 ;; do_*) needs="awk" ;; *) needs=$1 ;; esac
  have "$needs" || { absent "$id" "$file" "not installed: $needs" "$*"; return 1; }
  now
  [ -z "$STOP" ] || [ -n "$FORCE" ] || { absent "$id" "$file" "$STOP" "$*"; return 1; }
  [ "$NOW" -lt "$PHASE_DUE" ] || { absent "$id" "$file" "no time left in this phase" "$*"; CUT=${CUT:-out of time}; return 1; }
  due=$((NOW + limit * 100)); [ "$due" -le "$PHASE_DUE" ] || due=$PHASE_DUE
  [ -d "$B/${file%/*}" ] || mkdir -p "$B/${file%/*}"
  case $file in *.txt) errors=$B/$file ;; *) errors=$W/err.$slot; : >"$errors" ;; esac
  : >"$B/$file"      # both are appended to, so that errors and output in one file do not overwrite each other
  (
    trap '' HUP; trap - INT TERM USR1
    ulimit -f $((cap * PER_KIB)) 2>/dev/null
    case $1 in do_*) "$@" ;; *) exec $SETSID "$@" ;; esac
  ) >>"$B/$file" 2>>"$errors" </dev/null &
  pid=$!
  # in place, not truncated: works on a full disk; and what the watchdog cannot see must not run
  printf '%s %s %s %s %s %s\n%s\n' "$pid" "$due" "$NOW" "$id" "$file" "$cap" "${SHOWN:-$*}" 2>/dev/null 1<>"$W/slot.$slot" && return
  slay KILL "$pid"; wait "$pid" 2>/dev/null; absent "$id" "$file" 'no space left' "$*"; return 1
}
finish() { # $1 slot
  [ -e "$W/slot.$1" ] || return 0
  { read -r pid due start id file cap; read -r command; } <"$W/slot.$1"
  [ "$pid" != idle ] || return 0
  while :; do
    WOKEN=''; wait "$pid" 2>/dev/null; rc=$?
    [ -n "$WOKEN" ] || break
    [ ! -e "$W/left.$pid" ] || { rc=left; break; }
  done
  echo idle 1<>"$W/slot.$1"; now; why=''
  case $rc in
    left) why='left behind: cannot be killed (uninterruptible sleep)' rc='' ;;
    0) ;;
    153) why="cut at $cap KiB" ;;
    137 | 143) why="deadline of $(((due - start) / 100)) s"; [ -z "$STOP" ] || why=$STOP ;;
    *) if [ ! -s "$B/$file" ] && [ -s "$W/err.$1" ]; then read -r why <"$W/err.$1"; elif case $file in *.txt) ;; *) false ;; esac; then read -r why <"$B/$file"; fi
       why=${why:-failed} ;;
  esac 2>/dev/null
  record "$id" "$file" "$start" $((NOW - start)) "$rc" "$why" "$pid" "$command"
}
step() { launch 0 "$@" && finish 0; }
SLOTS=0
background() { SLOTS=$((SLOTS + 1)); launch $SLOTS "$@"; }
finish_all() { n=0; while [ $n -lt $SLOTS ]; do n=$((n + 1)); finish $n; done; }

# cmd SECONDS KIB COMMAND...: a command whose file is named after it, as `cmd/ethtool_-l_eth0.txt`.
cmd() { s=$1 k=$2; shift 2; name=''; for w; do name=${name:+${name}_}$w; done; step "$1" "cmd/$name.txt" "$s" "$k" "$@"; }

do_either() { # runs words up to --, and when they fail without output, the words after it: for options that old builds lack
  n=0; for w; do [ "$w" != -- ] || break; n=$((n + 1)); done
  first=$(i=0; for w; do [ "$i" -lt "$n" ] || break; printf '%s ' "$w"; i=$((i + 1)); done)
  # shellcheck disable=SC2086 # our own words, without blanks inside
  $first 2>/dev/null; rc=$?
  [ "$rc" != 0 ] && [ "$rc" -lt 128 ] || return "$rc"       # 128 and more: it was stopped
  shift $((n + 1)); exec "$@"
}

# ---- Copying files -----------------------------------------------------------------------------------------------------
# Files of /proc and /sys are read by one `head` for many files: a process per file would cost more than all the reading. With -v it
# says `==> PATH <==` before each, and a file that fails to read (gone, not permitted) costs that file alone.
# Input lines: source [TAB destination TAB prefix]; with a destination, every line is appended there behind the prefix.
# Characters of a path that file systems or zip readers dislike are written as %XX.

read_all() { tr '\n' '\0' | xargs -0 head -v -c 4194304 /dev/null 2>"${1:-/dev/null}"; }    # paths in, headers and contents out
stats() { for p in /proc/[0-9]*; do echo "$p/stat"; done | tr '\n' '\0' | xargs -0 cat 2>/dev/null; }

COPY='
function safe(s,   i, c, r) { if (s !~ /[^A-Za-z0-9._@:+=,\/-]/) return s
  for (i = 1; i <= length(s); i++) { c = substr(s, i, 1); r = r (c ~ /[A-Za-z0-9._@:+=,\/-]/ ? c : sprintf("%%%02X", ord[c])) } return r }
function make() { if (batch != "") system("mkdir -p" batch); batch = "" }
function flush() { if (f != "" && blank) put(""); blank = 0 }
function put(l) { if (adds[s]) print pre l >> f; else print l > f; any = 1 }
function shut() { if (any) close(f); else if (f != "" && !adds[s]) empty[s] = f; f = "" }
BEGIN { FS = "\t"; for (i = 1; i < 256; i++) ord[sprintf("%c", i)] = i
  while ((getline l < list) > 0) { n = split(l, x, "\t"); s = x[1]; dst[s] = top (n > 1 ? "/" x[2] : safe(s)); prefix[s] = x[3]; adds[s] = n > 1
    dir = dst[s]; sub(/\/[^\/]*$/, "", dir)
    if (!(dir in seen)) { seen[dir] = 1; batch = batch " " q dir q; if (length(batch) > 30000) make() } }
  make(); f = "" }
{ sub(/==> \/dev\/null <==$/, "") }
/^==> .* <==$/ { t = substr($0, 5, length($0) - 8); if (t in dst) { blank = 0; shut(); s = t; f = dst[s]; pre = prefix[s]; any = 0; next } }
f == "" { next }
{ flush(); if ($0 == "") blank = 1; else put($0) }
END { blank = 0; shut()
  while ((getline l < bad) > 0) for (s in empty) if (index(l, s "\047") || index(l, s ":")) delete empty[s]      # failed to read, which is not empty
  for (s in empty) { printf "" > empty[s]; close(empty[s]) } }'
do_copy() {
  cut -f 1 "$W/list.$2" | read_all "$W/bad.$2" | awk -v top="$B${1:+/$1}" -v q="'" -v list="$W/list.$2" -v bad="$W/bad.$2" "$COPY"
  head -n 500 "$W/bad.$2" | sed 's/^head: //'       # which files could not be read, and why: the step's own output
}
# copy ID FOLDER SECONDS: the files named on standard input go below FOLDER
copy() {
  cat >"$W/list.$1"
  if [ -n "$LIST" ]; then
    awk -F '\t' -v d="${2:+$2/}" '{ s = $1; gsub(/[0-9]+/, "N", s); sub(/^\/sys\/fs\/cgroup\/.*\//, "/sys/fs/cgroup/.../", s); if (NF > 1) gsub(/[0-9]+/, "N", $2); if (!(s in seen)) { seen[s] = 1; printf "%-34s %s\n", d (NF > 1 ? $2 : substr(s, 2)), s } }' "$W/list.$1"; return
  fi
  step "$1" "log/$1.txt" "$3" 8192 do_copy "$2" "$1"
}
# Prints those of the given paths that exist; fixed names that do not are recorded as absent.
paths() { for f_; do if [ -e "$f_" ]; then echo "$f_"; else [ -n "$LIST" ] || absent copy "${f_#/}" 'no such file' "read $f_"; fi; done; }
existing() { for f_; do [ ! -e "$f_" ] || echo "$f_"; done; }
# value lists as in irq/affinity.txt, one file for hundreds of one-line files: listing DESTINATION STRIP path...
listing() { to_=$1 strip=$2; shift 2; for f_; do [ ! -f "$f_" ] || echo "$f_$TAB$to_$TAB${f_#"$strip"}:"; done; }

# ---- Choosing what is busy ---------------------------------------------------------------------------------------------

# Processes: pid, clock ticks so far, resident pages. Two scans a few seconds apart show who is busy now.
do_scan() { stats | awk -v self="$$" '/^[0-9]+ \(/ { pid = $1; sub(/.*\) /, ""); if (pid != self && $2 != self && $1 != "Z") print pid, $12 + $13, $22, $20 }'; }
pick_processes() { # sets TOP: up to 24 pids, the busiest first
  do_scan >"$W/scan.2"
  TOP=$(awk '
    FNR == NR { before[$1 " " $4] = $2; next }
    { k = $1 " " $4; now[$1] = (k in before) ? $2 - before[k] : $2; total[$1] = $2; rss[$1] = $3 }
    function best(a, n,   i, p, b) { for (i = 0; i < n; i++) { b = ""
        for (p in a) if (!(p in out) && a[p] > 0 && (b == "" || a[p] > a[b] || (a[p] == a[b] && p + 0 < b + 0))) b = p
        if (b == "") return; out[b] = 1; printf "%s ", b } }
    END { best(now, 10); best(total, 6); best(rss, 8) }' "$W/scan.1" "$W/scan.2")
}

# Control groups: where each hierarchy is mounted, then the groups with a quota, with throttling or the most CPU time, and their ancestors.
pick_cgroups() { # writes $W/cgroups: one relative path a line, the busiest first; sets MOUNTS
  MOUNTS=''
  while read -r _ at type opts _; do
    case $at in *[!A-Za-z0-9._,/-]*) continue ;; esac
    case $type in
      cgroup2) MOUNTS="$MOUNTS $at" ;;
      cgroup) case ,$opts, in *,cpu,* | *,cpuacct,* | *,memory,* | *,cpuset,* | *,blkio,* | *,pids,*) MOUNTS="$MOUNTS $at" ;; esac ;;
    esac
  done </proc/self/mounts
  [ -n "$MOUNTS" ] || { : >"$W/cgroups"; return; }
  # shellcheck disable=SC2086 # a list of mount points
  find $MOUNTS -maxdepth 9 \( -name cpu.max -o -name cpu.cfs_quota_us -o -name cpu.stat -o -name cpuacct.usage -o -name memory.usage_in_bytes \) 2>/dev/null |
    head -n 20000 | read_all | awk -v mounts="$MOUNTS" '
    BEGIN { nm = split(mounts, m, " "); file = "" }
    { sub(/==> \/dev\/null <==$/, "") }
    /^==> .* <==$/ { d = substr($0, 5, length($0) - 8); file = d; sub(/.*\//, "", file); sub(/\/[^\/]*$/, "", d)
      at = ""; for (i = 1; i <= nm; i++) if (index(d "/", m[i] "/") == 1 && length(m[i]) > length(at)) at = m[i]
      rel = substr(d, length(at) + 1); score[rel] += 0; next }
    file == "cpu.max" && $1 ~ /^[0-9]/ || file == "cpu.cfs_quota_us" && $1 > 0 { score[rel] += 1e15 }
    file == "cpu.stat" && $1 == "nr_throttled" && $2 > 0 { score[rel] += 1e16 }
    file == "cpu.stat" && $1 == "usage_usec" { score[rel] += $2 }
    file == "cpuacct.usage" && $1 > 0 { score[rel] += $1 / 1000 }
    END { for (n = 0; n < 40; n++) { b = "-"; for (r in score) if (!(r in out) && (b == "-" || score[r] > score[b] || (score[r] == score[b] && r < b))) b = r
        if (b == "-") break; out[b] = 1; print b
        up = b; while (sub(/\/[^\/]*$/, "", up)) if (!(up in out)) { out[up] = 1; print up } } }' >"$W/cgroups"
}
CGROUP_FILES='cpu.stat cpu.stat.local cpu.max cpu.max.burst cpu.weight cpu.pressure memory.current memory.peak memory.max memory.high memory.low memory.min
  memory.events memory.events.local memory.stat memory.pressure memory.swap.current memory.swap.max memory.swap.events io.stat io.max io.pressure cpuset.cpus
  cpuset.cpus.effective cpuset.mems cpuset.mems.effective pids.current pids.max pids.events cgroup.procs cgroup.stat cpu.cfs_quota_us cpu.cfs_period_us
  cpu.cfs_burst_us cpu.shares cpuacct.usage cpuacct.usage_percpu memory.limit_in_bytes memory.usage_in_bytes memory.max_usage_in_bytes memory.failcnt
  memory.oom_control memory.memsw.usage_in_bytes blkio.throttle.io_service_bytes blkio.throttle.io_serviced'
list_cgroups() {
  while IFS= read -r rel; do
    for m in $MOUNTS; do [ ! -d "$m$rel" ] || for f in $CGROUP_FILES; do [ ! -e "$m$rel/$f" ] || echo "$m$rel/$f"; done; done
  done <"$W/cgroups"
}

# Interfaces with a device behind them; virtual ones have no queues to look at.
NICS=''
pick_nics() {
  n=0
  for d in /sys/class/net/*; do
    case ${d##*/} in *[!A-Za-z0-9._@:-]*) continue ;; esac
    [ -e "$d/device" ] && [ $n -lt 16 ] && { NICS="$NICS ${d##*/}"; n=$((n + 1)); }
  done
}

# ---- Phase 1: facts that do not change ---------------------------------------------------------------------------------

collect_static() {
  phase 'configuration and hardware' 40 $((WINDOW + 10))
  [ -n "$LIST" ] || do_scan >"$W/scan.1"
  {
    paths /proc/cmdline /proc/cpuinfo /proc/version /proc/mounts /proc/self/mountinfo /proc/self/cgroup /proc/irq/default_smp_affinity
    existing /proc/swaps /proc/mdstat /proc/net/bonding/* /proc/self/mountstats /etc/os-release /etc/fstab /etc/sysctl.conf /etc/sysctl.d/*.conf /etc/default/irqbalance /etc/sysconfig/irqbalance
    c=/sys/devices/system/cpu
    existing $c/online $c/possible $c/present $c/offline $c/isolated $c/nohz_full $c/smt/active $c/smt/control $c/cpuidle/current_driver $c/intel_pstate/no_turbo $c/intel_pstate/status \
      /sys/devices/system/clocksource/clocksource0/current_clocksource /sys/devices/system/clocksource/clocksource0/available_clocksource \
      /sys/devices/system/node/online /sys/devices/system/node/node*/cpulist /sys/devices/system/node/node*/distance \
      /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/mm/transparent_hugepage/defrag /sys/kernel/mm/ksm/run /sys/module/zswap/parameters/enabled \
      /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name /sys/class/dmi/id/bios_version /sys/hypervisor/type
    for d in /sys/block/*; do
      case ${d##*/} in loop* | ram* | zram* | sr* | fd*) continue ;; esac
      q=$d/queue
      existing "$q/scheduler" "$q/nr_requests" "$q/rotational" "$q/read_ahead_kb" "$q/write_cache" "$q/max_sectors_kb" "$q/logical_block_size" "$q/wbt_lat_usec" "$q/rq_affinity" \
        "$d/size" "$d/device/model" "$d/device/queue_depth"
    done
    for d in /sys/class/net/*; do
      existing "$d/mtu" "$d/speed" "$d/duplex" "$d/operstate" "$d/carrier_changes" "$d/threaded" "$d/device/numa_node" "$d/tx_queue_len"
      listing "cmd/sys_queues_${d##*/}.txt" "$d/queues/" "$d"/queues/rx-*/rps_cpus "$d"/queues/rx-*/rps_flow_cnt "$d"/queues/tx-*/xps_cpus
      listing irq/msi.txt '' "$d"/device/msi_irqs/* "$d"/device/../msi_irqs/*
    done
    listing irq/affinity.txt /proc/irq/ /proc/irq/[0-9]*/smp_affinity_list /proc/irq/[0-9]*/effective_affinity_list /proc/irq/[0-9]*/node
    listing cmd/sys_cpu.txt '' $c/cpu[0-9]*/topology/core_id $c/cpu[0-9]*/topology/physical_package_id $c/cpu[0-9]*/topology/thread_siblings_list \
      $c/cpu[0-9]*/cpufreq/scaling_governor $c/cpu[0-9]*/cpufreq/scaling_driver $c/cpu[0-9]*/cpufreq/scaling_max_freq $c/cpu[0-9]*/cpufreq/cpuinfo_max_freq \
      $c/cpu[0-9]*/cpufreq/energy_performance_preference $c/cpu[0-9]*/cpuidle/state*/name $c/cpu[0-9]*/cpuidle/state*/latency $c/cpu[0-9]*/cpuidle/state*/disable \
      /sys/devices/system/cpu/vulnerabilities/*
    # as `sysctl -a` prints them, for a tenth of its cost; keys (tcp_fastopen_key) stay out
    for f in /proc/sys/vm/* /proc/sys/kernel/* /proc/sys/fs/* /proc/sys/fs/inotify/* /proc/sys/net/core/* /proc/sys/net/ipv4/[a-z]* /proc/sys/net/ipv4/neigh/default/* /proc/sys/net/netfilter/*; do
      case $f in *key* | *secret* | *drop_caches | *compact_memory | *stat_refresh) continue ;; esac
      k=${f#/proc/sys/}; while [ "$k" != "${k#*/}" ]; do k=${k%%/*}.${k#*/}; done
      [ ! -f "$f" ] || echo "$f${TAB}cmd/sysctl_-a_selected.txt$TAB$k = "
    done
  } | copy static '' 10
  step date cmd/date.txt 5 64 date '+%Y-%m-%dT%H:%M:%S%z'
  cmd 5 64 uname -a; cmd 5 64 nproc; cmd 5 64 getconf PAGESIZE; cmd 5 64 uptime; cmd 5 256 lscpu; cmd 5 64 free -m
  cmd 5 4096 lsblk -O -J; cmd 5 256 lsblk; cmd 5 256 df -PT; cmd 5 256 df -Pi
  cmd 5 256 numactl -H; cmd 5 256 numastat; cmd 5 512 numastat -m
  cmd 5 512 ip -s -d link; cmd 5 256 ip addr; cmd 5 64 ip -4 route; cmd 5 256 tc -s qdisc
  for i in $NICS; do
    cmd 5 64 ethtool "$i"
    for o in -i -l -x -g -k -c -a -n -T --show-priv-flags; do cmd 5 256 ethtool $o "$i"; done
  done
  cmd 8 256 nvme list; cmd 5 256 multipath -ll; cmd 5 64 tuned-adm active
  [ ! -d /run/systemd/system ] || { cmd 5 256 systemctl --no-pager --failed --plain; cmd 5 64 systemctl --no-pager is-active irqbalance; }
  # names for the ids in cgroup paths; never an inspection, which holds the environment
  [ ! -S /var/run/docker.sock ] || step docker_ps cmd/docker_ps.txt 8 512 docker ps --no-trunc --format '{{.ID}} {{.Names}} {{.Image}} {{.Status}}'
  [ -z "$CLOUD" ] || collect_cloud
  [ -z "$K8S" ] || pick_pods
  settle
}

# ---- Phase 2: snapshot, window, snapshot -------------------------------------------------------------------------------

list_counters() {
  paths /proc/stat /proc/softirqs /proc/interrupts /proc/schedstat /proc/loadavg /proc/uptime /proc/meminfo /proc/vmstat /proc/zoneinfo /proc/buddyinfo /proc/diskstats \
    /proc/pressure/cpu /proc/pressure/io /proc/pressure/memory \
    /proc/net/softnet_stat /proc/net/snmp /proc/net/netstat /proc/net/sockstat /proc/net/dev /proc/net/udp /proc/sys/fs/file-nr
  existing /proc/swaps /proc/pressure/irq /proc/net/snmp6 /proc/net/sockstat6 /proc/net/udp6 /proc/net/stat/* /proc/pagetypeinfo /proc/sys/fs/aio-nr /proc/sys/fs/inotify/* \
    /proc/sys/net/netfilter/nf_conntrack_count /proc/sys/net/netfilter/nf_conntrack_max /proc/net/rpc/nfs \
    /sys/devices/system/node/node*/numastat /sys/devices/system/node/node*/meminfo /sys/devices/system/node/node*/vmstat
  c=/sys/devices/system/cpu
  listing sys_cpu.txt '' $c/cpu[0-9]*/cpuidle/state*/time $c/cpu[0-9]*/cpuidle/state*/usage $c/cpu[0-9]*/thermal_throttle/*_count $c/cpu[0-9]*/cpufreq/scaling_cur_freq
  n=0
  for p in $TOP; do
    existing /proc/"$p"/stat /proc/"$p"/status /proc/"$p"/schedstat /proc/"$p"/io /proc/"$p"/limits /proc/"$p"/cgroup /proc/"$p"/wchan /proc/"$p"/oom_score_adj /proc/"$p"/sched
    n=$((n + 1)); [ $n -le 6 ] || continue
    m=0
    for t in /proc/"$p"/task/*; do
      m=$((m + 1)); [ $m -le 200 ] || break
      echo "$t/stat${TAB}proc/$p/task_stat$TAB"; echo "$t/schedstat${TAB}proc/$p/task_schedstat$TAB${t##*/} "
    done
  done
  list_cgroups
}
snapshot() { # $1 t0 or t1
  if [ -z "$LIST" ]; then mkdir -p "$B/$1"; wall; echo "$WALL" >"$B/$1/timestamp"; fi
  list_counters | copy "$1" "$1" 15
  for i in $NICS; do step ethtool_stats "$1/cmd/ethtool_-S_$i.txt" 8 512 ethtool -S "$i"; done
  step ss_summary "$1/cmd/ss_-s.txt" 5 64 ss -s
  step ss_listen "$1/cmd/ss_-ltn.txt" 5 512 ss -ltn
  [ -z "$CLOUD" ] || collect_ebs "$1"
}

# Once a second, one `head` of all sampled files onto one raw file: two small forks a second, and nothing is lost when it is stopped.
# After the window awk sorts it into one file a source. Lines that no rule reads are left out: the `intr` row of /proc/stat,
# scheduling domains, loop devices. Every sample begins with `timestamp:`; `file:` rows tell files of one series apart.
do_sample() {
  # shellcheck disable=SC2086 # a list of pids
  set -- $TOP; n=0 procs=''; for p; do [ "$n" -lt 12 ] || break; n=$((n + 1)) procs="$procs /proc/$p/stat /proc/$p/schedstat"; done
  set --; n=0
  while IFS= read -r rel && [ "$n" -lt 24 ]; do
    for m in $MOUNTS; do [ ! -e "$m$rel/cpu.stat" ] || { set -- "$@" "$m$rel/cpu.stat"; n=$((n + 1)); }; [ ! -e "$m$rel/memory.current" ] || set -- "$@" "$m$rel/memory.current"; done
  done <"$W/cgroups"
  # where these are large, only every fifth second
  small='' large=''; for f in /proc/interrupts /proc/schedstat; do [ ! -r "$f" ] || if [ "$(wc -c <"$f")" -lt 65536 ]; then small="$small $f"; else large="$large $f"; fi; done
  wall; now; first=$NOW s=0 c=00
  case $WALL in *.*) c=${WALL#*.}0; c=${c%"${c#??}"} WALL=${WALL%.*} ;; esac
  while :; do
    now; t=$((NOW - first + 1$c - 100)); h=0$((t % 100)); echo "timestamp: $((WALL + t / 100)).${h#"${h%??}"}"
    now_and_then=$large; [ $((s % 5)) = 0 ] || now_and_then=''
    # shellcheck disable=SC2086 # lists of paths without blanks
    head -v -c 4194304 /proc/stat /proc/softirqs $small $now_and_then /proc/net/softnet_stat /proc/loadavg /proc/diskstats /proc/net/dev /proc/vmstat /proc/meminfo /proc/net/snmp \
      /proc/net/netstat /proc/net/sockstat /proc/pressure/* $procs "$@" /dev/null 2>/dev/null
    [ "$s" -lt "$WINDOW" ] || break
    s=$((s + 1)); sleep 1
  done
}
do_split() {
  mkdir -p "$B/series"
  awk -v top="$B/series/" '
    BEGIN { keep["/proc/vmstat"] = "^(nr_(free_pages|dirty|writeback)|pg(scan|steal|fault|majfault|pgin|pgout|migrate|rotated|promote|demote)|psw|allocstall|kswapd|workingset|numa_|oom_kill|compact_|thp_|drop_|zswp)"
      keep["/proc/meminfo"] = "^(MemFree|MemAvailable|Buffers|Cached|SwapCached|SwapFree|Dirty|Writeback|AnonPages|Slab|SUnreclaim|Committed_AS):"
      keep["/proc/net/snmp"] = "^(Ip|Tcp|Udp):"; keep["/proc/net/netstat"] = "^(TcpExt|IpExt):"
      drop["/proc/stat"] = "^intr"; drop["/proc/diskstats"] = " (loop|ram)[0-9]+ "; drop["/proc/schedstat"] = "^domain" }
    /^timestamp: [0-9.]+$/ { T = $0; out = ""; next }
    /^==> \/.* <==$/ { src = substr($0, 5, length($0) - 8); mark = ""; out = src
      if (src == "/dev/null") { out = ""; next }
      if (src ~ /^\/proc\/[0-9]+\//) { sub(/.*\//, "", out); out = "proc_pid_" out; mark = "file: " src }
      else if (src ~ /^\/proc/) { out = substr(src, 2); gsub(/\//, "_", out) }
      else { sub(/.*\//, "", out); out = "cgroup_" out; mark = "file: " src }
      out = top out ".txt"; next }
    out == "" || $0 == "" { next }
    (src in keep) && $0 !~ keep[src] || (src in drop) && $0 ~ drop[src] { next }
    { if (at[out] != T) { print T > out; at[out] = T } if (mark != "") { print mark > out; mark = "" } print > out }' "$B/log/samples.txt"
  rm -f "$B/log/samples.txt"
}

collect_window() {
  if [ -n "$LIST" ]; then TOP=$$; pick_cgroups; else pick_processes; pick_cgroups; fi
  phase 'first snapshot of all counters' 25 $((WINDOW + 8))
  snapshot t0
  phase "measuring for $WINDOW s" $((WINDOW + 35)) $((WINDOW + 7))
  own_ticks; WINDOW_OWN=$OWN; now; WINDOW_BEGIN=$NOW
  n=$((WINDOW + 1)) late=$((WINDOW + 8))
  background sample log/samples.txt $late 131072 do_sample
  background mpstat "cmd/mpstat_-P_ALL_1_$WINDOW.txt" $late 8192 mpstat -P ALL 1 "$WINDOW"
  background vmstat "cmd/vmstat_-w_-t_1_$n.txt" $late 512 do_either vmstat -w -t 1 $n -- vmstat 1 $n
  background iostat "cmd/iostat_-xyzt_1_$WINDOW.txt" $late 8192 do_either iostat -xyzt 1 "$WINDOW" -- iostat -xt 1 $n
  # shellcheck disable=SC2086 # a list of pids
  set -- $TOP; few=''; for p; do few=${few:+$few,}$p; done
  background pidstat "cmd/pidstat_-u_-w_1_$WINDOW.txt" $late 8192 pidstat -u -w -p "${few:-1}" 1 "$WINDOW"
  for u in $GO_URLS; do collect_go "$u"; done
  [ -z "$RABBIT" ] || collect_rabbitmq
  [ -z "$K8S" ] || collect_pods
  finish_all
  settle
  own_ticks; WINDOW_OWN=$((OWN - WINDOW_OWN)); now; WINDOW_TIME=$((NOW - WINDOW_BEGIN))
  FORCE=1
  phase 'second snapshot' 20 6
  snapshot t1
  step series log/series.txt 15 65536 do_split
  FORCE=''
  collect_go_end
  [ -z "$RABBIT" ] || rabbit_lists t1
}

# ---- Phase 3: what would have disturbed the window ---------------------------------------------------------------------

# Command lines of the chosen processes, arguments still apart (0x1e), so that masking sees where a value ends even if it holds blanks.
do_cmdlines() {
  set --; for p in $TOP; do [ -r "/proc/$p/cmdline" ] && set -- "$@" "/proc/$p/cmdline"; done
  [ $# -gt 0 ] || return 0
  tail -v -c +1 "$@" 2>/dev/null | tr '\n\0' '\n\036' | awk -v top="$B/proc/" '
    /^==> \/proc\/[0-9]+\/cmdline <==$/ { split($2, x, "/"); f = top x[3] "/cmdline"; next }
    f != "" && length($0) { print substr($0, 1, 8192) > f }'
}
# The four settings of the Go runtime, by name. No other variable is ever written.
do_environ() {
  set --; for p in $TOP; do [ -r "/proc/$p/environ" ] && set -- "$@" "/proc/$p/environ"; done
  [ $# -gt 0 ] || return 0
  tail -v -c +1 "$@" 2>/dev/null | tr '\0' '\n' | awk '
    /^==> \/proc\/[0-9]+\/environ <==$/ { split($2, x, "/"); pid = x[3]; next }
    /^(GOMAXPROCS|GOGC|GOMEMLIMIT|GODEBUG)=[A-Za-z0-9.,=_-]*$/ { print pid, $0 }'
}
do_dmesg() { dmesg | tail -n 20000; }
do_syslog() { for f in /var/log/syslog /var/log/messages /var/log/kern.log; do [ ! -r "$f" ] || { echo "==> $f <=="; tail -n 3000 "$f"; }; done; }
do_fds() { for p in $TOP; do set -- /proc/"$p"/fd/*; [ -L "$1" ] && echo "$p $#"; done; }

collect_after() {
  phase 'processes and logs' 45 4
  [ -n "$LIST" ] || for p in $TOP; do mkdir -p "$B/proc/$p"; done
  step cmdline log/cmdline.txt 5 1024 do_cmdlines
  step environ cmd/environ_go.txt 5 64 do_environ
  step fd_count cmd/fd_count.txt 5 64 do_fds
  step ps cmd/ps_-eLo.txt 8 4096 do_either ps -eLo pid,tid,psr,pcpu,stat,wchan:24,comm -- ps -o pid,user,vsz,rss,stat,comm
  step ps_mem cmd/ps_-eo.txt 8 1024 do_either ps -eo pid,ppid,user:16,pcpu,pmem,rss,vsz,stat,etimes,nlwp,comm -- ps -o pid,ppid,user,rss,comm
  n=0
  for p in $TOP; do n=$((n + 1)); [ $n -le 8 ] || break; existing "/proc/$p/smaps_rollup"; [ $n -gt 3 ] || existing "/proc/$p/numa_maps"; done | copy memory_maps t1 10
  existing /proc/slabinfo | copy slabinfo t1 5
  step dmesg logs/dmesg.txt 8 4096 do_dmesg
  if [ -d /run/log/journal ] || [ -d /var/log/journal ]; then
    step journal logs/journal.txt 10 4096 journalctl --no-pager -o short-iso --since -24h -p warning -n 5000
  else step syslog logs/syslog.txt 5 4096 do_syslog
  fi
  [ -z "$RABBIT" ] || collect_rabbitmq_once
  step last logs/last.txt 5 64 last -x -n 40
  if [ "$MODE" != quick ]; then
    for f in /var/log/sa/sa"$(date +%d)" /var/log/sysstat/sa"$(date +%d)"; do
      [ ! -r "$f" ] || step sar_today cmd/sar_today.txt 10 4096 sar -u -q -r -W -B -d -n DEV -n ETCP -f "$f"
    done
  fi
  settle
}

# ---- Remote parts: only when asked for ---------------------------------------------------------------------------------

# The URL goes to curl in a file of the temp folder: arguments are visible to every user, and a URL may hold a password.
fetch() { # $1 slot kind (step or background), $2 id, $3 file, $4 seconds, $5 KiB, $6 URL, then lines for curl's own configuration
  kind=$1 id=$2 file=$3 secs=$4 kib=$5 url=$6; shift 6
  [ -z "$LIST" ] || { printf '%-34s %s\n' "$file" "GET $url"; return; }
  if have curl; then
    FETCHES=$((FETCHES + 1)) SHOWN="GET $url"
    { printf 'url = "%s"\nsilent\nshow-error\nfail\nconnect-timeout = 3\nmax-time = %s\nnoproxy = "*"\n' "$url" "$secs"; for l; do echo "$l"; done; } >"$W/curl.$FETCHES"
    $kind "$id" "$file" $((secs + 2)) "$kib" curl -K "$W/curl.$FETCHES"
    SHOWN=''
  else
    case $url in *@*) absent "$id" "$file" 'a URL with user info needs curl' "GET $url"; return ;; esac
    $kind "$id" "$file" $((secs + 2)) "$kib" wget -q -O - "$url"
  fi
}

# Everything of all services starts at once, so that their profiles and traces overlap; the second metrics follow the window.
pod_of() { pod=${1#*://}; d=pods/$(echo "${pod#*@}" | tr -c 'A-Za-z0-9._\n-' '_'); }    # the folder for a URL
collect_go() {
  pod_of "$1"; p=$1/debug/pprof
  fetch step go "$d/metrics.t0.txt" 5 16384 "$1/metrics"
  fetch background go "$d/pprof/profile.pb.gz" $((WINDOW + 5)) 51200 "$p/profile?seconds=$WINDOW"
  fetch background go "$d/pprof/trace.out" 25 51200 "$p/trace?seconds=5"
  for k in goroutine mutex block heap threadcreate; do fetch background go "$d/pprof/$k.pb.gz" 10 16384 "$p/$k"; done
  fetch background go "$d/pprof/goroutine.debug2.txt" 10 16384 "$p/goroutine?debug=2"
}
collect_go_end() { for u in $GO_URLS; do pod_of "$u"; fetch step go "$d/metrics.t1.txt" 5 16384 "$u/metrics"; done; }

# The order of list_consumers is evidence: nothing here sorts.
do_rabbit_series() { s=0; while [ "$s" -lt "$WINDOW" ]; do wall; echo "timestamp: $WALL"; rabbitmqctl -q list_queues name messages_ready messages_unacknowledged consumers; sleep 5; s=$((s + 6)); done; }
rabbit_lists() { # $1 t0 or t1
  for f in txt json; do
    o=''; [ $f = txt ] || o='--formatter json'
    # shellcheck disable=SC2086 # two words or none
    {
      step rabbitmq "rabbitmq/list_queues.$1.$f" 20 8192 rabbitmqctl -q $o list_queues name type leader messages_ready messages_unacknowledged consumers consumer_capacity policy arguments
      step rabbitmq "rabbitmq/list_consumers.$1.$f" 20 8192 rabbitmqctl -q $o list_consumers queue_name channel_pid consumer_tag ack_required prefetch_count active arguments
      step rabbitmq "rabbitmq/list_channels.$1.$f" 20 8192 rabbitmqctl -q $o list_channels pid connection name number consumer_count prefetch_count messages_unacknowledged
      step rabbitmq "rabbitmq/list_connections.$1.$f" 20 8192 rabbitmqctl -q $o list_connections pid name peer_host peer_port state channels client_properties
    }
  done
  fetch step rabbitmq "rabbitmq/metrics.$1.txt" 5 16384 'http://127.0.0.1:15692/metrics'
}
collect_rabbitmq() { rabbit_lists t0; background rabbitmq rabbitmq/series_list_queues.txt $((WINDOW + 8)) 8192 do_rabbit_series; }
collect_rabbitmq_once() { for k in status cluster_status; do step rabbitmq rabbitmq/$k.json 20 1024 rabbitmqctl -q --formatter json $k; done; }

# Pods: a line each in $W/pods: name, port of its Go endpoints or -. One subshell a pod, so that all are measured in the same window.
pick_pods() {
  NS=${K8S%%/*} SELECTOR=${K8S#*/}
  step k8s k8s/pods.json 20 16384 kubectl -n "$NS" get pods -l "$SELECTOR" -o json
  step k8s k8s/nodes.json 20 16384 kubectl get nodes -o json
  step k8s k8s/events.txt 20 4096 kubectl -n "$NS" get events --sort-by=.lastTimestamp
  step k8s k8s/top_pods.txt 20 1024 kubectl -n "$NS" top pods --containers; step k8s k8s/version.txt 20 64 kubectl version
  step k8s log/pods.txt 20 1024 kubectl -n "$NS" get pods -l "$SELECTOR" --field-selector=status.phase=Running \
    -o 'jsonpath={range .items[*]}{.metadata.name}{" "}{range .spec.containers[*].ports[*]}{.name}{":"}{.containerPort}{","}{end}{"\n"}{end}'
  [ -n "$LIST" ] || awk '/^[a-z0-9.-]+ / { port = "-"; n = split($2, x, ","); for (i = n; i > 0; i--) { split(x[i], y, ":"); if (y[2] != "" && (y[1] ~ /pprof|debug|metrics|admin|http/ || port == "-")) port = y[2] }
    for (i = 1; i <= n; i++) { split(x[i], y, ":"); if (y[1] ~ /pprof|debug/) port = y[2] } if (++k <= 20) print $1, port }' "$B/log/pods.txt" >"$W/pods" 2>/dev/null
}
do_pod() { # $1 name, $2 port: runs beside the others; what fails stays out
  d=$B/pods/$1; mkdir -p "$d/pprof" "$d/cgroup"
  api=/api/v1/namespaces/$NS/pods/$1:$2/proxy
  raw() { kubectl get --raw "$api$1" >"$d/$2" 2>/dev/null; }
  pod_cgroup() { for f in cpu.stat cpu.max memory.events cpu.pressure; do kubectl -n "$NS" exec "$1" -- cat "/sys/fs/cgroup/$f" >"$d/cgroup/$f.$2" 2>/dev/null; done; }
  pod_cgroup "$1" t0
  if [ "$2" != - ]; then
    raw /metrics metrics.t0.txt & raw "/debug/pprof/profile?seconds=$WINDOW" pprof/profile.pb.gz & raw '/debug/pprof/trace?seconds=5' pprof/trace.out &
    for k in goroutine mutex block heap; do raw "/debug/pprof/$k" "pprof/$k.pb.gz"; done
    raw '/debug/pprof/goroutine?debug=2' pprof/goroutine.debug2.txt
    wait
    raw /metrics metrics.t1.txt
  else sleep "$WINDOW"
  fi
  pod_cgroup "$1" t1
  find "$d" -type f -size 0 -exec rm -f {} +
}
collect_pods() {
  [ -z "$LIST" ] || { printf '%-34s %s\n' 'pods/NAME/...' 'kubectl get --raw .../proxy/{metrics,debug/pprof/*}; kubectl exec NAME -- cat /sys/fs/cgroup/cpu.stat'; return; }
  while read -r pod port; do background pod "log/pod_$pod.txt" $((WINDOW + 30)) 51200 do_pod "$pod" "$port"; done <"$W/pods"
}

# Metadata by exact path: nothing below iam/, identity-credentials/ or service-accounts/ is ever asked for.
collect_cloud() {
  m=http://169.254.169.254 token=''
  # The session token is read into a shell variable and its file removed: it only ever reappears in curl's private configuration.
  if step cloud_token cloud/token.txt 3 4 curl -s -f -m 2 --noproxy '*' -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' $m/latest/api/token; then
    [ ! -s "$B/cloud/token.txt" ] || read -r token <"$B/cloud/token.txt"
    rm -f "$B/cloud/token.txt"
  fi
  case $token in *[!A-Za-z0-9=_-]*) token='' ;; esac
  if [ -n "$LIST$token" ]; then
    for k in instance-type placement/availability-zone instance-life-cycle; do
      fetch step cloud "cloud/aws_$(echo $k | tr / _).txt" 3 16 $m/latest/meta-data/$k "header = \"X-aws-ec2-metadata-token: $token\""
    done
  fi
  for k in machine-type zone disks/?recursive=true scheduling/preemptible; do
    fetch step cloud "cloud/gcp_$(echo "$k" | tr -c 'a-z\n-' '_').txt" 3 64 "$m/computeMetadata/v1/instance/$k" 'header = "Metadata-Flavor: Google"'
  done
  for k in vmSize location storageProfile; do
    f=text; [ $k != storageProfile ] || f=json
    fetch step cloud "cloud/azure_$k.txt" 3 64 "$m/metadata/instance/compute/$k?api-version=2021-02-01&format=$f" 'header = "Metadata: true"'
  done
}
collect_ebs() { # $1 t0 or t1
  for d in /dev/nvme[0-9]n1 /dev/nvme[0-9][0-9]n1; do
    [ -b "$d" ] || continue
    if have ebsnvme; then step ebs "$1/cmd/ebsnvme_stats_${d##*/}.txt" 5 64 ebsnvme stats "$d"
    else step ebs "$1/cmd/nvme_amzn_stats_${d##*/}.txt" 5 64 nvme amzn stats "$d"
    fi
  done
}

# ---- Redaction ---------------------------------------------------------------------------------------------------------
# Every text file that could hold a secret is read line by line and rewritten in place when a line changed. When in doubt, it masks.
# Files that are numbers only (counters, series) are left alone, and so are profiles and traces, which are binary.

REDACT='
function tail_of(s, from,   q, i, c) { # where the value that begins at `from` ends
  q = substr(s, from, 1)
  if (q == "\"" || q == "\047") { for (i = from + 1; i <= length(s); i++) { c = substr(s, i, 1); if (c == "\\") i++; else if (c == q) return i } return length(s) }
  if (substr(s, from, 2) == "\\\"") { i = index(substr(s, from + 2), "\\\""); return i ? from + i + 2 : length(s) }
  for (i = from; i <= length(s); i++) if (substr(s, i, 1) ~ /[ \t"\047]/) return i - 1
  return length(s) }
function after(s, re, shut,   done, low, e, x, q, word) { # masks the value behind every match of re; shut: a value does not begin with these
  done = ""
  while (1) { low = tolower(s); if (!match(low, re)) break
    e = RSTART + RLENGTH
    if (e > length(s)) break
    if (index(s, MASK) == e) { done = done substr(s, 1, e + length(MASK) - 1); s = substr(s, e + length(MASK)); continue }
    if (shut != "" && index(shut, substr(s, e, 1))) { done = done substr(s, 1, e - 1); s = substr(s, e); continue }
    x = tail_of(s, e); word = tolower(substr(s, e, x - e + 1)); q = substr(s, e, 1)
    if (word ~ /^(bearer|basic|digest|token|negotiate)$/ && substr(s, x + 1) ~ /^ +[^ ]/) { match(substr(s, x + 1), /^ +[^ \t"\047]+/); x += RLENGTH }
    if (q == "\"" || q == "\047") { done = done substr(s, 1, e) MASK (x > e && substr(s, x, 1) == q ? q : ""); s = substr(s, x + 1) }
    else { done = done substr(s, 1, e - 1) MASK; s = substr(s, x + 1) } }
  return done s }
function users(s,   done, e) { # scheme://user:password@host
  done = ""
  while (match(s, /:\/\/[^\/ \t"\047]*@/) || match(s, /:\/\/[^\/@: \t"\047]*:[^ \t"\047@]*@/)) {
    e = RSTART + RLENGTH; done = done substr(s, 1, RSTART + 2) MASK "@"; s = substr(s, e) }
  return done s }
function known(s) { # tokens that show by themselves what they are
  gsub(/A[KS]IA[0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z]+/, MASK, s)
  gsub(/(gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk_live_|rk_live_|sk-|hvs\.|AIza|npm_|pypi-|dop_v1_)[A-Za-z0-9_.-][A-Za-z0-9_.-][A-Za-z0-9_.-][A-Za-z0-9_.-][A-Za-z0-9_.-][A-Za-z0-9_.-][A-Za-z0-9_.-][A-Za-z0-9_.-]+/, MASK, s)
  gsub(/eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*/, MASK, s)
  return s }
function mask(s, plain,   low) {
  low = tolower(s)
  if (low !~ QUICK) return s
  if (index(s, "://")) s = users(s)
  s = known(s)
  if (plain) return s
  s = after(s, KEY "[a-z0-9_.-]*\\\\?[\"\047]?[ \t]*=>?[ \t]*", "")
  s = after(s, KEY "[a-z0-9_.-]*\\\\?[\"\047]?[ \t]*:[ \t]*", ":/ \t")
  s = after(s, "(^|[ \t\"\047=])--?[a-z0-9_-]*" KEY "[a-z0-9_-]*[ \t]+", "-")
  s = after(s, KEY "[ \t]+(is|was)[ \t]+", "")
  s = after(s, KEY "[ \t]+[\"\047]", "")
  if (match(tolower(s), /(^|[^a-z_])cookie: */)) s = substr(s, 1, RSTART + RLENGTH - 1) MASK
  s = after(s, "[?&;](sig|signature|key|code|auth|pass|pw)=", "")
  s = after(s, "(bearer|basic)[ \t]+", ":=")
  s = after(s, "[ \t](-u|--user|--proxy-user)[ \t=]*[^ \t:/]+:", "")
  if (low ~ TOOLS) { s = after(s, "[ \t]-[paw][ \t=]*", ""); s = after(s, "(add_user|change_password|authenticate_user)[ \t]+[^ \t]+[ \t]+", "") }
  return s }
function arguments(s,   a, n, i, low, secret, out) { # one process: its arguments are apart, so a value may hold blanks
  n = split(s, a, SEP); secret = 0; out = ""
  for (i = 1; i <= n; i++) { if (i == n && a[i] == "") break
    low = tolower(a[i])
    if (secret && low !~ /^-/) { a[i] = MASK; secret = 0 }
    else if (match(low, "^-*[a-z0-9_.-]*" KEY "[a-z0-9_.-]*[=:]")) { a[i] = substr(a[i], 1, RLENGTH) MASK; secret = 0 }
    else { secret = (low ~ "^--?[a-z0-9_-]*" KEY "[a-z0-9_-]*$") || (tolower(s) ~ TOOLS && low ~ /^-[paw]$/)
      if (low ~ /^(-u|--user|--proxy-user)$/ && i < n && a[i + 1] ~ /^[^:\/]+:/) secret = 1
      else if (tolower(s) ~ TOOLS && low ~ /^-[paw]./) a[i] = substr(a[i], 1, 2) MASK
      else a[i] = mask(a[i], 0) }
    out = out (i > 1 ? " " : "") a[i] }
  return out }
function kube(s) { # JSON of kubectl: environment values, annotations, arguments; `"name": "X"` stands before `"value": "..."`
  if (match(s, /^ *"name": "/)) { name = substr(s, RLENGTH + 1); sub(/".*/, "", name) }
  if (s ~ /^ *"value": / && name !~ /^(GOMAXPROCS|GOGC|GOMEMLIMIT|GODEBUG)$/) { match(s, /^ *"value": /); return substr(s, 1, RLENGTH) "\"" MASK "\"" (s ~ /,$/ ? "," : "") }
  if (s ~ /^ *"[^"]*last-applied-configuration": /) { match(s, /^ *"[^"]*": /); return substr(s, 1, RLENGTH) "\"" MASK "\"" (s ~ /,$/ ? "," : "") }
  if (option && match(s, /^ *"[^-]/)) { option = 0; return substr(s, 1, RLENGTH - 1) MASK "\"" (s ~ /,$/ ? "," : "") }
  option = (tolower(s) ~ "^ *\"--?[a-z0-9_-]*" KEY "[a-z0-9_-]*\",?$")
  return mask(s, 0) }
BEGIN { MASK = "[REDACTED]"; SEP = sprintf("%c", 30)
  KEY = "(passw(or)?d|passphrase|[_.-]pass|(^|[^a-z])pass|(^|[^a-z])pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?key|account[_-]?key|auth[_-]?key|fastopen_key|credential|authorization|(erlang|session|auth|set)[_-]?cookie|(^|[^a-z])dsn|conn(ection)?[_-]?str(ing)?|(^|[^a-z])jwt)"
  QUICK = "pass|pwd|secret|token|key|credential|auth|cookie|dsn|conn(ection)?[_-]?str|jwt|://|a[ks]ia|gh[pousr]_|github_pat|glpat|xox|sk[-_]|rk_|hvs|aiza|npm_|pypi-|dop_v1|eyj|bearer|basic|sig=|signature=|code=|pw=|-u|--user|proxy-user|add_user|sshpass|mysql|mariadb|mongo|redis-cli|ldap|smbclient|sqlcmd|clickhouse"
  TOOLS = "sshpass|mysql|mariadb|mongo|redis-cli|ldap|smbclient|rabbitmqadmin|rabbitmqctl|sqlcmd|clickhouse" }
{ f = $0; n = 0; changed = 0; pem = 0; name = ""; option = 0
  cmdline = (f ~ /^\.?\/?proc\/[0-9]+\/cmdline$/); k8s = (f ~ /k8s\/.*json$/); plain = (f ~ /debug2|metrics\.t/)
  while ((getline line < f) > 0) { old = line
    if (cmdline) line = arguments(line); else if (k8s) line = kube(line); else line = mask(line, plain)
    if (pem || line ~ /BEGIN [A-Z ]*PRIVATE KEY/) { pem = (old !~ /END [A-Z ]*PRIVATE KEY/); line = MASK }
    if (line != old) changed++; text[++n] = line }
  close(f)
  if (changed) { printf "" > f; for (i = 1; i <= n; i++) print text[i] > f; close(f); lines += changed; files++ }
  for (i = 1; i <= n; i++) delete text[i] }
END { print lines + 0, files + 0 }'
# The files worth reading: everything but counters and binaries.
texts() { find . -type f ! -name '*.pb.gz' ! -name 'trace.out' | grep -Ev '^\./((t0|t1)/(proc/[a-z]|sys)|series/(proc|cgroup)_|sys/|irq/|cmd/(mp|vm|io|pid)stat_)' ; }
do_redact() { cd "$B" && { texts; echo "$W/steps.tsv"; echo "$W/options"; } | awk "$REDACT"; }

# ---- Pseudonyms --------------------------------------------------------------------------------------------------------
# Names and addresses become salted SHA-256 tokens of the same class and width: private stays private, loopback and multicast stay,
# a MAC keeps its vendor. Pass 1 finds the originals, sha256sum hashes all of them at once, pass 2 replaces. The map (salt and pairs)
# is a file beside the zip, for the owner alone; a later run in the same folder uses the same salt, so that bundles compare.

PSEUDO_AWK='
function hex(c) { return index("0123456789abcdef", tolower(c)) - 1 }
function ip_class(a, b) { if (a == 10) return "10"; if (a == 192 && b == 168) return "192"; if (a == 172 && b >= 16 && b <= 31) return "172"; if (a == 100 && b >= 64 && b <= 127) return "100"
  if (a == 169 && b == 254) return "169"; if (a == 0 || a == 127 || a >= 224) return "keep"; return "public" }
function span(w, k, h) { return w == 1 ? (h + k) % 10 : w == 2 ? 10 + (h + k) % 90 : 100 + (h + k) % 156 }
function byte(d, i) { return hex(substr(d, 2 * i + 1, 1)) * 16 + hex(substr(d, 2 * i + 2, 1)) }
function new_ip(s, d,   o, k, a, b, c, e, c0) { split(s, o, "."); c0 = ip_class(o[1] + 0, o[2] + 0)
  for (k = 0; k < 5000; k++) { a = o[1]; b = o[2]
    if (c0 == "public" && k < 4000) a = span(length(o[1]), k * 7, byte(d, 0))
    if (c0 != "192" && c0 != "169") b = span(length(o[2]), k * 3, byte(d, 1))
    c = span(length(o[3]), int(k / 3), byte(d, 2)); e = span(length(o[4]), k, byte(d, 3) + byte(d, 4))
    if (ip_class(a + 0, b + 0) == c0 && !((a "." b "." c "." e) in used)) break }
  return a "." b "." c "." e }
function new_text(s, d, lead,   i, c, r, j) { r = ""; j = 1
  for (i = 1; i <= length(s); i++) { c = substr(s, i, 1); if (c ~ /[A-Za-z0-9]/) { r = r (i == 1 && lead != "" ? lead : substr(d, j++ % 64 + 1, 1)) } else r = r c }
  return r }
function new_v6(s, d,   i, c, r, j, keep) { keep = tolower(s) ~ /^fe80/ ? 4 : tolower(s) ~ /^f[cd]/ ? 2 : 1; r = substr(s, 1, keep); j = 0
  for (i = keep + 1; i <= length(s); i++) { c = substr(s, i, 1); if (c == ":") r = r c; else { c = substr(d, ++j, 1); if (substr(s, i - 1, 1) == ":" && c == "0") c = "a"; r = r c } }
  return r }
function token(class, s,   key, d, k, r, f) { key = class "\t" s
  if (key in map) return map[key]
  if (pass == 1) { if (!(key in wanted) && count < 20000) { wanted[key] = 1; f = dir "/" sprintf("%05d", ++count); print salt key > f; close(f); print count "\t" key > (dir ".list") } return s }
  d = digest[key]; if (d == "") return new_text(s, "0000000000000000", "")
  for (k = 0; k < 32; k++) {
    r = class == "ip" ? new_ip(s, d) : class == "mac" ? substr(s, 1, 9) new_text(substr(s, 10), d, "") : class == "ip6" ? new_v6(s, d) : class == "hex" ? toupper(new_text(s, d, "")) : new_text(s, d, class == "user" ? "u" : "h")
    if (!(r in used)) break; d = substr(d, 2) substr(d, 1, 1) }
  used[r] = 1; map[key] = r; print key "\t" r >> newmap; return r }
function host(s,   i) { i = index(s, "."); return i ? token("host", substr(s, 1, i - 1)) "." host(substr(s, i + 1)) : token("host", s) }
function one(r,   end, n, x, y, o, g) { # one run of [A-Za-z0-9_.:-]
  end = ""; while (match(r, /[.:-]$/) && r !~ /::$/) { end = substr(r, length(r)) end; r = substr(r, 1, length(r) - 1) }
  if (r in names) return (names[r] == "user" ? token("user", r) : host(r)) end
  if (r !~ /[.:-]/) return r end
  if (r ~ /^(::ffff:)?[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+([:_][0-9]+)?$/) { y = ""; if (r ~ /^::ffff:/) { y = substr(r, 1, 7); r = substr(r, 8) }
    match(r, /^[0-9.]+/); x = substr(r, 1, RLENGTH); r = substr(r, RLENGTH + 1); split(x, o, ".")
    if (o[1] > 255 || o[2] > 255 || o[3] > 255 || o[4] > 255 || ip_class(o[1] + 0, o[2] + 0) == "keep" || x == "169.254.169.254") return y x r end
    return y token("ip", x) r end }
  if (r ~ /^[0-9a-fA-F:]+$/ && r ~ /:/) { n = split(r, g, ":")
    if (n >= 6 && r !~ /::/ && length(r) == 3 * n - 1) return (r ~ /^(00:00:00|ff:ff:ff|33:33|01:00:5e)/ ? r : token("mac", r)) end
    if ((r ~ /::/ && n > 2 || n == 8) && r !~ /^([0-9]*::|::1)$/ && r !~ /^ff0/ && r ~ /[0-9a-fA-F]/) return token("ip6", r) end
    return r end }
  if (match(r, /^ip-[0-9]+-[0-9]+-[0-9]+-[0-9]+/)) { x = substr(r, 4, RLENGTH - 3); y = substr(r, RLENGTH + 1); gsub(/-/, ".", x); x = token("ip", x); gsub(/\./, "-", x); return "ip-" x y end }
  n = index(r, ":"); if (n > 1 && (substr(r, 1, n - 1) in names)) return one(substr(r, 1, n - 1)) substr(r, n) end
  return r end }
function line_of(s,   out, r) { out = ""
  while (match(s, /[A-Za-z0-9_.:-]+/)) { out = out substr(s, 1, RSTART - 1); r = substr(s, RSTART, RLENGTH); s = substr(s, RSTART + RLENGTH); out = out one(r) }
  return out s }
function sockets(s,   x, n, i, p, q, k) { # /proc/net/udp: addresses in hexadecimal, second and third column
  n = split(s, x, /[ \t]+/); for (i = 1; i <= n; i++) if (x[i] ~ /^[0-9A-F]+:[0-9A-F]+$/ && length(x[i]) > 12) { p = x[i]; sub(/:.*/, "", p); if (p !~ /^0+$/ && p != "0100007F") { q = token("hex", p); k = index(s, p ":"); s = substr(s, 1, k - 1) q substr(s, k + length(p)) } }
  return s }
BEGIN { while ((getline l < mapfile) > 0) { split(l, m, "\t"); if (m[3] != "") { map[m[1] "\t" m[2]] = m[3]; used[m[3]] = 1 } }
  while ((getline l < namefile) > 0) { split(l, m, " "); if (!(m[2] in names)) names[m[2]] = m[1] }
  while ((getline l < (dir ".list")) > 0) { split(l, m, "\t"); count = m[1] + 0; nth[count] = m[2] "\t" m[3]; wanted[nth[count]] = 1 }
  if (pass == 2) { while ((getline l < (dir ".sums")) > 0) { k = l; sub(/.*\//, "", k); digest[nth[k + 0]] = substr(l, 1, 64) } } }
plainly { print line_of($0); next }
{ f = $0; n = 0; changed = 0; udp = (f ~ /proc\/net\/udp6?$/)
  while ((getline line < f) > 0) { old = line; if (line !~ /^(firmware-version|version|driver|expansion-rom-version):/) line = udp ? sockets(line) : line_of(line); if (line != old) changed = 1; text[++n] = line }
  close(f)
  if (changed && pass == 2) { printf "" > f; for (i = 1; i <= n; i++) print text[i] > f; close(f) }
  for (i = 1; i <= n; i++) delete text[i] }'

names_to_hide() { # class and name a line: this host, /etc/hosts, nodes and pods, accounts of people
  echo "host $HOST"
  { cat /etc/hosts; for f in "$B"/rabbitmq/*.txt "$B"/rabbitmq/*.json; do [ ! -f "$f" ] || tr -c 'A-Za-z0-9@._\n-' '\n' <"$f" | sed -n 's/^rabbit@\([A-Za-z0-9.-]*\)$/x \1/p' | sort -u; done
    [ ! -f "$B/log/pods.txt" ] || awk '{ print "x", $1 }' "$B/log/pods.txt"
    [ ! -f "$B/k8s/nodes.json" ] || sed -n 's/.*"kubernetes.io\/hostname": "\([A-Za-z0-9.-]*\)".*/x \1/p' "$B/k8s/nodes.json"
  } 2>/dev/null | awk '!/^#/ { for (i = 2; i <= NF && $i !~ /^#/; i++) if ($i !~ /^(localhost|ip6-|broadcasthost)/) { print "host", $i; sub(/\..*/, "", $i); print "host", $i } }'
  awk -F: '$3 >= 1000 && $3 < 60000 && $1 != "nobody" { print "user", $1 }' /etc/passwd 2>/dev/null
  for d in /home/*; do [ ! -d "$d" ] || echo "user ${d##*/}"; done
}
pseudo_pass() { awk -v pass="$1" -v plainly="${2:-0}" -v salt="$SALT" -v dir="$W/tok" -v mapfile="$MAP" -v namefile="$W/names" -v newmap="$W/map.new" "$PSEUDO_AWK"; }
pseudo_texts() { texts; existing ./t[01]/proc/net/udp ./t[01]/proc/net/udp6; find t0 t1 \( -path '*/cmd/*' -o -name cgroup -o -name status -o -name stat \) -type f 2>/dev/null | grep -v '^t[01]/proc/stat$'; echo "$W/steps.tsv"; echo "$W/options"; }
do_pseudonymize() {
  cd "$B" || return
  names_to_hide | sort -u >"$W/names"
  mkdir "$W/tok"; : >"$W/tok.list"; : >"$W/map.new"
  { pseudo_texts >"$W/texts"; pseudo_pass 1 <"$W/texts"; { echo "$HOST"; ls pods 2>/dev/null; } | pseudo_pass 1 1; } >/dev/null
  find "$W/tok" -type f -exec sha256sum {} + >"$W/tok.sums"
  pseudo_pass 2 <"$W/texts" && { echo "$HOST"; } | pseudo_pass 2 1 >"$W/host" || return
  for d in pods/*; do
    [ -d "$d" ] || continue
    cat "$W/map.new" >>"$W/map.all"; new=$(echo "${d#pods/}" | pseudo_pass 2 1); [ "pods/$new" = "$d" ] || mv "$d" "pods/$new"
    [ ! -f "log/pod_${d#pods/}.txt" ] || mv "log/pod_${d#pods/}.txt" "log/pod_$new.txt"
  done
}
pseudonymize() {
  MAP=$OUT_DIR/coroner-pseudonyms.map SALT=''
  if [ -f "$MAP" ] && [ ! -L "$MAP" ] && [ -O "$MAP" ]; then read -r _ SALT <"$MAP"; else rm -f "$MAP"; ( set -C; : >"$MAP" ) 2>/dev/null || { HIDE_FAILED=1; return; }; fi
  if [ -z "$SALT" ]; then SALT=$(od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n'); echo "salt$TAB$SALT" >"$MAP"; fi
  step pseudonyms log/pseudonyms.txt 60 65536 do_pseudonymize
  [ -s "$W/host" ] && read -r HOST <"$W/host" && cat "$W/map.new" >>"$MAP" || HIDE_FAILED=1
}

# ---- Manifest ----------------------------------------------------------------------------------------------------------

MANIFEST='
function js(s,   i, c, r) { if (s !~ /[^ !#-\[\]-~]/) return "\"" s "\""; r = ""
  for (i = 1; i <= length(s); i++) { c = substr(s, i, 1); r = r (c == "\"" || c == "\\" ? "\\" c : c == "\t" ? "\\t" : c ~ /[ -~]/ ? c : "?") } return "\"" r "\"" }
function num(s) { return s ~ /^-?[0-9]+(\.[0-9]+)?$/ ? s : "null" }
function e(k) { return ENVIRON["M_" k] }
BEGIN { FS = "\t"
  while ((getline l < sizes) > 0) { split(l, x, " "); sub(/^\.\//, "", x[2]); size[x[2]] = x[1] }
  printf "{\n  \"schema\": \"coroner.manifest/1\",\n  \"collector_version\": %s,\n  \"host\": %s,\n  \"kernel\": %s,\n  \"boot_id\": %s,\n  \"view\": %s,\n", js(e("VERSION")), js(e("HOST")), js(e("KERNEL")), js(e("BOOT")), js(e("VIEW"))
  printf "  \"started\": %s,\n  \"started_iso\": %s,\n  \"finished\": %s,\n  \"duration_s\": %.2f,\n  \"window_s\": %.2f,\n  \"interval_s\": 1,\n", num(e("STARTED")), js(e("ISO")), num(e("FINISHED")), e("DURATION") / 100, e("WINDOW") / 100
  printf "  \"options\": %s,\n  \"complete\": %s,\n  \"cut_short\": %s,\n", js(e("OPTIONS")), (e("CUT") == "" ? "true" : "false"), (e("CUT") == "" ? "null" : js(e("CUT")))
  printf "  \"redaction\": {\"secrets\": \"masked\", \"lines\": %s, \"pseudonyms\": %s, \"not_examined\": \"counters, and binary profiles and traces\"},\n", num(e("MASKED")), (e("PSEUDO") == "" ? "false" : "true")
  printf "  \"privileges\": {\"root\": %s, \"lost\": %s},\n", (e("UID") == 0 ? "true" : "false"), (e("UID") == 0 ? "null" : js("other users\047 /proc/PID/{io,smaps_rollup,numa_maps,environ,fd}, slabinfo, and where restricted dmesg, journal, NVMe statistics"))
  printf "  \"own\": {\"pid\": %s, \"cpu_s\": %.2f, \"window_cpu_s\": %.2f, \"cpu_share\": %.4f, \"read_bytes\": %s, \"written_bytes\": %s, \"nice\": %s},\n", e("PID"), e("OWN") / e("HZ"), e("WINDOW_OWN") / e("HZ"), (e("DURATION") > 0 ? e("OWN") / e("HZ") / (e("DURATION") / 100) : 0), num(e("READ")), num(e("WRITTEN")), num(e("NICE"))
  printf "  \"steps\": [" }
{ printf "%s\n    {\"id\": %s, \"file\": %s, \"command\": %s, \"start\": %.2f, \"duration_s\": %.2f, \"exit\": %s, \"bytes\": %s, \"absent\": %s}", (NR > 1 ? "," : ""), js($1), js($2), js($8), ($3 - e("BEGIN")) / 100, $4 / 100, num($5), (($2 in size) ? size[$2] : 0), ($6 == "" ? "null" : js($6)) }
END { print "\n  ]\n}" }'
own_io() { READ='' WRITTEN=''; while read -r k v; do case $k in read_bytes:) READ=$v ;; write_bytes:) WRITTEN=$v ;; esac; done 2>/dev/null <"/proc/$$/io"; }
write_manifest() {
  wall; now; own_ticks; own_io; read -r OPTIONS <"$W/options"
  ( cd "$B" && find log -type f -size 0 -exec rm -f {} + 2>/dev/null; find . -type f -exec wc -c {} + | grep -v ' total$' ) >"$W/sizes"
  M_VERSION=$VERSION M_HOST=$HOST M_KERNEL=$KERNEL M_BOOT=$BOOT M_VIEW=$VIEW M_STARTED=$STARTED M_ISO=$ISO M_FINISHED=$WALL M_DURATION=$((NOW - BEGIN)) M_WINDOW=$WINDOW_TIME \
    M_OPTIONS=$OPTIONS M_CUT=$CUT M_MASKED=$MASKED M_PSEUDO=$PSEUDO M_UID=$MY_UID M_PID=$$ M_OWN=$OWN M_WINDOW_OWN=$WINDOW_OWN M_HZ=$HZ M_READ=$READ M_WRITTEN=$WRITTEN M_NICE=$NICE M_BEGIN=$BEGIN \
    awk -v sizes="$W/sizes" "$MANIFEST" "$W/steps.tsv" >"$B/manifest.json"
}

# ---- Packing -----------------------------------------------------------------------------------------------------------

do_zip() { cd "$B" && zip -q -X -D -r "$PART" manifest.json .; }
do_python() { cd "$B" && python3 -m zipfile -c "$PART" ./*; }
# A zip from gzip and od alone. gzip's output is 10 bytes of header, the deflate data that a zip entry wants, and at the end CRC-32 and
# size; so an entry is a local header, that data, and a row of the central directory. awk computes the headers, as escapes for printf.
do_plain_zip() {
  cd "$B" || return
  find . -type f | sed 's/^\.\///' | sort >"$W/entries"
  while IFS= read -r f; do case $f in *.gz) gzip -n -c <"$f" >"$f.gz" && rm -f "$f" || return ;; esac; done <"$W/entries"    # gzip would pass it over
  grep -v '\.gz$' "$W/entries" | tr '\n' '\0' | xargs -0 gzip -n || return
  sed 's/$/.gz/' "$W/entries" | tr '\n' '\0' | xargs -0 tail -q -c 8 | od -An -v -tu1 >"$W/trailers"
  find . -type f -exec wc -c {} + | sed 's/\.gz$//' >"$W/sizes"
  date '+%Y %m %d %H %M %S' | awk -v entries="$W/entries" -v trailers="$W/trailers" -v sizes="$W/sizes" -v central="$W/central" '
    function le(n, k,   s) { s = ""; while (k-- > 0) { s = s sprintf("\\0%03o", n % 256); n = int(n / 256) } return s }
    { clock = int($6 / 2) + $5 * 32 + $4 * 2048; day = $3 + $2 * 32 + ($1 - 1980) * 512
      while ((getline l < trailers) > 0) { m = split(l, x, " "); for (i = 1; i <= m; i++) byte[nb++] = x[i] }
      while ((getline l < sizes) > 0) { k = l; sub(/^ *[0-9]+ +/, "", k); sub(/^\.\//, "", k); split(l, x, " "); size[k] = x[1] }
      at = 0; n = 0; len = 0
      while ((getline f < entries) > 0) {
        sum = ""; for (i = 0; i < 8; i++) sum = sum (i == 4 ? le(size[f] - 18, 4) : "") le(byte[n * 8 + i], 1)
        row = le(20, 2) le(0, 2) le(8, 2) le(clock, 2) le(day, 2) sum le(length(f), 2) le(0, 2)
        print le(67324752, 4) row, size[f] - 18, f
        print le(33639248, 4) le(788, 2) row le(0, 2) le(0, 2) le(0, 2) le(25165824, 4) le(at, 4), f > central
        at += 30 + length(f) + size[f] - 18; len += 46 + length(f); n++ }
      print le(101010256, 4) le(0, 4) le(n, 2) le(n, 2) le(len, 4) le(at, 4) le(0, 2), "" > central }' >"$W/local"
  { while read -r head size f; do printf '%b%s' "$head" "$f"; tail -c +11 "$f.gz" | head -c "$size"; done <"$W/local"
    while read -r row f; do printf '%b%s' "$row" "$f"; done <"$W/central"; } >"$PART"
}
pack() {
  phase packing 90 3
  PACKED=''
  for how in zip python3 gzip; do
    have $how || continue
    case $how in gzip) word=do_plain_zip ;; python3) word=do_python ;; *) word=do_zip ;; esac
    launch 0 pack log/pack.txt 90 1048576 $word || continue
    finish 0
    [ "$rc" = 0 ] && [ -s "$PART" ] && { PACKED=$how; break; }
    rm -f "$PART"
    [ $how = gzip ] || say "$how failed, trying another way"
  done
  [ -n "$PACKED" ] && mv "$PART" "$OUT"
}

# ---- Main --------------------------------------------------------------------------------------------------------------

# Processes that a step left behind: noted by `family`, or in a session that one of our pids led, and born while that pid was ours (a pid may be used again).
sweep() {
  stats | awk -v steps="$W/steps.tsv" -v hz="$HZ" -v base="$BASE" -v prey="$W/prey" '
    BEGIN { while ((getline l < prey) > 0) noted[l] = 1
      while ((getline l < steps) > 0) { split(l, x, "\t"); if (x[7] != "") { from[x[7]] = x[3]; to[x[7]] = x[3] + x[4] } } }
    /^[0-9]+ \(/ { pid = $1; sub(/.*\) /, ""); born = ($20 / hz - base) * 100; if ((pid " " $20) in noted || ($4 in to) && born >= from[$4] - 2 && born <= to[$4] + 2) printf "%s ", pid }'
}
cleanup() {
  trap '' INT TERM HUP
  for f in "$W"/slot.*; do read -r pid _ 2>/dev/null <"$f" && [ "$pid" != idle ] && slay KILL "$pid"; done
  # shellcheck disable=SC2046 # a list of pids
  kill -KILL $(sweep) 2>/dev/null
  : >"$W/done"; wait "$WATCHDOG" 2>/dev/null
  rm -rf "$W"; rm -f "$BALLAST" "$PART"
}

main() {
  parse_options "$@"
  have awk || die "awk is needed: it masks secrets"
  [ -r /proc/stat ] || die "no /proc/stat: this collector is for Linux"
  [ -z "$PSEUDO" ] || have sha256sum || die "--pseudonymize needs sha256sum"
  read -r BASE _ </proc/uptime; BASE=${BASE%.*}; now; BEGIN=$NOW; MAIN=$$ BALLAST='' PART='' WATCHDOG=''; HZ=$(getconf CLK_TCK 2>/dev/null) || HZ=100
  if [ -n "$LIST" ]; then
    W=${TMPDIR:-/tmp}/coroner.$$.list; mkdir -m 0700 "$W" || exit 2; trap 'rm -rf "$W"' EXIT; B=$W/b
    pick_nics; collect_static; collect_window; collect_after; exit 0
  fi
  choose_places
  MY_UID=$(id -u) HOST=localhost KERNEL='' BOOT='' VIEW=host MASKED=0 NICE=0 TOP='' WINDOW_OWN=0 WINDOW_TIME=0 HIDE_FAILED=''
  read -r HOST </proc/sys/kernel/hostname; read -r KERNEL </proc/sys/kernel/osrelease; read -r BOOT </proc/sys/kernel/random/boot_id
  # The first pid namespace has a fixed number; with another, or beside pid 1's network, this is not the host's own view.
  case $(readlink /proc/self/ns/pid 2>/dev/null) in
    'pid:[4026531836]') net=$(readlink /proc/1/ns/net 2>/dev/null); [ -z "$net" ] || [ "$net" = "$(readlink /proc/self/ns/net)" ] || VIEW=container ;;
    '') [ ! -e /.dockerenv ] && [ ! -e /run/.containerenv ] && [ -z "${KUBERNETES_SERVICE_HOST:-}" ] || VIEW=container ;;
    *) VIEW=container ;;
  esac
  : >"$W/steps.tsv"; echo "$OPTIONS" >"$W/options"; echo idle >"$W/slot.0"; wall; STARTED=$WALL; ISO=$(date -u +%Y-%m-%dT%H:%M:%SZ); STAMP=$(date -u +%Y%m%dT%H%M%SZ)
  renice -n 5 -p $$ >/dev/null 2>&1 && NICE=5      # more, and a saturated host would not let us finish
  ionice -c 3 -p $$ >/dev/null 2>&1
  SETSID=$(command -v setsid) || SETSID=''
  # 8 MiB kept aside in the output folder, so that the zip can be written even if the disk fills up meanwhile.
  BALLAST=$OUT_DIR/.coroner.$$.$BASE.reserve PART=$OUT_DIR/.coroner.$$.$BASE.part.zip
  fallocate -l 8388608 "$BALLAST" 2>/dev/null || dd if=/dev/zero of="$BALLAST" bs=65536 count=128 2>/dev/null
  trap 'on_signal INT' INT; trap 'on_signal TERM' TERM; trap 'on_signal HUP' HUP; trap 'WOKEN=1' USR1
  watchdog >/dev/null 2>&1 & WATCHDOG=$!
  say "window $WINDOW s; reading only; private temp folder $W"

  pick_nics
  collect_static
  collect_window
  collect_after

  FORCE=1
  phase 'masking secrets' 60 3
  rm -f "$BALLAST"
  step redact log/redact.txt 60 65536 do_redact
  [ "$rc" = 0 ] || HIDE_FAILED=1
  [ ! -s "$B/log/redact.txt" ] || read -r MASKED _ <"$B/log/redact.txt"
  [ -z "$PSEUDO" ] || pseudonymize
  if [ -n "$HIDE_FAILED" ]; then say "masking failed: nothing is delivered"; cleanup; exit 3; fi
  write_manifest || CUT='manifest incomplete'
  OUT=$OUT_DIR/${OUT_NAME:-coroner-$HOST-$STAMP.zip}
  if ! pack; then say "could not write a zip to $OUT_DIR"; cleanup; exit 3; fi
  ( cd "$OUT_DIR" && sha256sum "${OUT##*/}" >"$OUT.sha256" ) 2>/dev/null || { rm -f "$OUT.sha256"; say 'no sha256sum here: no checksum'; }
  cleanup
  now; say "done in $(( (NOW - BEGIN) / 100 )) s: $OUT (made with $PACKED${CUT:+; $CUT})"
  [ "$MY_UID" = 0 ] || say 'not root: see "privileges" in manifest.json for what that cost'
  [ -z "$PSEUDO" ] || say "keep $MAP to yourself: it turns the tokens back into names"
  echo "$OUT"
  [ -z "$CUT" ] || exit 1
  exit 0
}
main "$@"
