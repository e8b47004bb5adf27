#!/usr/bin/env bash
# make.sh BUILD OUT: makes a golden log by the programs of BUILD (build/dev of any commit), as tests/golden/logs/README.md
# tells. It holds every record type that they know, in the containers that a start reads. Takes a minute and a half: that
# is how long a client must be silent to be forgotten. Ends every process that it starts.
set -euo pipefail

build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
daemon=0
layer_is_there=
trap '[[ $daemon -eq 0 ]] || kill -9 "$daemon" 2>/dev/null || true; rm -rf "$work"' EXIT

cp -r "$here/tables" "$work/tables"
rm "$work/tables/came.xml"  # it comes at the end, from another log
# Each command has a connection of its own: on a slow computer a lease must last until the next one.
[[ ! -f $work/tables/docs.xml ]] || sed -i 's|<grace>2s|<grace>15s|' "$work/tables/docs.xml"
[[ -f $build/plugins/keyvalue.so ]] || rm -f "$work/tables/values.xml"
[[ -f $build/plugins/queue.so ]] || rm -f "$work/tables/post.xml"
grep -qs message-counts "$build/plugins/queue.xml" || rm -f "$work/tables/tubes.xml"
[[ -f $build/plugins/pipeline.so ]] || rm -rf "$work/tables/docs.xml" "$work/tables/moved.xml" "$work/tables/plans"
if [[ ! -f $build/plugins/pipeline.so ]] || ! "$build/bin/fastjournal" plan check "$here/tables/plans/mirror.xml" >/dev/null 2>&1
then rm -f "$work/tables/mirror.xml" "$work/tables/plans/mirror.xml"; fi
[[ -f $build/plugins/blob.so ]] || rm -f "$work/tables/blobs.xml" "$work/tables/spilled.xml"
cat >"$work/fastjournal.xml" <<'XML'
<fastjournal>
  <log name="shared" container-size="512KiB" initial-containers="2"/>
</fastjournal>
XML
if grep -qs SCHEDULE "$build/plugins/journal.xml"; then
  sed -i 's|initial-containers="2"|initial-containers="2" period="month"|' "$work/fastjournal.xml"
else rm -f "$work/tables/flows.xml"; fi

# Clocks of its own, where the build has them (tests/integration/clock_layer.cpp): clocks WALL BOOT, ahead by so many ms.
layer="$build/lib/libfj_clock_layer.so"
clocks() { echo "$1 $2" >"$work/clock"; }
clocks 0 0

start() {
  env ${layer_is_there:+"LD_PRELOAD=$layer" "FJ_CLOCK=$work/clock"} \
    "$build/bin/fastjournald" --config "$work/fastjournal.xml" --tables "$work/tables" --data "$work/data" \
    --plugins "$build/plugins" --listen "unix:$work/socket" "$@" >>"$work/daemon.txt" 2>&1 &
  daemon=$!
  for _ in $(seq 300); do
    if cli ping >/dev/null 2>&1; then return 0; fi
    kill -0 "$daemon" 2>/dev/null || break
    sleep 0.1
  done
  cat "$work/daemon.txt" >&2
  exit 1
}
end() {
  kill "-$1" "$daemon"
  wait "$daemon" || true
  daemon=0
}

cli() { "$build/bin/fastjournal" --server "unix:$work/socket" "$@"; }
call() { cli --text call "$@" >/dev/null; }
# lease TABLE [PARAMETER...]: "row=N epoch=N" of the row that NEXT gives.
lease() {
  cli --text call NEXT "table=$1" "${@:2}" | tr ' ;' '\n\n' | sed -n '/^\(row\|epoch\)=/p' | tr '\n' ' '
}

takes_traces() { cli --text call HELP command=RELEASE table=golden 2>/dev/null | grep -q error_trace; }
# Failures with traces: given back, beside a twin, parked, dead letters, and of a document.
traces() {
  local p=$1 row doc
  call RESUME table=golden worker=anna
  call INSERT table=golden "name=$p-traced" priority=0
  call RELEASE table=golden $(lease golden) process_date=4102444800000 "error=no answer" "error_trace=at read, line 7"
  call INSERT table=golden "name=$p-traced-twin" priority=0
  row=$(lease golden)
  call INSERT table=golden "name=$p-traced-twin" note=newer process_date=4102444800000
  call RELEASE table=golden $row "error=no answer" "error_trace=at read, line 8"
  call INSERT table=golden "name=$p-traced-parked" priority=0
  call FAIL table=golden $(lease golden) "error=it can never work" "error_trace=at write, line 9"
  call PAUSE table=golden "reason=upgrade $p" worker=anna
  call REJECT table=post $(taken "$p-work") "error=it can never work" "error_trace=at send, line 10"
  # On a slow computer the lease is over before it is told.
  for _ in 1 2 3 4 5; do
    doc=$(found pages traced 1)
    if call FAILED table=docs $doc destination=index class=disk-full "error=no room" "error_trace=at write, line 11" \
      permanent=1; then break; fi
  done
  call RELEASE table=docs $doc || true
}

