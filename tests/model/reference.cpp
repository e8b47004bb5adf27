// The reference's inserts and merges, and its common parts.
#include "tests/model/reference.h"

#include <algorithm>
#include <utility>

namespace fastjournal::reference {
namespace {

constexpr std::uint64_t kSequenceWindow = 65'536;

std::string ms(std::int64_t value) { return std::to_string(value) + "ms"; }

std::string is_error(Texts const& answer, std::string const& code) {
  if (answer.empty()) return {};
  return text(answer, "") == "ERROR" && text(answer, "code") == code ? "" : "expected ERROR " + code;
}

// The value of a column after a merge (tests/golden/merge_rules.txt).
std::optional<std::string> merged(Column const& column, std::optional<std::string> const& old,
                                  std::optional<std::string> const& fresh) {
  if (column.rule == "replace") return fresh;
  if (!old) return fresh;
  if (!fresh || column.rule == "keep") return old;
  if (column.rule == "append") return *old + *fresh;
  std::int64_t const a = std::stoll(*old);
  std::int64_t const b = std::stoll(*fresh);
  return std::to_string(column.rule == "sum" ? a + b : column.rule == "min" ? std::min(a, b) : std::max(a, b));
}

std::optional<std::string> value_of(Texts const& texts, std::string const& name) {
  auto const found = texts.find(name);
  return found == texts.end() ? std::nullopt : std::optional<std::string>{found->second};
}

}  // namespace

std::string text(Texts const& texts, std::string const& name) {
  auto const found = texts.find(name);
  return found == texts.end() ? std::string{} : found->second;
}

std::int64_t number(Texts const& texts, std::string const& name, std::int64_t otherwise) {
  auto const found = texts.find(name);
  if (found == texts.end() || found->second.empty()) return otherwise;
  return static_cast<std::int64_t>(std::stoull(found->second));
}

std::string shown(Texts const& texts) {
  std::string out = text(texts, "") + " ";
  for (auto const& [name, value] : texts)
    if (!name.empty()) out += name + "=" + value.substr(0, 60) + ";";
  return out;
}

Texts Options::texts() const {
  Texts out{{"processing-timeout", ms(processing_timeout)},
            {"grace", ms(grace)},
            {"max-timeouts", std::to_string(max_timeouts)},
            {"max-attempts", std::to_string(max_attempts)},
            {"max-lifetime-timeouts", std::to_string(max_lifetime)},
            {"when-failed", delete_failed ? "delete" : "parked"},
            {"keep-parked", ms(keep_parked)},
            {"back-off-first", ms(back_off_first)},
            {"back-off-factor", std::to_string(back_off_factor)},
            {"back-off-max", ms(back_off_max)},
            {"back-off-jitter", std::to_string(jitter)},
            {"max-clock-skew", ms(clock_skew_max)},
            {"rows-max", std::to_string(rows_max)},
            {"client-keep", ms(client_keep)},
            {"clients-max", std::to_string(clients_max)},
            {"pause-after-failures", std::to_string(pause_after)},
            {"wake-timeout", ms(wake_timeout)},
            {"keep-groups", ms(keep_groups)},
            {"slow-from", std::to_string(slow_from)},
            {"aging", ms(aging)},
            {"concurrency", std::to_string(concurrency)}};
  out["back-off"] = back_off;
  out["tag-index"] = tag_index ? "true" : "false";
  out["when-unique"] = refuses_unique ? "refuse" : "tell";
  if (has_key) out["max-postpone"] = ms(max_postpone);
  if (has_key && unique_for != 0) out["unique-for"] = ms(unique_for);
  if (concurrency_key > 1) {
    out["one-at-a-time"] = "false";
    out["concurrency-key"] = std::to_string(concurrency_key);
  }
  if (rate.count != 0) out["rate"] = std::to_string(rate.count) + "/" + ms(rate.span_ms);
  if (domain.empty()) return out;
  out["domain"] = domain;
  out["concurrency-domain"] = std::to_string(concurrency_domain);
  for (auto const& [name, weight] : weights) out["domain-weights"] += name + "=" + std::to_string(weight) + " ";
  if (rate_domain.count != 0) out["rate-domain"] = std::to_string(rate_domain.count) + "/" + ms(rate_domain.span_ms);
  return out;
}

// ---------------------------------------------------------------------------
// Rows

Row* Reference::row_of(std::uint64_t id) { return const_cast<Row*>(std::as_const(*this).find(id)); }
Row const* Reference::find(std::uint64_t id) const {
  auto const found = std::find_if(rows_.begin(), rows_.end(), [&](Row const& row) { return row.id == id; });
  return found == rows_.end() ? nullptr : &*found;
}
Row* Reference::of_key(std::string const& key, State state) {
  auto const found =
      std::find_if(rows_.begin(), rows_.end(), [&](Row const& row) { return row.key == key && row.state == state; });
  return found == rows_.end() ? nullptr : &*found;
}
std::uint64_t Reference::processed_of(std::string const& key) const {
  return static_cast<std::uint64_t>(std::count_if(
      rows_.begin(), rows_.end(), [&](Row const& row) { return row.state == State::processing && row.key == key; }));
}
bool Reference::is_behind(Row const& row) const {
  return row.state == State::waiting && processed_of(row.key) >= options_.concurrency_key;
}
void Reference::erase(std::uint64_t id, bool well) {
  if (waits_.rows.contains(id)) waits_.end(id, well);
  std::erase_if(rows_, [&](Row const& row) { return row.id == id; });
}

bool Reference::has_column(std::string const& name) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](Column const& column) { return column.name == name; });
}

