#include "tests/world/exchange_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/hash.h"
#include "wire/bcdb/packet.h"
#include "wire/text.h"

namespace fastjournal::sim {

using test::expect;

namespace {

constexpr std::array<std::string_view, ExchangeLedger::kReadings> kReadingNames{"line", "HTTP", "packets"};

// TABLE and KEY of a blob; of a row the first is empty.
std::pair<std::string, std::string> parts_of(std::string const& key) {
  std::size_t const slash = key.find('/');
  if (slash == std::string::npos) return {"", key};
  return {key.substr(0, slash), key.substr(slash + 1)};
}

std::string tell(std::optional<std::string> const& bytes) {
  return bytes ? "\"" + bytes->substr(0, 20) + "\" of " + std::to_string(bytes->size()) + " bytes" : "nothing";
}

}  // namespace

void ExchangeLedger::store(std::string const& key, std::string const& bytes, bool is_sure) {
  Known& known = known_.try_emplace(key, Known{std::nullopt}).first->second;
  if (is_sure) known.clear();
  known.emplace_back(bytes);
}

std::string ExchangeLedger::ask(std::string const& line) {
  world_.send("main", line);
  settle_();
  std::string const out = world_.take_line("main").value_or("(nothing)");
  while (world_.take_line("main")) continue;
  return out;
}

std::string ExchangeLedger::ask_by(std::string const& client, std::string const& address, std::string const& bytes) {
  world_.drop(client);
  world_.come_by(client, address);
  world_.connection(client).to_server.append(bytes);
  settle_();
  return std::exchange(world_.connection(client).to_client, {});
}

void ExchangeLedger::check_one(std::mt19937_64& random) {
  if (known_.empty()) return;
  auto one = known_.begin();
  std::advance(one, static_cast<std::ptrdiff_t>(random() % known_.size()));
  check(one->first, static_cast<Reading>(random() % kReadings));
}

void ExchangeLedger::check_each(std::mt19937_64& random) {
  for (auto const& [key, known] : known_) check(key, static_cast<Reading>(random() % kReadings));
}

void ExchangeLedger::check_all() {
  settle_();
  for (auto const& [key, known] : known_)
    for (std::uint64_t how = 0; how < kReadings; ++how) check(key, static_cast<Reading>(how));
  for (auto const& [table, of] : tables_) {
    check_list(table);
    check_figures(table);
  }
  for (log::AlertNotice const& one : world_.told())
    expect(one.alert.name.find("damaged") == std::string::npos, "an alert: " + one.alert.name);
  take_bodies();
}

std::string ExchangeLedger::any_blob(std::mt19937_64& random, std::set<std::string> const& busy) const {
  std::vector<std::string> all;
  for (auto const& [key, known] : known_)
    if (!parts_of(key).first.empty() && known.size() == 1 && !busy.contains(parts_of(key).second)) all.push_back(key);
  return all.empty() ? "" : all[random() % all.size()];
}

std::string ExchangeLedger::question(std::string const& key, Reading how) {
  auto const [table, name] = parts_of(key);
  if (table.empty()) return "PEEK table=spilling;name=" + name + "\n";
  if (how == Reading::line) return "GET table=" + table + ";key=" + name + ";data=1\n";
  return how == Reading::http ? ask_http(table, name) : ask_packets(name, true);
}

void ExchangeLedger::compare(std::string const& key, Reading how, std::string const& answer) {
  bool const is_row = parts_of(key).first.empty();
  std::optional<Shown> shown;
  if (is_row || how == Reading::line)
    shown = shown_by_line(std::string_view{answer}.substr(0, answer.find('\n')), is_row ? "payload" : "data");
  else
    shown = how == Reading::http ? shown_by_http(answer) : shown_by_packets(answer);
  require(key, shown, std::string{kReadingNames[static_cast<std::size_t>(how)]});
}

void ExchangeLedger::check(std::string const& key, Reading how) {
  std::string const table = parts_of(key).first;
  std::string const asked = question(key, how);
  if (table.empty() || how == Reading::line) return compare(key, how, ask(asked.substr(0, asked.size() - 1)));
  compare(key, how, how == Reading::http ? ask_by("web", kWeb, asked) : ask_by("relay", tables_[table].address, asked));
}

void ExchangeLedger::require(std::string const& key, std::optional<Shown> const& shown, std::string const& how) {
  Known& known = known_.at(key);
  expect(shown.has_value(), key + " is not shown by " + how);
  std::optional<std::string> const got = shown->is_there ? std::optional{shown->bytes} : std::nullopt;
  expect(std::ranges::find(known, got) != known.end(), key + " read by " + how + " holds " + tell(got) +
                                                           ", and should hold " + tell(known.front()) + ", or one of " +
                                                           std::to_string(known.size() - 1) + " more");
  known = {got};
}

void ExchangeLedger::read_files() {
  for (auto const& [key, known] : known_) {
    auto const [table, name] = parts_of(key);
    if (table.empty()) continue;
    TableOf const& of = tables_[table];
    std::string const said = ask_by("byname", of.address, ask_packets(name, false));
    expect(said.size() == (of.has_flags ? bcdb::kResponseWithFlagsBytes : bcdb::kResponseBytes),
           key + ": a reader by name got " + std::to_string(said.size()) + " bytes");
    bool const is_there = bcdb::read_response(said).begin != 0;
    require(key, Shown{is_there, is_there ? in_file(table, said) : ""}, "its file");
  }
}

std::string ExchangeLedger::in_file(std::string const& table, std::string const& response) {
  bcdb::Response const place = bcdb::read_response(response);
  auto const text_of = [&](std::string const& name) {
    std::vector<std::byte> const content = world_.disk().content("bytes/" + table + "/" + name);
    return std::string{reinterpret_cast<char const*>(content.data()), content.size()};
  };
  // An empty one has no place.
  if (place.begin == place.end) return {};
  std::string const file = text_of(text_of((place.flags & bcdb::kNewer) != 0 ? "bcdb_data.new" : "bcdb_data"));
  return place.begin > file.size() ? "(beyond the end)" : file.substr(place.begin, place.end - place.begin);
}

// By their hashes.
void ExchangeLedger::check_list(std::string const& table) {
  world_.send("main", "LIST table=" + table + ";count=1000");
  settle_();
  std::map<std::string, std::string> listed;
  while (std::optional<std::string> const line = world_.take_line("main")) {
    Message message;
    expect(protocol::parse_line(*line, message).ok() && message.command != "ERROR", "LIST: " + *line);
    if (message.command == "BLOB") listed[std::string{message.text("hash")}] = message.text("content_hash");
  }
  std::size_t there = 0;
  for (auto const& [key, known] : known_) {
    auto const [of, name] = parts_of(key);
    if (of != table || !known.front()) continue;
    ++there;
    std::string const hash = bcdb::digits_of(bcdb::make_key(name));
    expect(listed[hash] == fmt::format("{:016x}", hash128(*known.front()).low), key + " is listed with another hash");
  }
  expect(listed.size() == there, table + " lists " + std::to_string(listed.size()) + " of " + std::to_string(there));
}

void ExchangeLedger::check_figures(std::string const& table) {
  Message message;
  std::string const line = ask("STATS table=" + table);
  expect(protocol::parse_line(line, message).ok(), line);
  for (char const* const figure : {"outside_damaged", "outside_promised_bytes", "outside_staged_bytes"})
    expect(message.integer(figure).value_or(-1) == 0, table + ": " + figure + " in " + line);
}

void ExchangeLedger::take_bodies() {
  while (true) {
    Message message;
    std::string const line = ask("ACQUIRE table=post;queue=orders");
    expect(protocol::parse_line(line, message).ok(), line.substr(0, 200));
    if (message.command == "NOTHING") break;
    // Of equal ones, one that must be there.
    auto found = std::ranges::find(bodies_, std::pair{std::string{message.text("body")}, true});
    if (found == bodies_.end()) found = std::ranges::find(bodies_, std::pair{std::string{message.text("body")}, false});
    expect(found != bodies_.end(), "a message that nobody sent: " + line.substr(0, 200));
    bodies_.erase(found);
    std::string const accepted =
        ask(fmt::format("ACCEPT table=post;message={};epoch={}", message.text("message"), message.text("epoch")));
    expect(accepted.starts_with("ACCEPTED"), accepted);
  }
  for (auto const& [body, is_sure] : bodies_)
    expect(!is_sure, "a message of " + std::to_string(body.size()) + " bytes is gone");
  bodies_.clear();
}

}  // namespace fastjournal::sim
