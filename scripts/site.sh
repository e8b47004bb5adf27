#!/usr/bin/env bash
# Builds the site of the documents:  site.sh VERSION MANUAL README OUT
# MANUAL: the folder of the manual pages in Markdown; README: the first page. Any warning, such as a link to a page or a
# heading that is not there, ends it. Needs sphinx-build with myst_parser.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=$1 manual=$2 readme=$3 out=$4
staged=$out.source
rm -rf "$staged" "$out"
mkdir -p "$staged/manual"
cd "$root"
# By the paths of the checkout, so that links are right in both.
cp --parents CHANGELOG.md doc/*.md doc/*.svg doc/*.png clients/README.md clients/*/README.md "$staged"
cp "$manual"/*.md "$staged/manual"
# The first page of the site, and of the manual.
first=index
cp "$readme" "$staged/${first}.md"
printf '# Manual\n\nThe pages of `man`, as an installation has them.\n' >"$staged/manual/${first}.md"
# The files of these pages are named behind the language, which the highlighter need not know.
(cd "$staged" && sed -i -E 's/^```(xml|python|javascript|cpp|sh|console) [^ ]+$/```\1/' \
  doc/tutorial.md doc/recipes.md doc/coming-from.md)
FJ_VERSION=$version PYTHONDONTWRITEBYTECODE=1 \
  sphinx-build -q -W --keep-going -n -b html -c scripts/site -d "$staged/.doctrees" "$staged" "$out"
rm -rf "$staged" "$out/.buildinfo" "$out/objects.inv" "$out"/_static/forkme*