std::string Reference::hear(std::string const& client, Texts const& command, std::vector<Texts> const& answer) {
  static Texts const kNone;
  Texts const& first = answer.empty() ? kNone : answer[0];
  std::string const name = text(command, "");
  synced_ = false;
  std::string wrong;
  if (name == "INSERT") wrong = insert(client, command, answer);
  if (name == "NEXT") wrong = answer.empty() ? "no answer" : next(client, command, answer, 0);
  if (name == "DONE") wrong = done(client, command, answer);
  if (name == "RELEASE") wrong = release(command, first);
  if (name == "FAIL") wrong = fail(command, first);
  if (name == "TOUCH") wrong = touch(client, command, first);
  if (name == "KICK") wrong = kick(command, answer);
  if (name == "DELETE") wrong = remove(command, answer);
  if (name == "PEEK") wrong = peek(command, answer);
  if (name == "LIST") wrong = list(command, answer);
  if (name == "COUNT") wrong = count(command, first);
  if (name == "WHY") wrong = why(command, answer);
  if (name == "TIMELINE") wrong = timeline(command, answer);
  if (name == "DOMAINS") wrong = tell_domains(answer);
  if (name == "GROUP") wrong = change_group(command, first);
  if (name == "CANCEL") wrong = cancel(command, first);
  if (name == "PAUSE" || name == "DRAIN" || name == "RESUME") wrong = stand(command, first);
  seat();
  return wrong;
}

// ---------------------------------------------------------------------------
// INSERT

struct Reference::Request {
  Row row;
  bool has_date{false};
  std::string client;
  std::uint64_t sequence{0};
  std::string origin;
  std::string evicted;  // the name of another client that makes room for this one
  Others others;
};

std::string origin_of(std::string const& client) {
  return client == "c2" || client == "c3" ? "192.0.2.2" : "192.0.2.1";
}