# Rows of each kind, and each thing that can become of one; names begin with $1, sequences of a client with $2.
everything() {
  local p=$1 n=$2 row
  call INSERT table=golden "name=$p-plain" note=first
  call INSERT table=golden "name=$p-plain"
  call INSERT table=golden "name=$p-plain" note=second times=3 client=producer "sequence=$n"
  call INSERT table=golden "name=$p-plain" note=late insertion_date=5 client=producer "sequence=$((n + 1))"
  call INSERT table=golden "name=$p-sent" client=producer "sequence=$((n + 2))"
  call INSERT table=golden "name=$p-dated" process_date=4102444800000 expiration_date=4133980800000 \
    insertion_date=1700000000000 priority=7
  call INSERT table=golden "name=$p-long" "data=$(head -c 40000 /dev/zero | tr '\0' d)"
  call INSERT table=golden "name=$p-long" data=e times=1
  # Given back, touched, given back beside a twin, failed, held.
  call INSERT table=golden "name=$p-back" priority=0
  row=$(lease golden worker=one)
  call TOUCH table=golden $row worker=two
  call RELEASE table=golden $row process_date=4102444800000
  call INSERT table=golden "name=$p-failing" priority=0
  call RELEASE table=golden $(lease golden) process_date=4102444800000 "error=out of memory"
  call INSERT table=golden "name=$p-twin" priority=0
  row=$(lease golden)
  call INSERT table=golden "name=$p-twin" note=newer process_date=4102444800000
  call RELEASE table=golden $row "error=no answer"
  call INSERT table=golden "name=$p-parked" priority=0
  row=$(lease golden)
  call FAIL table=golden $row "error=it can never work"
  call INSERT table=golden "name=$p-done" priority=0
  call DONE table=golden $(lease golden)
  call INSERT table=golden "name=$p-deleted"
  call DELETE table=golden "name=$p-deleted"
  call INSERT table=golden "name=$p-leased" priority=0
  row=$(lease golden worker=keeper)
  call INSERT table=golden "name=$p-leased" note=behind
  # What time does.
  call INSERT table=brief "name=$p-expired" "expiration_date=+50"
  for name in one two; do
    call INSERT table=brief "name=$p-$name"
    row=$(lease brief)
    sleep 0.4
    row=$(lease brief)
    sleep 0.4
  done
  call INSERT table=strict "name=$p-failed"
  call FAIL table=strict $(lease strict) "error=refused"
  call INSERT table=scratch "name=$p-nowhere"
  call PAUSE table=golden "reason=upgrade $p" worker=anna
  call PAUSE table=brief worker=anna
  call RESUME table=brief worker=anna
  call DRAIN table=strict worker=anna
  call INSERT table=brief "name=$p-client" "client=$p-forgotten" sequence=1 process_date=4102444800000
  # An alert that is over.
  call DELETE table=brief "name=$p-one"
  call DELETE table=brief "name=$p-two"
  # Rows without a key: two that are equal, one of a client, and one for each thing that can become of a row.
  call INSERT table=events "site=$p-twin"
  call INSERT table=events "site=$p-twin"
  call INSERT table=events "site=$p-sent" size=9 client=producer "sequence=$n"
  call INSERT table=events "site=$p-dated" process_date=4102444800000 expiration_date=4133980800000
  call INSERT table=events "site=$p-back" priority=0
  call RELEASE table=events $(lease events worker=one) process_date=4102444800000 "error=no answer"
  call INSERT table=events "site=$p-parked" priority=0
  call FAIL table=events $(lease events) "error=it can never work"
  call INSERT table=events "site=$p-done" priority=0
  call DONE table=events $(lease events)
  call INSERT table=events "site=$p-deleted" priority=0
  row=$(cli --text call NEXT table=events | tr ' ;' '\n\n' | sed -n 's/^row=/row=/p')
  call DELETE table=events "$row"
  call INSERT table=events "site=$p-leased" priority=0
  lease events worker=keeper >/dev/null
  call INSERT table=golden "name=$p-sure" || true
  [[ ! -f $work/tables/values.xml ]] || pairs "$p" "$n"
  [[ ! -f $work/tables/blobs.xml ]] || bytes "$p" "$n"
  [[ ! -f $work/tables/post.xml ]] || messages "$p" "$n"
  [[ ! -f $work/tables/tubes.xml ]] || details "$p"
  if takes_options; then options "$p"; fi
  if takes_groups; then groups "$p"; fi
  [[ ! -f $work/tables/docs.xml ]] || documents "$p"
  [[ ! -f $work/tables/mirror.xml ]] || deleted "$p"
  if call HELP command=XA_START 2>/dev/null; then transactions "$p"; fi
  if takes_traces; then traces "$p"; fi
  if takes_extras; then extras "$p"; fi
  if takes_flows; then flows "$p"; fi
}

