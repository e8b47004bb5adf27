#!/usr/bin/env bash
# Installs the packages of ./mk package in a bare system, boots it by systemd-nspawn, and runs debian/tests there: the
# services are started, watched and ended by a systemd that runs.
#
#   boot_packages.sh SUITE [PACKAGES]      as root; PACKAGES: the folder of the .deb files, default build/package/SUITE/packages
#
# The booted system has a network of its own without a way out. scripts/try_packages.sh is the rest: upgrade, purge.
set -euo pipefail

what=boot
. "$(dirname "${BASH_SOURCE[0]}")/bare_system.sh"

make_system --include=systemd,systemd-sysv
say "installs the packages, and gcc for a test"
debs=("$system"/try/debs/*.deb)
apt install "${debs[@]#"$system"}" procps gcc libc6-dev pkgconf

# A unit of the booted system runs the tests, then powers it off.
cat >"$system/try/all.sh" <<'ALL'
#!/bin/sh
cd /try/tree
for test in TESTS service; do
  if "debian/tests/$test" >"/try/$test.log" 2>&1; then echo "$test passed"; else echo "$test FAILED"; fi
done >/try/result
journalctl --no-pager -u fastjournal >/try/journal.log
systemctl poweroff
ALL
sed -i "s/TESTS/${tests[*]}/" "$system/try/all.sh"
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
inside systemctl enable -q try.service

say "boots it"
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout 600 systemd-nspawn --quiet --boot --register=no --keep-unit \
  --private-network --directory="$system" --machine="fastjournal-$suite" >"$place/console.log" 2>&1 </dev/null ||
  die "it did not power off by itself: see $place/console.log"
[[ -f $system/try/result ]] || die "no test ran: see $place/console.log"
while read -r line; do say "$line"; done <"$system/try/result"
for log in "$system"/try/*.log; do cp "$log" "$place"; done
if grep -q FAILED "$system/try/result"; then die "see the logs in $place"; fi
rm -rf "$system"
