#!/usr/bin/env bash
# Runs README.md's two commands as a newcomer does: in a fresh clone of the last commit, in a bare system made by
# debootstrap, which has nothing that was ever installed by hand. Prints how long each took, and on how many processors.
#
#   fresh_machine.sh SUITE [COMMAND...]      as root; SUITE: bookworm, trixie, ...; default: ./mk run, then ./mk test
#
# The system has a network, since ./mk installs packages.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mirror=${MK_MIRROR:-}  # none: debootstrap's own
suite=${1:?expected a suite, such as bookworm}
[[ $suite =~ ^[a-z]+$ ]] || { echo "fresh machine: expected a suite, such as bookworm, and not $suite" >&2; exit 1; }
shift
[[ $# -gt 0 ]] || set -- "./mk run" "./mk test"
place=$root/build/fresh/$suite
system=$place/system

say() { printf 'fresh machine: %s: %s\n' "$suite" "$*"; }
die() {
  printf 'fresh machine: %s: FAILED: %s\n' "$suite" "$*" >&2
  exit 1
}
[[ $EUID -eq 0 ]] || die "it enters a bare system: run it as root"

rm -rf "$place"
mkdir -p "$place"
say "debootstrap${mirror:+ from $mirror}"
debootstrap --variant=minbase "$suite" "$system" ${mirror:+"$mirror"} >"$place/debootstrap.log" 2>&1 ||
  die "debootstrap: see $place/debootstrap.log"
git clone -q "$root" "$system/root/fastjournal"

# The folders that a kernel and an init have made before anybody logs in.
inside() {
  unshare --mount --pid --fork --kill-child "--mount-proc=$system/proc" sh -c '
    mount -t tmpfs tmpfs "$0/dev/shm" && mount -t devpts -o newinstance,ptmxmode=666 devpts "$0/dev/pts" &&
      mount -t tmpfs tmpfs "$0/run" && mount -t sysfs -o ro sysfs "$0/sys" && exec chroot "$0" "$@"' "$system" \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
}

failed=0
for command in "$@"; do
  start=$SECONDS
  say "$command"
  status=0
  inside sh -c "cd /root/fastjournal && $command" >"$place/${command//[^a-z]/_}.log" 2>&1 </dev/null || status=$?
  tail -n 12 "$place/${command//[^a-z]/_}.log"
  say "$command: exit status $status after $((SECONDS - start)) s on $(nproc) processors"
  [[ $status -eq 0 ]] || failed=1
done
[[ $failed -eq 0 ]] || die "see $place/*.log"