taken() {  # QUEUE [TABLE]
  cli --text call ACQUIRE "table=${2:-post}" "queue=$1" | tr ' ;' '\n\n' | sed -n '/^\(message\|epoch\)=/p' | tr '\n' ' '
}
# Queues, exchanges and bindings, and what becomes of messages; some of several queues, some in a file.
messages() {
  local p=$1 n=$2
  call DECLARE table=post "queue=$p-dead"
  call DECLARE table=post "queue=$p-work" "dead_letters=$p-dead" max_deliveries=3 max_messages=100 max_bytes=9000000 \
    when_full=drop expires=31536000000
  call DECLARE table=post "queue=$p-gone"
  call DECLARE table=post "exchange=$p-all" kind=fanout
  call DECLARE table=post "exchange=$p-topic" kind=topic
  for queue in work dead gone; do call BIND table=post "exchange=$p-all" "queue=$p-$queue"; done
  call BIND table=post "exchange=$p-topic" "queue=$p-work" "routing_key=a.*"
  call BIND table=post "exchange=$p-topic" "queue=$p-dead" "routing_key=#"
  call UNBIND table=post "exchange=$p-topic" "queue=$p-dead" "routing_key=#"
  call SEND table=post "queue=$p-work" "body=$p-first" 'properties={"colour":"red"}' client=producer "sequence=$n"
  call SEND table=post "queue=$p-work" "body=$p-second" priority=7 process_date=4102444800000
  call SEND table=post "exchange=$p-all" "body=$p-shared"
  call SEND table=post "exchange=$p-all" "body=$(head -c 20000 /dev/zero | tr '\0' s)"
  call SEND table=post "exchange=$p-topic" routing_key=a.b "body=$(head -c 20000 /dev/zero | tr '\0' t)"
  call REJECT table=post $(taken "$p-work") "error=it can never work"
  call RELEASE table=post $(taken "$p-work") "error=no answer"
  call ACCEPT table=post $(taken "$p-dead")
  call REJECT table=post $(taken "$p-dead") "error=nobody wants it"
  call REMOVE table=post "queue=$p-gone"
  call SEND table=post queue=orders "body=$p-leased"
  taken orders >/dev/null
}

# What few messages have: large priorities, leases of their own, counts; parked by choice, and given new priorities; a
# queue that its first use made, and one that is paused.
details() {
  local p=$1
  call SEND table=tubes "queue=$p-made" "body=$p-plain"
  call SEND table=tubes "queue=$p-made" "body=$p-large" priority=70000 lease=90000
  call DECLARE table=tubes "queue=$p-dead" lease=60000
  call DECLARE table=tubes "queue=$p-work" "dead_letters=$p-dead" max_deliveries=1
  for body in dies parked returned; do call SEND table=tubes "queue=$p-work" "body=$p-$body" priority=300; done
  call RELEASE table=tubes $(taken "$p-work" tubes) failed=1 priority=400
  call PARK table=tubes $(taken "$p-work" tubes) priority=4294967295 "error=who is this?"
  call RELEASE table=tubes $(taken "$p-work" tubes) priority=80000 process_date=4102444800000
  taken "$p-dead" tubes >/dev/null
  call SEND table=tubes "queue=$p-paused" "body=$p-waits"
  call PARK table=tubes $(taken "$p-paused" tubes)
  call KICK table=tubes "queue=$p-paused"
  call PAUSE table=tubes "queue=$p-paused" until=4102444800000 "reason=golden"
}

