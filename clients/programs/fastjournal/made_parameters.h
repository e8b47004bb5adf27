// Made by ./mk generate from plugins/*/*.xml and src/server/admin/daemon.xml: do not edit.
// clang-format off
// What the declarations say of parameters that are options of verbs.
#pragma once

#include <cstdint>

#include "clients/programs/fastjournal/help.h"

namespace fastjournal::cli::blob::get {
inline constexpr Help length{"length", "so many bytes at most; up to the end if absent"};
}  // namespace fastjournal::cli::blob::get

namespace fastjournal::cli::blob::maintain {
inline constexpr Help age{
    "age", "blobs stored longer ago are left out; 0: none",
    "", "default: the table's expire-age", 0, 281474976710655};
inline constexpr Help cancel{"cancel", "the maintenance that runs is given up"};
inline constexpr Help size{
    "size", "the oldest blobs beyond so many bytes are left out; 0: none",
    "", "default: the table's expire-size", 0, 9223372036854775807};
inline constexpr Help unreferenced{
    "unreferenced", "blobs not read for so long are left out; 0: none",
    "", "default: the table's expire-unreferenced", 0, 281474976710655};
}  // namespace fastjournal::cli::blob::maintain

namespace fastjournal::cli::daemon::listen {
inline constexpr Help credit{
    "credit", "how many delivered rows may be leased at once; with mode=deliver only",
    "", "1 to 1024, default 1", 1, 1024, 1};
inline constexpr Help mode{
    "mode", "wake: be told that there is work; row: be told of each row; deliver: get the work, leased. "
    "wake if absent",
    "wake row deliver"};
}  // namespace fastjournal::cli::daemon::listen

namespace fastjournal::cli::daemon::lower {
inline constexpr Help name{"name", "the alert, as ALERTS names it"};
}  // namespace fastjournal::cli::daemon::lower

namespace fastjournal::cli::daemon::step_down {
inline constexpr Help log{"log", "the log"};
inline constexpr Help the_for{
    "for", "so long this node does not take it again",
    "", "0 to 1h, default 10s", 0, 3600000, 10000};
}  // namespace fastjournal::cli::daemon::step_down

namespace fastjournal::cli::daemon::watch {
inline constexpr Help every{"every", "the time between two rounds", "", "250ms to 1m, default 1s", 250, 60000, 1000};
}  // namespace fastjournal::cli::daemon::watch

namespace fastjournal::cli::daemon::xa_forget {
inline constexpr Help xid{"xid", "the branch, as its manager names it: FORMAT:GTRID:BQUAL"};
}  // namespace fastjournal::cli::daemon::xa_forget

namespace fastjournal::cli::journal::backfill {
inline constexpr Help from_date{"from_date", "the first date, at the earliest"};
inline constexpr Help schedule{"schedule", "its name"};
inline constexpr Help to_date{"to_date", "the last date, at the latest; not in the future"};
}  // namespace fastjournal::cli::journal::backfill

namespace fastjournal::cli::journal::cancel {
inline constexpr Help group{"group", "its name"};
inline constexpr Help how{
    "how", "delete, if absent; or fail: they are parked, or deleted (when-failed)",
    "delete fail"};
}  // namespace fastjournal::cli::journal::cancel

namespace fastjournal::cli::journal::done {
inline constexpr Help epoch{"epoch", "the epoch of the lease"};
inline constexpr Help row{"row", "the row's number"};
}  // namespace fastjournal::cli::journal::done

namespace fastjournal::cli::journal::fail {
inline constexpr Help error{"error", "why, for people"};
inline constexpr Help error_class{
    "error_class", "what kind of error it is, for programs: TimeoutError, a code; rows are found by it"};
}  // namespace fastjournal::cli::journal::fail

namespace fastjournal::cli::journal::figures {
inline constexpr Help per{"per", "how long each is; a minute if absent", "minute hour"};
inline constexpr Help since{"since", "those that begin at this date or later"};
inline constexpr Help until{"until", "those that begin before this date"};
}  // namespace fastjournal::cli::journal::figures

namespace fastjournal::cli::journal::group {
inline constexpr Help group{"group", "its name"};
}  // namespace fastjournal::cli::journal::group

