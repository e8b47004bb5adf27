// Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.
// clang-format off
// Document pipelines: which document of which source reached which destination of a plan, so that after a crash each
// is sent where it is missing, and nowhere else. Options, records, calls: for documents.h, which has what is special.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// none: of NEXT. fresh: it was not known. changed: its hash is another one. resume: it is missing somewhere.
// processing: likewise, and all of that is with workers, rests, is in doubt or paused. unchanged: nothing is to be
// done.
enum class DocumentChange : std::uint8_t { none, fresh, changed, resume, processing, unchanged };

// A document in this worker's hands, or only known. What follows `child` is shown by documents.
struct Document {
  using Change = DocumentChange;
  [[nodiscard]] bool is_mine() const { return token != 0; }  // else nothing was handed out

  std::uint64_t document{0};  // the document's number
  std::uint64_t token{0};     // of the lease: said with each report
  std::string source{};       // its source
  std::string uri{};          // where it is
  std::string hash{};         // of its content
  // new, changed, resume (missing somewhere), processing (missing, and all of it is with workers, rests or is paused)
  // or unchanged
  DocumentChange change{};
  std::vector<std::string> destinations{};  // where it is to be brought
  bool children{false};                     // something made of it is missing: take it apart again
  // the document that is a newer version of this one: its source has the content of that
  std::uint64_t newer{0};
  // its source does not have it any more: it is to be deleted at its destinations
  bool is_gone{false};
  // say FOUND with its hash first, as it need not be sent if it has not changed
  bool check{false};
  TimeMs lease_end{};                  // when the lease is over
  std::uint64_t connects{0};           // Connection::connects() when it was handed out; 0: not known
  std::uint64_t parent{0};             // the document that it was made of
  std::uint64_t original{0};           // the document of the source that it was made of
  std::string child{};                 // its name among its siblings
  std::vector<std::string> states{};   // DESTINATION=STATE
  bool done{false};                    // nothing more happens to it and to its children
  bool orphan{false};                  // its original has changed, and it was not made since
  std::uint64_t children_known{0};     // children that were made so far
  std::uint64_t children_not_done{0};  // of these, that are not done
  std::uint64_t missing_below{0};      // deliveries of its children that are missing
  std::uint64_t in_hands_below{0};     // deliveries of its children that workers have
  std::uint64_t failed_below{0};       // deliveries of its children that failed for good
};
// From a DOCUMENT; invalid for any other message.
[[nodiscard]] Result<Document> document_of(Message const& message);

// No worker has it any more.
struct KickedDocument {
  std::uint64_t document{0};  // the document's number
  // how many leases were taken back: one for each destination, and one for a run for its children
  std::uint64_t count{0};
  std::uint64_t in_doubt{0};  // of these, destinations where it is in doubt now; absent: none
};
// From a KICKED; invalid for any other message.
[[nodiscard]] Result<KickedDocument> kicked_document_of(Message const& message);

// A destination.
struct Destination {
  std::string destination{};            // the destination
  std::string guarantee{};              // at-most-once or at-least-once
  std::string mode{};                   // open, probing (paused, as too much failed there) or shut
  std::string reason{};                 // why it is not open
  std::uint64_t processing{0};          // documents found, and to be brought there
  std::uint64_t restart{0};             // documents to be brought there again
  std::uint64_t dirty{0};               // documents to be brought there again if changed
  std::uint64_t force{0};               // documents to be sent again
  std::uint64_t error{0};               // documents that failed, and rest
  std::uint64_t batched{0};             // documents in batches of workers
  std::uint64_t sending{0};             // documents being sent, but for those in doubt
  std::uint64_t sent{0};                // documents that have arrived
  std::uint64_t dropped{0};             // documents that were dropped
  std::uint64_t dead{0};                // documents that failed too often
  std::uint64_t error_doc{0};           // documents that failed for good
  std::uint64_t in_doubt{0};            // documents that were being sent, and nobody knows whether they arrived
  std::uint64_t with_workers{0};        // of all these, documents that workers have for it
  std::string step{};                   // its output in the plan
  std::vector<std::string> branches{};  // the successors of duplicating routers by which copies arrive there
};
// From a DESTINATION; invalid for any other message.
[[nodiscard]] Result<Destination> destination_of(Message const& message);

// A source or step of the plan.
struct Step {
  std::string plan{};                 // the plan's name
  std::uint64_t version{0};           // of the plan
  std::string step{};                 // its name
  std::string kind{};                 // source, safe, idempotent or potent
  std::string effect{};               // mutating or preserving
  std::vector<std::string> behind{};  // the sources and steps before it
  std::string router{};               // by-name, duplicate-all or round-robin, where several steps are behind it
  std::uint64_t copies_max{0};        // of by-name: how many successors a document may get
  std::string guarantee{};            // of an output: at-most-once or at-least-once
  bool any_path{false};               // of an output: one delivery is enough, whatever its path
};
// From a STEP; invalid for any other message.
[[nodiscard]] Result<Step> step_of(Message const& message);