takes_extras() { grep -qs unique_for "$build/plugins/journal.xml"; }
# What rows of a journal say of themselves, changed by a merge, and behind a leased one; a key that is unique for a year,
# and one that was for a moment.
extras() {
  local p=$1
  call RESUME table=golden worker=anna
  call INSERT table=golden "name=$p-tagged" "tags=$p,customer:42" max_attempts=3 back_off=10s,1m lease=60000 \
    unique_for=3600000 process_date=4102444800000
  call INSERT table=golden "name=$p-merged" tags=before process_date=4102444800000
  call INSERT table=golden "name=$p-merged" tags=after lease=7000 process_date=4102444800000
  call INSERT table=golden "name=$p-words" priority=NOW tags=leased
  call NEXT table=golden
  call INSERT table=golden "name=$p-words" tags=behind
  call INSERT table=golden "name=$p-unique" priority=NOW unique_for=31536000000
  call NEXT table=golden done=1
  call INSERT table=golden "name=$p-brief" priority=NOW unique_for=1
  call NEXT table=golden done=1
  sleep 0.1
  call PAUSE table=golden "reason=upgrade $p" worker=anna
}
takes_flows() { grep -qs SCHEDULE "$build/plugins/journal.xml"; }
# Schedules: one that is to run in a far year, one that is paused, one that ran, and one that is gone. Rows behind others,
# groups that are there and gone; what a worker says of its row; rows that ended, in pages and not.
flows() {
  local p=$1 i first row text
  text=$(head -c 64000 /dev/zero | tr '\0' r)
  [[ $p == last ]] || for i in $(seq 20); do
    call INSERT table=flows "name=$p-done-$i" priority=0
    call DONE table=flows $(lease flows) "result=$p $i $text"
  done
  call SCHEDULE table=flows "schedule=$p-yearly" "cron=0 0 29 2 *" time_zone=Europe/Berlin "name={schedule} {date}"
  call SCHEDULE table=flows "schedule=$p-paused" every=31536000000 "name={schedule}"
  call PAUSE table=flows "schedule=$p-paused" "reason=golden $p" worker=anna
  call SCHEDULE table=flows "schedule=$p-ran" every=31536000000 "name={schedule} {date}" priority=200
  call TRIGGER table=flows "schedule=$p-ran"
  call SCHEDULE table=flows "schedule=$p-gone" every=31536000000 "name={schedule}"
  call UNSCHEDULE table=flows "schedule=$p-gone"
  call INSERT table=flows "name=$p-brief" "group=$p-brief" priority=0
  call DONE table=flows $(lease flows) "result=$p is well"
  call GROUP table=flows "group=$p-open" state=open
  call INSERT table=flows "name=$p-first" "group=$p-open" priority=0
  first=$(cli --text call PEEK table=flows "name=$p-first" | tr ' ;' '\n\n' | sed -n 's/^row=//p')
  call INSERT table=flows "name=$p-second" "after=$first" "group=$p-open" when_failed=fail
  call INSERT table=flows "name=$p-last" "after_group=$p-open" "after_keys=$p-second"
  call PROGRESS table=flows $(lease flows worker=keeper) percent=40 "note=$p is under way"
  call INSERT table=flows "name=$p-classed" priority=0
  call FAIL table=flows $(lease flows) "error=no answer" error_class=TimeoutError "error_trace=at call, line 13"
  call INSERT table=flows "name=$p-back" priority=0
  call RELEASE table=flows $(lease flows) process_date=4102444800000 "error=no answer"
  call INSERT table=flows "name=$p-member" priority=0 "group=$p-open"
  row=$(lease flows)
  call INSERT table=flows "name=$p-member" process_date=4102444800000
  call RELEASE table=flows $row "error=no answer"
}
# What nothing has compacted: so many rows that ended that a page of them goes, a twin, a merge, a key that was unique.
late_flows() {
  local i row
  for i in $(seq 30); do
    call INSERT table=flows "name=late-$i" priority=0
    call NEXT table=flows done=1
  done
  call INSERT table=flows name=late-twin priority=0
  row=$(lease flows)
  call INSERT table=flows name=late-twin process_date=4102444800000
  call RELEASE table=flows $row "error=no answer"
  call INSERT table=flows name=late-merged tags=before process_date=4102444800000
  call INSERT table=flows name=late-merged tags=after process_date=4102444800000
  call INSERT table=flows name=late-brief priority=0 unique_for=1
  call NEXT table=flows done=1
  sleep 0.1
}
takes_options() { grep -qs max_message_bytes "$build/plugins/queue.xml"; }
# What goes with a queue, and its messages that wait as it says.
options() {
  local p=$1
  call DECLARE table=tubes "queue=$p-later" delay=31536000000 max_message_bytes=1000 'properties={"owner":"golden"}'
  call SEND table=tubes "queue=$p-later" "body=$p-later"
}

