#!/usr/bin/env bash
# ./mk image: a container image with the daemon and its command line, made of the packages of ./mk package.
#
#   image.sh [SUITE [PACKAGES]]     SUITE: bookworm, trixie, ...; default: this system, with the packages built for it
#
# mmdebstrap makes the file system: what is essential, our packages, and what they depend on. umoci puts it into a
# layout of the Open Container Initiative as the only layer. The file that comes out is taken by `podman load`,
# `docker load` and `skopeo copy oci-archive:FILE ...`. Its dates are that of debian/changelog: the same packages make
# the same bytes.
# MK_MIRROR: another mirror. Without root, mmdebstrap needs a line for the user in /etc/subuid.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=${1:-$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")}
packages=${2:-$root/build/package/${1:-host}/packages}
place=$root/build/image
say() { printf 'image: %s\n' "$*"; }
die() {
  printf 'image: %s\n' "$*" >&2
  exit 1
}

debs=()
for name in fastjournal fastjournal-client; do
  deb=$(compgen -G "$packages/${name}_*.deb") || die "no ${name}_*.deb in $packages: ./mk package${1:+ --chroot $1}"
  debs+=("$deb")
done
version=$(dpkg-deb -f "${debs[0]}" Version)
architecture=$(dpkg-deb -f "${debs[0]}" Architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dpkg-parsechangelog -l "$root/debian/changelog" -STimestamp)}
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
image=$place/fastjournal-$version-$suite-$architecture.tar

rm -rf "$place/layout" "$place/system.tar"
mkdir -p "$place"

# The user has a number of our choice, since volumes outlive images. Licences stay; documents and translations go.
user=4050
entry=fastjournal:x:$user:$user:fastjournal:/var/lib/fastjournal:/usr/sbin/nologin
say "mmdebstrap $suite${MK_MIRROR:+ from $MK_MIRROR}"
mmdebstrap --variant=essential --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
  --include="systemd-standalone-sysusers,$(IFS=, && printf '%s' "${debs[*]}")" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/lintian/*' \
  --essential-hook="echo $entry >>\"\$1/etc/passwd\"" \
  --essential-hook="echo fastjournal:x:$user: >>\"\$1/etc/group\"" \
  --customize-hook="upload $root/conf/container.xml /etc/fastjournal/fastjournal.xml" \
  --customize-hook="chroot \"\$1\" install -d -o $user -g $user -m 0750 /var/lib/fastjournal" \
  "$suite" "$place/system.tar" ${MK_MIRROR:+"$MK_MIRROR"} >"$place/mmdebstrap.log" 2>&1 ||
  die "mmdebstrap failed; see $place/mmdebstrap.log"

say "umoci"
name=fastjournal:$version
tag=$place/layout:$name
history=(--history.created "$created" --history.created_by "./mk image")
{
  umoci init --layout "$place/layout"
  umoci new --image "$tag"
  umoci raw add-layer --image "$tag" "${history[@]}" "$place/system.tar"
  umoci config --image "$tag" --no-history --created "$created" --architecture "$architecture" --os linux \
    --config.entrypoint /usr/sbin/fastjournald --config.user "$user:$user" --config.workingdir / \
    --config.env PATH=/usr/sbin:/usr/bin:/sbin:/bin --config.exposedports 4050/tcp --config.exposedports 4080/tcp \
    --config.volume /var/lib/fastjournal --config.stopsignal SIGTERM \
    --config.label org.opencontainers.image.title=fastjournal \
    --config.label "org.opencontainers.image.version=$version" --config.label org.opencontainers.image.licenses=MIT
  umoci gc --layout "$place/layout"
} >"$place/umoci.log" 2>&1 || die "umoci failed; see $place/umoci.log"

# For Docker: its name for the image, and its own list, for releases that do not read layouts.
python3 - "$place/layout" "$name" <<'PYTHON'
import json, pathlib, sys
layout = pathlib.Path(sys.argv[1])
blob = lambda digest: "blobs/" + digest.replace(":", "/")
index = json.loads((layout / "index.json").read_text())
index["manifests"][0]["annotations"]["io.containerd.image.name"] = "docker.io/library/" + sys.argv[2]
(layout / "index.json").write_text(json.dumps(index))
manifest = json.loads((layout / blob(index["manifests"][0]["digest"])).read_text())
one = {"Config": blob(manifest["config"]["digest"]), "RepoTags": [sys.argv[2]],
       "Layers": [blob(layer["digest"]) for layer in manifest["layers"]]}
(layout / "manifest.json").write_text(json.dumps([one]))
PYTHON

tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  -C "$place/layout" -cf "$image" oci-layout index.json manifest.json blobs
rm -rf "$place/layout" "$place/system.tar"
say "$name is in $image ($(($(stat -c %s "$image") / 1000000)) MB)"
