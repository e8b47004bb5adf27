#!/usr/bin/env bash
# count_instructions.sh HOT_PATH BASELINE [--write]: counts the instructions of one message from its bytes to its answer
# (parse, decide, log, apply, write; without the disk), by callgrind in the simulator. Unlike a time, the count is the
# same on a busy machine. More than 5 % above BASELINE fails; --write records a new baseline. The baseline is valid for
# one compiler; with another one the figures are only printed.
set -euo pipefail

program=$1 baseline=$2 write=${3:-}
rows=20000
compiler="g++ $(g++ -dumpversion)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Counts in Reader::read, in all turns: messages for which a turn has no time are read by the next one.
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*server::Reader::read(*' \
    "$program" --rows "$rows" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  sed -n 's/^==[0-9]*== Collected : //p' "$work/log"
}

none=$(count)
insert=$(count insert)
merge=$(count insert merge)
lease=$(count insert lease)
done=$(count insert lease done)
send=$(count send)
acquire=$(count send acquire)
accept=$(count send acquire accept)
set=$(count set)
again=$(count set set)
get=$(count set get)
range=$(count set range)
{
  printf 'compiler\t%s\n' "$compiler"
  printf 'insert\t%d\n' $(((insert - none) / rows))
  printf 'merge\t%d\n' $(((merge - insert) / rows))
  printf 'lease\t%d\n' $(((lease - insert) / rows))
  printf 'done\t%d\n' $(((done - lease) / rows))
  printf 'send\t%d\n' $(((send - none) / rows))
  printf 'acquire\t%d\n' $(((acquire - send) / rows))
  printf 'accept\t%d\n' $(((accept - acquire) / rows))
  printf 'set\t%d\n' $(((set - none) / rows))
  printf 'replace\t%d\n' $(((again - set) / rows))
  printf 'get\t%d\n' $(((get - set) / rows))
  printf 'range\t%d\n' $(((range - set) / rows)) # of one pair among a thousand
} >"$work/now"

if [[ $write == --write ]]; then
  cp "$work/now" "$baseline"
  cat "$baseline"
  exit 0
fi
awk -F'\t' 'NR == FNR { before[$1] = $2; next }
  $1 == "compiler" { judged = before["compiler"] == $2
                     print "instructions a message" (judged ? "" : " (" $2 ", baseline of " before["compiler"] ": not judged)"); next }
  { change = before[$1] > 0 ? 100 * ($2 - before[$1]) / before[$1] : 0
    printf "  %-8s %6d  baseline %6d  %+.1f %%\n", $1, $2, before[$1], change
    if (judged && change > 5) { worse = 1 } }
  END { if (worse) { print "more than 5 % above the baseline: find out why, or record it with ./mk count --write"; exit 1 } }' \
  "$baseline" "$work/now"
