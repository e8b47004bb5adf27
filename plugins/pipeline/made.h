// Made by ./mk generate from plugins/pipeline/pipeline.xml: do not edit.
// clang-format off
// The parameters of each command of pipeline tables, and the options of a table. A reader takes from a command what it
// was given; false: a value is refused, and the decision says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/table.h"
#include "model/given.h"
#include "plugins/rows/lease_times.h"
#include "plugins/rows/table_type.h"

namespace fastjournal::pipeline::made {

enum class RetryStatus : std::uint8_t { processing, restart, dirty, force, error, batched, sending, sent, dropped, dead, error_doc };
inline constexpr std::string_view kRetryStatusWords[] = {
    "processing", "restart", "dirty", "force", "error", "batched", "sending", "sent", "dropped", "dead", "error_doc"
};
[[nodiscard]] constexpr std::string_view name_of(RetryStatus one) {
  return kRetryStatusWords[static_cast<std::size_t>(one)];
}
enum class OutcomeChoice : std::uint8_t { sent, failed };
inline constexpr std::string_view kOutcomeChoiceWords[] = {"sent", "failed"};
[[nodiscard]] constexpr std::string_view name_of(OutcomeChoice one) {
  return kOutcomeChoiceWords[static_cast<std::size_t>(one)];
}
enum class DocumentsStatus : std::uint8_t { all, stranded, open, failed, in_doubt, orphans, done, processing, restart, dirty, force, error, batched, sending, sent, dropped, dead, error_doc };
inline constexpr std::string_view kDocumentsStatusWords[] = {
    "all", "stranded", "open", "failed", "in_doubt", "orphans", "done", "processing", "restart", "dirty", "force",
    "error", "batched", "sending", "sent", "dropped", "dead", "error_doc"
};
[[nodiscard]] constexpr std::string_view name_of(DocumentsStatus one) {
  return kDocumentsStatusWords[static_cast<std::size_t>(one)];
}

// FOUND. A source has a document: it is new, has changed, is missing somewhere, or is complete. What is missing is
// handed to whoever found it.
struct Found {
  std::string_view source{};  // the source in the plan
  std::string_view uri{};  // where the document is: what it is known by
  model::Text hash{};  // of its content; another one means that it has changed
  // 1: the source does not have it any more (deleted="tell" in the plan): it is to be deleted at each destination;
  // without hash
  bool gone{false};
  bool hand_out{true};  // 0: it is left to those who say NEXT
  bool dry_run{false};  // 1: says in `change` what would come of it, and changes nothing
  std::int64_t lease{0};  // how long the worker may take

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// NEXT. Hands out documents that are missing somewhere and that nobody has: after a crash, after a rest, or as their
// finder left them.
struct Next {
  model::Text source{};  // of this source only
  model::Text destination{};  // that are missing at this destination, and for it alone
  std::uint32_t count{1};  // how many documents at most
  std::int64_t lease{0};  // how long the worker may take
  std::int64_t wait{0};  // how long to wait for a document when there is none; needs request

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// SENDING. The worker is about to send a document to a destination. Where that may happen once at most, it is on disk
// before RUN comes.
struct Sending {
  std::uint64_t document{0};  // the document's number
  std::string_view destination{};  // the destination
  std::uint64_t token{0};  // of the lease, as DOCUMENT said
  bool batched{false};  // 1: it goes into a batch of the worker, and SENDING follows when that is sent

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// SENT. The document has arrived at a destination.
struct Sent {
  std::uint64_t document{0};  // the document's number
  std::string_view destination{};  // the destination
  std::uint64_t token{0};  // of the lease, as DOCUMENT said

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// FAILED. The document could not be brought to a destination: it rests and is tried again, or is given up.
struct Failed {
  std::uint64_t document{0};  // the document's number
  std::string_view destination{};  // the destination
  std::uint64_t token{0};  // of the lease, as DOCUMENT said
  // of the failure, as disk-full: failures of one class are counted together; error if absent
  model::Text class_word{};
  model::Text error{};  // what went wrong, for people
  model::Text error_trace{};  // where it went wrong, as a traceback, for people, which WHY shows
  bool permanent{false};  // 1: it would fail again each time

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// DROPPED. The document is not to be brought to a destination, or to none of those that the worker has it for.
struct Dropped {
  std::uint64_t document{0};  // the document's number
  model::Text destination{};  // the destination; all of this lease if absent
  std::uint64_t token{0};  // of the lease, as DOCUMENT said
  model::Text reason{};  // why, for people

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// ROUTED. A router chose where the document goes: destinations that it cannot reach any more are dropped.
struct Routed {
  std::uint64_t document{0};  // the document's number
  std::string_view router{};  // the source or step that chose
  std::string_view chosen{};  // names of steps behind it, between blanks
  std::uint64_t token{0};  // of the lease, as DOCUMENT said

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// CHILD. A document is made of this one: what is missing of it is handed out, or it is passed.
struct Child {
  std::uint64_t document{0};  // the document's number
  std::string_view child{};  // what tells it from its siblings, the same each time: its number, or a key
  std::uint64_t token{0};  // of the lease, as DOCUMENT said
  model::Text step{};  // the step that makes it; the source if absent
  bool again{false};  // 1: the command is repeated, as its answer was lost
  std::int64_t lease{0};  // how long the worker may take

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// CHILDREN_DONE. So many children were made of a document, and there are no more: without this it is not done.
struct ChildrenDone {
  std::uint64_t document{0};  // the document's number
  std::uint32_t count{0};  // how many
  std::uint64_t token{0};  // of the lease, as DOCUMENT said

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// HEARTBEAT. The worker lives: its leases of a document last from now on, and move to this connection.
struct Heartbeat {
  std::uint64_t document{0};  // the document's number
  std::uint64_t token{0};  // of the lease, as DOCUMENT said
  std::int64_t lease{0};  // how long the worker may take

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// RELEASE. The worker gives a document back, but for what it is sending: it is handed out to another, and nothing is
// counted.
struct Release {
  std::uint64_t document{0};  // the document's number
  std::uint64_t token{0};  // of the lease, as DOCUMENT said

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// KICK. Takes a document from the workers that have it: it is handed out again, and nothing is counted; their reports
// are refused from then on. What is being sent where it may arrive once at most is in doubt.
struct Kick {
  std::uint64_t document{0};  // the document's number
  model::Text destination{};  // only what is to be brought there

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// RETRY. Tries again what failed, with its failures forgotten: what is dead or failed for good, and what rests if its
// document or status=error is given.
struct Retry {
  std::optional<std::uint64_t> document{};  // of this document only
  model::Text source{};  // of documents of this source only
  model::Text destination{};  // at this destination only
  model::Text class_word{};  // whose last failure is of this class
  std::optional<RetryStatus> status{};  // in this state only
  bool all{false};  // 1: needed where none of these is given
  std::uint32_t count{1'000};  // how many at most
  std::uint64_t after{0};  // go on behind these, as the answer before said
  bool dry_run{false};  // 1: counts them and changes nothing
  bool if_changed{false};  // 1: of what has arrived instead, if the source finds that it has changed

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// FORCE. Sends again, whatever the state: also what has arrived.
struct Force {
  std::optional<std::uint64_t> document{};  // of this document only
  model::Text source{};  // of documents of this source only
  model::Text destination{};  // at this destination only
  model::Text class_word{};  // whose last failure is of this class
  std::optional<RetryStatus> status{};  // in this state only
  bool all{false};  // 1: needed where none of these is given
  std::uint32_t count{1'000};  // how many at most
  std::uint64_t after{0};  // go on behind these, as the answer before said
  bool dry_run{false};  // 1: counts them and changes nothing

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// DROP. Drops what has not arrived.
struct Drop {
  std::optional<std::uint64_t> document{};  // of this document only
  model::Text source{};  // of documents of this source only
  model::Text destination{};  // at this destination only
  model::Text class_word{};  // whose last failure is of this class
  std::optional<RetryStatus> status{};  // in this state only
  bool all{false};  // 1: needed where none of these is given
  std::uint32_t count{1'000};  // how many at most
  std::uint64_t after{0};  // go on behind these, as the answer before said
  bool dry_run{false};  // 1: counts them and changes nothing

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// RESOLVE. Says of what is in doubt whether it arrived: sent, or failed, and then it is sent again.
struct Resolve {
  OutcomeChoice outcome{};  // what is known of it
  std::optional<std::uint64_t> document{};  // of this document only
  model::Text source{};  // of documents of this source only
  model::Text destination{};  // at this destination only
  model::Text class_word{};  // whose last failure is of this class
  std::optional<RetryStatus> status{};  // in this state only
  bool all{false};  // 1: needed where none of these is given
  std::uint32_t count{1'000};  // how many at most
  std::uint64_t after{0};  // go on behind these, as the answer before said
  bool dry_run{false};  // 1: counts them and changes nothing

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// PAUSE. Shuts a destination: nothing is handed out for it.
struct Pause {
  std::string_view destination{};  // the destination
  model::Text reason{};  // why, for people

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// RESUME. Opens a destination that was shut, or that was paused as too much failed there; without one it ends a DRAIN.
struct Resume {
  model::Text destination{};  // the destination; the table if absent
  model::Text reason{};  // why, for people

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// FORGET. Forgets a document with its children, or the documents of an older version of the plan, a page at a time.
struct Forget {
  std::optional<std::uint64_t> document{};  // the document's number; or else version
  std::optional<std::uint32_t> version{};  // of an older plan
  std::uint32_t count{1'000};  // how many at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// MIGRATE. Takes what is known of documents of an older version of the plan over to the newest one, a page at a time;
// what is not sent begins anew.
struct Migrate {
  std::uint32_t version{0};  // the older one
  model::Text rename{};  // OLD=NEW of sources and steps that have another name now, between blanks
  std::uint32_t count{1'000};  // how many documents at most
  std::uint64_t after{0};  // go on behind these, as the answer before said
  bool dry_run{false};  // 1: counts them and changes nothing

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// DOCUMENTS. Shows documents and what is known of them at each destination, a page at a time; the last message has
// `after` if there is more to look at.
struct Documents {
  std::optional<DocumentsStatus> status{};  // stranded (missing, and nobody has them), or all that are in this state
  model::Text source{};  // of this source only
  model::Text destination{};  // in that state at this destination
  std::optional<std::uint32_t> version{};  // of this version of the plan; the newest if absent
  std::uint32_t count{100};  // how many documents at most
  std::uint64_t after{0};  // go on behind these, as the page before said

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// DESTINATIONS. Shows the destinations with their documents by state; the last message has `after` if there are more.
struct Destinations {
  model::Text destination{};  // this one only
  model::Text source{};  // those of this source only, and its documents
  std::optional<std::uint32_t> version{};  // of this version of the plan; the newest if absent
  std::uint64_t after{0};  // go on behind these, as the page before said

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// WHY. Says in sentences why a document is where it is.
struct Why {
  std::uint64_t document{0};  // the document's number

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// HISTORY. Shows what has become of documents, one event after the other, as far as `history` reaches back, a page at a
// time.
struct History {
  std::optional<std::uint64_t> document{};  // of this one only
  bool children{false};  // 1: of this one, and of all that was made of it
  std::uint32_t count{100};  // how many events at most
  std::uint64_t after{0};  // go on behind this event

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// STEPS. Shows the sources and steps of the plan, in the order of its file; the last message has `after` if there are
// more.
struct Steps {
  std::optional<std::uint32_t> version{};  // of this version of the plan; the newest if absent
  std::uint32_t count{100};  // how many at most
  std::uint64_t after{0};  // go on behind these, as the page before said

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// The options of a table; durations are ms, sizes bytes.
struct Options {
  // the file of the plan, relative to the folder of the table's file; a changed plan needs a higher version
  std::string plan{};
  std::int64_t grace{10'000};  // how long leases outlive their connection, or a restart of the daemon
  // workers that are lost with a document, one after the other, until it is dead; 0: never
  std::uint8_t losses_max{20};
  // so many documents that fail at one destination within failing-for pause it, and these failures do not count; 0:
  // never
  std::uint32_t failing{20};
  std::int64_t failing_for{60'000};  // the time within which they fail
  std::int64_t probe_every{30'000};  // how often one document is handed out for a paused destination, until one arrives
  std::uint32_t documents_max{0};  // documents that the table knows at most, children among them; 0: no limit
  std::uint64_t memory_max{0};  // memory of its documents and indexes, at most; 0: no limit of its own
  std::uint64_t history{4'194'304};  // memory for the last events, for HISTORY; 0: none are kept
  // documents that have arrived everywhere and stay in memory; the others are in files beside the log
  std::uint32_t ended_in_memory{100'000};
  rows::LeaseTimes times{};

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
};

}  // namespace fastjournal::pipeline::made