takes_groups() { cli --text call HELP command=SEND table=tubes 2>/dev/null | grep -q group; }
# Messages of a group: one that a consumer has, some behind it; dead letters, and in doubt.
groups() {
  local p=$1 body
  call DECLARE table=post "queue=$p-apart" "dead_letters=$p-dead"
  call SEND table=post "queue=$p-apart" "group=$p" "body=$p-dies"
  call REJECT table=post $(taken "$p-apart") "error=it can never work"
  for body in out behind last; do call SEND table=post "queue=$p-apart" "group=$p" "body=$p-$body"; done
  call SEND table=post "exchange=$p-all" "group=$p" "body=$p-shared-apart"
  taken "$p-apart" >/dev/null
}

# What is remembered of messages: of one that is there, and of one that is gone.
deduplications() {
  local p=$1
  call SEND table=post queue=orders "body=$p-known" "deduplication=$p-known"
  call SEND table=tubes "queue=$p-once" "body=$p-once" "deduplication=$p-once"
  call SEND table=tubes "queue=$p-once" "body=$p-again" "deduplication=$p-once"
  call ACCEPT table=tubes $(taken "$p-once" tubes)
}

# Documents in each state: sent, failed, in doubt, changed, routed, with children, forgotten.
documents() {
  local p=$1 doc child
  found() {
    cli --text call FOUND table=docs "source=$1" "uri=$p-$2" "hash=$3" | tr ' ;' '\n\n' |
      sed -n '/^\(document\|token\)=/p' | tr '\n' ' '
  }
  doc=$(found pages sent 1)
  for destination in index publish; do
    call SENDING table=docs $doc destination=$destination
    call SENT table=docs $doc destination=$destination
  done
  # They leave memory, and one of them comes back.
  doc=$(found pages back 1)
  call DROPPED table=docs $doc reason=old
  found pages back 2 >/dev/null
  doc=$(found pages failed 1)
  call FAILED table=docs $doc destination=index class=disk-full "error=no room"
  call FAILED table=docs $doc destination=publish class=refused "error=it can never work" permanent=1
  doc=$(found pages doubt 1)
  call HEARTBEAT table=docs $doc
  call SENDING table=docs $doc destination=publish
  doc=$(found pages changed 1)
  call DROPPED table=docs $doc reason=old
  found pages changed 2 >/dev/null
  doc=$(found mails routed 1)
  call ROUTED table=docs $doc router=mails chosen=file
  doc=$(found pages list 1)
  child=$(cli --text call CHILD table=docs $doc child=one | tr ' ;' '\n\n' | sed -n '/^\(document\|token\)=/p' | tr '\n' ' ')
  call SENT table=docs $child destination=index
  call CHILDREN_DONE table=docs $doc count=1
  call DROPPED table=docs $doc "reason=its parts go there"
  doc=$(found pages gone 1)
  call DROPPED table=docs $doc reason=gone
  call FORGET table=docs ${doc%% *}
  found notes kept 1 >/dev/null
  found notes kept 2 >/dev/null
  call PAUSE table=docs destination=publish "reason=upgrade $p"
  [[ $p == last ]] || call RESUME table=docs destination=publish
}

# Documents that their source does not have any more: to be deleted everywhere, deleted at one place, given up, there again,
# deleted everywhere; and behind a version that is missing. Their plan drains.
deleted() {
  local p=$1 doc name
  mirrored() {
    cli --text call FOUND table=mirror "source=$1" "uri=$p-$2" "$3" | tr ' ;' '\n\n' |
      sed -n '/^\(document\|token\)=/p' | tr '\n' ' '
  }
  call RESUME table=mirror
  for name in waits begun refused back over; do
    doc=$(mirrored pages $name hash=1)
    call DROPPED table=mirror $doc reason=old
  done
  call FOUND table=mirror source=pages "uri=$p-waits" gone=1 hand_out=0
  doc=$(mirrored pages begun gone=1)
  call SENT table=mirror $doc destination=copy
  doc=$(mirrored pages refused gone=1)
  call FAILED table=mirror $doc destination=copy class=refused "error=it may not be deleted" \
    "error_trace=at delete, line 12" permanent=1
  call FOUND table=mirror source=pages "uri=$p-back" gone=1 hand_out=0
  call FOUND table=mirror source=pages "uri=$p-back" hash=2 hand_out=0
  doc=$(mirrored pages over gone=1)
  call DROPPED table=mirror $doc reason=gone
  call FOUND table=mirror source=notes "uri=$p-kept" hash=1 hand_out=0
  call FOUND table=mirror source=notes "uri=$p-kept" gone=1 hand_out=0
  call DRAIN table=mirror "reason=upgrade $p"
}