namespace fastjournal::cli::journal::groups {
inline constexpr Help group{"group", "this one only"};
}  // namespace fastjournal::cli::journal::groups

namespace fastjournal::cli::journal::insert {
inline constexpr Help after{
    "after", "rows of this table that it waits for, up to 1000: their numbers, with blanks between; those "
    "that have ended are not waited for"};
inline constexpr Help after_group{"after_group", "it waits for this group of jobs"};
inline constexpr Help after_group_is{
    "after_group_is", "until all rows of that group have ended (ended, if absent), until all have been done, or "
    "until one has failed",
    "ended done failed"};
inline constexpr Help after_keys{
    "after_keys", "the same by the keys of a table whose row-key is one column, all rows of each key: keys with"
    " blanks between, or each on a line of its own"};
inline constexpr Help back_off{
    "back_off", "how long this row rests after a failed attempt, in place of the option back-off: doubling, "
    "linear, sidekiq, or durations as in 10s,1m,10m"};
inline constexpr Help client{
    "client", "the producer's name for this start of it; with sequence: resent inserts are done once"};
inline constexpr Help expiration_date{
    "expiration_date", "not to be handed out from then on, after process_date; 0 or absent: never"};
inline constexpr Help group{
    "group", "it is of this group of jobs, which is made if it is not there; without open it ends once all"
    " its rows have"};
inline constexpr Help lease{
    "lease", "how long the work on this row may take, unless NEXT says it; within processing-timeout-min "
    "and -max",
    "", "1ms to 365d", 1, 31536000000};
inline constexpr Help max_attempts{
    "max_attempts", "of this row, in place of the option max-attempts",
    "", "0 to 250", 0, 250};
inline constexpr Help priority{
    "priority", "the smallest is first; or a word of the option priority-words, as NOW",
    "", "0 to 255, default 100", 0, 255, 100};
inline constexpr Help process_date{
    "process_date", "not to be handed out before; now if absent; at least insertion_date"};
inline constexpr Help sequence{"sequence", "the number of this insert by this client"};
inline constexpr Help tags{
    "tags", "words that find the row, with commas between them: at most 16 of 64 bytes, of letters, "
    "digits and . _ : / @ + # -"};
inline constexpr Help unique_for{
    "unique_for", "for so long after this row is done no further row of its key is taken; 0 or absent: as the "
    "option unique-for says; not without row-key",
    "", "0 to 365d", 0, 31536000000};
inline constexpr Help when_failed{
    "when_failed", "what it does when one of these fails (is parked, deleted or expires): it waits on (wait, if "
    "absent), it fails too, or it runs all the same",
    "wait fail go-on"};
}  // namespace fastjournal::cli::journal::insert

namespace fastjournal::cli::journal::list {
inline constexpr Help count{"count", "how many rows at most", "", "1 to 1000, default 100", 1, 1000, 100};
inline constexpr Help domain{"domain", "rows of this domain only"};
inline constexpr Help error{"error", "rows whose last error contains this"};
inline constexpr Help error_class{"error_class", "rows whose last error is of this class"};
inline constexpr Help prefix{"prefix", "rows whose first key column begins so; not without row-key"};
inline constexpr Help status{
    "status", "rows in this state only",
    "waiting due processing behind blocked parked paused"};
inline constexpr Help tag{"tag", "rows with this tag only"};
inline constexpr Help traces{"traces", "with the traces of last errors"};
}  // namespace fastjournal::cli::journal::list

namespace fastjournal::cli::journal::next {
inline constexpr Help count{"count", "how many rows at most", "", "1 to 1024, default 1", 1, 1024, 1};
inline constexpr Help domain{"domain", "rows of this domain only"};
inline constexpr Help done{
    "done", "the rows are done at once, without a lease: none is given out twice, and one whose answer or"
    " worker is lost is lost"};
inline constexpr Help lease{"lease", "how long the work may take", "", "default: the table's processing-timeout"};
inline constexpr Help wait{"wait", "how long to wait for a row when nothing is due", "", "0 to 1d", 0, 86400000};
inline constexpr Help worker{"worker", "the worker's name, for people; peer address and connection if absent"};
}  // namespace fastjournal::cli::journal::next

