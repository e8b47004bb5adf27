// WHY: why a row is not handed out, answered for each row of a key in one sentence and in parameters for programs
// (doc/protocol.md, "WHY").
#include <algorithm>
#include <string>

#include "model/date.h"
#include "plugins/journal/journal.h"

namespace fastjournal::journal {
namespace {

std::string times(std::uint64_t count, std::string_view what) {
  std::string out = std::to_string(count) + " " + std::string{what};
  if (count != 1) out += 's';
  return out;
}

// The option that delays it.
std::string_view option_of(Limited limit) {
  switch (limit) {
    case Limited::none: break;
    case Limited::domain_concurrency: return "concurrency-domain";
    case Limited::domain_rate: return "rate-domain";
    case Limited::table_concurrency: return "concurrency";
    case Limited::table_rate: return "rate";
  }
  return "";
}

// "2026-11-21T12:00:00.000Z, in 5 min"
std::string date_to_come(std::int64_t date, std::int64_t now) {
  return model::format_date(date) + ", in " + model::format_span(date - now);
}

}  // namespace

std::string Journal::attempts_text(Counters const& counters) {
  return times(counters.attempts(), "attempt") + " (" + std::to_string(counters.failures) + " failed, " +
         std::to_string(counters.timeouts) + " timed out), " + std::to_string(counters.lifetime) + " in its life";
}

// One REASON: the sentence and its facts.
class Journal::Reasons {
 public:
  Reasons(Journal const& journal, std::uint32_t row, std::int64_t now, Answer& answer)
      : journal_(journal), state_(journal.state_), index_(row), row_(state_.row(row)), now_(now), answer_(answer) {}

  void tell() {
    Facts const facts = state_.view(index_).facts;
    answer_.message("REASON").add("table", std::string_view{journal_.declaration_->name}).add("row", row_.id().value);
    if (!journal_.is_visible(index_, now_)) {
      tell_expired(facts);
    } else {
      switch (row_.place()) {
        case Place::free: break;
        case Place::future: tell_future(); break;
        case Place::listed:
        case Place::treed: tell_due(); break;
        case Place::behind: tell_behind(); break;
        case Place::processing: tell_processing(); break;
        case Place::parked: tell_parked(facts); break;
      }
      tell_history(facts);
    }
    answer_.add("text", std::string_view{text_ + "."});
  }

 private:
  void state(std::string_view word) { answer_.add("state", Value::of_text(word)); }

  void tell_expired(Facts const& facts) {
    state("expired");
    answer_.add("expiration_date", facts.expires);
    text_ = "It expired at " + model::format_date(facts.expires) + ": it is not handed out any more and is about to go";
  }

  void tell_future() {
    state("waiting");
    answer_.add("process_date", row_.date()).add("in", row_.date() - now_);
    text_ = "It waits for its date, " + date_to_come(row_.date(), now_);
    if (journal_.is_paused()) {
      text_ += "; besides, the table is " + journal_.pause_text();
      add_pause();
    }
  }

  void tell_due() {
    answer_.add("process_date", row_.date()).add("due_for", now_ - row_.date());
    if (journal_.is_paused()) {
      state("paused");
      text_ = "It is due, but the table is " + journal_.pause_text();
      add_pause();
      return;
    }
    state("due");
    text_ = "It is due since " + model::format_date(row_.date()) + " (" + model::format_span(now_ - row_.date()) + ")";
    tell_place();
  }

  // How many rows precede it.
  void tell_place() {
    Order const& order = state_.order();
    std::string const domain{order.domain_of(index_)};
    if (!domain.empty()) answer_.add("domain", order.domain_of(index_));
    std::uint64_t const ahead = order.rows_before(index_);
    answer_.add("ahead", ahead);
    if (order.first() == index_) {
      text_ += " and is the next one to be handed out";
    } else if (ahead > 0) {
      text_ += ", behind " + std::string{ahead >= Order::kLookMax ? "at least " : ""} + times(ahead, "row");
      if (!domain.empty()) text_ += " of its domain " + domain;
    } else if (!domain.empty()) {
      text_ += ", the first of its domain " + domain;
    }
    if (Limited const limit = order.limit_of(index_); limit != Limited::none) {
      answer_.add("limit", Value::of_text(option_of(limit)));
      text_ += limit == Limited::table_concurrency || limit == Limited::table_rate ? "; the table" : "; its domain";
      text_ += " is at its limit (" + std::string{option_of(limit)} + ")";
    }
  }

  void tell_behind() {
    state("behind");
    std::uint32_t const holder = state_.key_rows_of(index_).processing;
    Lease const& lease = state_.lease_of(holder);
    answer_.add("held_by", state_.row(holder).id().value).add("process_date", row_.date());
    add_lease(lease);
    text_ = "It waits for row " + std::to_string(state_.row(holder).id().value) + " of the same key (" +
            (state_.order().rules().concurrency_key > 1 ? "concurrency-key" : "one-at-a-time") + "), which " +
            worker_text(lease, "");
  }

  void tell_processing() {
    state("processing");
    Lease const& lease = state_.lease_of(index_);
    answer_.add("epoch", lease.epoch.value);
    add_lease(lease);
    text_ = "Worker " + worker_text(lease, " it");
  }

