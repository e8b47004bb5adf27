#!/usr/bin/env bash
# Installs the Debian packages that jobs of ./mk need and that are missing; silent if there are none.
#
#   packages.sh [--path] SET...     --path: prints a PATH that has no other programs than those of the packages
#
# Each package is named once: what the product and its documents are built from, in debian/control; the rest, by job, here
# (tests/unit/house). The names are the same on Debian 12, Debian 13 and Ubuntu 24.04.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
declare -A sets=(
  [build]="g++ binutils git python3 mold libboost-test-dev libxml2-utils"
  # As users would: clients of HTTP, TLS and SQL, an SQL server, systemd-analyze, readers of the manual, shells that complete.
  [test]="beanstalkd curl libnet-stomp-perl nodejs openssl python3-boto3 python3-croniter python3-jsonschema python3-msgpack
    python3-pytest python3-stomp redis-server systemd make man-db mandoc bsdextrautils bash zsh fish postgresql postgresql-client sqlite3"
  [page]="chromium fonts-dejavu-core"
  [promtool]=""
  [docs]=""
  [go]="golang-go"
  [fuzz]="clang libclang-rt-dev"
  [format]="clang-format"
  [lint]="clang-tidy"
  [bench]="activemq beanstalkd memcached nginx rabbitmq-server redis-server postgresql postgresql-client python3-redis
    python3-rq"
  [clients]="awscli golang-github-aws-aws-sdk-go-dev php-cli php-pda-pheanstalk php-symfony-amazon-sqs-messenger
    php-symfony-beanstalkd-messenger python3-kombu python3-pycurl ruby ruby-beaneater"
  [imports]="python3-celery python3-redis python3-rq ruby-sidekiq"
  [npm]="npm"
  [count]="valgrind"
  [cluster]="etcd-server etcd-client iproute2 openssl python3 e2fsprogs mount"
  [drawings]="graphviz"
  [package]="dpkg-dev fakeroot lintian"
  [chroot]="debootstrap git iproute2"
  [boot]="systemd-container"
  [image]="dpkg-dev mmdebstrap python3 umoci"
  [image_try]="podman runc"
)

say() { printf 'mk: %s\n' "$*" >&2; }
die() {
  say "$1"
  exit "${2:-1}"
}

# apt COMMAND WORD...: of apt-get, as root; what it prints is shown if it fails.
apt() {
  local log as_root=()
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || die "not root, and there is no sudo. As root: apt-get --no-install-recommends $*"
    as_root=(sudo)
  fi
  say "apt-get update"
  "${as_root[@]}" apt-get -qq update >&2 || say "apt-get update failed; trying with the lists that are here"
  say "apt-get $*"
  log=$(mktemp)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@" </dev/null >"$log" 2>&1 || {
    cat "$log" >&2
    die "apt-get could not install them (on Ubuntu they need the component 'universe')"
  }
  rm -f "$log"
}

# The packages of debian/control below the comment of a set.
in_control() { sed -n "/^# $1:/,/^[^ ]/s/^ \\([^ ,]*\\).*,\$/\\1/p" "$root/debian/control"; }

# promtool alone: where it has no package of its own, that of its server, prometheus, would start one.
fetch_promtool() {
  local tools=$root/build/tools from=promtool
  [[ ! -x $tools/promtool ]] && ! command -v promtool >/dev/null || return 0
  apt-cache show promtool >/dev/null 2>&1 || from=prometheus
  say "promtool, from the package $from"
  mkdir -p "$tools/package"
  (cd "$tools/package" && apt-get -qq download "$from" && dpkg-deb --extract "${from}"_*.deb .) >&2 ||
    die "promtool could not be fetched: install the package $from, or put promtool into the PATH"
  mv "$tools/package/usr/bin/promtool" "$tools/promtool"
  rm -r "$tools/package"
}

path=0
[[ ${1:-} != --path ]] || { path=1 && shift; }
packages=()
for set in "$@"; do
  [[ -v sets[$set] ]] || die "deps: unknown set '$set'; expected one of ${!sets[*]}" 2
  # Ubuntu has Chromium only as a snap, which tests cannot drive: there those of the page are left out, and say so.
  [[ $set != page ]] || grep -qx 'ID=debian' /etc/os-release || continue
  # Node that is not Debian's brings npm along, and excludes the package.
  [[ $set != npm ]] || ! command -v npm >/dev/null || continue
  # shellcheck disable=SC2206
  packages+=(${sets[$set]} $(in_control "$set"))
done
command -v dpkg-query >/dev/null ||
  die "this system has no dpkg: install by hand the contents of these Debian packages: ${packages[*]}"
mapfile -t missing < <(comm -13 \
  <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null | sed -n 's/ installed$//p' | sort) \
  <(printf '%s\n' "${packages[@]}" | sort -u))
[[ ${#missing[@]} -eq 0 ]] || apt install "${missing[@]}"
[[ " $* " != *" package "* ]] || (cd "$root" && dpkg-checkbuilddeps 2>/dev/null) || apt build-dep "$root"
[[ " $* " != *" promtool "* ]] || fetch_promtool
if [[ $path -eq 1 ]]; then
  "$root/scripts/package_path.sh" "$root/build/path" "${packages[@]}" >&2
  printf '%s\n' "$root/build/path"
fi
