#!/usr/bin/env bash
# ./mk image try: runs the newest image of build/image, or IMAGE, with podman as doc/operations.md says: its file system
# is read-only and it has no capability. A row must outlast a stop, a kill, and the container itself.
#
#   try_image.sh [IMAGE]      as root; podman's storage is a folder of its own, removed at the end
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mapfile -t images < <(ls -t "$root"/build/image/fastjournal-*.tar 2>/dev/null)
image=${1:-${images[0]:-}}
say() { printf 'image: %s\n' "$*"; }
die() {
  printf 'image: FAILED: %s\n' "$*" >&2
  [[ -z ${container:-} ]] || podman logs "$container" >&2 || true
  exit 1
}
[[ $EUID -eq 0 ]] || die "it mounts file systems: run it as root"
[[ -f $image ]] || die "there is no image in build/image: ./mk image"

place=$(mktemp -d)
container=
export CONTAINERS_STORAGE_CONF=$place/storage.conf
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$place/graph" "$place/run" \
  >"$place/storage.conf"
clean() {
  podman rm --all --force --time 0 >/dev/null 2>&1 || true
  podman volume rm --all --force >/dev/null 2>&1 || true
  rm -rf "$place"
}
trap clean EXIT

# Podman's defaults are higher than what root may set in some containers.
limits=(--ulimit "nofile=$(ulimit -Hn):$(ulimit -Hn)" --ulimit nproc=1024:1024)
# begins: a new container on the volume. serves: its log says so, once more.
begins() {
  container=$(podman --runtime runc run --detach "${limits[@]}" --network none --read-only --read-only-tmpfs=false \
    --cap-drop all --security-opt no-new-privileges --volume data:/var/lib/fastjournal "$name")
  times=0
  serves
}
serves() {
  local line seen=0 lines log
  times=$((times + 1))
  exec {lines}< <(exec podman logs --follow "$container" 2>&1)
  log=$!
  while [[ $seen -lt $times ]] && IFS= read -r -t 60 -u "$lines" line; do
    [[ $line != ready ]] || seen=$((seen + 1))
  done
  kill "$log" 2>/dev/null || true
  exec {lines}<&-
  [[ $seen -eq $times ]] || die "it does not serve"
}
inside() { podman exec "$container" fastjournal "$@"; }
has_row() { inside ls jobs --json | grep -q '"kept"' || die "$1: the row is not there"; }

name=$(podman load --quiet --input "$image" | sed -n 's/^Loaded image[^:]*: //p')
say "$name"
begins
inside ping || die "it does not answer"
inside put jobs name=kept
podman restart --time 60 "$container" >/dev/null
serves
has_row "after a restart"
podman kill --signal KILL "$container" >/dev/null
podman wait "$container" >/dev/null
podman rm "$container" >/dev/null
begins
has_row "in a new container, after kill -9"
podman stop --time 60 "$container" >/dev/null
status=$(podman wait "$container")
[[ $status -eq 0 ]] || die "stopped with exit status $status"
say "a row outlasted a restart, kill -9 and its container; stopped with exit status 0"
