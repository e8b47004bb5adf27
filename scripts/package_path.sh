#!/usr/bin/env bash
# Makes FOLDER hold every program that a fresh machine has once the given packages are installed, as links: those of the
# packages, of what they depend on, and of the base system. With it as PATH, a program that was installed in another way
# is not found, so a run proves that the lists of ./mk are whole.
#   package_path.sh FOLDER PACKAGE...
set -euo pipefail

folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"

# The installed packages reached from the given ones and from those of the base system (debootstrap installs the
# priorities required and important). Of alternatives, each that is installed.
mapfile -t reached < <(
  dpkg-query -W -f='${db:Status-Status}\t${Package}\t${Priority}\t${Provides}\t${Pre-Depends}, ${Depends}\n' |
    awk -F'\t' -v roots="$*" '
      function names(text, out,   count, i, parts) {
        gsub(/\([^)]*\)|:[a-z0-9]+/, "", text)
        count = split(text, parts, /[ ,|]+/)
        for (i = 1; i <= count; i++) if (parts[i] != "") out[parts[i]] = 1
      }
      $1 == "installed" {
        there[$2] = 1; needs[$2] = $5
        if ($3 == "required" || $3 == "important") base[$2] = 1
        delete provided; names($4, provided)
        for (name in provided) providers[name] = providers[name] " " $2
      }
      END {
        count = split(roots, queue, " ")
        for (name in base) queue[++count] = name
        for (at = 1; at <= count; at++) {
          name = queue[at]
          if (name in seen) continue
          seen[name] = 1
          more = split(providers[name], others, " ")
          for (i = 1; i <= more; i++) queue[++count] = others[i]
          if (!(name in there)) continue
          print name
          delete wanted; names(needs[name], wanted)
          for (other in wanted) queue[++count] = other
        }
      }'
)

places='^(/usr)?/s?bin/[^/]+$'
dpkg-query -L "${reached[@]}" | grep -E "$places" | sort -u | while read -r program; do
  [[ -x $program ]] && ln -sf "$program" "$folder/${program##*/}"
done

# Names that update-alternatives keeps (c++, awk, which): where what they stand for is of these packages.
for program in /usr/bin/* /usr/sbin/*; do
  [[ -L $program && $(readlink "$program") == /etc/alternatives/* && ! -e $folder/${program##*/} ]] || continue
  real=$(readlink -f "$program")
  owner=$(dpkg-query -S "$real" 2>/dev/null | head -n 1 | sed 's/[:,].*//') || true
  [[ -n $owner ]] || owner=$(dpkg-query -S "${real#/usr}" 2>/dev/null | head -n 1 | sed 's/[:,].*//') || true
  [[ -n $owner && " ${reached[*]} " == *" $owner "* ]] && ln -sf "$program" "$folder/${program##*/}"
done
printf '%s: %s programs of %s packages\n' "$folder" "$(find "$folder" -type l | wc -l)" "${#reached[@]}"