# A plan that a newer one has followed, and whose documents are forgotten.
new_plan() {
  call FOUND table=moved source=pages uri=one hash=1 hand_out=0
  cp "$here/tables/plans/moved.xml" "$work/tables/plans/moved.xml"
  call DRAIN table=moved "reason=a new plan" 2>/dev/null || true  # not in every version
  call RELOAD
  call RESUME table=moved 2>/dev/null || true
  call FOUND table=moved source=pages uri=two hash=1
  call DRAIN table=moved "reason=it stays so" 2>/dev/null || true
  cli --text call FORGET table=moved version=1 | grep -q count=1
}

# say LINE...: sends lines of text on one connection, and waits for an answer to each.
say() {
  python3 - "$work/socket" "$@" <<'PYTHON'
import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
answers = connection.makefile()
for line in sys.argv[2:]:
    connection.sendall(line.encode() + b"\n")
    answer = answers.readline()
    if answer.startswith("ERROR"):
        sys.exit(line + ": " + answer)
    if answer.startswith("COMMITTED"):
        while "left=0;" not in answer:
            answer = answers.readline()
PYTHON
}

# Branches: committed, rolled back, decided by a person, and in doubt, which holds a row, its key and a pair.
transactions() {
  local p=$1 x row
  x=$(printf %s "$p" | od -An -tx1 | tr -d ' \n')
  work_on() { say "XA_START xid=7:$x:$1" "${@:2}" "XA_END xid=7:$x:$1" "XA_PREPARE xid=7:$x:$1"; }
  work_on 01 "INSERT table=golden;name=$p-committed;note=one"
  say "XA_COMMIT xid=7:$x:01"
  work_on 02 "INSERT table=golden;name=$p-rolled-back"
  say "XA_ROLLBACK xid=7:$x:02"
  work_on 03 "SET table=values;key=$p-decided;value=yes"
  say "XA_DECIDE xid=7:$x:03;outcome=commit"
  call SET table=values "key=$p-doubt" value=before
  call INSERT table=strict "name=$p-doubt" || call RESUME table=strict && call INSERT table=strict "name=$p-doubt"
  row=$(lease strict | sed 's/ $//; s/ /;/')
  work_on 04 "DONE table=strict;$row" "INSERT table=strict;name=$p-promised;process_date=4102444800000" \
    "SET table=values;key=$p-doubt;value=after"
  if [[ -f $work/tables/post.xml ]]; then work_on 05 "SEND table=post;queue=$p-work;body=$p-promised"; fi
  if [[ -f $work/tables/blobs.xml ]] && say BEGIN "OMIT table=blobs;key=$p-none" ROLLBACK 2>/dev/null; then
    work_on 06 "PUT table=blobs;key=$p-promised;data=Zmlyc3Q=" "OMIT table=blobs;key=$p-small"
  fi
}

# Transactions over this log and others, of which a later reader has nothing: one that is over; branches whose home is
# here, in doubt and decided by a person; and one whose home is elsewhere, so that its part here is in doubt.
several_logs() {
  local p=$1 x
  x=$(printf %s "$p" | od -An -tx1 | tr -d ' \n')
  work_on() { say "XA_START xid=8:$x:$1" "${@:2}" "XA_END xid=8:$x:$1" "XA_PREPARE xid=8:$x:$1"; }
  say BEGIN "INSERT table=far;name=$p-over" "INSERT table=golden;name=$p-over;note=both" COMMIT
  work_on 01 "SET table=values;key=$p-several;value=yes" "INSERT table=far;name=$p-doubt"
  work_on 02 "SET table=values;key=$p-settled;value=yes" "INSERT table=far;name=$p-settled"
  say "XA_DECIDE xid=8:$x:02;outcome=commit"
  call SET table=values "key=$p-part" value=before
  work_on 03 "INSERT table=near;name=$p-part" "SET table=values;key=$p-part;value=after"
}

