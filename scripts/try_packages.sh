#!/usr/bin/env bash
# Installs, uses, upgrades, removes and purges the packages of ./mk package in a bare system, and shows what is left.
#
#   try_packages.sh SUITE [PACKAGES]      as root; PACKAGES: the folder of the .deb files, default build/package/SUITE/packages
#
# The bare system is made by debootstrap, and has no systemd that runs: there the tests of debian/tests start the daemon
# and the forwarder as the units would, by their users. The tests are in a network of their own, where no port is taken.
# The upgrade is to the same packages with a higher version. What counts as left is any file that was not there before
# the first installation, when the packages that ours depend on were installed already.
set -euo pipefail

what=try
. "$(dirname "${BASH_SOURCE[0]}")/bare_system.sh"

# Names, not contents: the lists of users and of packages change. systemctl notes in /run/systemd that it was called.
files() {
  inside find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /try -o -path /tmp -o -path /var/cache \
    -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/log -o -path /run/systemd \) -prune -o -print | sort
}
# Each of debian/tests, with the tree as its folder.
run_tests() {
  local test
  for test in "${tests[@]}"; do
    alone sh -c "cd /try/tree && debian/tests/$test" >"$place/$test.log" 2>&1 || {
      cat "$place/$test.log" >&2
      die "$1: $test"
    }
    say "$1: $test passed"
  done
}

make_system
mkdir -p "$system/try/next"
# No service starts where no systemd runs; said aloud for packages that would start theirs all the same.
printf '#!/bin/sh\nexit 101\n' >"$system/usr/sbin/policy-rc.d"
chmod 755 "$system/usr/sbin/policy-rc.d"

# The same with a higher version.
version=$(dpkg-deb -f "$(ls "$system"/try/debs/fastjournal_*.deb)" Version)
for deb in "$system"/try/debs/*.deb; do
  dpkg-deb -R "$deb" "$place/next"
  sed -i "s/^Version: .*/Version: $version+next/; s/(= $version)/(= $version+next)/g" "$place/next/DEBIAN/control"
  dpkg-deb --root-owner-group -b "$place/next" "$system/try/next" >/dev/null
  rm -rf "$place/next"
done
mapfile -t ours < <(for deb in "$system"/try/debs/*.deb; do dpkg-deb -f "$deb" Package; done)

say "installs what the packages depend on, and gcc for a test"
mapfile -t needed < <(inside sh -c 'apt-get -s --no-install-recommends install /try/debs/*.deb' |
  awk '$1 == "Inst" { print $2 }' | grep -vxFf <(printf '%s\n' "${ours[@]}"))
apt install "${needed[@]}" procps gcc libc6-dev pkgconf
files >"$place/before"

say "installs $version"
debs=("$system"/try/debs/*.deb)
apt install "${debs[@]#"$system"}"
run_tests installed
echo '<!-- ours -->' >>"$system/etc/fastjournal/fastjournal.xml"
sed 's/name="jobs"/name="mine"/' "$system/etc/fastjournal/tables.d/jobs.xml" >"$system/etc/fastjournal/tables.d/mine.xml"
cp "$root/debian/tests/daemon.sh" "$system/try/row.sh"
cat >>"$system/try/row.sh" <<'ROW'
[ "$1" != put ] || fastjournal put mine name=kept
fastjournal ls mine --json | grep -q '"kept"' || fail "the row is not there"
ROW
look_at_row() { alone sh -eu /try/row.sh "$1" >"$place/row.log" 2>&1 || die "$(cat "$place/row.log")"; }
look_at_row put

say "upgrades to $version+next"
debs=("$system"/try/next/*.deb)
apt install "${debs[@]#"$system"}"
[[ $(inside dpkg-query -W -f '${Version}' fastjournal) == "$version+next" ]] || die "it was not upgraded"
grep -q -- '<!-- ours -->' "$system/etc/fastjournal/fastjournal.xml" || die "the upgrade has lost a change of the configuration"
look_at_row again
run_tests upgraded
say "the changed configuration, the own table and its row survived the upgrade"

say "removes"
apt remove "${ours[@]}"
[[ ! -e $system/usr/sbin/fastjournald && ! -e $system/usr/bin/fastjournal ]] || die "programs are left"
[[ -d $system/var/lib/fastjournal/shared && -f $system/etc/fastjournal/tables.d/mine.xml ]] || die "removing took data"
say "programs are gone; rows and configuration are there"

say "purges, with the rows behind a symbolic link"
mv "$system/var/lib/fastjournal" "$system/srv/rows"
ln -s /srv/rows "$system/var/lib/fastjournal"
# By dpkg: apt no longer knows those that had no configuration.
inside dpkg --purge "${ours[@]}" >>"$place/apt.log" 2>&1 || die "dpkg --purge: see $place/apt.log"
rmdir "$system/srv/rows" || die "the purge has left rows"
files >"$place/after"
diff "$place/before" "$place/after" >"$place/left" || {
  cat "$place/left" >&2
  die "this is left or gone (build/package/$suite/try/left)"
}
say "nothing is left: $(wc -l <"$place/after") files before and after; the users $(grep -o '^fastjournal[a-z-]*' "$system/etc/passwd" |
  tr '\n' ' ')stay, so that their numbers are not given to others"
rm -rf "$system"