// Why a document is where it is.
struct DocumentReason {
  std::uint64_t document{0};           // the document's number
  std::vector<std::string> states{};   // DESTINATION=STATE
  bool done{false};                    // nothing more happens to it and to its children
  std::uint64_t newer{0};              // the document that is a newer version of it
  std::uint64_t children_known{0};     // children that were made so far
  std::uint64_t children_not_done{0};  // of these, that are not done
  std::uint64_t missing_below{0};      // deliveries of its children that are missing
  std::uint64_t in_hands_below{0};     // deliveries of its children that workers have
  std::uint64_t failed_below{0};       // deliveries of its children that failed for good
  std::string text{};                  // sentences for people
  // where it went wrong, as workers said: of each destination that has one, behind a line with its name
  std::string error_trace{};
};
// From a REASON; invalid for any other message.
[[nodiscard]] Result<DocumentReason> document_reason_of(Message const& message);

// What became of a document.
struct Event {
  std::uint64_t event{0};  // its number since the start of the daemon
  TimeMs date{};           // when it was
  // found, changed, handed_out, routed, children_done, in_doubt, forgotten, mode (of a destination), drains, resumed
  // (of the table), or the state that it came into
  std::string what{};
  std::uint64_t document{0};  // the document's number
  std::string uri{};          // where it is, or a child's name; absent if it was forgotten since
  std::string hash{};         // of its content then
  std::string operation{};    // delete: its source did not have it any more; absent of all others
  // its version: how often it had changed by then, of a child its original; absent if never
  std::uint64_t generation{0};
  std::uint64_t parent{0};            // of a child: the document that it was made of
  std::uint64_t original{0};          // of a child: the document of the source that it was made of
  std::string destination{};          // the destination; absent of what concerns the whole document
  std::string worker{};               // who has it, or had it
  std::uint64_t failures{0};          // so far
  std::string kind{};                 // of a failure
  std::string error{};                // what went wrong
  std::string reason{};               // why it was dropped, or why a destination is not open
  std::string router{};               // who chose
  std::vector<std::string> chosen{};  // names of steps
  std::string mode{};                 // of a destination: open, probing or shut
  std::uint64_t children{0};          // of children_done: how many there are
  std::string by{};                   // who drains the table
};
// From an EVENT; invalid for any other message.
[[nodiscard]] Result<Event> event_of(Message const& message);

// A version of the plan.
struct Plan {
  std::string plan{};          // its name
  std::uint64_t version{0};    // its version
  std::uint64_t documents{0};  // documents that were found by it, children among them
  bool newest{false};          // documents are found by this one
  std::string text{};          // what it says, in one line, for programs
  std::string xml{};           // the same as the file of a plan
};
// From a PLAN; invalid for any other message.
[[nodiscard]] Result<Plan> plan_of(Message const& message);

struct FoundOptions {
  bool hand_out{true};  // false: it is left to those who say NEXT
  bool dry_run{false};  // says in `change` what would come of it, and changes nothing
  // the source does not have it any more (deleted="tell" in the plan): it is to be deleted at each destination
  bool gone{false};
  // how long the worker may take (processing-timeout-min to processing-timeout-max; processing-timeout if absent)
  std::optional<DurationMs> lease{};
  // the worker's name, for people; peer address and connection if absent (at most 256 bytes)
  std::string worker{};
};

struct NextDocuments {
  std::string source{};       // of this source only
  std::string destination{};  // that are missing at this destination, and for it alone
  std::uint32_t count{1};     // how many documents at most (1 to 1024; 1 if absent)
  // how long the worker may take (processing-timeout-min to processing-timeout-max; processing-timeout if absent)
  std::optional<DurationMs> lease{};
  std::optional<DurationMs> wait{};  // how long to wait for a document when there is none (0 to 86400000; 0 if absent)
  // the worker's name, for people; peer address and connection if absent (at most 256 bytes)
  std::string worker{};
};

struct FailedOptions {
  std::string error{};        // what went wrong, for people (1024 bytes are kept)
  bool permanent{false};      // it would fail again each time
  std::string error_trace{};  // where it went wrong, as a traceback, for people, which WHY shows (65536 bytes are kept)
};

struct ShownDocuments {
  std::string status{};                    // stranded (missing, and nobody has them), or all that are in this state
  std::string source{};                    // of this source only
  std::string destination{};               // in that state at this destination
  std::optional<std::uint64_t> version{};  // of this version of the plan; the newest if absent (1 to 1000000000)
  std::uint64_t count{UINT64_MAX};         // how many documents at most
};

struct ShownDestinations {
  std::string destination{};               // this one only
  std::string source{};                    // those of this source only, and its documents
  std::optional<std::uint64_t> version{};  // of this version of the plan; the newest if absent (1 to 1000000000)
};