namespace fastjournal::cli::journal::pause {
inline constexpr Help reason{"reason", "why, for people"};
inline constexpr Help schedule{"schedule", "this schedule of the table, and not the table"};
}  // namespace fastjournal::cli::journal::pause

namespace fastjournal::cli::journal::progress {
inline constexpr Help lease{"lease", "how long from now; if absent the lease ends as before"};
inline constexpr Help note{"note", "what is being done, for people; empty while memory is short"};
inline constexpr Help percent{"percent", "how much of it is done", "", "0 to 100", 0, 100};
}  // namespace fastjournal::cli::journal::progress

namespace fastjournal::cli::journal::release {
inline constexpr Help error_class{
    "error_class", "what kind of error it is, for programs: TimeoutError, a code; rows are found by it"};
inline constexpr Help process_date{
    "process_date", "when it may be handed out again; if absent: now, or after the back-off of a failed attempt"};
}  // namespace fastjournal::cli::journal::release

namespace fastjournal::cli::journal::schedule {
inline constexpr Help alert_after{
    "alert_after", "the alert schedule-late is raised when no row of it was done for so long; 0: never",
    "", "0 to 3660d", 0, 316224000000};
inline constexpr Help begins{"begins", "no date before this one; 0 or absent: from now on"};
inline constexpr Help catch_up{
    "catch_up", "which dates that came while none could be made make a row after all; last if absent",
    "none last all"};
inline constexpr Help catch_up_max{
    "catch_up_max", "with catch_up=all: the last so many of them",
    "", "1 to 1000, default 100", 1, 1000, 100};
inline constexpr Help catch_up_window{
    "catch_up_window", "of these dates none that is older; 0: however old",
    "", "0 to 3660d, default 1d", 0, 316224000000, 86400000};
inline constexpr Help cron{"cron", "its dates, as a cron expression of five or six fields; or else every"};
inline constexpr Help ends{"ends", "no date behind this one; 0 or absent: for ever"};
inline constexpr Help every{
    "every", "its dates are so far apart; the first is at begins, or they are a whole number of these "
    "behind 1970",
    "", "1s to 3660d", 1000, 316224000000};
inline constexpr Help expires_in{
    "expires_in", "its rows expire so long after their dates; 0: never",
    "", "0 to 3660d", 0, 316224000000};
inline constexpr Help jitter{
    "jitter", "its rows are due up to so much later, always the same for a date",
    "", "0 to 1d", 0, 86400000};
inline constexpr Help overlap{
    "overlap", "while a row of it has not ended, the next date makes none (skip, if absent); or one waits "
    "for the end of that row; or all make theirs",
    "skip one all"};
inline constexpr Help pause_after{
    "pause_after", "it pauses itself when so many of its rows failed or expired one after the other; 0: never",
    "", "0 to 1000000", 0, 1000000};
inline constexpr Help priority{"priority", "of its rows", "", "0 to 255, default 100", 0, 255, 100};
inline constexpr Help schedule{"schedule", "its name: letters, digits and _ - . : of ASCII, a letter or digit first"};
inline constexpr Help time_zone{"time_zone", "whose clock cron is about: UTC if absent, or Europe/Berlin"};
}  // namespace fastjournal::cli::journal::schedule

namespace fastjournal::cli::journal::schedules {
inline constexpr Help schedule{"schedule", "this one only"};
}  // namespace fastjournal::cli::journal::schedules

namespace fastjournal::cli::journal::timeline {
inline constexpr Help domain{"domain", "rows of this domain only"};
}  // namespace fastjournal::cli::journal::timeline

namespace fastjournal::cli::journal::touch {
inline constexpr Help lease{"lease", "how long from now", "", "default: the table's processing-timeout"};
}  // namespace fastjournal::cli::journal::touch

namespace fastjournal::cli::journal::trigger {
inline constexpr Help schedule{"schedule", "its name"};
}  // namespace fastjournal::cli::journal::trigger

