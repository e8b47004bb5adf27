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
    DedupWindows::Client const* const client = state_.clients().at(number);
    if (client == nullptr) continue;
    if (!client->owner_id.is_none()) {
      canonical.clear();
      write_client_owner(canonical, client->name, client->origin->name);
      sink.object(as_bytes(canonical));
    }
    // Each number in the window is an object of the digest, independent of segments.
    for (auto const& [segment_number, segment] : client->segments) {
      for (DedupWindows::Seen const& seen : segment.seen) {
        if (DedupWindows::is_below(*client, segment_number * kSegmentSequences + seen.offset)) continue;
        canonical.clear();
        write_client(canonical, {client->name, client->last_used, segment_number, {seen}});
        sink.object(as_bytes(canonical));
      }
    }
  }
}

void Journal::metrics(TimeMs now, MetricSink& sink) const {
  auto const put = [&](Metric const& metric, std::uint64_t value) {
    sink.integer(metric, static_cast<std::int64_t>(value));
  };
  put({"rows", "rows that are there"}, state_.rows().size());
  put({"rows_waiting", "rows that nobody works on, whatever their date"},
      state_.future() + state_.order().size() + state_.behind());
  put({"rows_future", "waiting rows whose date has not come"}, state_.future());
  put({"rows_due", "waiting rows whose date has come"}, state_.order().size());
  put({"rows_behind", "waiting rows whose key is being processed"}, state_.behind());
  put({"rows_held", "due rows that a limit or a pause holds back"}, state_.order().size() - state_.order().available());
  put({"domains", "domains that have waiting rows"}, state_.order().domains().size());
  put({"rows_processing", "rows that are leased"}, state_.leases().size());
  put({"rows_parked", "rows that workers gave up"}, state_.parked().size());
  std::uint32_t const first = state_.order().first();
  put({"first_due_age_ms", "how long the first due row has been due"},
      first == kNoRow ? 0
                      : static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.value - state_.row(first).date())));
  TimeMs const next = next_date();
  put({"next_date", "when there may be something for a NEXT, in ms since 1970; 0: unknown"},
      next == TimeMs::max() ? 0 : static_cast<std::uint64_t>(next.value));
  put({"memory_bytes", "memory that rows and indexes take"}, memory_bytes());
  put({"live_bytes", "bytes of the log that what is there needs"}, state_.live_bytes());
  put({"grace_ms", "how long the leases of a lost connection last"}, static_cast<std::uint64_t>(options_.grace));
  put({"paused", "1: nothing is handed out"}, is_paused() ? 1 : 0);
  put({"draining", "1: inserts are refused"}, state_.pause().standing == Standing::draining ? 1 : 0);
  put({"failures_in_row", "rows given up since the last one that was done"}, failures_in_row_);
  put({"clients", "producers whose sequences are remembered"}, state_.clients().size());
  put({"client_sequences", "sequences that are remembered"}, state_.clients().sequences());
  put({"records_ignored", "records of a replay about rows that were gone", Metric::Kind::counter}, records_ignored_);
  describe_statistics(sink);
}

void Journal::describe_statistics(MetricSink& sink) const {
  auto const put = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::counter}, static_cast<std::int64_t>(value));
  };
  Statistics const& s = statistics_;
  put("inserted", "inserts that made a row", s.inserted);
  put("merged", "inserts that were merged into a waiting row", s.merged);
  put("behind", "inserts whose key was being processed", s.behind);
  put("duplicate", "inserts that were resent", s.duplicate);
  put("stale", "inserts that were older than what the row has", s.stale);
  put("leased", "rows handed out", s.leased);
  put("done", "rows done", s.done);
  put("released", "rows given back without a failure", s.released);
  put("timed_out", "leases that ran out", s.timed_out);
  put("attempts_failed", "attempts that a worker called failed", s.attempts_failed);
  put("failed", "rows given up", s.failed);
  put("kicked", "rows put back to work by a person", s.kicked);
  put("deleted", "rows deleted by a person", s.deleted);
  put("expired", "rows past their expiration date", s.expired);
  sink.histogram({"lateness_ms", "from a row's date to its lease"}, s.lateness_ms);
  sink.histogram({"wait_ms", "from a row's arrival to its first lease"}, s.wait_ms);
  sink.histogram({"processing_ms", "from the lease to DONE"}, s.processing_ms);
  sink.histogram({"merges", "merges of rows that are done"}, s.merges);
}

}  // namespace fastjournal::journal
