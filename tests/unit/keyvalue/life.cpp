#include "tests/unit/keyvalue/life.h"

#include <map>
#include <random>
#include <set>
#include <utility>

#include "tests/unit/keyvalue/harness.h"
#include "tests/unit/keyvalue/reference.h"

namespace fastjournal::keyvalue::test {
namespace {

using fastjournal::test::Counts;
using fastjournal::test::expect;
using fastjournal::test::expect_right;

class Life {
 public:
  Life(std::uint64_t seed, Counts& counts) : random_(seed), table_(Texts{{"tombstone-keep", "10s"}}), counts_(counts) {}

  void step(std::uint64_t) {
    std::map<std::string, std::string> const before = reference_.states(table_.now.value);
    table_.alerts.changes.clear();
    expect_right(turn());
    expect_right(check_told(before, reference_.states(table_.now.value)));
  }
  void end() { expect(table_.replays(), "a replay has another digest"); }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool one_in(std::uint64_t n) { return draw(n) == 0; }
  std::string key() { return std::string(1, static_cast<char>('a' + draw(8))) + std::to_string(draw(3)); }

  // Whoever watches a key is told of each change of its value, whatever made it.
  std::string check_told(std::map<std::string, std::string> const& before,
                         std::map<std::string, std::string> const& after) {
    std::set<std::string> const told{table_.alerts.changes.begin(), table_.alerts.changes.end()};
    std::set<std::string> keys;
    for (auto const* states : {&before, &after})
      for (auto const& [key, state] : *states) keys.insert(key);
    for (std::string const& key : keys) {
      auto const was = before.find(key);
      auto const is = after.find(key);
      bool const is_same = was != before.end() && is != after.end() && was->second == is->second;
      if (!is_same && !told.contains(key)) return "the change of " + key + " was not told";
    }
    return reads_ && !told.empty() && before == after ? "a read was told as a change" : "";
  }

  std::string set_many() {
    std::set<std::string> keys;
    for (std::uint64_t left = 1 + draw(5); left > 0; --left) keys.insert(key());
    std::string const text(draw(40), 'p');
    std::string json;
    for (std::string const& one : keys) json.append(json.empty() ? "{\"" : ",\"").append(one + "\":\"" + text + "\"");
    Texts with{{"type", "string"}, {"value", text}};
    if (one_in(3)) with["overwrite"] = "0";
    if (one_in(4)) with["ttl"] = std::to_string(1 + draw(8'000));
    if (one_in(4))
      with["timestamp"] = std::to_string((table_.now.value - 5'000 + static_cast<std::int64_t>(draw(9'000))) * 1000);
    std::uint64_t const connection = 1 + draw(3);
    std::string const expected = reference_.set_many({keys.begin(), keys.end()}, with, connection);
    with["pairs"] = json + "}";
    with.erase("type");
    with.erase("value");
    Reply const reply = table_.run("SET", with, connection);
    std::string const got = reply.error().empty() ? reply.get("result") : reply.error();
    return got == expected ? "" : "SET of " + json + ": " + got + ", expected " + expected;
  }

