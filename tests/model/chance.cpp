#include "tests/model/chance.h"

namespace fastjournal::reference {
namespace {

// In one of eight consecutive seeds the table has no key.
constexpr std::uint64_t kSeedsWithoutKey = 5;
constexpr char const* kStatus[] = {"waiting", "due", "processing", "behind", "parked", "paused"};

}  // namespace

Chance::Chance(std::uint64_t seed)
    : random_(seed),
      several_of_a_key_(random_() % 4 == 0),
      has_key_(seed % 8 != kSeedsWithoutKey),
      waits_(seed * 5 + 2),
      has_waits_(waits_() % 4 != 0) {}

Options Chance::options() {
  Options out;
  out.has_key = has_key_;
  out.processing_timeout = one_in(3) ? 2000 : 6000;
  out.grace = one_in(4) ? 0 : 1000;
  out.max_timeouts = static_cast<int>(draw(4));
  out.max_attempts = static_cast<int>(draw(4));
  out.max_lifetime = 3 + static_cast<int>(draw(6));
  out.delete_failed = one_in(4);
  out.keep_parked = one_in(4) ? 0 : 20'000;
  out.back_off_first = one_in(6) ? 0 : 300;
  out.back_off_factor = 1 + static_cast<std::int64_t>(draw(3));
  out.jitter = several_of_a_key_ || one_in(2) ? 0 : 25;
  out.max_postpone = one_in(6) ? 0 : 3000;
  out.clock_skew_max = one_in(4) ? 0 : 700;
  out.rows_max = one_in(3) ? 20 : 0;
  out.pause_after = one_in(3) ? 3 : 0;
  if (one_in(3)) out.back_off = one_in(2) ? "linear" : "100ms,1s";
  out.tag_index = one_in(2);
  if (one_in(3) && has_key_) out.unique_for = 1500;
  out.refuses_unique = one_in(2);
  if (several_of_a_key_ && !one_in(4) && has_key_) out.concurrency_key = 2;
  if (one_in(2)) {
    out.client_keep = 10'800'000;
    out.clients_max = 2 + draw(8);
  }
  out.slow_from = one_in(2) ? 160 : 256;
  out.aging = one_in(3) ? (one_in(2) ? 1 : 20) : 0;
  out.concurrency = one_in(4) ? 3 : 0;
  if (one_in(4)) out.rate = {1 + draw(5), one_in(2) ? 500 : 70};
  if (one_in(3)) return out;
  out.domain = one_in(5) ? "k" : one_in(4) ? "site(d)" : "d";
  if (one_in(2)) out.weights = {{"a", 3}, {"b", 2}, {"key3", 2}};
  out.concurrency_domain = one_in(3) ? 1 + draw(3) : 0;
  if (one_in(3)) out.rate_domain = {1 + draw(3), one_in(2) ? 400 : 30};
  return out;
}

std::vector<Column> Chance::columns() {
  std::vector<Column> out = draw_columns();
  // There are no merges without keys.
  if (!has_key_)
    for (Column& column : out) column.rule = "replace";
  return out;
}

std::vector<Column> Chance::draw_columns() {
  switch (draw(4)) {
    case 0: return {{"v", "replace"}, {"d", "replace"}, {"n", "sum", true}, {"t", "append"}};
    case 1: return {{"v", "keep"}, {"d", "replace"}, {"n", "max", true}};
    case 2: return {{"v", "replace"}, {"d", "keep"}, {"n", "min", true}, {"t", "replace"}};
    default: return {{"v", "replace"}, {"d", "replace"}};
  }
}

Row const* Chance::any(Reference const& table, State state) {
  std::vector<Row const*> found;
  for (Row const& row : table.rows())
    if (row.state == state) found.push_back(&row);
  return found.empty() ? nullptr : found[draw(found.size())];
}

void Chance::add_domain(Texts& texts, std::uint64_t one_in_n) {
  static constexpr char const* kDomains[] = {"a", "b", "c", "e", "key3", "http://b/", "https://b/"};
  if (one_in(one_in_n)) texts["domain"] = kDomains[draw(7)];
}

Texts Chance::insert(Reference const& table) {
  static constexpr char const* kDomains[] = {"a", "b", "c", "e", "http://b/1", "HTTP://me@B:8080", "https://b/?c"};
  std::int64_t const now = table.now();
  Texts out{{"", "INSERT"}, {"k", "key" + std::to_string(draw(14))}};
  out["v"] = std::string(one_in(8) ? draw(3000) : 1 + draw(20), static_cast<char>('a' + draw(26)));
  if (!one_in(5)) out["d"] = kDomains[one_in(3) ? draw(7) : 0];
  if (one_in(2)) out["n"] = std::to_string(draw(100));
  if (one_in(3)) out["t"] = std::string(1 + draw(3), 'z');
  if (!one_in(4)) out["priority"] = std::to_string(draw(4) * 80);
  if (one_in(2)) out["process_date"] = std::to_string(now - 500 + static_cast<std::int64_t>(draw(4000)));
  if (one_in(4)) out["insertion_date"] = std::to_string(now + 1000 - static_cast<std::int64_t>(draw(2500)));
  static constexpr char const* kTags[] = {"red", "blue", "red,blue", "blue,customer:42", ""};
  if (one_in(3)) out["tags"] = kTags[draw(5)];
  if (one_in(8)) out["max_attempts"] = std::to_string(draw(4));
  if (one_in(8)) out["back_off"] = one_in(3) ? "doubling" : one_in(2) ? "linear" : "250ms,900ms";
  if (one_in(8)) out["lease"] = std::to_string(100 + draw(3000));
  if (one_in(8) && has_key_) out["unique_for"] = std::to_string(1 + draw(4000));
  if (one_in(5)) out["expiration_date"] = std::to_string(now - 100 + static_cast<std::int64_t>(draw(8000)));
  if (one_in(4)) {
    out["client"] = "client" + std::to_string(draw(one_in(3) ? 12 : 3));
    out["sequence"] = std::to_string(one_in(200) ? 1000 + draw(100'000) : 1 + draw(60));
  }
  // A column that the table does not have would be refused by its name alone.
  for (std::string const name : {"v", "d", "n", "t"})
    if (!table.has_column(name)) out.erase(name);
  if (!has_key_ && one_in(4)) out.erase("k");
  if (has_waits_ && waits_() % 2 == 0) add_others(table, out);
  return out;
}

// Rows that are there, mostly; some that have ended, and circles.
void Chance::add_others(Reference const& table, Texts& insert) {
  static constexpr char const* kPolicies[] = {"wait", "fail", "go-on"};
  static constexpr char const* kIs[] = {"ended", "done", "failed"};
  auto const one_of = [this](std::uint64_t n) { return waits_() % n == 0; };
  for (Row const& row : table.rows())
    if (row.id != 0 && (known_.empty() || row.id > known_.back())) known_.push_back(row.id);
  if (one_of(2) && !known_.empty()) {
    for (std::uint64_t count = 1 + waits_() % 3; count > 0; --count) {
      bool const is_there = !table.rows().empty() && !one_of(8);
      std::uint64_t const id =
          is_there ? table.rows()[waits_() % table.rows().size()].id : known_[waits_() % known_.size()];
      if (id != 0) insert["after"] += (insert.contains("after") ? " " : "") + std::to_string(id);
    }
  }
  if (has_key_ && one_of(5)) insert["after_keys"] = "key" + std::to_string(waits_() % 14);
  if (one_of(3)) insert["group"] = group();
  if (one_of(4)) {
    insert["after_group"] = group();
    if (!one_of(3)) insert["after_group_is"] = kIs[waits_() % 3];
  }
  bool const waits = insert.contains("after") || insert.contains("after_keys") || insert.contains("after_group");
  if (waits ? one_of(2) : one_of(50)) insert["when_failed"] = kPolicies[waits_() % 3];
}

Texts Chance::of_group() {
  Texts out{{"", waits_() % 6 == 0 ? "CANCEL" : "GROUP"}, {"group", group()}};
  if (out[""] == "GROUP") {
    if (waits_() % 3 != 0) out["state"] = waits_() % 3 == 0 ? "open" : "closed";
    return out;
  }
  if (waits_() % 2 == 0) out["how"] = waits_() % 2 == 0 ? "fail" : "delete";
  if (waits_() % 2 == 0) out["count"] = std::to_string(1 + waits_() % 3);
  if (!known_.empty() && waits_() % 4 == 0) out["after"] = std::to_string(known_[waits_() % known_.size()]);
  return out;
}

Texts Chance::next(bool server) {
  Texts out{{"", "NEXT"}, {"worker", "w" + std::to_string(draw(3))}};
  if (one_in(3)) out["count"] = std::to_string(1 + draw(5));
  if (one_in(5)) out["lease"] = std::to_string(100 + draw(5000));
  if (server && one_in(5)) out["wait"] = std::to_string(1 + draw(3000));
  if (!out.contains("wait") && one_in(6)) out["done"] = "1";
  if (out.contains("wait") && waits_() % 3 == 0) {
    out["done"] = "1";
    out.erase("lease");
  }
  add_domain(out, 4);
  return out;
}

Texts Chance::of_lease(Reference const& table, std::string const& client, std::string const& name) {
  Row const* row = any(table, one_in(40) ? State::waiting : State::processing);
  Texts out{{"", name}, {"row", "8"}, {"epoch", "8"}};
  if (row != nullptr) out["row"] = std::to_string(row->id);
  if (row != nullptr) out["epoch"] = std::to_string(row->epoch + (one_in(20) ? 1 : 0));
  if (name == "DONE" && one_in(3)) {
    out["next"] = "1";
    out["worker"] = "w" + client;
    add_domain(out, 4);
  }
  if (name == "TOUCH") {
    out["worker"] = "w" + client;
    if (one_in(3)) out["lease"] = std::to_string(100 + draw(5000));
  }
  if (name == "RELEASE" && !one_in(3))
    out["process_date"] = std::to_string(table.now() - 100 + static_cast<std::int64_t>(draw(1500)));
  if (name == "RELEASE" && one_in(8)) out["failed"] = one_in(2) ? "1" : "0";
  if ((name == "RELEASE" || name == "FAIL") && one_in(2)) out["error"] = "error" + std::to_string(draw(100));
  if ((name == "RELEASE" || name == "FAIL") && one_in(4))
    out["error_trace"] = "error1 at line " + std::to_string(draw(100)) + std::string(draw(300), '.');
  return out;
}

Texts Chance::of_row(Reference const& table, std::string const& name) {
  static constexpr State kStates[] = {State::waiting, State::processing, State::parked};
  Texts out{{"", name}};
  Row const* const row = any(table, kStates[draw(3)]);
  if (row == nullptr || one_in(3)) {
    out["k"] = row != nullptr ? row->k : "key" + std::to_string(draw(14));
  } else {
    out["row"] = std::to_string(row->id);
  }
  return out;
}

// A command on many rows: mostly few of them, or a life would run out of rows.
Texts Chance::of_many(Reference const& table, std::string const& name) {
  Texts out{{"", name}};
  if (one_in(2)) out["prefix"] = "key" + std::to_string(draw(10));
  if (one_in(3)) out["error"] = one_in(4) ? "" : "error" + std::to_string(draw(10));
  if (one_in(3)) out["tag"] = one_in(2) ? "red" : "blue";
  if (one_in(2)) out["status"] = kStatus[draw(6)];
  if (has_waits_ && waits_() % 4 == 0) out["status"] = "blocked";
  add_domain(out, 4);
  if (one_in(2)) out["count"] = std::to_string(1 + draw(3));
  if (one_in(4)) out["dry_run"] = "1";
  Row const* const row = any(table, State::waiting);
  if (row != nullptr && one_in(4)) out["after"] = std::to_string(row->id);
  if (out.size() == 1) out["status"] = "parked";
  return out;
}

Texts Chance::listen() {
  static constexpr char const* kModes[] = {"wake", "row", "deliver"};
  if (one_in(4)) return {{"", "UNLISTEN"}};
  Texts out{{"", "LISTEN"}, {"mode", kModes[draw(3)]}, {"worker", "w" + std::to_string(draw(3))}};
  if (out["mode"] == "deliver") out["credit"] = std::to_string(1 + draw(4));
  add_domain(out, 3);
  return out;
}

Texts Chance::command(Reference const& table, std::string const& client, bool server) {
  if (has_waits_ && waits_() % 30 == 0) return of_group();
  std::uint64_t const dice = draw(1000);
  if (dice < 340) return insert(table);
  if (dice < 540) return next(server);
  if (dice < 680) return of_lease(table, client, "DONE");
  if (dice < 740) return of_lease(table, client, "RELEASE");
  if (dice < 780) return of_lease(table, client, "FAIL");
  if (dice < 830) return of_lease(table, client, "TOUCH");
  if (dice < 870) return one_in(3) ? of_many(table, "KICK") : of_row(table, "KICK");
  if (dice < 890) return one_in(3) ? of_many(table, "DELETE") : of_row(table, "DELETE");
  if (dice < 910) return of_row(table, "PEEK");
  if (dice < 926) return of_row(table, "WHY");
  if (dice < 928) return {{"", "DOMAINS"}, {"count", "1000"}};
  if (dice < 930) {
    Texts out{{"", "TIMELINE"}};
    add_domain(out, 4);
    return out;
  }
  if (dice < 950) {
    Texts out{{"", "LIST"}, {"count", "1000"}};
    if (one_in(2)) out["status"] = kStatus[draw(6)];
    if (has_waits_ && waits_() % 4 == 0) out["status"] = "blocked";
    if (one_in(4)) out["prefix"] = "key1";
    if (one_in(4)) out["error"] = "error1";
    if (one_in(3)) out["traces"] = "1";
    if (one_in(3)) out["tag"] = "blue";
    add_domain(out, 3);
    if (out.contains("prefix") && !out.contains("traces")) out[""] = "COUNT";
    return out;
  }
  if (dice < 975 && server) return listen();
  // Tables are open most of the time.
  if (table.standing() != "open") return {{"", "RESUME"}, {"worker", "w"}};
  if (one_in(2)) return insert(table);
  return {{"", one_in(5) ? "RESUME" : one_in(2) ? "PAUSE" : "DRAIN"}, {"worker", "w"}, {"reason", "drawn"}};
}

Texts Chance::silent_command(Reference const& table, bool insert) {
  Row const* const row = any(table, State::processing);
  if (insert)
    return {{"", "INSERT"},
            {"k", "silent" + std::to_string(draw(1'000'000))},
            {"v", std::string(1 + draw(2000), 's')},
            {"process_date", std::to_string(table.now() + 30'000)}};
  Texts out{{"", row == nullptr || one_in(2) ? "DONE" : "RELEASE"}};
  out["row"] = std::to_string(row == nullptr ? 8 : row->id);
  out["epoch"] = std::to_string(row == nullptr ? 8 : row->epoch);
  if (out[""] == "RELEASE") out["process_date"] = std::to_string(table.now() + 30'000);
  return out;
}

}  // namespace fastjournal::reference
