// The reference's commands of people, and the visible fields of rows.
#include <algorithm>

#include "tests/model/reference.h"

namespace fastjournal::reference {
namespace {

std::string people_error(Texts const& answer, std::string const& code) {
  if (answer.empty()) return {};
  return text(answer, "") == "ERROR" && text(answer, "code") == code ? "" : "expected ERROR " + code;
}

Texts const& first(std::vector<Texts> const& answer) {
  static Texts const kNone;
  return answer.empty() ? kNone : answer[0];
}

}  // namespace

std::vector<Row*> Reference::rows_of(Texts const& command) {
  std::vector<Row*> out;
  auto const id = static_cast<std::uint64_t>(number(command, "row"));
  for (Row& row : rows_)
    if (is_visible(row) && (command.contains("row") ? row.id == id : row.key == text(command, "k")))
      out.push_back(&row);
  return out;
}

// The filter of LIST, KICK and DELETE.
bool Reference::fits(Row const& row, Texts const& command, std::string const& status) const {
  bool const of_status = status.empty() || status_of(row) == status ||
                         (status == "paused" && standing_ == "paused" && row.state == State::waiting);
  bool const of_error =
      !command.contains("error") || (!row.error.empty() && row.error.find(text(command, "error")) != std::string::npos);
  bool const of_tag = !command.contains("tag") || has_tag(row, text(command, "tag"));
  return of_status && of_error && of_tag && is_visible(row) && row.key.starts_with(text(command, "prefix")) &&
         (!command.contains("domain") || domain_of(row) == text(command, "domain"));
}

bool Reference::is_bulk(Texts const& command) {
  return std::any_of(command.begin(), command.end(), [](auto const& parameter) {
    static std::set<std::string> const kNames{"status", "domain", "prefix", "error",
                                              "tag",    "count",  "after",  "dry_run"};
    return kNames.contains(parameter.first);
  });
}

// KICK or DELETE of the rows that fit, in the order of their numbers, each as the ones before have left it.
std::string Reference::change_many(Texts const& command, Texts const& answer) {
  bool const kicks = text(command, "") == "KICK";
  std::string status = text(command, "status");
  if (options_.domain.empty() && command.contains("domain")) return people_error(answer, "not_supported");
  if (!options_.has_key && command.contains("prefix")) return people_error(answer, "bad_parameter");
  bool const filters = !status.empty() || command.contains("domain") || !text(command, "prefix").empty() ||
                       command.contains("error") || command.contains("tag");
  if (!kicks && !filters) return people_error(answer, "missing_parameter");
  if (kicks && status.empty()) status = "parked";
  std::int64_t const most = number(command, "count", 1000);
  bool const dry_run = number(command, "dry_run") == 1;
  std::int64_t hits = 0;
  std::uint64_t behind = static_cast<std::uint64_t>(number(command, "after"));
  // Rows of a tag are known by it where they are indexed; else each row is looked at.
  bool const by_tag = options_.tag_index && command.contains("tag");
  bool more = false;
  while (true) {
    Row const* next = nullptr;
    for (Row const& row : rows_)
      if (row.id > behind && is_visible(row) && (!by_tag || has_tag(row, text(command, "tag"))) &&
          (next == nullptr || row.id < next->id))
        next = &row;
    more = next != nullptr;
    if (!more || hits == most) break;
    behind = next->id;
    if (!fits(*next, command, status)) continue;
    ++hits;
    if (dry_run) continue;
    synced_ = true;
    if (kicks)
      put_back(next->id);
    else
      erase(next->id);
    // Each joins the order when it is put back.
    seat();
  }
  if (answer.empty()) return {};
  if (text(answer, "") != (kicks ? "KICKED" : "DELETED")) return "expected a count of rows";
  if (number(answer, "count", -1) != hits) return "count: expected " + std::to_string(hits);
  if (number(answer, "dry_run") != (dry_run ? 1 : 0)) return "dry_run: there or not";
  // Rows that expired at this moment may still be there.
  if (more && !answer.contains("after")) return "after: expected one";
  if (hits < most && answer.contains("after")) return "after: expected none";
  return {};
}

// The parked rows of the key, or else the waiting one: due now, with no attempts.
std::string Reference::kick(Texts const& command, std::vector<Texts> const& answer) {
  if (is_bulk(command)) return change_many(command, first(answer));
  if (names_no_row(command)) return people_error(first(answer), "bad_parameter");
  // A row that expired at this moment may still be found by its key: it is removed and answered as DELETED.
  std::set<std::uint64_t> expired;
  for (Texts const& message : answer) {
    Row const* const row = find(static_cast<std::uint64_t>(number(message, "row")));
    bool const gone = row != nullptr && !is_visible(*row) && row->key == text(command, "k");
    if (gone && text(message, "") == "DELETED") expired.insert(row->id);
  }
  if (!expired.empty()) {
    for (std::uint64_t const id : expired) erase(id);
    std::vector<Texts> rest;
    for (Texts const& message : answer)
      if (!expired.contains(static_cast<std::uint64_t>(number(message, "row")))) rest.push_back(message);
    synced_ = true;
    return rest.empty() ? "" : kick(command, rest);
  }
  std::vector<Row*> const all = rows_of(command);
  if (all.empty()) return people_error(first(answer), "unknown_row");
  std::set<std::uint64_t> wanted;
  for (State const state : {State::parked, State::waiting})
    for (Row const* const row : all)
      if (row->state == state && (wanted.empty() || state == State::parked)) wanted.insert(row->id);
  // The leases of rows that are being processed are taken back.
  bool const is_taken_back = wanted.empty();
  if (is_taken_back)
    for (Row const* const row : all) wanted.insert(row->id);
  synced_ = true;
  std::vector<std::uint64_t> order(wanted.begin(), wanted.end());
  // The rules leave open which of several parked rows comes first, and so stays.
  if (!answer.empty()) order.clear();
  for (Texts const& message : answer) {
    Row const* const row = find(static_cast<std::uint64_t>(number(message, "row")));
    bool const is_over = is_taken_back && row != nullptr && row->expires != 0 && row->expires <= now_;
    if (text(message, "") != (is_over ? "DELETED" : "KICKED")) return "expected KICKED, or DELETED of an expired row";
    order.push_back(static_cast<std::uint64_t>(number(message, "row")));
  }
  if (std::set<std::uint64_t>(order.begin(), order.end()) != wanted || order.size() != wanted.size())
    return "other rows were kicked";
  for (std::size_t i = 0; i < order.size(); ++i) {
    Row const* const left = put_back(order[i]);
    if (left != nullptr && !answer.empty() && number(answer[i], "process_date") != left->date)
      return "process_date: expected " + std::to_string(left->date);
  }
  return {};
}

// As KICK does: due now, with no attempts.
Row* Reference::put_back(std::uint64_t id) {
  Row& row = *row_of(id);
  row.timeouts = row.failures = 0;
  return give_back(id, row.state != State::waiting ? now_ : std::min(row.date, std::max(now_, row.inserted)), {});
}

std::string Reference::remove(Texts const& command, std::vector<Texts> const& answer) {
  if (is_bulk(command)) return change_many(command, first(answer));
  if (names_no_row(command)) return people_error(first(answer), "bad_parameter");
  std::set<std::uint64_t> wanted;
  for (Row const* const row : rows_of(command)) wanted.insert(row->id);
  // A row that expired at this moment may still be deleted by its key.
  std::set<std::uint64_t> expired;
  for (Row const& row : rows_)
    if (!is_visible(row) && row.key == text(command, "k")) expired.insert(row.id);
  std::set<std::uint64_t> removed;
  for (Texts const& message : answer)
    if (text(message, "") == "DELETED") removed.insert(static_cast<std::uint64_t>(number(message, "row")));
  for (std::uint64_t const id : removed)
    if (!wanted.contains(id) && !expired.contains(id)) return "another row was deleted";
  if (wanted.empty() && removed.empty()) return people_error(first(answer), "unknown_row");
  synced_ = true;
  for (std::uint64_t const id : wanted)
    if (!answer.empty() && !removed.contains(id)) return "not deleted: " + std::to_string(id);
  removed.insert(wanted.begin(), wanted.end());
  for (std::uint64_t const id : removed) erase(id);
  return {};
}

std::string Reference::stand(Texts const& command, Texts const& answer) {
  std::string const name = text(command, "");
  synced_ = name != "RESUME" || standing_ != "open";
  std::string wrong;
  if (name == "RESUME" && !answer.empty() && text(answer, "was") != standing_) wrong = "was: expected " + standing_;
  if (name == "RESUME" && standing_ != "open") failures_ = failures_logged_ = 0;
  standing_ = name == "PAUSE" ? "paused" : name == "DRAIN" ? "draining" : "open";
  std::string const expected = name == "PAUSE" ? "PAUSED" : name == "DRAIN" ? "DRAINING" : "RESUMED";
  if (!answer.empty() && text(answer, "") != expected) wrong = "expected " + expected;
  return wrong;
}

// ---------------------------------------------------------------------------
// What can be seen

std::string Reference::status_of(Row const& row) const {
  if (row.state == State::processing) return "processing";
  if (row.state == State::parked) return "parked";
  if (is_blocked(row)) return "blocked";
  return is_behind(row) ? "behind" : row.date > now_ ? "waiting" : "due";
}

// A row as NEXT, PEEK or LIST shows it; the last two show more.
std::string Reference::compare_row(Row const& row, Texts const& shown_row) const {
  std::string wrong;
  auto const same = [&](std::string const& name, std::string const& expected) {
    if (text(shown_row, name) != expected && wrong.empty())
      wrong = name + ": expected \"" + expected.substr(0, 60) + "\" in " + shown(shown_row);
  };
  same("row", std::to_string(row.id));
  same("k", row.k);
  for (char const* const name : {"v", "d", "n", "t"}) {
    same(name, text(row.values, name));
    if (row.values.contains(name) != shown_row.contains(name) && wrong.empty())
      wrong = std::string{name} + ": there or not, in " + shown(shown_row);
  }
  same("priority", std::to_string(row.priority));
  same("process_date", std::to_string(row.date));
  same("insertion_date", std::to_string(row.inserted));
  same("timeouts", std::to_string(row.timeouts));
  same("attempts", std::to_string(row.timeouts + row.failures));
  for (char const* const name : {"tags", "max_attempts", "back_off", "lease", "unique_for"})
    same(name, text(row.own, name));
  same("group", waits_.rows.at(row.id).group);
  if (!shown_row.contains("status")) return wrong;
  same("status", status_of(row));
  same("waits_for", is_blocked(row) ? std::to_string(waits_.rows.at(row.id).after.size()) : "");
  same("accepted_date", row.accepted == row.inserted ? "" : std::to_string(row.accepted));
  same("merges", row.merges == 0 ? "" : std::to_string(row.merges));
  same("expiration_date", row.expires == 0 ? "" : std::to_string(row.expires));
  same("error", row.error);
  if (row.state != State::processing) return wrong;
  same("lease_end", std::to_string(row.lease_end));
  same("worker", row.worker);
  return wrong;
}

std::string Reference::compare_trace(Row const& row, Texts const& message) {
  return text(message, "error_trace") == row.trace ? ""
                                                   : "error_trace: expected \"" + row.trace + "\" in " + shown(message);
}

std::string Reference::peek(Texts const& command, std::vector<Texts> const& answer) const {
  if (names_no_row(command)) return people_error(first(answer), "bad_parameter");
  std::vector<Row*> const wanted = const_cast<Reference*>(this)->rows_of(command);
  if (wanted.empty()) return people_error(first(answer), "unknown_row");
  if (answer.size() != wanted.size()) return "expected " + std::to_string(wanted.size()) + " rows";
  for (Texts const& message : answer) {
    auto const id = static_cast<std::uint64_t>(number(message, "row"));
    if (std::none_of(wanted.begin(), wanted.end(), [&](Row const* row) { return row->id == id; })) return "another row";
    if (std::string wrong = compare_row(*find(id), message); !wrong.empty()) return wrong;
    if (std::string wrong = compare_trace(*find(id), message); !wrong.empty()) return wrong;
  }
  return {};
}

std::string Reference::list(Texts const& command, std::vector<Texts> const& answer) const {
  std::string const status = text(command, "status");
  if (options_.domain.empty() && command.contains("domain")) return people_error(first(answer), "not_supported");
  if (!options_.has_key && command.contains("prefix")) return people_error(first(answer), "bad_parameter");
  std::set<std::uint64_t> wanted;
  for (Row const& row : rows_)
    if (fits(row, command, status)) wanted.insert(row.id);
  std::set<std::uint64_t> told;
  for (Texts const& message : answer) {
    if (text(message, "") != "ROW") continue;
    auto const id = static_cast<std::uint64_t>(number(message, "row"));
    told.insert(id);
    Row const* const row = find(id);
    if (row == nullptr) return "lists an unknown row: " + shown(message);
    if (std::string wrong = compare_row(*row, message); !wrong.empty()) return wrong;
    if (text(command, "traces") != "1" && message.contains("error_trace")) return "a trace that was not asked for";
    if (std::string wrong = text(command, "traces") == "1" ? compare_trace(*row, message) : ""; !wrong.empty())
      return wrong;
  }
  return told == wanted ? ""
                        : "lists " + std::to_string(told.size()) + " rows, expected " + std::to_string(wanted.size());
}

std::string Reference::count(Texts const& command, Texts const& answer) const {
  if (options_.domain.empty() && command.contains("domain")) return people_error(answer, "not_supported");
  if (!options_.has_key && command.contains("prefix")) return people_error(answer, "bad_parameter");
  std::string const status = text(command, "status");
  auto const fitting =
      std::count_if(rows_.begin(), rows_.end(), [&](Row const& row) { return fits(row, command, status); });
  return number(answer, "count") == fitting ? "" : "expected a count of " + std::to_string(fitting);
}

std::string Reference::compare(std::vector<Texts> const& dump) const {
  return list({{"", "LIST"}, {"traces", "1"}}, dump);
}

std::string Reference::why(Texts const& command, std::vector<Texts> const& answer) const {
  if (names_no_row(command)) return people_error(first(answer), "bad_parameter");
  std::vector<Row*> const wanted = const_cast<Reference*>(this)->rows_of(command);
  for (Texts const& message : answer) {
    if (text(message, "") != "REASON") return "expected REASON";
    auto const id = static_cast<std::uint64_t>(number(message, "row"));
    Row const* const row = find(id);
    std::string expected = "unknown";
    if (row != nullptr && !is_visible(*row)) {
      expected = "expired";
    } else if (row != nullptr) {
      expected = status_of(*row);
      if (expected == "due" && standing_ == "paused") expected = "paused";
      bool const limited = room() == 0 || room_of(domain_of(*row)) == 0;
      if (expected == "due" && limited != message.contains("limit")) return "limit: there or not, in " + shown(message);
    }
    if (row != nullptr && expected != "expired" &&
        (number(message, "failures", -1) != row->failures || number(message, "timeouts", -1) != row->timeouts ||
         number(message, "lifetime_timeouts", -1) != row->lifetime))
      return "failures, timeouts or lifetime_timeouts: not those of the row in " + shown(message);
    if (row != nullptr && expected != "expired")
      if (std::string wrong = compare_trace(*row, message); !wrong.empty()) return wrong;
    if (text(message, "state") != expected) return "state: expected " + expected + " in " + shown(message);
  }
  std::size_t const told = answer.size();
  return told >= std::max<std::size_t>(1, wanted.size()) ? "" : "too few reasons";
}

// Each row is in the bucket with the first end at or behind its date.
std::string Reference::timeline(Texts const& command, std::vector<Texts> const& answer) const {
  if (options_.domain.empty() && command.contains("domain")) return people_error(first(answer), "not_supported");
  if (text(first(answer), "") == "ERROR") return "refused: " + shown(first(answer));
  constexpr std::int64_t kSecond = 1000;
  std::vector<std::int64_t> ends{now_};
  for (int i = 1; i <= 60; ++i) ends.push_back(now_ + i * kSecond);
  for (int i = 2; i <= 60; ++i) ends.push_back(now_ + i * 60 * kSecond);
  for (int i = 2; i <= 24; ++i) ends.push_back(now_ + i * 3600 * kSecond);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> wanted;  // rows, by (from, to)
  for (Row const& row : rows_) {
    if (row.state != State::waiting || is_behind(row) || is_blocked(row)) continue;
    if (command.contains("domain") && domain_of(row) != text(command, "domain")) continue;
    auto const end = std::lower_bound(ends.begin(), ends.end(), row.date);
    ++wanted[{end == ends.begin() ? 0 : *std::prev(end), end == ends.end() ? 0 : *end}];
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> told;
  for (Texts const& message : answer)
    if (text(message, "") == "DUE") told[{number(message, "from"), number(message, "to")}] = number(message, "rows");
  if (told == wanted) return {};
  std::string out = "timeline at " + std::to_string(now_) + ":";
  for (auto const& [span, rows] : wanted)
    out += " " + std::to_string(span.first) + "-" + std::to_string(span.second) + "=" + std::to_string(rows);
  for (Texts const& message : answer) out += "\n" + shown(message);
  return out;
}

std::string Reference::tell_domains(std::vector<Texts> const& answer) const {
  if (options_.domain.empty())
    return text(first(answer), "") == "NOTHING" && first(answer).contains("reason") ? "" : "expected NOTHING";
  std::set<std::string> left = domains();
  bool has_next = false;
  for (Texts const& message : answer) {
    if (text(message, "") != "DOMAIN") continue;
    std::string const name = text(message, "domain");
    if (left.erase(name) == 0) return "an unknown domain, or one twice: " + shown(message);
    std::map<std::string, std::int64_t> counts{{"rows", 0}, {"waiting", 0}, {"due", 0}, {"processing", 0}};
    for (Row const& row : rows_) {
      if (domain_of(row) != name) continue;
      ++counts["rows"];
      if (auto const found = counts.find(status_of(row)); found != counts.end()) ++found->second;
    }
    counts["ready"] =
        static_cast<std::int64_t>(standing_ == "paused" ? 0 : std::min({due_of(name), room_of(name), room()}));
    counts["weight"] = static_cast<std::int64_t>(weight_of(name));
    for (auto const& [what, count] : counts)
      if (number(message, what, -1) != count)
        return what + ": expected " + std::to_string(count) + " in " + shown(message);
    if (message.contains("limit") != (counts["due"] > 0 && counts["ready"] == 0))
      return "limit: there or not, in " + shown(message);
    has_next = has_next || text(message, "turn") == "next";
  }
  if (!left.empty()) return "domain " + *left.begin() + " is missing";
  bool const is_due = std::any_of(rows_.begin(), rows_.end(), [this](Row const& row) { return this->is_due(row); });
  return has_next && !is_due ? "the turn of a domain without a due row" : "";
}

std::string Reference::compare_statistics(Texts const& told) const {
  std::map<std::string, std::int64_t> counts{
      {"rows", 0},      {"rows_waiting", 0}, {"rows_future", 0},     {"rows_due", 0}, {"rows_behind", 0},
      {"rows_held", 0}, {"rows_parked", 0},  {"rows_processing", 0}, {"clients", 0},  {"rows_blocked", 0}};
  for (Row const& row : rows_) {
    std::string const status = status_of(row);
    ++counts["rows"];
    ++counts[status == "waiting" ? "rows_future" : "rows_" + status];
    if (row.state == State::waiting) ++counts["rows_waiting"];
  }
  counts["clients"] = static_cast<std::int64_t>(clients_.size());
  counts["groups"] = static_cast<std::int64_t>(waits_.groups.size());
  // Rows held back by a limit; a pause holds back the whole table.
  std::uint64_t free = 0;
  for (std::string const& name : domains()) free += std::min(due_of(name), room_of(name));
  counts["rows_held"] = counts["rows_due"] - static_cast<std::int64_t>(std::min(free, room()));
  counts["paused"] = standing_ == "paused" ? 1 : 0;
  counts["draining"] = standing_ == "draining" ? 1 : 0;
  counts["failures_in_row"] = static_cast<std::int64_t>(failures_);
  for (auto const& [name, count] : counts)
    if (number(told, name, -1) != count)
      return name + ": expected " + std::to_string(count) + ", told " + text(told, name);
  return {};
}

bool Reference::adopt(std::vector<Texts> const& dump) {
  for (Texts const& message : dump) {
    auto const id = static_cast<std::uint64_t>(number(message, "row"));
    if (text(message, "") != "ROW" || find(id) != nullptr) continue;
    Row* const unheard = row_of(0);
    if (unheard == nullptr || unheard->k != text(message, "k")) return false;
    unheard->id = id;
    waits_.rows[id].key = unheard->key;
    for (auto& [name, client] : clients_)
      for (auto& [sequence, row] : client.rows)
        if (row == 0) row = id;
  }
  return find(0) == nullptr;
}

}  // namespace fastjournal::reference
