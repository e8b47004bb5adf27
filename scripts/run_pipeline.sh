#!/usr/bin/env bash
# run_pipeline.sh BIN [N]: real documents of this machine through a pipeline table, with the programs in BIN: N documents
# (200) of each of two sources, the texts and the manual pages of installed packages, through three steps to a full-text
# index (SQLite, by python3) and to a folder. Worker and daemon are killed on the way, again and again. At the end it says
# what arrived where: nothing is missing, and nothing was published twice. Exit status 1: something is.
set -euo pipefail

bin=$(cd "$1" && pwd)
count=${2:-200}
work=$(mktemp -d -t fastjournal-pipeline-XXXXXX)
daemon=
end() {
  [[ -z $daemon ]] || kill "$daemon" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT
cd "$work"
export PATH=$bin:$PATH FASTJOURNAL_SERVER=unix:$work/socket

mkdir -p conf/tables.d/plans texts manuals
echo '<fastjournal/>' > conf/fastjournal.xml
cat > conf/tables.d/docs.xml <<'XML'
<table name="docs" type="pipeline">
  <plan>plans/docs.xml</plan>
  <grace>1s</grace>
</table>
XML
cat > conf/tables.d/plans/docs.xml <<'XML'
<plan name="docs" version="1">
  <retry first="100ms"/>
  <source name="texts"/>
  <source name="manuals" hash="sha256"/>
  <step name="unpack" after="manuals"/>
  <step name="words" after="texts unpack" router="duplicate-all"/>
  <step name="index" after="words" kind="idempotent" guarantee="at-least-once"/>
  <step name="stamp" after="words"/>
  <step name="publish" after="stamp" kind="potent"/>
</plan>
XML

# Real documents; names are kept.
copy() { # FOLDER WHAT...
  local to=$1 made=0
  shift
  while IFS= read -r -d '' file && ((made < count)); do
    cp "$file" "$to/$(echo "${file#/usr/share/}" | tr / _)"
    made=$((made + 1))
  done < <(find "$@" -type f -size -200k -print0 2>/dev/null | sort -z)
  echo "$made documents in $to"
}
copy texts /usr/share/doc -name copyright
copy manuals /usr/share/man -name '*.gz'
documents=$(find texts manuals -type f | wc -l)
((documents > 0)) || { echo "no documents on this machine" >&2; exit 1; }

# The receivers: an index that takes a document again, and a list of what is published.
cat > index.py <<'PY'
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=60)
database.execute("create virtual table if not exists pages using fts5(uri unindexed, body)")
with database:
    database.execute("delete from pages where uri = ?", (os.environ["FJ_URI"],))
    database.execute("insert into pages values (?, ?)", (os.environ["FJ_URI"], sys.stdin.buffer.read().decode(errors="replace")))
PY

start() {
  fastjournald --config conf/fastjournal.xml --tables conf/tables.d --plugins "$bin/../plugins" --data data \
    --listen "unix:$work/socket" > daemon.log 2>&1 &
  daemon=$!
  for _ in $(seq 600); do
    grep -q '^ready' daemon.log && return
    kill -0 "$daemon" 2>/dev/null || { cat daemon.log >&2; exit 1; }
    sleep 0.1
  done
  echo "the daemon does not get ready" >&2
  exit 1
}
worker() {
  fastjournal pipeline run docs "$@" --source texts=texts --source manuals=manuals \
    --step unpack='zcat' --step words="tr -s '[:space:]' '\n'" --step stamp='cat; date -u' \
    --to index="python3 index.py index.db" \
    --to publish='mkdir -p www && cat > "www/$FJ_URI" && echo "$FJ_URI" >> published'
}

begun=$SECONDS
start
kills=0
# Until nothing is missing: a worker for a while, then kill -9 for it, every third time for the daemon too.
while ! fastjournal call DOCUMENTS table=docs status=open 2>/dev/null | grep -q NOTHING ||
  [[ $(fastjournal call DOCUMENTS table=docs status=done count=1000 --json 2>/dev/null | grep -c '"document"') -lt $documents ]]; do
  ((SECONDS - begun < 900)) || { echo "it takes too long" >&2; exit 1; }
  if ((kills < 12)); then
    worker > /dev/null 2>&1 &
    one=$!
    sleep "$((1 + RANDOM % 2)).$((RANDOM % 10))"
    kill -9 "$one" 2>/dev/null || true
    wait "$one" 2>/dev/null || true
    kills=$((kills + 1))
    if ((kills % 3 == 0)); then
      kill -9 "$daemon"
      wait "$daemon" 2>/dev/null || true
      start
    fi
    sleep 0.5
  else
    worker --once > /dev/null || true
    sleep 0.5
  fi
  # A person asks the receiver about what is in doubt.
  fastjournal call DOCUMENTS table=docs status=in_doubt count=1000 --json 2>/dev/null |
    grep -o '"document":[0-9]*,.*"uri":"[^"]*"' | sed 's/"document":\([0-9]*\),.*"uri":"\([^"]*\)"/\1 \2/' |
    while read -r document uri; do
      outcome=failed
      if grep -qxF "$uri" published; then outcome=sent; fi
      fastjournal call RESOLVE table=docs document="$document" outcome=$outcome > /dev/null
    done || true
done

echo "$kills kills of the worker, $((kills / 3)) of the daemon, $((SECONDS - begun)) s"
fastjournal pipeline status docs
indexed=$(python3 -c 'import sqlite3; print(sqlite3.connect("index.db").execute("select count(distinct uri), count(*) from pages").fetchone())')
published=$(sort published | uniq | wc -l)
twice=$(sort published | uniq -d | wc -l)
missing=$(comm -23 <(find texts manuals -type f -printf '%P\n' | sort) <(sort -u published) | wc -l)
echo "documents: $documents; in the index (uris, rows): $indexed; published: $published; twice: $twice; missing: $missing"
[[ $indexed == "($documents, $documents)" && $published == "$documents" && $twice == 0 && $missing == 0 ]] || exit 1
echo "nothing is missing, nothing was published twice"
