// What a journal tells about itself: its digest and its numbers.
#include "base/bytes.h"
#include "plugins/journal/journal.h"

namespace fastjournal::journal {

void Journal::digest(DigestSink& sink) const {
  std::string canonical;
  for (std::uint32_t row = state_.ids().next(ObjectId{}); row != kNoRow;
       row = state_.ids().next(state_.row(row).id())) {
    canonical.clear();
    write_row(canonical, state_.row(row).id(), state_.body_of(row));
    sink.object(as_bytes(canonical));
  }
  for (std::uint32_t number = 0; number < state_.clients().end(); ++number) {
    Clients::Client const* const client = state_.clients().at(number);
    if (client == nullptr) continue;
    // Each number that is still in the window is a fact of its own: how they are kept together is not.
    for (auto const& [segment_number, segment] : client->segments) {
      for (Clients::Seen const& seen : segment.seen) {
        if (Clients::is_below(*client, segment_number * kSegmentSequences + seen.offset)) continue;
        canonical.clear();
        write_client(canonical, {client->name, client->last_used, segment_number, {seen}});
        sink.object(as_bytes(canonical));
      }
    }
  }
}

void Journal::metrics(TimeMs now, MetricSink& sink) const {
  auto const put = [&](std::string_view name, std::uint64_t value) {
    sink.integer(name, static_cast<std::int64_t>(value));
  };
  put("rows", state_.rows().size());
  put("rows_waiting", state_.future() + state_.order().size() + state_.behind());
  put("rows_future", state_.future());
  put("rows_due", state_.order().size());
  put("rows_behind", state_.behind());
  put("rows_processing", state_.leases().size());
  put("rows_parked", state_.parked().size());
  std::uint32_t const first = state_.order().first();
  put("first_due_age_ms",
      first == kNoRow ? 0
                      : static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.value - state_.row(first).date())));
  put("memory_bytes", state_.memory_bytes());
  put("live_bytes", state_.live_bytes());
  put("clients", state_.clients().size());
  put("client_sequences", state_.clients().sequences());
  put("records_ignored", records_ignored_);
  put("inserted", counts_.inserted);
  put("merged", counts_.merged);
  put("leased", counts_.leased);
  put("done", counts_.done);
  put("returned", counts_.returned);
  put("parked", counts_.parked);
  put("deleted", counts_.deleted);
  put("expired", counts_.expired);
  put("failed", counts_.failed);
}

}  // namespace fastjournal::journal