namespace fastjournal::cli::journal::unschedule {
inline constexpr Help schedule{"schedule", "its name"};
}  // namespace fastjournal::cli::journal::unschedule

namespace fastjournal::cli::keyvalue::add {
inline constexpr Help by{"by", "an integer, or a number with a point for a float; 1 if absent"};
}  // namespace fastjournal::cli::keyvalue::add

namespace fastjournal::cli::keyvalue::alias {
inline constexpr Help new_key{"new_key", "the key that is added"};
}  // namespace fastjournal::cli::keyvalue::alias

namespace fastjournal::cli::keyvalue::get {
inline constexpr Help facts{"facts", "with the dates, and who has it"};
inline constexpr Help from{"from", "this key and those behind it"};
inline constexpr Help prefix{"prefix", "keys that begin so"};
inline constexpr Help regex{"regex", "keys of which a part matches this expression (RE2)"};
inline constexpr Help to{"to", "keys before this one"};
}  // namespace fastjournal::cli::keyvalue::get

namespace fastjournal::cli::keyvalue::rename {
inline constexpr Help new_key{"new_key", "the key from then on"};
inline constexpr Help overwrite{"overwrite", "also where another value is, which is deleted"};
}  // namespace fastjournal::cli::keyvalue::rename

namespace fastjournal::cli::keyvalue::set {
inline constexpr Help client{
    "client", "the writer's name for this start of it; with sequence: a resent command is done once"};
inline constexpr Help if_timestamp{
    "if_timestamp", "only if the value that is there has this timestamp; 0: if none is there"};
inline constexpr Help if_value{"if_value", "only if this value is there"};
inline constexpr Help sequence{"sequence", "the number of this command by this client"};
inline constexpr Help timestamp{
    "timestamp", "when this value was written, in microseconds since 1970: an older one never replaces a newer"
    " one; the order of arrival if absent"};
inline constexpr Help ttl{
    "ttl", "the pair is gone when it was not read or written for so long",
    "", "", 1, 999999999999};
inline constexpr Help type{
    "type", "what it is; if absent: as the value came, string in a line",
    "void buffer string integer float boolean"};
}  // namespace fastjournal::cli::keyvalue::set

namespace fastjournal::cli::keyvalue::the_delete {
inline constexpr Help complete{"complete", "nothing is remembered of it, and an older SET brings it back"};
inline constexpr Help if_timestamp{"if_timestamp", "only if the value has this timestamp"};
inline constexpr Help timestamp{
    "timestamp", "when it was deleted, in microseconds since 1970: a newer value stays, and an older SET that "
    "comes later is stale; the order of arrival if absent"};
}  // namespace fastjournal::cli::keyvalue::the_delete

namespace fastjournal::cli::keyvalue::truncate {
inline constexpr Help size{"size", "its bytes from then on"};
}  // namespace fastjournal::cli::keyvalue::truncate

namespace fastjournal::cli::pipeline::documents {
inline constexpr Help destination{"destination", "in that state at this destination"};
inline constexpr Help status{
    "status", "stranded (missing, and nobody has them), or all that are in this state",
    "all stranded open failed in_doubt orphans done processing restart dirty force error batched "
    "sending sent dropped dead error_doc"};
inline constexpr Help version{"version", "of this version of the plan; the newest if absent", "", "", 1, 1000000000};
}  // namespace fastjournal::cli::pipeline::documents

namespace fastjournal::cli::pipeline::forget {
inline constexpr Help document{"document", "the document's number; or else version"};
inline constexpr Help version{"version", "of an older plan", "", "", 0, 1000000000};
}  // namespace fastjournal::cli::pipeline::forget

namespace fastjournal::cli::pipeline::history {
inline constexpr Help children{"children", "of this one, and of all that was made of it"};
inline constexpr Help document{"document", "of this one only"};
}  // namespace fastjournal::cli::pipeline::history

namespace fastjournal::cli::pipeline::kick {
inline constexpr Help destination{"destination", "only what is to be brought there"};
inline constexpr Help document{"document", "the document's number"};
}  // namespace fastjournal::cli::pipeline::kick

namespace fastjournal::cli::pipeline::migrate {
inline constexpr Help version{"version", "the older one", "", "", 1, 1000000000};
}  // namespace fastjournal::cli::pipeline::migrate

