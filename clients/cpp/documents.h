// The commands of a pipeline table, typed: for those who find documents, and for those who bring them to their
// destinations (doc/pipeline.md).
//
//   Documents docs(connection, "docs");
//   Result<Document> found = docs.found("pages", "/a.html", hash_of(content));
//   if (found.ok())
//     for (std::string const& destination : found->destinations)
//       Result<Delivery> delivery = docs.deliver(found.value(), destination, [&](Sending const& sending) {
//         return send_to(destination, content, sending.key);  // nothing, or NotSent
//       });
//
// deliver() says SENDING, calls the function if the document may be sent, and says what it returns, so that the order
// of record and send is that of the destination's guarantee. Documents that a crash left come by next().
//
// While the function runs, nothing is said and nothing is read (client.h), so it goes unnoticed that the connection is
// lost: the daemon waits for the table's `grace` (10 s by default), and hands the document out again. A function that
// may take longer says docs.heartbeat(found.value()) well within the grace, every 3 s for example: after a loss it
// makes the connection again and keeps the document. Once it returns false the function is to stop. What is to be
// brought to other destinations meanwhile is kept by deliver().
//
// Every call returns what Connection::call does when it fails; stale_epoch where the lease is over.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// A document in this worker's hands, or only known.
struct Document {
  enum class Change : std::uint8_t {
    none,        // of NEXT
    fresh,       // it was not known
    changed,     // its hash is another one
    resume,      // it is missing somewhere
    processing,  // likewise, and all of that is with workers, rests, is in doubt or paused
    unchanged,   // nothing is to be done
  };

  std::uint64_t document{0};
  std::uint64_t token{0};  // of the lease; 0: nothing was handed out
  std::string source{};
  std::string uri{};
  std::string hash{};
  Change change{Change::none};
  std::vector<std::string> destinations{};  // where it is missing
  bool children{false};                     // something made of it is missing: it is to be taken apart again
  std::uint64_t newer{0};  // the document that is a newer version of it: its source has the content of that
  bool is_gone{false};     // its source does not have it any more: it is to be deleted at its destinations
  bool check{false};       // say found() with its hash first: it need not be sent if it has not changed
  TimeMs lease_end{};
  std::uint64_t connects{0};  // Connection::connects() when it was handed out; 0: not known
  // Of a child.
  std::uint64_t parent{0};
  std::uint64_t original{0};
  std::string child{};

  [[nodiscard]] bool is_mine() const { return token != 0; }
};

struct FoundOptions {
  bool hand_out{true};  // false: it is left to those who say next()
  bool dry_run{false};  // says what would come of it, and changes nothing
  bool gone{false};     // the source does not have it any more; without hash
  std::optional<DurationMs> lease{};
  std::string worker{};
};

struct NextDocuments {
  std::string source{};       // default: any
  std::string destination{};  // default: all where it is missing
  std::uint32_t count{1};
  std::optional<DurationMs> lease{};
  std::optional<DurationMs> wait{};  // default: no waiting
  std::string worker{};
};

// The answer to SENDING.
struct Sending {
  enum class Verdict : std::uint8_t {
    run,        // send it now
    skip,       // it is there already, or need not be
    cancelled,  // it is not this worker's any more, or its destination is paused
  };
  Verdict verdict{Verdict::run};
  std::string why{};  // the state, or the reason
  std::uint64_t attempt{0};
  std::string key{};         // the same for each attempt with this version: for receivers that remember keys
  TimeMs deadline{};         // when to stop
  bool at_most_once{false};  // it must not be sent again if it may have arrived
};

struct FailedOptions {
  std::string error{};  // for people; 1 KiB is kept
  bool permanent{false};
  std::string error_trace{};  // where it went wrong; 16 KiB are kept
};

// Why a document was not sent.
struct NotSent {
  std::string kind{"error"};  // the class of the failure
  std::string error{};
  bool permanent{false};
  bool drop{false};              // no failure: it need not arrive there
  bool may_have_arrived{false};  // unknown: no answer came
  std::string error_trace{};     // where it went wrong
};
struct Delivery {
  Sending::Verdict verdict{Sending::Verdict::run};
  std::string state{};  // as recorded: sent, error, dead, ...
};

// A child is to be run, or passed.
struct Child {
  Document document{};  // without token: pass it
  bool is_subtree_done{false};
};

class Documents {
 public:
  // `connection` must outlive it.
  Documents(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  [[nodiscard]] std::string const& table() const { return table_; }
  [[nodiscard]] Result<Document> found(std::string_view source, std::string_view uri, std::string_view hash,
                                       FoundOptions const& options = {});
  // Empty: there is nothing.
  [[nodiscard]] Result<std::vector<Document>> next(NextDocuments const& options = {});

  // SENDING; `batched`: it goes into a batch, and SENDING without it follows when that is sent.
  [[nodiscard]] Result<Sending> begin(Document const& document, std::string_view destination, bool batched = false);
  // These return the state that is recorded.
  [[nodiscard]] Result<std::string> sent(Document const& document, std::string_view destination);
  [[nodiscard]] Result<std::string> failed(Document const& document, std::string_view destination,
                                           std::string_view kind, FailedOptions const& options = {});
  // No destination: nowhere of where this worker has it to bring.
  [[nodiscard]] Status dropped(Document const& document, std::string_view destination = {},
                               std::string_view reason = {});
  // Returns the destinations that cannot be reached any more.
  [[nodiscard]] Result<std::vector<std::string>> routed(Document const& document, std::string_view router,
                                                        std::vector<std::string> const& chosen);
  [[nodiscard]] Result<Child> begin_child(Document const& parent, std::string_view child, std::string_view step = {});
  [[nodiscard]] Status children_done(Document const& parent, std::uint64_t count);
  // Its lease lasts, and is of the connection that there is now. False: the worker is to stop.
  [[nodiscard]] Result<bool> heartbeat(Document const& document);
  [[nodiscard]] Status release(Document const& document);

  // begin(), then `send`, then sent(), failed() or dropped(). `send` is called at most once, and not where there is nothing to do:
  // empty if it was sent. What may have arrived, and must not arrive twice, stays "sending": nothing is said, and when
  // the lease is over it is in doubt.
  [[nodiscard]] Result<Delivery> deliver(Document const& document, std::string_view destination,
                                         std::function<std::optional<NotSent>(Sending const&)> const& send);

 private:
  [[nodiscard]] Message about(std::string_view command, Document const& document) const;
  [[nodiscard]] Result<Document> document_of(Message const& message) const;
  // If the connection was made anew since then: what is to be brought to other destinations is of it from now on.
  // Returns the number of connections so far.
  std::uint64_t adopt(Document const& document, std::uint64_t since);

  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
