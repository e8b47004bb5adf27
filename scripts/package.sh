#!/usr/bin/env bash
# ./mk package: builds the Debian packages of this tree, unsigned, and has lintian look at them.
#
#   package.sh [--chroot SUITE] [--twice]
#
# Without --chroot they are built for the system that this is, in build/package/host. With it, in build/package/SUITE: a
# bare system of that suite is made there by debootstrap (as root), gets the packages that the build needs, and builds;
# what was made is kept for the next time. --twice builds in a second folder too, and compares all bytes.
# scripts/try_packages.sh installs, upgrades and removes what was built.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mirror=${MK_MIRROR:-}  # none: debootstrap's own
say() { printf 'package: %s\n' "$*"; }
die() {
  printf 'package: %s\n' "$*" >&2
  exit 1
}

suite=host
folders=(first)
while [[ $# -gt 0 ]]; do
  case $1 in
    --chroot)
      suite=${2:?--chroot: expected a suite, such as bookworm}
      shift
      ;;
    --twice) folders+=(a-second-folder) ;;
    *) die "unknown option $1; expected --chroot SUITE or --twice" ;;
  esac
  shift
done
place=$root/build/package/$suite
system=$place/system
mkdir -p "$place"

# inside COMMAND...: in the bare system, with its own processes, or here.
inside() {
  if [[ $suite == host ]]; then
    # The system's own Python and tools, whatever else the user has.
    PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
  else
    unshare --mount --pid --fork --kill-child --mount-proc="$system/proc" \
      chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" "$@"
  fi
}

if [[ $suite == host ]]; then
  work=$place
else
  [[ $EUID -eq 0 ]] || die "--chroot makes and enters a bare system: run it as root"
  work=$system/build
  if [[ ! -f $place/made ]]; then
    rm -rf "$system"
    say "debootstrap $suite${mirror:+ from $mirror}"
    debootstrap --variant=minbase "$suite" "$system" ${mirror:+"$mirror"} >"$place/debootstrap.log" 2>&1 ||
      die "debootstrap failed; see $place/debootstrap.log"
    touch "$place/made"
  fi
fi

# The files that git knows, as they are now.
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$root/debian/changelog")
for folder in "${folders[@]}"; do
  rm -rf "${work:?}/$folder"
  mkdir -p "$work/$folder/fastjournal-$version"
  (cd "$root" && git ls-files -z | tar c --null --verbatim-files-from -T - --ignore-failed-read) |
    tar x -C "$work/$folder/fastjournal-$version"
done

if [[ $suite != host ]]; then
  say "the packages that the build needs"
  inside apt-get -qq update
  inside sh -c "apt-get -qq -y install --no-install-recommends dpkg-dev fakeroot lintian >/build/apt.log 2>&1 &&
    apt-get -qq -y build-dep --no-install-recommends /build/first/fastjournal-$version >>/build/apt.log 2>&1" ||
    die "they could not be installed; see $work/apt.log"
fi

for folder in "${folders[@]}"; do
  start=$SECONDS
  say "building in $folder"
  in_work=${work#"$system"}
  inside sh -c "cd $in_work/$folder/fastjournal-$version && \
    DEB_BUILD_OPTIONS=\"\${DEB_BUILD_OPTIONS:+\$DEB_BUILD_OPTIONS }parallel=${MK_JOBS:-$(nproc)}\" dpkg-buildpackage -us -uc" \
    >"$work/$folder/build.log" 2>&1 || {
    tail -n 30 "$work/$folder/build.log" >&2
    die "the build failed; all of it is in $work/$folder/build.log"
  }
  say "built in $((SECONDS - start)) s"
done

if [[ ${#folders[@]} -eq 2 ]]; then
  differ=0
  for file in "$work"/first/*.deb "$work"/first/*.dsc "$work"/first/*.tar.*; do
    cmp "$file" "$work/a-second-folder/${file##*/}" || differ=1
  done
  [[ $differ -eq 0 ]] || die "the two builds differ"
  say "built twice: all bytes are equal"
fi

rm -rf "$place/packages"
mkdir -p "$place/packages"
cp "$work"/first/*.deb "$work"/first/*.dsc "$work"/first/*.tar.* "$work"/first/*.changes "$work"/first/*.buildinfo \
  "$place/packages"
say "packages are in $place/packages:"
(cd "$place/packages" && ls -1 ./*.deb)

say "lintian -EIL +pedantic"
# The version of the standards is that of the oldest system that packages are built for; newer ones know a newer one. Rows
# of tables in documents are lines. The compiler takes literals apart and puts overlapping pieces side by side: the texts
# themselves have no misspelled words, and which program has such pieces changes with every build.
suppressed=out-of-date-standards-version,very-long-line-length-in-source-file,spelling-error-in-binary
inside sh -c "cd $in_work/first && lintian --allow-root -EIL +pedantic --suppress-tags $suppressed ./*.changes" \
  >"$place/lintian.txt" 2>&1 || true
cat "$place/lintian.txt"
[[ ! -s $place/lintian.txt ]] || die "lintian has findings"
say "lintian has nothing to say"
