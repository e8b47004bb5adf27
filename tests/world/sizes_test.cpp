// Sizes of 0, 1 and around the limits in every parameter of every command of the table types, in and out of transactions,
// from several connections at one time, and in each way in which a blob comes: whatever a client sends is answered, or its
// connection ends, and no invariant breaks. Empty blobs beside others are cases of their own, as they once ended the
// daemon: an empty value begins where the next one does. FJ_SEED chooses the first life, FJ_LIVES how many.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/types.h"
#include "tests/support/seed.h"
#include "tests/world/asking.h"
#include "tests/world/exchange_ways.h"
#include "wire/bcdb/packet.h"
#include "wire/text.h"

namespace fastjournal::sim::sizes_test {
namespace {

constexpr char kSizesWeb[] = "127.0.0.1:4080";
constexpr char kSizesWriter[] = "127.0.0.1:4071";
constexpr std::size_t kClients = 6;

struct Daemon : Asking {
  explicit Daemon(std::uint64_t seed = 7) : Asking(seed) {
    for (char const* const name : {"world/tables/exchanged", "world/tables/spilling", "transcripts/jobs",
                                   "transcripts/values", "transcripts/post", "transcripts/docs"})
      BOOST_REQUIRE(world.add_table(std::string{FJ_SOURCE_DIR "/tests/"} + name + ".xml").ok());
    access::ListenDeclaration web{.address = kSizesWeb, .rights = {Right::read, Right::add}};
    web.protocol = "http";
    access::ListenDeclaration writer{.address = kSizesWriter, .rights = {Right::read, Right::add}};
    writer.protocol = "blobwrite";
    writer.table = "exchanged";
    world.own_listeners = {web, writer};
    start();
  }
  // What comes in this way, on a connection of its own.
  void begin(std::string const& client, Way way, std::string const& key, std::string const& bytes) {
    world.drop(client);
    if (door_of(way) != Door::messages) world.come_by(client, door_of(way) == Door::http ? kSizesWeb : kSizesWriter);
    Script const script = script_of({way, "exchanged", key, "1:" + hex(key) + ":01", bytes});
    for (std::string const& part : script.parts) world.connection(client).to_server += part;
    world.connection(client).end_of_input = script.ends_input;
  }
  static std::string hex(std::string const& key) {
    std::string out;
    for (char const c : key) out += {"0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};
    return out;
  }
  Outcome end(std::string const& client, Way way) {
    world.settle();
    SimNetwork::Connection const& connection = world.connection(client);
    return outcome_of(way, connection.to_client, connection.closed_by_server || connection.ended);
  }
  std::string bytes_of(std::string const& key) {
    return shown_by_line(ask("reader", "GET table=exchanged;key=" + key + ";data=1"), "data").value_or(Shown{}).bytes;
  }
};

// In any order of the two, as which is first decides.
void put_at_one_time(Way one, Way other) {
  for (bool const is_turned : {false, true}) {
    Daemon daemon;
    std::string const bytes(3'000, 'b');
    for (int round = 0; round < 20; ++round) {
      if (is_turned) daemon.begin("other", other, "large", bytes);
      daemon.begin("one", one, "empty", "");
      if (!is_turned) daemon.begin("other", other, "large", bytes);
      auto const is_good = [&](Way way, Outcome const& outcome) {
        return outcome.kind == (way == Way::packets_1 ? Outcome::Kind::over : Outcome::Kind::stored);
      };
      BOOST_REQUIRE(is_good(one, daemon.end("one", one)));
      BOOST_REQUIRE(is_good(other, daemon.end("other", other)));
      BOOST_REQUIRE(daemon.bytes_of("large") == bytes);
    }
    daemon.world.power_cut();
    daemon.start();
    BOOST_TEST((daemon.bytes_of("large") == bytes));
  }
}

// Commands of all types with parameters of all sizes. What answers tell (rows, tokens, epochs, ...) comes back in commands.
class Fuzz {
 public:
  explicit Fuzz(std::uint64_t seed) : random_(seed), daemon_(seed) {}

  void live(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t client = 0; client < kClients; ++client)
        for (std::uint64_t count = 1 + draw(4); count > 0; --count) send("c" + std::to_string(client));
      for (std::uint64_t turns = draw(6); turns > 0; --turns) daemon_.world.turn();
      if (draw(10) == 0) leave("c" + std::to_string(draw(kClients)));
      put_blob();
      daemon_.world.settle();
      BOOST_REQUIRE_MESSAGE(daemon_.world.fatal_error().ok(), daemon_.world.fatal_error().text());
      for (std::size_t client = 0; client < kClients; ++client) take("c" + std::to_string(client));
      if (draw(8) == 0) daemon_.world.advance(DurationMs{static_cast<std::int64_t>(draw(70'000))});
      if (draw(40) == 0) restart();
    }
  }
  std::map<std::string, std::uint64_t> answers;  // by their first word
  std::uint64_t commands{0};

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  void send(std::string const& client) {
    std::string const request = "q" + std::to_string(++commands);
    std::string line = command(client) + ";request=" + request;
    sent_[client].emplace_back(request, line.substr(0, 300));
    daemon_.world.send(client, line);
  }
  std::string command(std::string const& client) {
    std::uint64_t const dice = draw(10);
    if (dice == 0) {
      static constexpr char const* kEnds[] = {"BEGIN timeout=60000", "COMMIT x=", "ROLLBACK x="};
      return kEnds[draw(std::size(kEnds))];
    }
    if (dice == 1) {
      static constexpr char const* kSteps[] = {"XA_START", "XA_END", "XA_PREPARE", "XA_COMMIT", "XA_ROLLBACK"};
      return std::string{kSteps[draw(std::size(kSteps))]} + " xid=1:" + Daemon::hex(client) + ":0" +
             std::to_string(draw(3));
    }
    static constexpr std::pair<char const*, char const*> kTables[] = {{"exchanged", "blob"}, {"spilling", "journal"},
                                                                      {"jobs", "journal"},   {"values", "keyvalue"},
                                                                      {"post", "queue"},     {"docs", "pipeline"}};
    auto const& [table, type] = kTables[draw(std::size(kTables))];
    auto const& all = daemon_.world.types().find(type)->second->declaration()->commands;
    return parameters(table, all[draw(all.size())]);
  }
  std::string parameters(std::string const& table, CommandDeclaration const& declared) {
    std::string out = declared.name + " table=" + table;
    std::uint64_t const more = draw(3);
    for (ParameterDeclaration const& one : declared.parameters) {
      // Whoever waits is answered later.
      if (one.name == "table" || one.name == "wait") continue;
      if (draw(10) < (one.required ? 9U : more)) out += ";" + one.name + "=" + value(one.name, one.type);
    }
    if (!declared.takes_columns) return out;
    for (char const* const column : {"name", "payload"})
      if (draw(4) != 0) out += std::string{";"} + column + "=" + value(column, "string");
    return out;
  }

  std::string value(std::string const& name, std::string const& type) {
    auto const known = known_.find(name);
    if (known != known_.end() && draw(2) == 0) return known->second[draw(known->second.size())];
    if (type == "string" || draw(20) == 0) return text();
    static constexpr char const* kNumbers[] = {"",
                                               "0",
                                               "1",
                                               "-1",
                                               "2",
                                               "1000",
                                               "1001",
                                               "65535",
                                               "65536",
                                               "4294967295",
                                               "9223372036854775807",
                                               "-9223372036854775808"};
    return kNumbers[draw(draw(3) == 0 ? std::size(kNumbers) : 6)];
  }
  std::string text() {
    static constexpr char const* kNames[] = {"a", "b", "orders", "*", "#", "index", "publish", "pages", "{}", "[]"};
    static constexpr std::size_t kSizes[] = {0,      0,      0,      1,      1,      4,      127,    128,
                                             129,    255,    256,    1'000,  1'024,  1'025,  16'383, 16'384,
                                             16'385, 65'532, 65'536, 65'540, 87'380, 87'384, 87'388, 200'000};
    if (draw(3) != 0) return kNames[draw(std::size(kNames))];
    std::size_t const small = std::size(kSizes) - (draw(4) == 0 ? 0 : 10);
    return std::string(kSizes[draw(small)], "aAx0"[draw(4)]);
  }

  void put_blob() {
    static constexpr Way kWays[] = {Way::line,        Way::frame,        Way::packets_1, Way::packets_2,
                                    Way::http_length, Way::http_chunked, Way::whole,     Way::commit,
                                    Way::roll_back,   Way::row,          Way::body};
    static constexpr std::size_t kSizes[] = {0, 0, 1, 1, 2, 8, 65'535, 65'536, 65'537, 655'360, 655'361};
    Way const way = kWays[draw(std::size(kWays))];
    bool const is_line = way == Way::whole || way == Way::commit || way == Way::roll_back;
    std::size_t const size = kSizes[draw(std::size(kSizes) - (is_line || draw(5) != 0 ? 2 : 0))];
    std::string const client =
        std::string{"mwh"[static_cast<std::size_t>(door_of(way))]} + "blob" + std::to_string(draw(3));
    daemon_.begin(client, way, "k" + std::to_string(draw(3)), std::string(size, 'v'));
    if (draw(4) == 0) return;
    bool const is_over = daemon_.end(client, way).kind != Outcome::Kind::none;
    BOOST_REQUIRE_MESSAGE(is_over, kWayNames[static_cast<std::size_t>(way)]
                                       << " of " << size << " bytes is not answered but by "
                                       << daemon_.world.connection(client).to_client.substr(0, 300));
  }

  // Each request has its answer, or the connection has ended.
  void take(std::string const& client) {
    std::vector<std::pair<std::string, std::string>> sent = std::exchange(sent_[client], {});
    std::size_t unread = 0;
    while (std::optional<std::string> const line = daemon_.world.take_line(client)) {
      Message message;
      BOOST_REQUIRE_MESSAGE(protocol::parse_line(*line, message).ok(), line->substr(0, 200));
      ++answers[std::string{message.command}];
      if (message.command == "INVALID") ++unread;
      for (Param const& param : message.params()) remember(param);
      std::erase_if(sent, [&](auto const& one) { return one.first == message.text("request"); });
    }
    BOOST_REQUIRE_MESSAGE(sent.size() <= unread || daemon_.world.is_closed(client),
                          "no answer to " << (sent.empty() ? "" : sent.front().second));
    if (daemon_.world.is_closed(client)) daemon_.world.drop(client);
  }
  void remember(Param const& param) {
    if (param.name == "request" || param.value.bytes.size() > 100) return;
    std::string const text{param.value.bytes};
    if (text.find_first_of("\";=\n\\") != std::string::npos) return;
    std::vector<std::string>& known = known_[std::string{param.name}];
    if (known.size() < 8) known.emplace_back();
    known[draw(known.size())] = text;
  }
  void leave(std::string const& client) {
    daemon_.world.drop(client);
    sent_.erase(client);
  }
  void restart() {
    if (draw(2) == 0)
      daemon_.world.power_cut();
    else
      daemon_.world.kill();
    daemon_.start();
  }

  std::mt19937_64 random_;
  Daemon daemon_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> sent_;  // requests and their lines
  std::map<std::string, std::vector<std::string>> known_;                         // values by the names of parameters
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sizes)

BOOST_AUTO_TEST_CASE(an_empty_blob_beside_another_one_ends_nothing) {
  put_at_one_time(Way::http_length, Way::http_length);
  put_at_one_time(Way::packets_1, Way::packets_1);
  put_at_one_time(Way::http_chunked, Way::packets_2);
  put_at_one_time(Way::line, Way::frame);
  put_at_one_time(Way::commit, Way::http_length);
}

BOOST_FIXTURE_TEST_CASE(an_empty_blob_of_a_transaction_takes_nothing_with_it, Daemon) {
  BOOST_TEST(ask("BEGIN").starts_with("BEGUN"));
  BOOST_TEST(ask("PUT table=exchanged;key=empty;data=").starts_with("PROMISED"));
  BOOST_TEST(ask("other", "BEGIN").starts_with("BEGUN"));
  BOOST_TEST(ask("other", "PUT table=exchanged;key=three;data=YWJj").starts_with("PROMISED"));
  BOOST_TEST(ask("ROLLBACK").starts_with("ROLLED_BACK"));
  BOOST_TEST(ask("other", "COMMIT").starts_with("COMMITTED"));
  BOOST_TEST(bytes_of("three") == "abc");
}

BOOST_FIXTURE_TEST_CASE(an_empty_blob_and_another_one_in_one_transaction, Daemon) {
  std::string const line =
      R"(TRANSACTION commands="[{\"command\":\"PUT\",\"table\":\"exchanged\",\"key\":\"empty\",\"data\":\"\"},)"
      R"({\"command\":\"PUT\",\"table\":\"exchanged\",\"key\":\"three\",\"data\":\"YWJj\"}]")";
  BOOST_TEST(ask(line).starts_with("COMMITTED"));
  BOOST_TEST(bytes_of("three") == "abc");
}

// The connection of the empty one, or of the other, ends while both are on their way.
BOOST_AUTO_TEST_CASE(a_connection_that_ends_beside_an_empty_blob) {
  for (int turns = 0; turns < 12; ++turns)
    for (Way const way : {Way::http_length, Way::packets_1, Way::line}) {
      Daemon daemon;
      std::string const bytes(3'000, 'b');
      daemon.begin("one", way, "empty", "");
      daemon.begin("other", Way::http_chunked, "large", bytes);
      for (int turn = 0; turn < turns; ++turn) daemon.world.turn();
      daemon.world.drop("one");
      BOOST_REQUIRE(daemon.end("other", Way::http_chunked).kind == Outcome::Kind::stored);
      BOOST_TEST((daemon.bytes_of("large") == bytes));
    }
}

BOOST_AUTO_TEST_CASE(commands_of_any_sizes_are_answered) {
  std::uint64_t const seed = test::seed_or(1);
  for (std::uint64_t life = 0; life < test::number_from("FJ_LIVES", 4); ++life) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed + life << " FJ_LIVES=1") {
      Fuzz fuzz{seed + life};
      fuzz.live(300);
      std::string said = std::to_string(fuzz.commands) + " commands:";
      for (auto const& [word, count] : fuzz.answers) said += " " + word + " " + std::to_string(count);
      BOOST_TEST_MESSAGE(said);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::sizes_test
