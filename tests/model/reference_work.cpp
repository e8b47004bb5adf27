// The reference's commands of workers, and the effects of time on leases and rows.
#include <algorithm>
#include <utility>

#include "tests/model/reference.h"

namespace fastjournal::reference {
namespace {

std::int64_t later(std::int64_t a, std::int64_t b) { return a == 0 || b == 0 ? 0 : std::max(a, b); }

std::string work_error(Texts const& answer, std::string const& code) {
  if (text(answer, "") == "ERROR" && text(answer, "code") == code) return {};
  return "expected ERROR " + code;
}

}  // namespace

// ---------------------------------------------------------------------------
// NEXT

std::string Reference::check_nothing(std::string const& domain, Texts const& answer) const {
  // The command is from the time when the table had domains.
  if (options_.domain.empty() && !domain.empty()) return work_error(answer, "not_supported");
  if (standing_ == "paused") return work_error(answer, "paused");
  if (text(answer, "") != "NOTHING") return "expected NOTHING";
  if (!choices(domain).empty()) return "there is work for it";
  // Process dates and ends of leases; a token may come earlier.
  std::int64_t earliest = INT64_MAX;
  bool held = false;
  bool const full = room() == 0;
  bool const due = domain.empty() || due_of(domain) > 0;
  for (Row const& row : rows_) {
    bool const mine = domain.empty() || domain_of(row) == domain;
    if (row.state == State::processing && (mine || (full && due))) earliest = std::min(earliest, row.lease_end);
    if (mine && row.state == State::waiting && row.date > now_ && !is_behind(row) && !is_blocked(row))
      earliest = std::min(earliest, row.date);
    held = held || (mine && is_due(row));
  }
  std::int64_t const told = number(answer, "next_date", INT64_MAX);
  bool const rates = options_.rate.count != 0 || options_.rate_domain.count != 0;
  if (told == earliest || (rates && held && told > now_ && told < earliest)) return {};
  return "next_date: expected " + std::to_string(earliest);
}

std::string Reference::next(std::string const& client, Texts const& command, std::vector<Texts> const& answer,
                            std::size_t from) {
  std::string const domain = text(command, "domain");
  if (options_.domain.empty() && !domain.empty()) return work_error(answer[from], "not_supported");
  bool const at_once = text(command, "done") == "1";
  if (at_once && command.contains("lease")) return work_error(answer[from], "bad_parameter");
  auto const count = static_cast<std::size_t>(text(command, "") == "NEXT" ? number(command, "count", 1) : 1);
  std::set<std::string> normal;  // domains with rows that are not slow
  std::size_t given = 0;
  for (; from + given < answer.size() && text(answer[from + given], "") == "ROW"; ++given) {
    Texts const& row = answer[from + given];
    Row const* const known = find(static_cast<std::uint64_t>(number(row, "row")));
    if (known == nullptr) return "an unknown row: " + shown(row);
    bool const slow = known->priority >= options_.slow_from;
    std::string const its_domain = domain_of(*known);
    if (slow && normal.contains(its_domain)) return "a slow row beside others of its domain: " + shown(row);
    if (!slow) normal.insert(its_domain);
    std::uint64_t const id = known->id;
    std::int64_t const span = lease_of(*known, command);
    if (std::string wrong = lease(id, client, text(command, "worker"), domain, span, row, at_once); !wrong.empty())
      return wrong;
    if (at_once) end_at_once(id);
  }
  if (given > count) return "more rows than it asked for";
  if (given == 0) return answer.size() == from + 1 ? check_nothing(domain, answer[from]) : "more than one NOTHING";
  if (text(command, "") == "NEXT") synced_ = at_once;
  if (given == count) return answer.size() == from + given ? "" : "more messages than rows";
  std::vector<Row const*> const left = choices(domain);
  bool const slow = std::any_of(left.begin(), left.end(), [&](Row const* row) {
    return row->priority >= options_.slow_from && normal.contains(domain_of(*row));
  });
  return left.empty() || slow ? "" : "fewer rows than there are";
}

// ---------------------------------------------------------------------------
// Those who hold a lease

// Finds the leased row. If `row` is null, the text says what is wrong, or is empty if the refusal was right.
std::string Reference::leased(Texts const& command, Texts const& answer, Row*& row) {
  Row* const found = row_of(static_cast<std::uint64_t>(number(command, "row")));
  row = nullptr;
  if (found == nullptr) return work_error(answer, "unknown_row");
  if (found->state != State::processing) return work_error(answer, "not_leased");
  if (found->epoch != static_cast<std::uint64_t>(number(command, "epoch"))) {
    // The epoch is told to those who may see it.
    bool const is_another =
        answer.contains("epoch") && number(answer, "epoch") != static_cast<std::int64_t>(found->epoch);
    if (text(answer, "holder") != found->worker || is_another) return "stale_epoch names another holder or epoch";
    return work_error(answer, "stale_epoch");
  }
  row = found;
  return {};
}

std::string Reference::done(std::string const& client, Texts const& command, std::vector<Texts> const& answer) {
  Row* row = nullptr;
  Texts const first = answer.empty() ? Texts{} : answer[0];
  if (options_.domain.empty() && command.contains("domain")) return work_error(first, "not_supported");
  if (std::string wrong = leased(command, first, row); row == nullptr) return wrong;
  synced_ = true;
  failures_ = failures_logged_ = 0;
  finish(Row{*row});
  seat();
  if (answer.empty()) return {};
  if (text(answer[0], "") != "COMPLETED") return "expected COMPLETED";
  if (number(command, "next") == 0) return answer.size() == 1 ? "" : "more than COMPLETED";
  if (answer.size() < 2) return "expected the answer of a NEXT";
  std::string wrong = next(client, command, answer, 1);
  synced_ = true;
  return wrong;
}

// With an error (or failed=1) a failed attempt: a back-off, or one attempt too many. Otherwise only the date changes.
std::string Reference::release(Texts const& command, Texts const& answer) {
  Row* row = nullptr;
  if (std::string wrong = leased(command, answer, row); row == nullptr) return wrong;
  synced_ = true;
  bool const failed = command.contains("failed")
                          ? text(command, "failed") == "1"
                          : !text(command, "error").empty() || !text(command, "error_trace").empty();
  if (failed) {
    ++row->failures;
    ++row->lifetime;
  }
  bool const expired = row->expires != 0 && row->expires <= now_;
  if (failed && !expired && is_too_many(*row)) {
    give_up(row->id, command);
    pause_by_failures();
    std::string const expected = options_.delete_failed ? "DELETED" : "PARKED";
    return answer.empty() || text(answer, "") == expected ? "" : "expected " + expected;
  }
  std::int64_t date = std::max(now_, number(command, "process_date"));
  bool const twin = of_key(row->key, State::waiting) != nullptr;
  if (failed && !command.contains("process_date")) {
    std::int64_t const span = rest(*row);
    std::int64_t const least = now_ + span;
    std::int64_t const most = least + span * options_.jitter / 100;
    date = twin ? least : std::clamp(number(answer, "process_date", least), least, most);
    // With a twin, the later of the two dates is answered: it is only known to be no earlier.
    if (twin && options_.jitter != 0 && number(answer, "process_date") <= most)
      date = std::max(date, number(answer, "process_date"));
  }
  Row const* const left = give_back(row->id, date, command);
  if (answer.empty()) return {};
  if (left == nullptr) return text(answer, "") == "DELETED" ? "" : "expected DELETED of an expired row";
  if (text(answer, "") != "RELEASED") return "expected RELEASED";
  return number(answer, "process_date") == left->date ? "" : "process_date: expected " + std::to_string(left->date);
}

std::string Reference::fail(Texts const& command, Texts const& answer) {
  Row* row = nullptr;
  if (std::string wrong = leased(command, answer, row); row == nullptr) return wrong;
  synced_ = true;
  bool const expired = row->expires != 0 && row->expires <= now_;
  ++row->failures;
  ++row->lifetime;
  if (expired) {
    erase(row->id);
  } else {
    give_up(row->id, command);
    pause_by_failures();
  }
  std::string const expected = options_.delete_failed || expired ? "DELETED" : "PARKED";
  return answer.empty() || text(answer, "") == expected ? "" : "expected " + expected;
}

std::string Reference::touch(std::string const& client, Texts const& command, Texts const& answer) {
  Row* row = nullptr;
  if (std::string wrong = leased(command, answer, row); row == nullptr) return wrong;
  if (row->expires != 0 && row->expires <= now_) return work_error(answer, "expired");
  synced_ = false;
  if (text(answer, "") != "TOUCHED") return "expected TOUCHED";
  row->lease_end = now_ + number(command, "lease", options_.processing_timeout);
  if (number(answer, "lease_end") != row->lease_end) return "lease_end: expected " + std::to_string(row->lease_end);
  if (row->holder != client || command.contains("worker")) row->worker = text(command, "worker");
  row->holder = client;
  return {};
}

// ---------------------------------------------------------------------------
// Coming back

// Both are of one failure: without either the last one stays.
void Reference::note_failure(Row& row, Texts const& command) {
  std::string const error = text(command, "error");
  std::string const trace = text(command, "error_trace");
  if (error.empty() && trace.empty()) return;
  row.error = error;
  row.trace = trace;
}

Row* Reference::give_back(std::uint64_t id, std::int64_t date, Texts const& command) {
  Row& row = *row_of(id);
  if (row.expires != 0 && row.expires <= now_) {
    erase(id);
    return nullptr;
  }
  Row* const twin = row.state == State::waiting ? nullptr : of_key(row.key, State::waiting);
  if (twin == nullptr) {
    row.state = State::waiting;
    if (row.id != 0) waits_.free(row.id);
    row.date = date;
    note_failure(row, command);
    return &row;
  }
  twin->priority = std::min(twin->priority, row.priority);
  twin->date = std::max(twin->date, date);
  twin->expires = later(twin->expires, row.expires);
  twin->timeouts = row.timeouts;
  twin->failures = row.failures;
  twin->lifetime = std::max(twin->lifetime, row.lifetime);
  twin->merges += row.merges + 1;
  note_failure(*twin, command);
  std::uint64_t const left = twin->id;
  if (id != 0 && left != 0) waits_.fold(id, left);
  erase(id);
  return row_of(left);
}

void Reference::give_up(std::uint64_t id, Texts const& command) {
  ++failures_;
  ++failures_logged_;
  park(id, command);
}

void Reference::park(std::uint64_t id, Texts const& command) {
  if (options_.delete_failed) return erase(id);
  if (id != 0) waits_.park(id);
  Row& row = *row_of(id);
  row.state = State::parked;
  row.parked_at = now_;
  note_failure(row, command);
}

// ---------------------------------------------------------------------------
// Time

std::int64_t Reference::next_event(std::int64_t until) const {
  std::int64_t next = until;
  bool held = false;
  for (Row const& row : rows_) {
    if (row.state == State::processing) next = std::min(next, row.lease_end);
    if (row.state == State::waiting && row.date > now_) next = std::min(next, row.date);
    if (row.state == State::parked && options_.keep_parked != 0)
      next = std::min(next, row.parked_at + options_.keep_parked);
    if (row.state != State::processing && row.expires != 0) next = std::min(next, row.expires);
    held = held || is_due(row);
  }
  for (auto const& [name, client] : clients_) next = std::min(next, client.used + options_.client_keep);
  next = std::min(next, waits_.next_date());
  if (held) next = std::min(next, next_token(options_.rate, bucket_));
  for (auto const& [name, bucket] : buckets_)
    if (held) next = std::min(next, next_token(options_.rate_domain, bucket));
  return std::max(next, now_);
}

void Reference::expire() {
  std::size_t const before = rows_.size() + clients_.size();
  std::vector<std::uint64_t> over;
  for (Row const& row : rows_)
    if (!is_visible(row) ||
        (row.state == State::parked && options_.keep_parked != 0 && row.parked_at + options_.keep_parked <= now_))
      over.push_back(row.id);
  for (std::uint64_t const id : over) erase(id);
  seat();
  std::erase_if(clients_, [&](auto const& client) { return client.second.used + options_.client_keep <= now_; });
  if (rows_.size() + clients_.size() != before) synced_ = true;
}

void Reference::pass(std::int64_t to, Oracle& oracle) {
  now_ = to;
  synced_ = false;
  seat();
  end_turn(oracle);
}

void Reference::lose(std::int64_t ms, std::int64_t now, Oracle& oracle) {
  for (Row& row : rows_)
    if (row.state == State::processing) row.lease_end += ms;
  pass(now, oracle);
}

void Reference::end_turn(Oracle& oracle) {
  bool const was = synced_;
  synced_ = false;
  settle(oracle);
  expire();
  end_leases(oracle);
  settle(oracle);
  synced_ = synced_ || was;
  seat();
}

bool Reference::settle(Oracle& oracle) {
  bool const changed = waits_.settle(
      now_,
      [&](std::uint64_t id) {
        // The error names what failed.
        std::optional<Texts> const seen = oracle.peek(id);
        std::string const error = seen ? text(*seen, "error") : std::string{};
        park(id, {{"error", error.starts_with("what it waited for failed: ") ? error : "what it waited for failed"}});
        seat();
      },
      [&](std::uint64_t id) {
        erase(id, true);
        seat();
      });
  synced_ = synced_ || changed;
  seat();
  return changed;
}

void Reference::end_leases(Oracle& oracle) {
  pause_by_failures();
  std::vector<std::uint64_t> ended;
  for (Row const& row : rows_)
    if (row.state == State::processing && row.lease_end <= now_) ended.push_back(row.id);
  for (std::uint64_t const id : in_order(ended, oracle)) {
    time_out(id, oracle);
    seat();
  }
  pause_by_failures();
}

// If two leases of a key (concurrency-key) end at the same moment, the rules leave open which comes first.
std::vector<std::uint64_t> Reference::in_order(std::vector<std::uint64_t> ended, Oracle& oracle) const {
  for (std::size_t a = 0; a < ended.size(); ++a) {
    for (std::size_t b = a + 1; b < ended.size(); ++b) {
      if (find(ended[a])->key != find(ended[b])->key) continue;
      Reference trial = *this;
      trial.time_out(ended[a], oracle);
      trial.time_out(ended[b], oracle);
      bool fits = true;
      for (Row const& row : rows_) {
        if (row.key != find(ended[a])->key) continue;
        Row const* const left = trial.find(row.id);
        std::optional<Texts> const seen = oracle.peek(row.id);
        fits = fits && seen.has_value() == (left != nullptr) &&
               (left == nullptr || (number(*seen, "timeouts") == left->timeouts &&
                                    number(*seen, "attempts") == left->timeouts + left->failures));
      }
      if (!fits) std::swap(ended[a], ended[b]);
    }
  }
  return ended;
}

void Reference::time_out(std::uint64_t id, Oracle& oracle) {
  synced_ = true;
  Row& row = *row_of(id);
  ++row.timeouts;
  ++row.lifetime;
  if (row.expires != 0 && row.expires <= now_) return erase(id);
  if (is_too_many(row)) return give_up(id, {});
  std::int64_t const span = rest(row);
  std::int64_t date = now_ + span;
  if (std::int64_t const spread = span * options_.jitter / 100; spread > 0) {
    // The jitter is taken from the date shown, within the limits of the rules.
    Row const* const twin = of_key(row.key, State::waiting);
    std::optional<Texts> const seen = oracle.peek(twin == nullptr ? id : twin->id);
    if (seen) date = std::clamp(number(*seen, "process_date"), date, date + spread);
  }
  give_back(id, date, {});
}

// Pauses the table after this many failures without a DONE between them.
void Reference::pause_by_failures() {
  if (options_.pause_after == 0 || failures_ < options_.pause_after || standing_ != "open") return;
  standing_ = "paused";
  synced_ = true;
}

void Reference::close(std::string const& client) {
  synced_ = false;
  for (Row& row : rows_) {
    if (row.state != State::processing || row.holder != client) continue;
    row.lease_end = std::min(row.lease_end, now_ + options_.grace);
    row.holder.clear();
  }
}

// Dates of past events are at most now. A lease keeps the time it had left. Dates ahead stay, except of rows that came
// while the clock was wrong and were due by it.
void Reference::accept_clock(std::int64_t from, std::int64_t to) {
  for (Row& row : rows_) {
    if (row.arrival > to && row.date > to && row.date <= from) row.date = to;
    for (std::int64_t* const date : {&row.arrival, &row.inserted, &row.accepted, &row.parked_at})
      *date = std::min(*date, to);
    if (row.state == State::processing && row.lease_end > to) row.lease_end = std::max(to, row.lease_end - (from - to));
  }
  for (auto& [name, client] : clients_) client.used = std::min(client.used, to);
  for (auto& [name, group] : waits_.groups) group.ended = std::min(group.ended, to);
  lower_uniques(from, to);
}

std::string Reference::restart(std::int64_t now, Oracle& oracle) {
  std::int64_t const before = std::min(now_, now);
  now_ = now;
  leases_ = 0;
  for (Row& row : rows_) {
    if (row.state != State::processing) continue;
    // Its holder's connection ended with the daemon; without one it was given the grace before, or lasts until its end.
    row.lease_end = row.holder.empty() ? std::max(row.lease_end, now + options_.grace) : now + options_.grace;
    row.holder.clear();
  }
  turns_.clear();
  buckets_.clear();
  bucket_ = Bucket{};
  due_.clear();
  became_due_.clear();
  // After a start, failures in a row are counted from what the log still has: perhaps fewer, never more.
  std::uint64_t const pause_after = std::exchange(options_.pause_after, 0);
  end_turn(oracle);
  // Those that ended by a command which was never answered may have done so before.
  hear_ends(oracle.groups(), before);
  options_.pause_after = pause_after;
  Texts const told = oracle.statistics();
  auto const failures = static_cast<std::uint64_t>(number(told, "failures_in_row"));
  if (failures > failures_logged_)
    return "more failures in a row after a start: " + std::to_string(failures) + ", before " +
           std::to_string(failures_logged_);
  if (standing_ == "open" && number(told, "paused") == 1 && pause_after != 0 && failures >= pause_after)
    standing_ = "paused";
  failures_ = failures_logged_ = failures;
  seat();
  return {};
}

void Reference::change(Options options, std::vector<Column> columns) {
  bool const same_order = options_.orders_like(options);
  turns_.forget_credits([&](auto const& name) { return weight_of(name); });
  if (!same_order || options.rate != options_.rate) bucket_ = Bucket{};
  if (!same_order || options.rate_domain != options_.rate_domain) buckets_.clear();
  if (!same_order) turns_.clear();
  if (options.pause_after != options_.pause_after) failures_ = 0;
  options_ = std::move(options);
  columns_ = std::move(columns);
  waits_.keep_groups = options_.keep_groups;
  seat();
}

}  // namespace fastjournal::reference