# What is outside the log: blobs that the record carries and others, rows and merges whose values are in files.
bytes() {
  local p=$1 n=$2
  call PUT table=blobs "key=$p-small" data=Zmlyc3Q= client=producer "sequence=$n"
  call PUT table=blobs "key=$p-small" data=c2Vjb25k
  call PUT table=blobs "key=$p-large" "data=$(head -c 69999 /dev/zero | tr '\0' l | base64 -w 0)"
  call PUT table=blobs "key=$p-omitted" data=Zmlyc3Q=
  call OMIT table=blobs "key=$p-omitted"
  # The first one is over at once, as nobody was told a place so far; the last one is given up.
  [[ $p == new ]] || call MAINTAIN table=blobs
  [[ $p != last ]] || call MAINTAIN table=blobs cancel=1
  call INSERT table=spilled "name=$p-large" "data=$(head -c 20000 /dev/zero | tr '\0' d)" process_date=4102444800000
  call INSERT table=spilled "name=$p-large" "data=$(head -c 30000 /dev/zero | tr '\0' e)"
  call INSERT table=spilled "name=$p-gone" "data=$(head -c 20000 /dev/zero | tr '\0' g)"
  call DELETE table=spilled "name=$p-gone"
}

# Pairs of each type, and each thing that can become of one; the daemon's end ends the lock. Stamps are microseconds.
pairs() {
  local p=$1 n=$2
  call SET table=values "key=$p-plain" value=first
  call SET table=values "key=$p-plain" value=second persist=0
  call SET table=values "key=$p-stamped" value=1 type=integer "timestamp=$(($(date +%s) - 5))000000"
  call SET table=values "key=$p-bytes" value=AAEC type=buffer
  call SET table=values "key=$p-float" value=0.5 type=float
  call SET table=values "key=$p-flag" value=true type=boolean
  call NOT table=values "key=$p-flag"
  call SET table=values "key=$p-void"
  call SET table=values "key=$p-dated" value=d expiration_date=4133980800000
  call SET table=values "key=$p-read" value=r ttl=31536000000
  call GET table=values "key=$p-read" ttl=315360000000
  call SET table=values "key=$p-worked" value=w
  call GET table=values "key=$p-worked" worked_on=315360000000
  call SET table=values "key=$p-long" "value=$(head -c 40000 /dev/zero | tr '\0' v)"
  call TRUNCATE table=values "key=$p-long" size=30000
  call ADD table=values "key=$p-count" by=5 client=producer "sequence=$n"
  call ADD table=values "key=$p-count" by=-2 client=producer "sequence=$((n + 1))"
  call SET table=values "key=$p-before" value=renamed
  call ALIAS table=values "key=$p-before" "new_key=$p-alias"
  call RENAME table=values "key=$p-before" "new_key=$p-after"
  call SET table=values "key=$p-deleted" value=x
  call DELETE table=values "key=$p-deleted"
  call SET table=values "key=$p-gone" value=x
  call DELETE table=values "key=$p-gone" complete=1
  call SET table=values "key=$p-expired" value=x expiration_date=+50
  call SET table=values "key=$p-locked" value=l
  call LOCK table=values "key=$p-locked" lock=3600000
}
open_again() {
  call RESUME table=golden worker=anna
  call RESUME table=strict worker=anna
}

for name in dropped later; do
  sed "s/name=\"strict\"/name=\"$name\"/" "$work/tables/strict.xml" >"$work/tables/$name.xml"
done
[[ ! -f $work/tables/moved.xml ]] || sed -i 's/version="2"/version="1"/' "$work/tables/plans/moved.xml"
start
everything old 100
call INSERT table=dropped name=row
end TERM

# Another schema, a table that is gone; then all that came before is compacted.
sed -i 's|<column name="times"|<column name="added" type="int64" default="5"/>\n    <column name="times"|' "$work/tables/golden.xml"
rm "$work/tables/dropped.xml"
start --forget dropped
awk 'BEGIN { while (length(x) < 8000) x = x "0123456789abcdef"
             for (i = 0; i < 1200; ++i) printf "{\"name\":\"churned\",\"note\":\"%d%s\"}\n", i, x }' |
  cli put golden --from - >/dev/null
end KILL
rm "$work/tables/later.xml"
start --forget later
open_again
everything new 200
sleep 62
call INSERT table=golden name=last client=producer sequence=300
end KILL

# It slept for an hour, its clock was set forward by another, and was wrong.
if [[ -f $layer ]]; then
  layer_is_there=yes
  start
  call RESUME table=golden worker=anna
  call INSERT table=golden name=held priority=0
  lease golden worker=keeper lease=3600000 >/dev/null
  clocks 7200000 3600000
  call INSERT table=golden name=ahead client=producer sequence=301
  end KILL
  clocks 0 3600000
  start --accept-clock
  call INSERT table=golden name=right client=producer sequence=302
  call PAUSE table=golden "reason=upgrade new" worker=anna
  end KILL
