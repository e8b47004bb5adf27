#!/usr/bin/env bash
# ./mk lint: clang-tidy over sources.
#
#   lint.sh BUILD JOBS [all | --recent N | FILE...]
#
# BUILD is one of each source by itself, without GCC's precompiled headers, which clang cannot read. Without FILEs: those
# changed since the last commit. --recent: N of those that the last 30 commits changed, drawn by the name of the last one.
set -euo pipefail

build=$1 jobs=$2
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case ${1:-} in
  all) files=$(git ls-files --cached --others --exclude-standard '*.cpp') ;;
  --recent) files=$(comm -12 <(git log -30 --format= --name-only -- '*.cpp' | sort -u) <(git ls-files '*.cpp' | sort) |
    shuf -n "${2:?--recent: expected a number}" --random-source=<(git rev-list -50 HEAD)) ;;
  "") files=$(git diff --name-only --diff-filter=d HEAD -- '*.cpp' && git ls-files --others --exclude-standard '*.cpp') ;;
  *) files=$(printf '%s\n' "$@") ;;
esac
[[ -n $files ]] || { echo "lint: nothing changed since the last commit; ./mk lint all, or name files" && exit; }
mapfile -t files <<<"$files"

echo "lint: ${#files[@]} files"
# It counts what it does not show, those of the system's headers.
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p "$build" \
  2> >(grep -v 'warnings\? generated\.$' >&2)
echo "lint: nothing found"
