#include "plugins/journal/reasons.h"

#include "model/date.h"
#include "plugins/journal/effects.h"
#include "plugins/journal/texts.h"
#include "plugins/rows/failure.h"
#include "plugins/rows/leased.h"

namespace fastjournal::journal {
namespace {

// "2026-11-21T12:00:00.000Z, in 5 min"
std::string date_to_come(std::int64_t date, std::int64_t now) {
  return model::format_date(date) + ", in " + model::format_span(date - now);
}

}  // namespace

void Reasons::tell(std::uint32_t index) {
  row_ = index;
  text_.clear();
  rows::Facts const facts = rows_.view(row_).facts;
  answer_.message("REASON").add("table", std::string_view{settings_.table()}).add("row", row().id().value);
  if (!rows_.is_visible(row_, now_)) {
    tell_expired(facts);
  } else {
    switch (row().place()) {
      case rows::Place::free:
      case rows::Place::held: break;  // a journal holds none
      case rows::Place::future: tell_future(); break;
      case rows::Place::listed:
      case rows::Place::treed: tell_due(); break;
      case rows::Place::behind: tell_behind(); break;
      case rows::Place::processing: tell_processing(); break;
      case rows::Place::parked: tell_parked(facts); break;
    }
    tell_history(facts);
  }
  answer_.add("text", std::string_view{text_ + "."});
}

void Reasons::tell_expired(rows::Facts const& facts) {
  state("expired");
  answer_.add("expiration_date", facts.expires);
  text_ = "It expired at " + model::format_date(facts.expires) + ": it is not handed out any more and is about to go";
}

void Reasons::tell_future() {
  state("waiting");
  answer_.add("process_date", row().date()).add("in", row().date() - now_);
  text_ = "It waits for its date, " + date_to_come(row().date(), now_);
  if (pauses_.is_paused()) {
    text_ += "; besides, the table is " + pauses_.text();
    add_pause();
  }
}

void Reasons::tell_due() {
  answer_.add("process_date", row().date()).add("due_for", now_ - row().date());
  if (pauses_.is_paused()) {
    state("paused");
    text_ = "It is due, but the table is " + pauses_.text();
    add_pause();
    return;
  }
  state("due");
  text_ = "It is due since " + model::format_date(row().date()) + " (" + model::format_span(now_ - row().date()) + ")";
  tell_turn();
}

void Reasons::tell_turn() {
  rows::Order const& order = rows_.order();
  std::string const domain{order.domain_of(row_)};
  if (!domain.empty()) answer_.add("domain", order.domain_of(row_));
  std::uint64_t const ahead = order.rows_before(row_);
  answer_.add("ahead", ahead);
  if (order.first() == row_) {
    text_ += " and is the next one to be handed out";
  } else if (ahead > 0) {
    text_ += ", behind " + std::string{ahead >= rows::Order::kLookMax ? "at least " : ""} + times(ahead, "row");
    if (!domain.empty()) text_ += " of its domain " + domain;
  } else if (!domain.empty()) {
    text_ += ", the first of its domain " + domain;
  }
  if (rows::Limited const limit = order.limit_of(row_); limit != rows::Limited::none) {
    answer_.add("limit", Value::of_text(option_of(limit)));
    text_ += limit == rows::Limited::table_concurrency || limit == rows::Limited::table_rate ? "; the table"
                                                                                             : "; its domain";
    text_ += " is at its limit (" + std::string{option_of(limit)} + ")";
  }
}

void Reasons::tell_behind() {
  state("behind");
  std::uint32_t const holder = rows_.keys().of(row_).processing;
  rows::Lease const& lease = rows_.lease_of(holder);
  answer_.add("held_by", rows_.row(holder).id().value).add("process_date", row().date());
  add_lease(lease);
  text_ = "It waits for row " + std::to_string(rows_.row(holder).id().value) + " of the same key (" +
          (rows_.order().rules().concurrency_key > 1 ? "concurrency-key" : "one-at-a-time") + "), which " +
          worker_text(lease, "");
}

void Reasons::tell_processing() {
  state("processing");
  rows::Lease const& lease = rows_.lease_of(row_);
  if (rows::may_see_epoch(lease, command_)) answer_.add("epoch", lease.epoch.value);
  add_lease(lease);
  text_ = "Worker " + worker_text(lease, " it");
  if (!lease.is_kept) return;
  answer_.add("in_transaction", std::uint64_t{1});
  text_ += "; a transaction holds it, and until that is over the lease does not end by itself";
}

void Reasons::tell_parked(rows::Facts const& facts) {
  state("parked");
  answer_.add("since", facts.parked_at);
  text_ = "It is parked since " + model::format_date(facts.parked_at) + " after " +
          attempts_text(rows_.counters_of(row_)) + ": workers get it again after KICK, DELETE drops it";
  if (settings_.options().lifetimes.parked == 0) return;
  std::int64_t const until = facts.parked_at + settings_.options().lifetimes.parked;
  answer_.add("until", until);
  text_ += ", at " + model::format_date(until) + " it goes by itself";
}

void Reasons::tell_history(rows::Facts const& facts) {
  rows::Counters const counters = rows_.counters_of(row_);
  answer_.add("attempts", std::uint64_t{counters.attempts()})
      .add("failures", std::uint64_t{counters.failures})
      .add("timeouts", std::uint64_t{counters.timeouts})
      .add("lifetime_timeouts", std::uint64_t{counters.lifetime});
  if (row().place() != rows::Place::parked && counters.lifetime > 0) tell_attempts(counters);
  std::string_view const last = rows_.view(row_).failure;
  rows::add_failure(last, answer_);
  if (std::string_view const error = failure::error_of(last); !error.empty())
    text_ += "; the last error was: " + std::string{error};
  answer_.add("merges", std::uint64_t{facts.merges}).add("accepted_date", facts.accepted);
  if (facts.merges > 0) text_ += "; " + times(facts.merges, "later insert") + " merged into it";
  // Of a producer whose clock is ahead: all others are stale meanwhile.
  if (facts.accepted > now_)
    text_ += "; its data are of " + date_to_come(facts.accepted, now_) +
             ", and inserts with an older insertion_date change nothing";
  if (facts.expires == 0) return;
  answer_.add("expiration_date", facts.expires);
  text_ += facts.is_expired(now_)
               ? "; it expired at " + model::format_date(facts.expires) + " and goes when its lease ends"
               : "; it expires at " + date_to_come(facts.expires, now_);
}

void Reasons::tell_attempts(rows::Counters const& counters) {
  rows::AttemptRules const& rules = settings_.options().attempts;
  if (counters.attempts() == 0) {
    text_ += "; no attempt failed since it was merged or kicked";
  } else {
    if (counters.failures > 0) {
      text_ += "; it failed " + times(counters.failures, "time");
      if (rules.max_attempts != 0) text_ += " (given up at " + std::to_string(rules.max_attempts) + ")";
    }
    if (counters.timeouts > 0)
      text_ += "; it timed out " + times(counters.timeouts, "time") + " (given up above " +
               std::to_string(rules.max_timeouts) + ")";
  }
  text_ += "; " + times(counters.lifetime, "attempt") + " in its life did not succeed (given up above " +
           std::to_string(rules.max_lifetime) + ")";
}

std::string Reasons::worker_text(rows::Lease const& lease, std::string_view what) const {
  std::string out{rows_.leases().worker(lease)};
  out += " has had" + std::string{what} + " since " + model::format_date(lease.began) + " (" +
         model::format_span(now_ - lease.began) + ") and may keep it until " + date_to_come(lease.ends, now_);
  if (lease.connection == 0) out += "; its connection is gone";
  return out;
}

void Reasons::add_lease(rows::Lease const& lease) {
  answer_.add("worker", rows_.leases().worker(lease)).add("since", lease.began).add("lease_end", lease.ends);
}

void Reasons::add_pause() {
  Pause const& pause = pauses_.now();
  answer_.add("by", std::string_view{pause.by}).add("since", pause.since).add("reason", std::string_view{pause.reason});
}

}  // namespace fastjournal::journal