fi

# Changes that nothing has compacted so far.
if [[ -f $work/tables/values.xml ]]; then
  start
  pairs last 400
  [[ ! -f $work/tables/blobs.xml ]] || bytes last 400
  [[ ! -f $work/tables/post.xml ]] || messages last 400
  [[ ! -f $work/tables/docs.xml ]] || documents last
  [[ ! -f $work/tables/mirror.xml ]] || deleted last
  [[ ! -f $work/tables/moved.xml ]] || new_plan
  if call HELP command=XA_START 2>/dev/null; then transactions last; fi
  end KILL
fi

# Other logs, which come before and behind this one by their names.
with_log() { sed "s/name=\"strict\"/name=\"$1\"/; s|<schema>|<log name=\"$2\"/>\n  <schema>|" "$work/tables/strict.xml" >"$work/tables/$1.xml"; }
with_log near alone
with_log far zulu
with_log came alone
sed -i 's|<log name="shared"|<log name="alone"/>\n  <log name="zulu"/>\n  <log name="shared"|' "$work/fastjournal.xml"
start
if say BEGIN "INSERT table=far;name=probe" "INSERT table=golden;name=probe" ROLLBACK 2>/dev/null; then several_logs one; fi
end KILL

# A table that comes from one of them, with rows that were there before.
if cli cluster move --help >/dev/null 2>&1; then
  start
  call INSERT table=came name=first
  call INSERT table=came name=second
  lease came worker=keeper lease=3600000 >/dev/null
  sed -i 's|<log name="alone"/>|<log name="shared"/>|' "$work/tables/came.xml"
  cli reload
  cli cluster move came
  call INSERT table=came name=third
  # And leaves again.
  sed -i 's|<log name="shared"/>|<log name="alone"/>|' "$work/tables/came.xml"
  cli reload
  cli cluster move came
  # Nothing has copied this forward.
  if takes_traces; then
    traces last
    [[ ! -f $work/tables/tubes.xml ]] || details last
    call SET table=values key=last-lasting value=v persist=1
    call RENAME table=values key=last-lasting new_key=last-renamed
  fi
  if [[ -f $work/tables/mirror.xml ]]; then
    call RESUME table=mirror
    call FOUND table=mirror source=pages uri=last-found hash=1 hand_out=0
    call FOUND table=mirror source=pages uri=last-found gone=1 hand_out=0
    call DRAIN table=mirror "reason=it stays so"
  fi
  call DRAIN table=moved "reason=it stays so" 2>/dev/null || true
  end KILL
fi

# What is remembered for five minutes, some of it over: the clock goes ahead by six, and back.
if [[ -f $layer ]] && grep -qs deduplications-over "$build/plugins/queue.xml"; then
  layer_is_there=yes
  start
  deduplications over
  if takes_extras; then extras last; fi
  if takes_flows; then flows last; fi
  clocks 360000 3960000
  for _ in $(seq 100); do
    if cli --text call STATS table=post | grep "deduplications=0" >/dev/null; then break; fi
    sleep 0.1
  done
  deduplications last
  if takes_flows; then late_flows; fi
  end KILL
  clocks 0 3960000
  start --accept-clock
  end KILL
fi

cli log verify "$work/data/shared" --plugins "$build/plugins" >"$out/verified.txt"
for file in "$work"/data/shared/container-* "$work/data/shared/newest"; do
  [[ ! -e $file ]] || gzip -9 -n -c "$file" >"$out/$(basename "$file").gz"
done
# When: tests open the log by a clock of then.
date +%s000 >"$out/made"
# bytes.TABLE.FILE: what is outside of it.
for file in "$work"/data/bytes/*/data.*; do
  [[ ! -f $file ]] || gzip -9 -n -c "$file" >"$out/bytes.$(basename "$(dirname "$file")").$(basename "$file").gz"
done
# The rows as this version answers them; the start changes the log, whose files are copied by now.
rm -f "$work/tables/dropped.xml" "$work/tables/later.xml"
start
for table in golden events; do
  cli ls "$table" --all --json
done >"$out/rows.jsonl"
end TERM
# What is in it: how many records of which type and version.
cli log dump "$work/data/shared" |
  sed -n 's/^RECORD .* \(table=[^ ]*\) .* \(type=[^ ]*\) .* \(version=[^ ]*\) .*/\1 \2 \3/p' | sort | uniq -c