// The error for the client's name; empty if there is none. A name belongs to its first user. No address may have more
// than half of the names. If all are taken, the address with the most names gives one up: the one that was silent for
// longest, at least an hour.
std::string Reference::refuses_client(Request& wish) const {
  if (wish.client.empty()) return {};
  if (auto const known = clients_.find(wish.client); known != clients_.end())
    return known->second.owner == wish.origin ? "" : "not_allowed";
  std::map<std::string, std::size_t> names;
  for (auto const& [name, client] : clients_) ++names[client.owner];
  std::string crowd;
  if (2 * names[wish.origin] >= options_.clients_max) {
    crowd = wish.origin;
  } else if (clients_.size() < options_.clients_max) {
    return {};
  } else {
    for (auto const& [owner, count] : names)
      if (crowd.empty() || count >= names[crowd]) crowd = owner;
  }
  std::int64_t silent_since = INT64_MAX;
  for (auto const& [name, client] : clients_) {
    if (client.owner != crowd || client.used >= silent_since) continue;
    wish.evicted = name;
    silent_since = client.used;
  }
  return silent_since > now_ - 3'600'000 ? "over_limit" : "";
}

std::string Reference::insert(std::string const& from, Texts const& command, std::vector<Texts> const& messages) {
  static Texts const kNone;
  Texts const& answer = messages.empty() ? kNone : messages[0];
  Request wish;
  Row& row = wish.row;
  row.k = text(command, "k");
  row.key = options_.has_key ? row.k : "row " + std::to_string(++rows_ever_);
  for (Column const& column : columns_)
    if (command.contains(column.name)) row.values[column.name] = text(command, column.name);
  row.priority = static_cast<int>(number(command, "priority", 100));
  Texts const own = own_of(command);
  row.date = std::max(now_, number(command, "process_date"));
  wish.has_date = command.contains("process_date");
  row.expires = number(command, "expiration_date");
  row.inserted = row.accepted = number(command, "insertion_date", now_);
  bool const dated = command.contains("insertion_date");
  if (dated && options_.clock_skew_max != 0 && row.inserted > now_ + options_.clock_skew_max)
    return is_error(answer, "bad_parameter");
  row.arrival = now_;
  wish.client = text(command, "client");
  wish.sequence = static_cast<std::uint64_t>(number(command, "sequence"));
  // It would never be handed out.
  if (row.expires != 0 && row.expires <= std::max(row.date, row.inserted)) return is_error(answer, "expired");
  wish.origin = origin_of(from);
  if (std::string const code = refuses_client(wish); !code.empty()) return is_error(answer, code);

  // A repeated sequence number is answered as before, whatever the table's state.
  if (auto const known = clients_.find(wish.client); known != clients_.end()) {
    Client const& client = known->second;
    if (client.high >= kSequenceWindow && wish.sequence <= client.high - kSequenceWindow)
      return is_error(answer, "stale_sequence");
    if (auto const seen = client.rows.find(wish.sequence); seen != client.rows.end()) {
      if (answer.empty()) return {};
      if (text(answer, "result") != "duplicate") return "expected result=duplicate";
      return number(answer, "row") == static_cast<std::int64_t>(seen->second) ? "" : "duplicate of another row";
    }
  }
  if (standing_ == "draining") return is_error(answer, "paused");
  Row* const waiting = of_key(row.key, State::waiting);
  if (std::string const code = waits_.look(command, row.key, waiting == nullptr ? 0 : waiting->id, wish.others);
      !code.empty())
    return is_error(answer, code);
  std::int64_t accepted = INT64_MIN;
  if (waiting != nullptr) accepted = waiting->accepted;
  for (Row const& other : rows_)
    if (waiting == nullptr && other.state == State::processing && other.key == row.key)
      accepted = std::max(accepted, other.accepted);
  bool const behind = processed_of(row.key) > 0;
  if (dated && row.accepted < accepted) {
    auto const about = static_cast<std::uint64_t>(number(answer, "row"));
    Row const* const other = find(about);
    remember(wish, about);
    if (answer.empty()) return {};
    if (text(answer, "result") != "stale") return "expected result=stale";
    return other != nullptr && other->key == row.key && other->accepted == accepted ? "" : "stale beside another row";
  }
  if (waiting != nullptr) {
    take_own(*waiting, own);
    return merge(*waiting, wish, behind, answer);
  }
  take_own(row, own);
  if (options_.rows_max != 0 && rows_.size() >= options_.rows_max) return is_error(answer, "over_limit");
  std::uint64_t done = 0;
  if (std::optional<std::string> wrong = behind ? std::nullopt : refuse_unique(row, answer, done)) {
    if (done != 0) remember(wish, done);
    return answer.empty() ? std::string{} : *wrong;
  }
  return insert_new(wish, behind, answer);
}

