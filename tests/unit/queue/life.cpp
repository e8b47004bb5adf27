#include "tests/unit/queue/life.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/unit/queue/harness.h"
#include "tests/unit/queue/reference.h"

namespace fastjournal::queue::test {
namespace {

using fastjournal::test::Counts;
using fastjournal::test::expect;
using fastjournal::test::expect_right;

class Life {
 public:
  Life(std::uint64_t seed, Counts& counts)
      : random_(seed), by_number_(one_in(2)), counts_messages_(seed % 3 != 0), table_(options()), counts_(counts) {
    reference_.now = table_.now.value;
    reference_.by_number = by_number_;
    reference_.counts = counts_messages_;
  }

  void step(std::uint64_t number) {
    expect_right(turn());
    if (number % 16 == 0) expect_right(check());
  }
  void end() { expect(table_.replays(), "a replay has another digest"); }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool one_in(std::uint64_t n) { return draw(n) == 0; }
  [[nodiscard]] Texts options() const {
    return {{"max-deliveries", std::to_string(Reference::kMaxDeliveries)},
            {"priorities", "32"},
            {"order", by_number_ ? "number" : "date"},
            {"message-counts", counts_messages_ ? "true" : "false"}};
  }
  std::string queue() { return std::string(1, static_cast<char>('a' + draw(5))); }
  std::string exchange() { return std::string(1, static_cast<char>('x' + draw(3))); }
  // On both sides of what is in a row's header.
  std::string priority() {
    return std::to_string(one_in(2) ? 99 + draw(3) : one_in(2) ? 254 + draw(4) : random_() >> 32U);
  }
  std::string routing_key() {
    static constexpr char const* kKeys[] = {"r", "s", "*", "#", "#.r", "r.#.s", "*.#.r.#"};
    return kKeys[draw(7)];
  }

  // The file says another order.
  void reload() {
    by_number_ = !by_number_;
    reference_.by_number = by_number_;
    table_.fastjournal::test::TableHarness<QueueTable>::take(declare(options()));
    table_.pass(0);
    reference_.pass(table_.now.value);
  }

  std::string turn() {
    if (one_in(150)) reload();
    std::uint64_t const dice = draw(1000);
    if (dice < 900) return command();
    if (dice < 950) {
      // Now and then about as long as deduplications last.
      auto const ms = static_cast<std::int64_t>(draw(one_in(12) ? 320'000 : one_in(4) ? 4'000 : 200));
      table_.pass(ms);
      reference_.pass(table_.now.value);
      return "";
    }
    if (dice < 965) {
      std::uint64_t const connection = 1 + draw(3);
      table_.close(connection);
      table_.pass(0);
      reference_.close(connection);
      return "";
    }
    if (dice < 975) return restart();
    std::uint64_t const before = digest_of(*table_.table);
    // In parts, with commands between them: what was copied may end before the rest of what belongs to it is copied. In a
    // region of its own: otherwise the copies are as old as what they copy, until the region is full.
    if (copied_below_.is_none()) {
      table_.log.skip(kOldestLsnGrain - table_.log.end().value % kOldestLsnGrain);
      copied_below_ = table_.log.end();
    }
    std::size_t const most = one_in(3) ? SIZE_MAX : 1 + draw(3);
    bool const is_over = table_.compact(copied_below_, 1'024 + draw(4'096), most) < most;
    Lsn const below = is_over ? std::exchange(copied_below_, Lsn{}) : Lsn{};
    if (Lsn const oldest = table_.table->oldest_lsn(); !oldest.is_none() && oldest < below)
      return "what was compacted is still needed where it was";
    return digest_of(*table_.table) == before ? "" : "compaction changed something";
  }

