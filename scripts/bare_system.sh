# For try_packages.sh and boot_packages.sh, who source it: a bare system of a suite, made by debootstrap as root, with our
# packages and what their tests need in /try. `what` is the name of the caller: in its lines, and of its folder.
#
#   . bare_system.sh SUITE [PACKAGES]      PACKAGES: the folder of the .deb files, default build/package/SUITE/packages

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mirror=${MK_MIRROR:-}  # none: debootstrap's own
suite=${1:?expected a suite, such as bookworm}
packages=${2:-$root/build/package/$suite/packages}
place=$root/build/package/$suite/$what
system=$place/system
tests=(units main-job forwarder python-worker c-client c-producer)

say() { printf '%s: %s: %s\n' "$what" "$suite" "$*"; }
die() {
  printf '%s: %s: FAILED: %s\n' "$what" "$suite" "$*" >&2
  exit 1
}
[[ $EUID -eq 0 ]] || die "it enters a bare system: run it as root"
compgen -G "$packages/fastjournal_*.deb" >/dev/null || die "there are no packages in $packages: ./mk package makes them"

# within OPTIONS... -- COMMAND...: in the bare system, with its own processes; the options are those of unshare.
within() {
  local options=()
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  unshare --mount --pid --fork --kill-child "--mount-proc=$system/proc" "${options[@]}" sh -c \
    'ip link set lo up 2>/dev/null; exec "$@"' sh chroot "$system" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
inside() { within -- "$@"; }
# Without any network but its own loopback.
alone() { within --net -- "$@"; }
apt() { inside apt-get -qq -y --no-install-recommends "$@" >>"$place/apt.log" 2>&1 || die "apt-get $*: see $place/apt.log"; }

# make_system OPTIONS...: those of debootstrap
make_system() {
  rm -rf "$place"
  mkdir -p "$place"
  say "debootstrap${mirror:+ from $mirror}"
  debootstrap --variant=minbase "$@" "$suite" "$system" ${mirror:+"$mirror"} >"$place/debootstrap.log" 2>&1 ||
    die "debootstrap: see $place/debootstrap.log"
  mkdir -p "$system/try/debs" "$system/try/tree/clients/spool" "$system/try/tree/clients/c"
  cp "$packages"/*.deb "$system/try/debs"
  rm -f "$system"/try/debs/*-dbgsym_*
  cp -a "$root/debian" "$system/try/tree"
  cp "$root/clients/spool/example.c" "$system/try/tree/clients/spool"
  cp "$root"/clients/c/README.md "$system/try/tree/clients/c"
  apt update
}
