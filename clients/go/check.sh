#!/bin/sh
# check.sh GO: the layout, what `go vet` says, and the tests. scripts/count_tests.awk counts the summary.
set -eu

cd "$(dirname "$0")"
unformatted=$("$(dirname "$(readlink -f "$1")")/gofmt" -l .)
[ -z "$unformatted" ] || {
  printf 'not as gofmt has them:\n%s\n' "$unformatted"
  exit 1
}
"$1" vet ./...
code=0
said=$("$1" test -count=1 -v .) || code=$?
printf '%s\n' "$said"
for end in pass fail; do
  printf '# %s %s\n' "$end" "$(printf '%s\n' "$said" | grep -ci "^--- $end")"
done
exit "$code"