namespace fastjournal::cli::pipeline::pause {
inline constexpr Help destination{"destination", "the destination"};
inline constexpr Help reason{"reason", "why, for people"};
}  // namespace fastjournal::cli::pipeline::pause

namespace fastjournal::cli::pipeline::resolve {
inline constexpr Help outcome{"outcome", "what is known of it", "sent failed"};
}  // namespace fastjournal::cli::pipeline::resolve

namespace fastjournal::cli::pipeline::resume {
inline constexpr Help destination{"destination", "the destination; the table if absent"};
}  // namespace fastjournal::cli::pipeline::resume

namespace fastjournal::cli::pipeline::retry {
inline constexpr Help all{"all", "needed where none of these is given"};
inline constexpr Help destination{"destination", "at this destination only"};
inline constexpr Help document{"document", "of this document only"};
inline constexpr Help dry_run{"dry_run", "counts them and changes nothing"};
inline constexpr Help if_changed{"if_changed", "of what has arrived instead, if the source finds that it has changed"};
inline constexpr Help status{
    "status", "in this state only",
    "processing restart dirty force error batched sending sent dropped dead error_doc"};
inline constexpr Help the_class{"class", "whose last failure is of this class"};
}  // namespace fastjournal::cli::pipeline::retry

namespace fastjournal::cli::pipeline::why {
inline constexpr Help document{"document", "the document's number"};
}  // namespace fastjournal::cli::pipeline::why

namespace fastjournal::cli::queue::acquire {
inline constexpr Help count{"count", "how many messages at most", "", "1 to 1024, default 1", 1, 1024, 1};
inline constexpr Help queue{"queue", "the queue; of any by turns if absent"};
inline constexpr Help wait{
    "wait", "how long to wait for a message when there is none",
    "", "0 to 365d", 0, 31536000000};
}  // namespace fastjournal::cli::queue::acquire

namespace fastjournal::cli::queue::bind {
inline constexpr Help declare{"declare", "the queue is made if there is none: a durable subscription"};
inline constexpr Help exchange{"exchange", "the exchange"};
inline constexpr Help queue{"queue", "the queue"};
inline constexpr Help routing_key{
    "routing_key", "of a direct exchange the routing key; of a topic exchange a pattern, where * stands for a "
    "word and # for any number of them"};
}  // namespace fastjournal::cli::queue::bind

namespace fastjournal::cli::queue::browse {
inline constexpr Help queue{"queue", "of this queue only"};
inline constexpr Help status{"status", "in this state only", "waiting due behind acquired parked"};
}  // namespace fastjournal::cli::queue::browse

namespace fastjournal::cli::queue::declare {
inline constexpr Help dead_letters{
    "dead_letters", "the queue that gets what is rejected, or was delivered too often; empty: they are parked"};
inline constexpr Help delay{
    "delay", "a message that is sent without process_date is handed out so long after it came; 0: at once",
    "", "0 to 365d", 0, 31536000000};
inline constexpr Help exchange{"exchange", "the exchange"};
inline constexpr Help expires{
    "expires", "its messages expire so long after they came, or after their process_date; 0: never",
    "", "0 to 3650d", 0, 315360000000};
inline constexpr Help kind{
    "kind", "direct (routing keys that are equal), fanout (every queue) or topic (patterns)",
    "direct fanout topic"};
inline constexpr Help lease{
    "lease", "how long consumers of its messages may take, unless message or ACQUIRE say otherwise; 0: as "
    "the option processing-timeout",
    "", "0 to 365d", 0, 31536000000};
inline constexpr Help max_bytes{
    "max_bytes", "so many bytes of bodies at most; 0: no limit",
    "", "", 0, 1125899906842624};
inline constexpr Help max_deliveries{
    "max_deliveries", "a message that failed so often is dead; 0: as the option max-deliveries",
    "", "0 to 250", 0, 250};
inline constexpr Help max_message_bytes{
    "max_message_bytes", "a body has so many bytes at most; 0: as the option message-size-max",
    "", "0 to 67108864", 0, 67108864};
inline constexpr Help max_messages{"max_messages", "so many messages at most; 0: no limit", "", "", 0, 4000000000};
inline constexpr Help properties{
    "properties", "what goes with it, one object in JSON, which QUEUES of this queue gives back as it came; "
    "empty: nothing"};
inline constexpr Help queue{"queue", "the queue; or else exchange"};
inline constexpr Help when_full{
    "when_full", "refuse (SEND), or drop (the first messages, which are dead then)",
    "refuse drop"};
}  // namespace fastjournal::cli::queue::declare

