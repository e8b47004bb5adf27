#!/usr/bin/env bash
# ./mk fuzz: runs the fuzzers of a build, JOBS at a time, each for SECONDS (60).
#
#   fuzz.sh BUILD JOBS [NAME] [SECONDS]      FJ_SEED: where chance begins
#
# New inputs stay in BUILD/corpus/NAME, those that make a fuzzer fail in BUILD/found.
set -euo pipefail

seeds=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/tests/fuzz/corpus
build=$1 jobs=$2 name="" seconds=60
for word in "${@:3}"; do
  if [[ $word =~ ^[0-9]+$ ]]; then seconds=$word; else name=$word; fi
done

fuzz() {
  local name=${1##*/fuzz_}
  mkdir -p "corpus/$name" found
  "$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 -seed="${FJ_SEED:-0}" \
    -artifact_prefix="found/$name-" "corpus/$name" "$seeds/$name" >"$name.log" 2>&1 || {
    tail -n 60 "$name.log" >&2
    printf 'fuzz: %s: an input makes it fail; it is in %s/found\n' "$name" "$build" >&2
    return 1
  }
  printf 'fuzz: %s: %s inputs in %d s, nothing found\n' "$name" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$name.log")" "$seconds"
}
export -f fuzz
export seeds build seconds

cd "$build"
fuzzers=(bin/fuzz_${name:-*})
[[ -x ${fuzzers[0]} ]] || { printf 'fuzz: there is no fuzzer %s\n' "$name" >&2 && exit 2; }
printf '%s\0' "${fuzzers[@]}" | xargs -0 -n 1 -P "$jobs" bash -euc 'fuzz "$1"' fuzz
