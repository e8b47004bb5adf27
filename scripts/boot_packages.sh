#!/usr/bin/env bash
# Installs the packages of ./mk package in a bare system, boots it by systemd-nspawn, and runs debian/tests there: the
# services are started, watched and ended by a systemd that runs.
#
#   boot_packages.sh SUITE [PACKAGES]      as root; PACKAGES: the folder of the .deb files, default build/package/SUITE/packages
#
# The booted system has a network of its own without a way out. scripts/try_packages.sh is the rest: upgrade, purge.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mirror=${MK_MIRROR:-}  # none: debootstrap's own
suite=${1:?expected a suite, such as bookworm}
packages=${2:-$root/build/package/$suite/packages}
place=$root/build/package/$suite/boot
system=$place/system
say() { printf 'boot: %s: %s\n' "$suite" "$*"; }
die() {
  printf 'boot: %s: FAILED: %s\n' "$suite" "$*" >&2
  exit 1
}
[[ $EUID -eq 0 ]] || die "it enters a bare system: run it as root"

inside() {
  unshare --mount --pid --fork --kill-child "--mount-proc=$system/proc" chroot "$system" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
apt() { inside apt-get -qq -y --no-install-recommends "$@" >>"$place/apt.log" 2>&1 || die "apt-get $*: see $place/apt.log"; }

rm -rf "$place"
mkdir -p "$place"
say "debootstrap${mirror:+ from $mirror}"
debootstrap --variant=minbase --include=systemd,systemd-sysv "$suite" "$system" ${mirror:+"$mirror"} \
  >"$place/debootstrap.log" 2>&1 || die "debootstrap: see $place/debootstrap.log"
mkdir -p "$system/try/debs" "$system/try/tree/clients/spool" "$system/try/tree/clients/c"
cp "$packages"/*.deb "$system/try/debs"
rm -f "$system"/try/debs/*-dbgsym_*
cp -a "$root/debian" "$system/try/tree"
cp "$root/clients/spool/example.c" "$system/try/tree/clients/spool"
cp "$root"/clients/c/README.md "$system/try/tree/clients/c"

say "installs the packages, and gcc for a test"
apt update
debs=("$system"/try/debs/*.deb)
apt install "${debs[@]#"$system"}" procps gcc libc6-dev pkgconf

# A unit of the booted system runs the tests, then powers it off.
cat >"$system/try/all.sh" <<'ALL'
#!/bin/sh
cd /try/tree
for test in units main-job forwarder python-worker c-client c-producer service; do
  if "debian/tests/$test" >"/try/$test.log" 2>&1; then echo "$test passed"; else echo "$test FAILED"; fi
done >/try/result
journalctl --no-pager -u fastjournal >/try/journal.log
systemctl poweroff
ALL
chmod 755 "$system/try/all.sh"
cat >"$system/etc/systemd/system/try.service" <<'UNIT'
[Unit]
After=fastjournal.service
[Service]
Type=oneshot
ExecStart=/try/all.sh
[Install]
WantedBy=multi-user.target
UNIT
ln -s ../try.service "$system/etc/systemd/system/multi-user.target.wants/try.service" 2>/dev/null ||
  { mkdir -p "$system/etc/systemd/system/multi-user.target.wants" &&
    ln -s ../try.service "$system/etc/systemd/system/multi-user.target.wants/try.service"; }

say "boots it"
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout 600 systemd-nspawn --quiet --boot --register=no --keep-unit \
  --private-network --directory="$system" --machine="fastjournal-$suite" >"$place/console.log" 2>&1 </dev/null ||
  die "it did not power off by itself: see $place/console.log"
[[ -f $system/try/result ]] || die "no test ran: see $place/console.log"
while read -r line; do say "$line"; done <"$system/try/result"
for log in "$system"/try/*.log; do cp "$log" "$place"; done
if grep -q FAILED "$system/try/result"; then die "see the logs in $place"; fi
rm -rf "$system"
