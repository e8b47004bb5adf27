#!/usr/bin/env bash
# ./mk nightly: all that takes too long for .ci/run, one part after the other; those that failed are named last.
#
#   nightly.sh [PART...]      these parts
#   nightly.sh --list         the parts as JSON: .github/workflows runs them side by side
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Words for ./mk.
mapfile -t parts <<'PARTS'
sim --seconds 1800
sim --model --seconds 1800
sim --spool --seconds 1800
sim --keyvalue --seconds 1800
sim --queue --seconds 1800
sim --pipeline --seconds 1800
sim --bytes --seconds 1800
sim --transactions --seconds 1800
build && tests/integration/workflow_kills.py build/release/bin build/release/plugins --layers 1000 --width 100 --kills 10
fuzz 600
crash
mutants
hostile --full
deps bench && ./mk build && tests/doors/beanstalkd.py build/release/bin build/release/plugins --commands 100000
deps test clients go imports npm && ./mk build && tests/doors/clients.py build/release/bin build/release/plugins --npm build/npm
deps test npm && ./mk build && npm install --silent --no-save --prefix build/npm croner@11.0.1 && tests/calendar/references.py build/release/bin/calendar_dates --expressions 2000 --croner build/npm
deps test imports && ./mk build && tests/doors/imports.py build/release/bin build/release/plugins --cuts 300
lint all
package --twice && ./mk image && ./mk image try
fresh bookworm
fresh trixie
test --only unit without-etcd without-sql without-http
test --only unit without-journal without-keyvalue without-blob without-queue without-pipeline
test --only threads tsan
deps go && ./mk test dev
test asan
PARTS
if [[ ${1:-} == --list ]]; then
  printf -v list ',"%s"' "${parts[@]}"
  printf '[%s]\n' "${list:1}"
  exit
fi
[[ $# -eq 0 ]] || parts=("$@")

export FJ_SPOOL_SECONDS=120 FJ_LINES=1000000  # of the large file of a pipeline
failed=()
for part in "${parts[@]}"; do
  start=$SECONDS
  printf 'nightly: %s\n' "$part"
  bash -c "./mk $part" || failed+=("$part")
  printf 'nightly: %s: %d s\n' "$part" "$((SECONDS - start))"
done
[[ ${#failed[@]} -eq 0 ]] || { printf 'nightly: FAILED: %s\n' "${failed[@]}" && exit 1; }