struct ShownEvents {
  std::optional<std::uint64_t> document{};  // of this one only
  bool children{false};                     // of this one, and of all that was made of it
  std::uint64_t count{UINT64_MAX};          // how many events at most
};

// Needs one of document, source, destination, kind and status, or `all`.
struct DocumentFilter {
  std::optional<std::uint64_t> document{};  // of this document only
  std::string source{};                     // of documents of this source only
  std::string destination{};                // at this destination only (at most 4096 bytes)
  std::string kind{};                       // whose last failure is of this class (at most 64 bytes)
  std::string status{};                     // in this state only
  bool all{false};                          // needed where none of these is given
  std::uint64_t count{UINT64_MAX};          // how many at most
  bool dry_run{false};                      // counts them and changes nothing
};

// The calls of documents.h that are one command each.
class DocumentCalls {
 public:
  // `connection` must outlive it.
  DocumentCalls(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  // A source has a document: it is new, has changed, is missing somewhere, or is complete. What is missing is handed to
  // whoever found it.
  [[nodiscard]] Result<Document> found(std::string_view source, std::string_view uri, std::string_view hash,
                                       FoundOptions const& options = {});
  // Hands out documents that are missing somewhere and that nobody has: after a crash, after a rest, or as their finder
  // left them.
  [[nodiscard]] Result<std::vector<Document>> next(NextDocuments const& options = {});
  // The document has arrived at a destination. Returns the state now.
  [[nodiscard]] Result<std::string> sent(Document const& document, std::string_view destination);
  // The document could not be brought to a destination: it rests and is tried again, or is given up. Returns the state
  // now. `kind` is the class of the failure, of which 64 bytes are kept.
  [[nodiscard]] Result<std::string> failed(Document const& document, std::string_view destination,
                                           std::string_view kind, FailedOptions const& options = {});
  // The document is not to be brought to a destination, or to none of those that the worker has it for.
  [[nodiscard]] Status dropped(Document const& document, std::string_view destination = {},
                               std::string_view reason = {});
  // A router chose where the document goes: destinations that it cannot reach any more are dropped. Returns the
  // destinations where it was dropped.
  [[nodiscard]] Result<std::vector<std::string>> routed(Document const& document, std::string_view router,
                                                        std::vector<std::string> const& chosen);
  // So many children were made of a document, and there are no more: without this it is not done.
  [[nodiscard]] Status children_done(Document const& document, std::uint64_t count);
  // The worker gives a document back, but for what it is sending: it is handed out to another, and nothing is counted.
  [[nodiscard]] Status release(Document const& document);
  // Shows documents and what is known of them at each destination.
  [[nodiscard]] Result<std::vector<Document>> documents(ShownDocuments const& options = {});
  // Shows the destinations with their documents by state.
  [[nodiscard]] Result<std::vector<Destination>> destinations(ShownDestinations const& options = {});
  // Says in sentences why a document is where it is.
  [[nodiscard]] Result<DocumentReason> why(std::uint64_t document);
  // Shows what has become of documents, one event after the other, as far as `history` reaches back.
  [[nodiscard]] Result<std::vector<Event>> history(ShownEvents const& options = {});
  // Shows the versions of the plan that have documents.
  [[nodiscard]] Result<std::vector<Plan>> plans();
  // Shows the sources and steps of the plan, in the order of its file.
  [[nodiscard]] Result<std::vector<Step>> steps(std::optional<std::uint64_t> version = {});
  // Tries again what failed, with its failures forgotten: what is dead or failed for good, and what rests if its
  // document or status=error is given. Returns how many.
  [[nodiscard]] Result<std::uint64_t> retry(DocumentFilter const& options = {}, bool if_changed = false);
  // Sends again, whatever the state: also what has arrived. Returns how many.
  [[nodiscard]] Result<std::uint64_t> force(DocumentFilter const& options = {});
  // Drops what has not arrived. Returns how many.
  [[nodiscard]] Result<std::uint64_t> drop(DocumentFilter const& options = {});
  // Says of what is in doubt whether it arrived: sent, or failed, and then it is sent again. Returns how many.
  [[nodiscard]] Result<std::uint64_t> resolve(std::string_view outcome, DocumentFilter const& options = {});
  // Shuts a destination: nothing is handed out for it.
  [[nodiscard]] Status pause(std::string_view destination, std::string_view reason = {});
  // Opens a destination that was shut, or that was paused as too much failed there; without one it ends a DRAIN.
  [[nodiscard]] Status resume(std::string_view destination);
  // Takes a document from the workers that have it: it is handed out again, and nothing is counted; their reports are
  // refused from then on. What is being sent where it may arrive once at most is in doubt.
  [[nodiscard]] Result<KickedDocument> kick(std::uint64_t document, std::string_view destination = {});

 protected:
  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