  std::string turn() {
    reads_ = false;
    if (one_in(20)) return set_many();
    std::uint64_t const dice = draw(1000);
    if (dice < 860) return command();
    if (dice < 930) {
      table_.pass(static_cast<std::int64_t>(draw(one_in(4) ? 12'000 : 300)));
      return "";
    }
    if (dice < 935) {
      auto const ms = static_cast<std::int64_t>(draw(3'000));
      reference_.lose_time(ms);
      table_.lose(ms);
      return "";
    }
    if (dice < 950) {
      std::uint64_t const connection = 1 + draw(3);
      table_.close(connection);
      reference_.close(connection);
      return "";
    }
    if (dice < 970) return restart();
    if (dice < 985) {
      std::uint64_t const before = digest_of(*table_.table);
      // In parts, with commands between them: what was copied may end before the rest is copied. In a region of its own:
      // otherwise the copies are as old as what they copy, until the region is full.
      if (copied_below_.is_none()) {
        table_.log.skip(kOldestLsnGrain - table_.log.end().value % kOldestLsnGrain);
        copied_below_ = table_.log.end();
      }
      std::size_t const most = one_in(3) ? SIZE_MAX : 1 + draw(3);
      bool const is_over = table_.compact(copied_below_, 256 + draw(4096), most) < most;
      Lsn const below = is_over ? std::exchange(copied_below_, Lsn{}) : Lsn{};
      if (Lsn const oldest = table_.table->oldest_lsn(); !oldest.is_none() && oldest < below)
        return "what was compacted is still needed where it was";
      return digest_of(*table_.table) == before ? "" : "compaction changed something";
    }
    std::string const from = key();
    std::string const to = key();
    std::string const expected = reference_.keys(from, to);
    std::string const got = table_.keys({{"from", from}, {"to", to}});
    return got == expected ? "" : "keys from " + from + " to " + to + ": " + got + "and not " + expected;
  }

  std::string restart() {
    ++counts_["kills"];
    std::uint64_t const digest = digest_of(*table_.table);
    if (digest_of(*table_.replayed(table_.table->oldest_lsn().is_none() ? table_.log.end()
                                                                        : table_.table->oldest_lsn())) != digest)
      return "a replay from the oldest record has another digest";
    std::uint64_t const bytes = table_.table->live_bytes();
    table_.restart();
    if (table_.table->live_bytes() != bytes)
      return "the table has " + std::to_string(bytes) + " bytes, and its replay " +
             std::to_string(table_.table->live_bytes());
    reference_.close_all();
    copied_below_ = {};
    return "";
  }

  std::string command() {
    static constexpr char const* kCommands[] = {"SET", "SET",    "SET",   "GET",  "GET",    "DELETE",
                                                "ADD", "RENAME", "ALIAS", "LOCK", "UNLOCK", "TRUNCATE"};
    std::string const command = kCommands[draw(12)];
    reads_ = command == "GET" || command == "LOCK" || command == "UNLOCK";
    Texts with{{"key", key()}};
    if (command == "SET") {
      bool const is_text = !one_in(4);
      with["type"] = is_text ? "string" : "integer";
      with["value"] = is_text ? std::string(draw(one_in(20) ? 9'000 : 60), 'v') : std::to_string(draw(1000));
      if (one_in(6)) with["overwrite"] = "0";
      if (one_in(4)) with["ttl"] = std::to_string(1 + draw(8'000));
      if (one_in(2)) with["persist"] = "0";
    }
    if (command == "SET" || command == "DELETE")
      if (one_in(3))
        with["timestamp"] = std::to_string((table_.now.value - 5'000 + static_cast<std::int64_t>(draw(9'000))) * 1000);
    // Of two with the same timestamp the later one wins.
    if (std::int64_t const same = reference_.timestamp_of(with["key"]);
        with.contains("timestamp") && one_in(4) && same / 1000 > table_.now.value - 9'000)
      with["timestamp"] = std::to_string(same);
    if (command == "DELETE" && one_in(4)) with["complete"] = "1";
    if (command == "GET" && one_in(8)) with["ttl"] = std::to_string(draw(2) * (1 + draw(5'000)));
    if (command == "RENAME" || command == "ALIAS") {
      with["new_key"] = key();
      if (with["new_key"] == with["key"]) return "";
    }
    if (command == "RENAME" && one_in(2)) with["overwrite"] = "1";
    if (command == "LOCK") with["lock"] = std::to_string(1 + draw(5'000));
    if (command == "TRUNCATE") with["size"] = std::to_string(draw(one_in(8) ? 9'000 : 40));
    std::uint64_t const connection = 1 + draw(3);
    std::string const expected = reference_.run(command, with, connection);
    Reply const reply = table_.run(command, with, connection);
    std::string got = reply.error();
    if (got.empty() && command == "GET")
      got = reply.name() == "PAIR"
                ? "PAIR " + reply.get("type") + " " + reply.get("value") + " until " + reply.get("expiration_date")
                : reply.name();
    else if (got.empty())
      got = reply.get("result") == "-" ? reply.name() : reply.get("result");
    if (got == expected) return "";
    std::string text = command;
    for (auto const& [name, value] : with) text += " " + name + "=" + value.substr(0, 40);
    return text + ": " + got.substr(0, 80) + ", expected " + expected.substr(0, 80);
  }

  std::mt19937_64 random_;
  Harness table_;
  Reference reference_;
  Counts& counts_;
  Lsn copied_below_{};  // while what lies below is compacted; none: it is not
  bool reads_{false};   // this step
};

}  // namespace

fastjournal::test::LifeResult live(std::uint64_t seed, std::uint64_t steps) {
  return fastjournal::test::live<Life>(seed, steps);
}

}  // namespace fastjournal::keyvalue::test
