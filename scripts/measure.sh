#!/usr/bin/env bash
# ./mk bench all: the measures of doc/performance.md, in its order and with nothing beside them. Takes some 20 minutes on
# a fast disk.
#
#   measure.sh BIN FOLDER       BIN: the programs; FOLDER: the outputs, conditions.txt, and performance.json for doc/
#
# Programs of others that are not installed are left out, or end a part; the rest goes on.
set -uo pipefail

bin=$1 out=$2
mkdir -p "$out/data" && cd "$out" || exit
failed=()
say() { printf 'bench: %s\n' "$*"; }
part() {
  local name=$1 start=$SECONDS
  shift
  say "$name: $*"
  "$@" >"$name.txt" 2>"$name.log" || failed+=("$name")
  say "$name: $((SECONDS - start)) s"
}

{
  date -u +%F
  (cd "$(dirname "${BASH_SOURCE[0]}")/.." && git log -1 --format='commit %h')
  uname -sr
  sed -n 's/^PRETTY_NAME=//p' /etc/os-release
  sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c
  sed -n '/^MemTotal/p' /proc/meminfo
  findmnt --noheadings --output FSTYPE,OPTIONS --target .
  dpkg-query -W -f='${Package} ${Version}\n' activemq beanstalkd memcached nginx postgresql rabbitmq-server redis-server
} >conditions.txt 2>/dev/null

part rates "$bin/fastjournal_bench" --groups rates,rest --json rates.json
part doors "$bin/fastjournal_bench" --groups doors,sqs --rounds 3 --seconds 1
part beanstalkd "$bin/fastjournal_bench" --groups beanstalkd --rounds 5
part tables "$bin/fastjournal_bench" --groups tables
part growth "$bin/fastjournal_bench" --full --groups growth
part recovery "$bin/fj_measure" recovery --folder "$out/data/recovery"
part blob-reads "$bin/fj_measure" blob reads --folder "$out/data"
part blob-puts "$bin/fj_measure" blob puts --folder "$out/data"
part blob-start "$bin/fj_measure" blob start --folder "$out/data"
part blob-stalls "$bin/fj_measure" blob stalls --folder "$out/data"
part pairs "$bin/fj_measure" pairs --folder "$out/data"
part queue "$bin/fj_measure" queue
part transactions "$bin/fj_measure" transactions
part pipeline "$bin/fj_measure" pipeline
part documents "$bin/fj_measure" documents
rm -rf data

# Of the rates, what another program does too, a figure a line. Starts and dates have other numbers of rows there.
python3 - <<'PYTHON' || failed+=(performance.json)
import json
of_rates = {"inserts", "leases", "both", "merges"}
lines = []
for one in json.load(open("rates.json")):
    if one["group"] in of_rates or one["work"].startswith(("memory of", "disk of")):
        fields = {name: one[name] for name in ("group", "work", "peer", "unit")}
        median = float(f"{one['median']:.3g}")
        lines.append(json.dumps({**fields, "median": int(median) if median.is_integer() else median}))
open("performance.json", "w").write("[\n  " + ",\n  ".join(lines) + "\n]\n")
PYTHON
[[ ${#failed[@]} -eq 0 ]] || { say "FAILED: ${failed[*]}; see $out/*.log" && exit 1; }
say "the outputs are in $out; for the picture: cp $out/performance.json doc/ && ./mk drawings"
