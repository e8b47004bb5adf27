// The digest and the metrics of a journal.
#include "plugins/journal/journal.h"

namespace fastjournal::journal {

void Journal::digest(DigestSink& sink) const {
  rows_.digest(sink);
  pauses_.digest(sink);
  schedules_.digest(sink);
  figures_.digest(sink);
}

namespace {

void describe(Statistics const& s, MetricSink& sink) {
  sink.counter("inserted", "inserts that made a row", s.inserted);
  sink.counter("merged", "inserts that were merged into a waiting row", s.merged);
  sink.counter("behind", "inserts whose key was being processed", s.behind);
  sink.counter("duplicate", "inserts that were resent", s.duplicate);
  sink.counter("stale", "inserts that were older than what the row has", s.stale);
  sink.counter("unique", "inserts that were not taken, as a row of their key is done", s.unique);
  sink.counter("leased", "rows handed out", s.leased);
  sink.counter("done", "rows done", s.done);
  sink.counter("released", "rows given back, also after a failed attempt", s.released);
  sink.counter("timed_out", "leases that ran out", s.timed_out);
  sink.counter("attempts_failed", "attempts that a worker called failed", s.attempts_failed);
  sink.counter("failed", "rows given up", s.failed);
  sink.counter("kicked", "rows put back to work by an operator", s.kicked);
  sink.counter("deleted", "rows deleted by an operator", s.deleted);
  sink.counter("expired", "rows past their expiration date", s.expired);
  sink.histogram({"lateness_ms", "from a row's date to its lease"}, s.lateness_ms);
  sink.histogram({"wait_ms", "from a row's arrival to its first lease"}, s.wait_ms);
  sink.histogram({"processing_ms", "from the lease to DONE"}, s.processing_ms);
  sink.histogram({"merges", "merges of rows that are done"}, s.merges);
}

// The date of the first due row, or when one may become available; max(): not known.
TimeMs next_date(rows::State const& state) {
  std::uint32_t const first = state.order().first();
  return first == rows::kNoRow ? state.places().next_date() : TimeMs{state.row(first).date()};
}

}  // namespace

void Journal::metrics(TimeMs now, MetricSink& sink) const {
  sink.gauge("rows", "rows that are there", state().rows().size());
  sink.gauge(
      "rows_waiting", "unleased rows, whatever their date",
      state().places().future() + state().order().size() + state().places().behind() + state().places().blocked());
  sink.gauge("rows_future", "waiting rows whose date has not come", state().places().future());
  sink.gauge("rows_due", "waiting rows whose date has come", state().order().size());
  sink.gauge("rows_behind", "waiting rows whose key is being processed", state().places().behind());
  sink.gauge("rows_blocked", "waiting rows that wait for other rows, or for groups of jobs",
             state().places().blocked());
  sink.gauge("groups", "groups of jobs that are there", state().job_groups().size());
  sink.gauge("rows_held", "due rows that a limit or a pause holds back",
             state().order().size() - state().order().available());
  sink.gauge("domains", "domains that have waiting rows", state().order().domains().size());
  sink.gauge("rows_processing", "rows that are leased", state().leases().size());
  sink.gauge("rows_parked", "rows that workers gave up", state().places().parked().size());
  std::uint32_t const first = state().order().first();
  sink.gauge("first_due_age_ms", "how long the first due row has been due",
             first == rows::kNoRow
                 ? 0
                 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.value - state().row(first).date())));
  TimeMs const next = next_date(state());
  sink.gauge("next_date", "when there may be something for a NEXT; 0: unknown",
             next == TimeMs::max() ? 0 : static_cast<std::uint64_t>(next.value));
  sink.gauge("memory_bytes", "memory that rows and indexes take", memory_bytes());
  sink.gauge("live_bytes", "log bytes needed by live objects", live_bytes());
  sink.gauge("grace_ms", "how long the leases of a lost connection last",
             static_cast<std::uint64_t>(settings_.options().lifetimes.grace));
  sink.gauge("history_rows", "entries of rows that ended and of failed attempts", rows_.history().entries());
  sink.gauge("history_bytes", "bytes of their pages in files", rows_.history().bytes());
  sink.gauge("history_memory_bytes", "memory that they take", rows_.history().memory_bytes());
  sink.gauge("paused", "1: nothing is handed out", pauses_.is_paused() ? 1 : 0);
  sink.gauge("draining", "1: inserts are refused", pauses_.is_draining() ? 1 : 0);
  sink.gauge("failing", "1: more than half of the attempts of the last minutes failed",
             statistics_.attempts.is_failing() ? 1 : 0);
  sink.gauge("failures_in_row", "rows given up since the last one that was done", pauses_.failures_in_row());
  sink.gauge("clients", "producers whose sequences are remembered", rows_.clients().windows().size());
  sink.gauge("client_sequences", "sequences that are remembered", rows_.clients().windows().sequences());
  sink.gauge("schedules", "schedules that are there", schedules_.size());
  sink.gauge("schedules_paused", "schedules that are paused", schedules_.paused());
  sink.gauge("schedules_late", "schedules without success for longer than alert_after", schedules_.late());
  sink.counter("records_ignored", "records of a replay about rows that were gone",
               rows_.ignored() + pauses_.ignored() + schedules_.ignored());
  sink.counter("clock_ahead",
               "inserts refused for their date, by max-clock-skew; those of a spool come again without it",
               fast_clocks_.refused());
  describe(statistics_, sink);
}

}  // namespace fastjournal::journal
