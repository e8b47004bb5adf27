#include "plugins/journal/reasons.h"

#include <algorithm>
#include <vector>

#include "model/date.h"
#include "plugins/journal/effects.h"
#include "plugins/journal/made.h"
#include "plugins/journal/row_answers.h"
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
      case rows::Place::blocked: tell_blocked(); break;
      case rows::Place::processing: tell_processing(); break;
      case rows::Place::parked: tell_parked(facts); break;
    }
    tell_history(facts);
  }
  tell_schedule();
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

// "row 812", and what becomes of it.
std::string Reasons::named(rows::After::One const& one) const {
  std::string out = rows_.name_for_people(one.id);
  rows::JobGroup const* const group = rows_.job_groups().find(one.id);
  switch (one.kind) {
    case rows::After::Kind::broken: return out + ", which failed";
    case rows::After::Kind::needless: return out + ", which did not fail";
    case rows::After::Kind::group_ended:
    case rows::After::Kind::group_done:
    case rows::After::Kind::group_failed: {
      if (group == nullptr) return out;
      out += one.kind == rows::After::Kind::group_failed ? " to have a row that failed" : " to end";
      if (one.kind == rows::After::Kind::group_done) out += " with all rows done";
      out += " (" + times(group->unfinished(), "row") + " of it " + (group->unfinished() == 1 ? "has" : "have") +
             " not ended";
      if (group->failed + group->parked > 0) out += ", " + std::to_string(group->failed + group->parked) + " failed";
      return out + (group->is_open ? ", and it is open)" : ")");
    }
    case rows::After::Kind::row: break;
  }
  std::uint32_t const row = rows_.find(one.id);
  if (row == rows::kNoRow) return out;
  switch (rows_.row(row).place()) {
    case rows::Place::processing: return out + ", which " + worker_text(rows_.lease_of(row), "");
    case rows::Place::parked:
      return out + ", which is parked since " + model::format_date(rows_.view(row).facts.parked_at);
    default: return out + " (" + std::string{status_of(rows_.row(row).place())} + ")";
  }
}

void Reasons::tell_blocked() {
  constexpr std::size_t kNumbersMax = 20;
  state("blocked");
  rows::After const after = rows_.places().waits().after_of(row_);
  answer_.add("process_date", row().date()).add("waits_for", std::uint64_t{after.all.size()});
  answer_.add("when_failed", name_of(static_cast<made::InsertWhenFailed>(after.policy)));
  std::string numbers;
  std::string groups;
  std::size_t rows = 0;
  for (rows::After::One const& one : after.all) {
    bool const is_group = one.kind >= rows::After::Kind::group_ended && one.kind <= rows::After::Kind::group_failed;
    if (rows::JobGroup const* const group = rows_.job_groups().find(one.id); is_group && group != nullptr)
      add_group(groups, group->name);
    if (one.kind != rows::After::Kind::row && one.kind != rows::After::Kind::broken) continue;
    if (++rows <= kNumbersMax) numbers += (rows == 1 ? "" : " ") + std::to_string(one.id.value);
  }
  if (!numbers.empty()) answer_.add("blocked_by", std::string_view{numbers});
  if (!groups.empty()) answer_.add("after_group", std::string_view{groups});
  if (after.all.empty()) {
    text_ = "What it waited for has ended: it is about to be released";
    return;
  }
  // Its edges are in the order of ids: those that failed, or are at work, are told first.
  std::vector<rows::After::One> all = after.all;
  auto const rank = [this](rows::After::One const& one) {
    if (one.kind >= rows::After::Kind::broken) return 0;
    std::uint32_t const other = one.kind == rows::After::Kind::row ? rows_.find(one.id) : rows::kNoRow;
    if (other == rows::kNoRow) return 1;
    return rows_.row(other).place() == rows::Place::parked ? 0 : rows::has_lease(rows_.row(other).place()) ? 1 : 2;
  };
  std::ranges::stable_sort(all, [&](auto const& a, auto const& b) { return rank(a) < rank(b); });
  constexpr std::size_t kTold = 2;
  text_ = "It waits for " + named(all[0]);
  if (all.size() > 1) text_ += (all.size() == 2 ? " and for " : ", for ") + named(all[1]);
  if (all.size() > kTold) text_ += ", and for " + std::to_string(all.size() - kTold) + " more";
  bool const is_broken =
      std::ranges::any_of(all, [](auto const& one) { return one.kind == rows::After::Kind::broken; });
  if (is_broken && after.policy == rows::After::Policy::wait)
    text_ += "; KICK lets it run all the same, DELETE drops it";
}

void Reasons::tell_processing() {
  state("processing");
  rows::Lease const& lease = rows_.lease_of(row_);
  if (rows::may_see_epoch(lease, command_)) answer_.add("epoch", lease.epoch.value);
  add_lease(lease);
  text_ = "Worker " + worker_text(lease, " it");
  if (rows::Progress const* const progress = rows_.progress_of(row_); progress != nullptr) {
    text_ += "; it is at " + std::to_string(progress->percent) + " %";
    if (!progress->note.empty()) text_ += ", " + progress->note;
    text_ += ", as it said " + model::format_span(now_ - progress->at) + " ago";
    add_progress(rows_, row_, answer_);
  }
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
  if (rows::JobGroup const* const group = rows_.job_groups().find(rows_.group_of(row_)); group != nullptr)
    answer_.add("group", std::string_view{group->name});
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
      std::uint8_t const most = rows::extras::read(rows_.extras_of(row_)).max_attempts.value_or(rules.max_attempts);
      if (most != 0) text_ += " (given up at " + std::to_string(most) + ")";
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

void Reasons::tell_schedule() {
  std::string_view const bytes = rows_.extras_of(row_);
  std::optional<rows::OfSchedule> const of = rows::extras::read(bytes).of_schedule;
  if (!of) return;
  rows::Schedule const* const schedule = schedules_.find(ObjectId{of->schedule});
  text_ += "; " + (schedule == nullptr ? std::string{"a schedule that is gone"} : "schedule " + schedule->rules.name) +
           " made it for " + model::format_date(of->date);
  add_schedule(rows_, schedules_, row_, answer_);
}

void Reasons::add_lease(rows::Lease const& lease) {
  answer_.add("worker", rows_.leases().worker(lease)).add("since", lease.began).add("lease_end", lease.ends);
}

void Reasons::add_pause() {
  Pause const& pause = pauses_.now();
  answer_.add("by", std::string_view{pause.by}).add("since", pause.since).add("reason", std::string_view{pause.reason});
}

}  // namespace fastjournal::journal