  // Now and then in the middle of what goes on without a command: the messages of a queue that was removed.
  std::string restart() {
    ++counts_["kills"];
    std::uint64_t const digest = digest_of(*table_.table);
    Lsn const oldest = table_.table->oldest_lsn().is_none() ? table_.log.end() : table_.table->oldest_lsn();
    if (digest_of(*table_.replayed(oldest)) != digest) return "a replay from the oldest record has another digest";
    std::uint64_t const bytes = table_.table->live_bytes();
    std::uint64_t const replayed = table_.replayed(oldest)->live_bytes();
    auto const down = static_cast<std::int64_t>(draw(20));
    std::int64_t const from = table_.now.value + down;
    bool const is_back = one_in(4);
    std::int64_t const to = from - 1 - static_cast<std::int64_t>(draw(one_in(3) ? 400'000 : 600));
    table_.restart(down, is_back ? TimeMs{to} : TimeMs::max());
    if (replayed < bytes)
      return "the table has " + std::to_string(bytes) + " bytes, and its replay " + std::to_string(replayed);
    if (is_back) reference_.lower_clock(from, to);
    reference_.restart();
    reference_.pass(table_.now.value);
    return table_.alerts.extents_wrong == 0 ? "" : "extents were told wrongly";
  }

  std::string check() {
    std::set<std::string> shared_bodies;
    Reply const all = table_.run("BROWSE", {{"count", "1000"}});
    for (std::size_t i = 0; i < all.messages.size(); ++i)
      if (all.get("origin", i) != "-") shared_bodies.insert(all.get("origin", i));
    SharedBodies const& kept = table_.table->shared().shared_bodies;
    if (all.get("after", all.messages.size() - 1) == "-" && kept.size() != shared_bodies.size())
      return std::to_string(kept.size()) + " letters are kept, and messages name " +
             std::to_string(shared_bodies.size());
    if (kept.idle() > 0) return std::to_string(kept.idle()) + " letters are kept that no message names";
    for (std::string const& name : reference_.queues()) {
      std::string got;
      Reply const reply = table_.run("BROWSE", {{"queue", name}, {"body", "1"}, {"count", "1000"}});
      for (std::size_t i = 0; i < reply.messages.size(); ++i) {
        if (reply.name(i) != "MESSAGE") continue;
        std::string const status = reply.get("status", i);
        got += reply.get("body", i) + (status == "parked"     ? "!"
                                       : status == "acquired" ? "*"
                                       : status == "behind"   ? "~"
                                                              : "");
        for (std::string const fact : {"priority", "lease", "leases", "returns", "parkings", "kicks", "timeouts"})
          got += "/" + reply.get(fact, i);
        got += " ";
      }
      std::string const expected = reference_.state_of(name);
      if (got != expected) return "queue " + name + " has " + got + ", expected " + expected;
      Reply const its = table_.run("QUEUES", {{"queue", name}});
      std::string options;
      for (std::string const option : {"delay", "max_message_bytes", "properties", "made_date", "changed_date"})
        options += (options.empty() ? "" : "/") + its.get(option);
      if (options != reference_.options_of(name))
        return "queue " + name + " has options " + options + ", expected " + reference_.options_of(name);
      std::string const count = table_.run("COUNT", {{"queue", name}}).get("count");
      if (count != std::to_string(std::ranges::count(expected, ' ')))
        return "queue " + name + " has a count of " + count + ", expected that of " + expected;
    }
    return "";
  }

  std::string command() {
    static constexpr char const* kCommands[] = {
        "SEND",    "SEND", "SEND",   "SEND",   "SEND",  "ACQUIRE", "ACQUIRE", "ACCEPT", "RELEASE", "RELEASE", "REJECT",
        "DECLARE", "BIND", "UNBIND", "REMOVE", "PURGE", "MOVE",    "KICK",    "PARK",   "DELETE",  "PAUSE",   "RESUME"};
    std::string const command = kCommands[draw(one_in(3) ? 22 : 11)];
    std::uint64_t const connection = 1 + draw(3);
    Texts with;
    if (command == "SEND") {
      with["body"] = "m" + std::to_string(++sent_) + std::string(draw(one_in(10) ? 300 : 9), '.');
      if (one_in(2)) {
        with["exchange"] = exchange();
        static constexpr char const* kRoutes[] = {"r", "s", "r", "s", "r.s", "r.s.r", "s.r.s"};
        with["routing_key"] = kRoutes[draw(7)];
      } else {
        with["queue"] = queue();
        if (one_in(4)) with["deduplication"] = "d" + std::to_string(draw(6));
      }
      if (one_in(4)) with["priority"] = priority();
      if (one_in(3)) with["group"] = one_in(2) ? "g" : "h";
      if (one_in(5)) with["lease"] = std::to_string(1 + draw(one_in(2) ? 300 : 100'000'000));
      if (one_in(6)) with["process_date"] = "+" + std::to_string(draw(500));
    } else if (command == "ACQUIRE") {
      with["count"] = std::to_string(1 + draw(3));
      if (one_in(4))
        with["queues"] = queue() + " " + queue();
      else if (one_in(8) && !leased_.empty())
        with["message"] = leased_[draw(leased_.size())].first;
      else
        with["queue"] = queue();
      if (!one_in(4)) with["lease"] = std::to_string(one_in(3) ? 1 + draw(500) : 1'000'000);
      if (one_in(8)) with["accept"] = "1";
    } else if (command == "PAUSE" || command == "RESUME") {
      with["queue"] = queue();
      if (command == "PAUSE" && !one_in(4)) with["until"] = "+" + std::to_string(1 + draw(800));
    } else if (command == "KICK" && one_in(2)) {
      with = {{"queue", queue()}, {"count", std::to_string(1 + draw(4))}};
    } else if (command == "ACCEPT" || command == "RELEASE" || command == "REJECT" || command == "KICK" ||
               command == "PARK" || command == "DELETE") {
      if (leased_.empty()) return "";
      auto const& [message, epoch] = leased_[leased_.size() - 1 - draw(std::min<std::size_t>(leased_.size(), 6))];
      with["message"] = message;
      if (command != "KICK" && command != "DELETE") with["epoch"] = epoch;
      static constexpr char const* kStates[] = {"waiting", "acquired", "parked"};
      if (command == "KICK" && one_in(3)) with["status"] = kStates[draw(3)];
      if ((command == "RELEASE" || command == "PARK") && one_in(4)) with["priority"] = priority();
      if (command == "RELEASE" && one_in(2)) with["error"] = "no";
      if ((command == "RELEASE" || command == "REJECT") && one_in(4)) with["error_trace"] = std::string(draw(400), 't');
      if (command == "RELEASE" && one_in(5)) with["process_date"] = "+" + std::to_string(draw(300));
    } else if (command == "DECLARE" && one_in(3)) {
      with = {{"exchange", exchange()}, {"kind", one_in(3) ? "direct" : one_in(2) ? "fanout" : "topic"}};
    } else if (command == "DECLARE") {
      with["queue"] = queue();
      if (one_in(3)) with["dead_letters"] = queue();
      if (one_in(4)) with["max_deliveries"] = std::to_string(draw(4));
      if (one_in(4)) with["max_messages"] = std::to_string(draw(2) * (1 + draw(9)));
      if (one_in(6)) with["max_bytes"] = std::to_string(draw(2) * (20 + draw(90)));
      if (one_in(3)) with["when_full"] = one_in(2) ? "drop" : "refuse";
      if (one_in(8)) with["expires"] = std::to_string(draw(2) * (1 + draw(3'000)));
      if (one_in(6)) with["lease"] = std::to_string(draw(2) * (1 + draw(600)));
      if (one_in(6)) with["delay"] = std::to_string(draw(2) * (1 + draw(400)));
      if (one_in(8)) with["max_message_bytes"] = std::to_string(draw(2) * (5 + draw(60)));
      if (one_in(8))
        with["properties"] = one_in(3) ? "" : R"({"a":")" + std::string(draw(one_in(5) ? 8'000 : 40), 'p') + "\"}";
      if (one_in(8)) with["temporary"] = "1";
    } else if (command == "BIND" || command == "UNBIND") {
      with = {{"exchange", exchange()}, {"queue", queue()}, {"routing_key", routing_key()}};
      if (command == "BIND" && one_in(3)) with["declare"] = "1";
      if (command == "BIND" && one_in(8)) with["temporary"] = "1";
    } else if (command == "REMOVE") {
      with[one_in(3) ? "exchange" : "queue"] = queue();
      if (with.contains("exchange")) with["exchange"] = exchange();
    } else {
      with["queue"] = queue();
      if (command == "MOVE" && !one_in(3)) with["to"] = queue();
    }
    std::string const expected = reference_.run(command, with, connection);
    Reply const reply = table_.run(command, with, connection);
    if (command == "SEND" && reply.get("result") == "sent" && with.contains("deduplication"))
      serials_[reply.get("message")] = reference_.last_sent();
    std::string const got = shown(command, reply);
    std::string text = command;
    for (auto const& [name, value] : with) text += " " + name + "=" + value.substr(0, 40);
    if (got != expected) return text + ": " + got.substr(0, 200) + ", expected " + expected.substr(0, 200);
    if (command == "ACQUIRE" && !with.contains("accept"))
      for (std::size_t i = 0; i < reference_.handed_out().size(); ++i) {
        leased_.emplace_back(reply.get("message", i), reply.get("epoch", i));
        reference_.name(reference_.handed_out()[i], reply.get("message", i), reply.get("epoch", i));
      }
    // What follows a command without another one.
    table_.pass(0);
    reference_.pass(table_.now.value);
    return "";
  }

  std::string shown(std::string const& command, Reply const& reply) {
    if (!reply.status.ok()) return reply.error();
    if (command == "SEND" && reply.get("result") == "duplicate") {
      ++counts_["duplicates"];
      return "SENT duplicate of " + std::to_string(serials_[reply.get("message")]);
    }
    if (command == "SEND") return "SENT " + reply.get("queues");
    if (command == "PURGE" || command == "MOVE" || (command == "KICK" && reply.get("count") != "-"))
      return reply.name() + " " + reply.get("count");
    if (command == "DECLARE" || command == "BIND" || command == "PAUSE" || command == "RESUME")
      return reply.name() + " " + reply.get("result");
    if (command != "ACQUIRE" || reply.name() == "NOTHING") return reply.name();
    std::string out;
    for (std::size_t i = 0; i < reply.messages.size(); ++i)
      out += "MESSAGE " + reply.get("body", i) + " " + reply.get("deliveries", i) +
             (reply.get("redelivered", i) == "1" ? " again " : " ") +
             (reply.get("dead_of", i) == "-" ? "" : reply.get("dead_of", i)) + ",";
    return out;
  }

  std::mt19937_64 random_;
  bool by_number_;
  bool counts_messages_;
  Harness table_;
  Reference reference_;
  std::vector<std::pair<std::string, std::string>> leased_;
  std::map<std::string, std::uint64_t> serials_;  // of messages with a deduplication, by number
  Lsn copied_below_{};                            // none: nothing is being copied
  std::uint64_t sent_{0};
  Counts& counts_;
};

}  // namespace

std::string start_amid_copies() {
  for (bool const ends_first : {true, false}) {
    bool is_part = true;
    for (std::size_t steps = 1; is_part; ++steps) {
      Harness table;
      for (std::string const queue : {"a", "b"}) table.make(queue);
      table.exchange("e", "fanout");
      for (std::string const queue : {"a", "b"}) table.bind("e", queue);
      table.publish("e", "", "shared");
      table.log.skip(kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
      Lsn const below = table.log.end();
      is_part = table.compact(below, 64, steps) == steps;
      table.run("ACQUIRE", {{"queue", ends_first ? "a" : "b"}, {"accept", "1"}});
      if (is_part) table.compact(below, 64);
      std::string const after = "after " + std::to_string(steps) + " steps of copying and a start";
      if (table.table->oldest_lsn() < below) return after + ": the log begins before the copies";
      table.restart();
      std::string const body = table.take(ends_first ? "b" : "a").get("body");
      if (body != "shared") return after + ": the body of the message that is left is " + body;
      if (table.table->shared().shared_bodies.idle() != 0) return after + ": a letter that nobody names is there";
    }
  }
  return {};
}

fastjournal::test::LifeResult live(std::uint64_t seed, std::uint64_t steps) {
  return fastjournal::test::live<Life>(seed, steps);
}

}  // namespace fastjournal::queue::test
