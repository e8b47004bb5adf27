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
#include "clients/cpp/made_documents.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

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

// With the calls of made_documents.h.
class Documents : public DocumentCalls {
 public:
  using DocumentCalls::DocumentCalls;

  [[nodiscard]] std::string const& table() const { return table_; }
  // As in made_documents.h; their leases are of the connection that there is now.
  [[nodiscard]] Result<Document> found(std::string_view source, std::string_view uri, std::string_view hash,
                                       FoundOptions const& options = {});
  [[nodiscard]] Result<std::vector<Document>> next(NextDocuments const& options = {});

  // SENDING; `batched`: it goes into a batch, and SENDING without it follows when that is sent.
  [[nodiscard]] Result<Sending> begin(Document const& document, std::string_view destination, bool batched = false);
  [[nodiscard]] Result<Child> begin_child(Document const& parent, std::string_view child, std::string_view step = {});
  // Its lease lasts, and is of the connection that there is now. False: the worker is to stop.
  [[nodiscard]] Result<bool> heartbeat(Document const& document);

  // begin(), then `send`, then sent(), failed() or dropped(). `send` is called at most once, and not where there is nothing to do:
  // empty if it was sent. What may have arrived, and must not arrive twice, stays "sending": nothing is said, and when
  // the lease is over it is in doubt.
  [[nodiscard]] Result<Delivery> deliver(Document const& document, std::string_view destination,
                                         std::function<std::optional<NotSent>(Sending const&)> const& send);

 private:
  [[nodiscard]] Document in_hands(Document document) const;
  // If the connection was made anew since then: what is to be brought to other destinations is of it from now on.
  // Returns the number of connections so far.
  std::uint64_t adopt(Document const& document, std::uint64_t since);
};

}  // namespace fastjournal::client