void Reference::remember(Request const& wish, std::uint64_t row) {
  if (wish.client.empty()) return;
  synced_ = true;
  if (!wish.evicted.empty()) clients_.erase(wish.evicted);
  Client& client = clients_[wish.client];
  client.owner = wish.origin;
  client.rows[wish.sequence] = row;
  client.high = std::max(client.high, wish.sequence);
  client.used = std::max(client.used, now_);
}

std::string Reference::insert_new(Request const& wish, bool behind, Texts const& answer) {
  Row row = wish.row;
  row.date = std::max(row.date, row.inserted);
  row.id = static_cast<std::uint64_t>(number(answer, "row"));
  if (row.id != 0 && find(row.id) != nullptr) return "the number of another row";
  synced_ = true;
  remember(wish, row.id);
  rows_.push_back(row);
  if (answer.empty()) return {};
  waits_.rows[row.id].key = row.key;
  waits_.take(row.id, wish.others);
  if (std::string wrong = check_waits(row.id, answer); !wrong.empty()) return wrong;
  if (text(answer, "result") != (behind ? "behind" : "inserted"))
    return behind ? "expected result=behind" : "expected result=inserted";
  if (number(answer, "merges") != 0) return "a new row with merges";
  return number(answer, "process_date") == row.date ? "" : "process_date: expected " + std::to_string(row.date);
}

std::string Reference::merge(Row& row, Request const& wish, bool behind, Texts const& answer) {
  synced_ = true;
  std::int64_t const wanted = wish.row.date;
  // Never beyond arrival + max-postpone, or a key inserted every second would never run.
  std::int64_t const latest = std::max(row.date, row.arrival + options_.max_postpone);
  row.date = std::min(std::max(row.date, wish.row.date), latest);
  row.priority = std::min(row.priority, wish.row.priority);
  row.expires = row.expires == 0 || wish.row.expires == 0 ? 0 : std::max(row.expires, wish.row.expires);
  row.accepted = wish.row.accepted;
  row.timeouts = row.failures = 0;
  row.error.clear();
  row.trace.clear();
  ++row.merges;
  Texts values;
  for (Column const& column : columns_)
    if (auto const value = merged(column, value_of(row.values, column.name), value_of(wish.row.values, column.name)))
      values[column.name] = *value;
  row.values = std::move(values);
  remember(wish, row.id);
  if (row.id != 0) waits_.take(row.id, wish.others);
  if (answer.empty()) return {};
  if (std::string wrong = wish.others.after.empty() ? "" : check_waits(row.id, answer); !wrong.empty()) return wrong;
  if (text(answer, "result") != (behind ? "behind" : "merged"))
    return behind ? "expected result=behind" : "expected result=merged";
  if (number(answer, "row") != static_cast<std::int64_t>(row.id)) return "merged into another row";
  if (number(answer, "merges") != static_cast<std::int64_t>(row.merges))
    return "merges: expected " + std::to_string(row.merges);
  std::string const by = wanted == row.date || !wish.has_date ? "" : row.date > wanted ? "waiting-row" : "max-postpone";
  if (text(answer, "date_by") != by) return "date_by: expected \"" + by + "\"";
  return number(answer, "process_date") == row.date ? "" : "process_date: expected " + std::to_string(row.date);
}

}  // namespace fastjournal::reference