  void tell_parked(Facts const& facts) {
    state("parked");
    answer_.add("since", facts.parked_at);
    text_ = "It is parked since " + model::format_date(facts.parked_at) + " after " +
            attempts_text(state_.counters_of(index_)) + ": workers get it again after KICK, DELETE drops it";
    if (journal_.options_.keep_parked == 0) return;
    std::int64_t const until = facts.parked_at + journal_.options_.keep_parked;
    answer_.add("until", until);
    text_ += ", at " + model::format_date(until) + " it goes by itself";
  }

  // Its history, whatever its state.
  void tell_history(Facts const& facts) {
    Counters const counters = state_.counters_of(index_);
    answer_.add("attempts", std::uint64_t{counters.attempts()})
        .add("failures", std::uint64_t{counters.failures})
        .add("timeouts", std::uint64_t{counters.timeouts})
        .add("lifetime_timeouts", std::uint64_t{counters.lifetime});
    if (row_.place() != Place::parked && counters.lifetime > 0) tell_attempts(counters);
    std::string_view const error = state_.view(index_).error;
    if (!error.empty()) {
      answer_.add("error", error);
      text_ += "; the last error was: " + std::string{error};
    }
    answer_.add("merges", std::uint64_t{facts.merges});
    if (facts.merges > 0) text_ += "; " + times(facts.merges, "later insert") + " merged into it";
    if (facts.expires == 0) return;
    answer_.add("expiration_date", facts.expires);
    text_ += facts.is_expired(now_)
                 ? "; it expired at " + model::format_date(facts.expires) + " and goes when its lease ends"
                 : "; it expires at " + date_to_come(facts.expires, now_);
  }

  // The number of attempts, and the limit.
  void tell_attempts(Counters const& counters) {
    Options const& options = journal_.options_;
    if (counters.attempts() == 0) {
      text_ += "; no attempt failed since it was merged or kicked";
    } else {
      if (counters.failures > 0) {
        text_ += "; it failed " + times(counters.failures, "time");
        if (options.max_attempts != 0) text_ += " (given up at " + std::to_string(options.max_attempts) + ")";
      }
      if (counters.timeouts > 0)
        text_ += "; it timed out " + times(counters.timeouts, "time") + " (given up above " +
                 std::to_string(options.max_timeouts) + ")";
    }
    text_ += "; " + times(counters.lifetime, "attempt") + " in its life did not succeed (given up above " +
             std::to_string(options.max_lifetime_timeouts) + ")";
  }

  // `what`: " it", or nothing if the sentence already names the row.
  std::string worker_text(Lease const& lease, std::string_view what) const {
    std::string out{state_.leases().worker(lease)};
    out += " has had" + std::string{what} + " since " + model::format_date(lease.began) + " (" +
           model::format_span(now_ - lease.began) + ") and may keep it until " + date_to_come(lease.ends, now_);
    if (lease.connection == 0) out += "; its connection is gone";
    return out;
  }

  void add_lease(Lease const& lease) {
    answer_.add("worker", state_.leases().worker(lease)).add("since", lease.began).add("lease_end", lease.ends);
  }

  void add_pause() {
    Pause const& pause = state_.pause();
    answer_.add("by", std::string_view{pause.by})
        .add("since", pause.since)
        .add("reason", std::string_view{pause.reason});
  }

  Journal const& journal_;
  State const& state_;
  std::uint32_t index_;
  Row const& row_;
  std::int64_t now_;
  Answer& answer_;
  std::string text_;
};

void Journal::tell_unknown(ObjectId row, Answer& answer) const {
  answer.message("REASON").add("table", std::string_view{declaration_->name});
  if (!row.is_none()) answer.add("row", row.value);
  answer.add("state", Value::of_text("unknown"));
  std::string text = row.is_none() ? "There is no row of this key: it" : "There is no such row: it";
  text += " is done, deleted, expired or was never there";
  if (state_.pause().standing == Standing::draining)
    text += "; the table is " + pause_text() + ", so inserts are refused";
  answer.add("text", std::string_view{text + "."});
}

Verdict Journal::why(Command const& command, Decision& decision) const {
  decision.looks += Order::kLookMax;  // to count the rows before it
  std::int64_t const now = decision.now.value;
  Parameters parameters{*command.message};
  if (parameters.has("row")) {
    ObjectId const id = parameters.row();
    std::uint32_t const row = parameters.ok() ? state_.find(id) : kNoRow;
    decision.status = parameters.ok() ? refuse_page_of_row(command) : parameters.take_status();
    if (!decision.status.ok()) {
      return Verdict::done;
    } else if (row == kNoRow) {
      tell_unknown(id, decision.answer);
    } else {
      Reasons{*this, row, now, decision.answer}.tell();
    }
    return Verdict::done;
  }
  decision.status = read_key(command, key_);
  if (!decision.status.ok()) return Verdict::done;
  tell_key(command, decision, [&](std::uint32_t row) {
    Reasons{*this, row, now, decision.answer}.tell();
    return true;
  });
  if (decision.status.ok() && decision.answer.empty()) tell_unknown(ObjectId{}, decision.answer);
  return Verdict::done;
}

}  // namespace fastjournal::journal
