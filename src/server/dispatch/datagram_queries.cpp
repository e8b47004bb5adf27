#include "server/dispatch/datagram_queries.h"

#include <memory>
#include <span>
#include <string>

namespace fastjournal::server {
namespace {

// Answers that wait for a log: more are dropped, as a socket's queue would drop them.
constexpr std::size_t kQueriesWaitingMax = 4096;

}  // namespace

void DatagramQueries::take(ConnectionId socket, std::string_view bytes, std::string_view from, env::Peer const& peer) {
  ++counters_.queries;
  ++counters_.dropped;  // until it is answered
  Listener const& listener = listeners_.of(peer.listener);
  if (!listener.make_protocol || from.empty() || waiting_.size() >= kQueriesWaitingMax) return;
  std::unique_ptr<Protocol> const protocol = listener.make_protocol();
  std::string out;
  message_.clear();
  if (protocol->read(bytes, message_, out).kind != Protocol::Kind::message) return;
  message_.set("table", Value::of_text(listener.table));
  Speaker const speaker{.worker = peer.text,
                        .origin = peer.origin,
                        .rights = listener.rights,
                        .door = listener.address,
                        .bound = listener.table};
  answer_.clear();
  engine::Outcome const outcome = commands_.run(speaker, message_, answer_);
  if (outcome.is_later || !outcome.ok() || answer_.has_stored()) return;
  for (std::size_t i = 0; i < answer_.heads().size(); ++i) {
    Answer::Head const& head = answer_.heads()[i];
    protocol->write(
        {.command = head.command,
         .params = std::span<Param const>{answer_.params()}.subspan(head.first, answer_.params_end(i) - head.first),
         .is_last = i + 1 == answer_.heads().size()},
        out);
  }
  if (out.empty()) return;
  waiting_.push_back({socket, std::string{from}, std::move(out), outcome.basis.log, kNoLsn});
}

void DatagramQueries::leave() {
  std::size_t kept = 0;
  for (Waiting& one : waiting_) {
    if (one.log != nullptr && one.lsn.is_none()) one.lsn = one.log->needed_lsn();
    if (one.log != nullptr && one.log->durable_lsn() < one.lsn) {
      if (&waiting_[kept] != &one) waiting_[kept] = std::move(one);
      ++kept;
      continue;
    }
    if (!network_.send_local_datagram(one.socket, one.to, one.bytes)) continue;
    ++counters_.answers;
    --counters_.dropped;
  }
  waiting_.resize(kept);
}

}  // namespace fastjournal::server
