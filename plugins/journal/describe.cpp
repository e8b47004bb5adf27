// The digest and the metrics of a journal.
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
  if (!state_.pause().id.is_none()) {
    canonical.clear();
    write_pause(canonical, state_.pause());
    sink.object(as_bytes(canonical));
  }
  for (std::uint32_t number = 0; number < state_.clients().end(); ++number) {
    Clients::Client const* const client = state_.clients().at(number);
    if (client == nullptr) continue;
    if (!client->owner_id.is_none()) {
      canonical.clear();
      write_client_owner(canonical, client->name, client->origin->name);
      sink.object(as_bytes(canonical));
    }
    // Each number in the window is an object of the digest, independent of segments.
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
  put("rows_held", state_.order().size() - state_.order().available());
  put("domains", state_.order().domains().size());
  put("rows_processing", state_.leases().size());
  put("rows_parked", state_.parked().size());
  std::uint32_t const first = state_.order().first();
  put("first_due_age_ms",
      first == kNoRow ? 0
                      : static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.value - state_.row(first).date())));
  TimeMs const next = next_date();
  put("next_date", next == TimeMs::max() ? 0 : static_cast<std::uint64_t>(next.value));
  put("memory_bytes", memory_bytes());
  put("live_bytes", state_.live_bytes());
  put("grace_ms", static_cast<std::uint64_t>(options_.grace));
  put("paused", is_paused() ? 1 : 0);
  put("draining", state_.pause().standing == Standing::draining ? 1 : 0);
  put("failures_in_row", failures_in_row_);
  put("clients", state_.clients().size());
  put("client_sequences", state_.clients().sequences());
  put("records_ignored", records_ignored_);
  describe_statistics(sink);
}

void Journal::describe_statistics(MetricSink& sink) const {
  auto const put = [&](std::string_view name, std::uint64_t value) {
    sink.integer(name, static_cast<std::int64_t>(value));
  };
  Statistics const& s = statistics_;
  put("inserted", s.inserted);
  put("merged", s.merged);
  put("behind", s.behind);
  put("duplicate", s.duplicate);
  put("stale", s.stale);
  put("leased", s.leased);
  put("done", s.done);
  put("released", s.released);
  put("timed_out", s.timed_out);
  put("attempts_failed", s.attempts_failed);
  put("failed", s.failed);
  put("kicked", s.kicked);
  put("deleted", s.deleted);
  put("expired", s.expired);
  put("lateness_ms_p50", s.lateness_ms.percentile(50));
  put("lateness_ms_p99", s.lateness_ms.percentile(99));
  put("lateness_ms_max", s.lateness_ms.max());
  put("wait_ms_p50", s.wait_ms.percentile(50));
  put("wait_ms_p99", s.wait_ms.percentile(99));
  put("wait_ms_max", s.wait_ms.max());
  put("processing_ms_p50", s.processing_ms.percentile(50));
  put("processing_ms_p99", s.processing_ms.percentile(99));
  put("processing_ms_max", s.processing_ms.max());
  put("merges_p50", s.merges.percentile(50));
  put("merges_p99", s.merges.percentile(99));
  put("merges_max", s.merges.max());
}

}  // namespace fastjournal::journal