namespace fastjournal::cli::queue::kick {
inline constexpr Help message{"message", "the message's number; or else queue"};
inline constexpr Help queue{"queue", "the queue"};
}  // namespace fastjournal::cli::queue::kick

namespace fastjournal::cli::queue::move {
inline constexpr Help queue{"queue", "the queue that has them"};
inline constexpr Help to{
    "to", "the queue that gets them; the same one for parked messages; if absent, that on which each "
    "died"};
}  // namespace fastjournal::cli::queue::move

namespace fastjournal::cli::queue::park {
inline constexpr Help epoch{"epoch", "the epoch of the lease"};
inline constexpr Help error{"error", "why, for people"};
inline constexpr Help priority{
    "priority", "its new priority, as in SEND; it keeps the old one if absent",
    "", "", 0, 4294967295};
}  // namespace fastjournal::cli::queue::park

namespace fastjournal::cli::queue::pause {
inline constexpr Help queue{"queue", "the queue"};
inline constexpr Help reason{"reason", "why, for people"};
inline constexpr Help until{"until", "when it goes on by itself; at RESUME only if absent"};
}  // namespace fastjournal::cli::queue::pause

namespace fastjournal::cli::queue::peek {
inline constexpr Help queue{"queue", "the queue"};
inline constexpr Help status{
    "status", "in this state; due if absent, also where the queue is paused",
    "due waiting behind parked"};
}  // namespace fastjournal::cli::queue::peek

namespace fastjournal::cli::queue::purge {
inline constexpr Help dry_run{"dry_run", "counts them and changes nothing"};
inline constexpr Help queue{"queue", "the queue"};
}  // namespace fastjournal::cli::queue::purge

namespace fastjournal::cli::queue::read {
inline constexpr Help message{"message", "the message's number"};
}  // namespace fastjournal::cli::queue::read

namespace fastjournal::cli::queue::remove {
inline constexpr Help exchange{"exchange", "the exchange"};
inline constexpr Help if_empty{"if_empty", "only a queue without messages"};
inline constexpr Help queue{"queue", "the queue; or else exchange"};
}  // namespace fastjournal::cli::queue::remove

namespace fastjournal::cli::queue::resume {
inline constexpr Help queue{"queue", "the queue"};
}  // namespace fastjournal::cli::queue::resume

namespace fastjournal::cli::queue::send {
inline constexpr Help client{
    "client", "the producer's name for this start of it; with sequence: resent messages are there once"};
inline constexpr Help deduplication{
    "deduplication", "with queue: a further message with the same text, sent to this queue within five minutes of "
    "the first one, is not stored; the answer has the number of the first one"};
inline constexpr Help exchange{"exchange", "the exchange that routes it"};
inline constexpr Help expiration_date{
    "expiration_date", "not to be handed out from then on; 0 or absent: as the queue says"};
inline constexpr Help group{
    "group", "the messages of one group on a queue are handed out one at a time, in the order of their "
    "numbers"};
inline constexpr Help lease{
    "lease", "how long its consumers may take unless they say otherwise; as the queue says if absent",
    "", "1ms to 365d", 1, 31536000000};
inline constexpr Help priority{
    "priority", "the smallest is first; up to 255, unless the table says otherwise by priorities",
    "", "default 100", 0, 4294967295, 100};
inline constexpr Help process_date{"process_date", "not to be handed out before; now if absent"};
inline constexpr Help properties{"properties", "what goes with it: an object in JSON, which is given back as it came"};
inline constexpr Help sequence{"sequence", "the number of this message by this client"};
}  // namespace fastjournal::cli::queue::send
