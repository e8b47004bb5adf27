// Values outside the log in transactions, where a transcript cannot show it: commands that are sent without waiting, large
// values, a full disk, a log that stops to serve, RELOAD, and the other tables that have values in files.
#include <boost/test/unit_test.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/world/asking.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::transaction_bytes_test {
namespace {

bool says(std::string const& line, std::string_view what) { return line.find(what) != std::string::npos; }

// Base64 of some bytes.
std::string letters(std::size_t count, char letter = 'a') { return std::string(count / 4 * 4, letter); }

struct Daemon : Asking {
  Daemon() {
    for (char const* const name : {"world/tables/blobs", "transcripts/images", "transcripts/values",
                                   "world/tables/spilling", "transcripts/post"})
      BOOST_REQUIRE(world.add_table(std::string{FJ_SOURCE_DIR "/tests/"} + name + ".xml").ok());
  }
  std::vector<std::string> lines(std::string const& name = "main") {
    world.settle();
    std::vector<std::string> out;
    while (std::optional<std::string> line = world.take_line(name)) out.push_back(*line);
    return out;
  }
  std::vector<std::string> all(std::string const& line) {
    world.send("main", line);
    return lines();
  }
  std::string one(std::string const& line) {
    std::vector<std::string> const out = all(line);
    return out.empty() ? "(nothing)" : out.front();
  }
  std::string data(std::string const& key, std::string const& table = "blobs") {
    Message message;
    std::string const line = ask("reader", "GET table=" + table + ";key=" + key + ";data=1");
    if (!protocol::parse_line(line, message).ok() || message.text("result") == "absent") return "";
    return std::string{message.text("data")};
  }
  std::int64_t of_table(std::string const& table, std::string const& figure) {
    Message message;
    std::string const line = ask("reader", "STATS table=" + table);
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    return message.integer(figure).value_or(0);
  }
  std::int64_t promised(std::string const& table = "blobs") { return of_table(table, "outside_promised_bytes"); }
  // In a line of text: quotes are escaped.
  static std::string json(std::vector<std::string> const& commands) {
    std::string out = "TRANSACTION commands=\"[";
    for (std::string const& line : commands) {
      Message command;
      BOOST_REQUIRE(protocol::parse_line(line, command).ok());
      out += out.back() == '[' ? "{" : ",{";
      out += R"(\"command\":\")" + std::string{command.command} + R"(\")";
      for (Param const& param : command.params())
        out += R"(,\")" + std::string{param.name} + R"(\":\")" + std::string{param.value.bytes} + R"(\")";
      out += "}";
    }
    return out + "]\"";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(transaction_bytes, Daemon)

BOOST_AUTO_TEST_CASE(whoever_sends_all_at_once_is_answered_in_order) {
  start();
  std::string const large = letters(200'000);
  for (std::string const& line :
       {std::string{"BEGIN"}, "PUT table=blobs;key=a;data=" + letters(40), "PUT table=blobs;key=b;data=" + large,
        std::string{"ADD table=values;key=n"}, std::string{"COMMIT"}, std::string{"GET table=blobs;key=b"}})
    world.send("main", line);
  std::vector<std::string> const got = lines();
  BOOST_REQUIRE_EQUAL(got.size(), 9U);
  for (std::size_t i = 0; i < got.size(); ++i) {
    constexpr std::array<char const*, 9> kHeads{"BEGUN",  "PROMISED", "PROMISED", "PROMISED", "COMMITTED",
                                                "STORED", "STORED",   "STORED",   "BLOB"};
    BOOST_TEST(got[i].starts_with(kHeads[i]), got[i].substr(0, 200));
  }
  BOOST_TEST(data("b") == large);
  world.power_cut();
  start();
  BOOST_TEST(data("b") == large);
  BOOST_TEST(data("a") == letters(40));
}

// A refusal in the middle: nothing behind it is stored.
BOOST_AUTO_TEST_CASE(what_comes_behind_a_refusal_is_not_stored) {
  start();
  for (std::string const& line :
       {std::string{"BEGIN"}, "PUT table=blobs;key=a;data=" + letters(80'000), std::string{"PUT table=blobs;key=x"},
        "PUT table=blobs;key=b;data=" + letters(80'000), std::string{"COMMIT"}})
    world.send("main", line);
  std::vector<std::string> const got = lines();
  BOOST_REQUIRE_EQUAL(got.size(), 5U);
  BOOST_TEST(says(got[2], "missing_parameter"));
  BOOST_TEST(says(got[3], "code=rolled_back"));
  BOOST_TEST(says(got[4], "code=rolled_back"));
  BOOST_TEST(data("a").empty());
  BOOST_TEST(promised() == 0);
  BOOST_TEST(of_table("blobs", "outside_stored_bytes") == 60'000);
}

BOOST_AUTO_TEST_CASE(the_connection_is_lost_while_its_bytes_are_stored) {
  start();
  world.send("main", "BEGIN");
  world.send("main", "PUT table=blobs;key=a;data=" + letters(80'000));
  world.send("main", "PUT table=blobs;key=b;data=" + letters(80'000));
  world.close("main");
  world.settle();
  BOOST_TEST(promised() == 0);
  BOOST_TEST(data("a").empty());
  BOOST_TEST(says(ask("other", "PUT table=blobs;key=a;data=" + letters(40)), "STORED"));
}

BOOST_AUTO_TEST_CASE(a_transaction_in_one_message_has_its_values_stored_in_all_tables_first) {
  start();
  std::string const row = letters(20'000, 'r');
  std::string const body = letters(300'000, 'b');
  std::vector<std::string> const commands{
      "PUT table=blobs;key=a;data=" + letters(40), "INSERT table=spilling;name=s;payload=" + row,
      "PUT table=images;key=i;data=" + letters(100'000), "SEND table=post;queue=orders;body=" + body,
      "SET table=values;key=k;value=v"};
  std::vector<std::string> got = all(json(commands));
  BOOST_REQUIRE_EQUAL(got.size(), 6U);
  BOOST_TEST(says(got[0], "COMMITTED"), got[0]);
  world.power_cut();
  start();
  BOOST_TEST(data("a") == letters(40));
  BOOST_TEST(data("i", "images") == letters(100'000));
  BOOST_TEST(says(one("PEEK table=spilling;name=s"), "payload=" + row));
  BOOST_TEST(says(one("ACQUIRE table=post;queue=orders"), "body=" + body));
  for (char const* const table : {"blobs", "images", "spilling", "post"}) BOOST_TEST(promised(table) == 0, table);
  BOOST_TEST(of_table("spilling", "outside_named_bytes") == 20'000);
  BOOST_TEST(of_table("post", "outside_named_bytes") == 300'000);
  // Refused by its last command: nothing is done, and nothing is left.
  std::vector<std::string> refused = commands;
  refused.push_back("SET table=values;key=k;value=v;if_value=w");
  got = all(json(refused));
  BOOST_REQUIRE_EQUAL(got.size(), 1U);
  BOOST_TEST(says(got[0], "op=6"), got[0]);
  for (char const* const table : {"blobs", "images", "spilling", "post"}) BOOST_TEST(promised(table) == 0, table);
  BOOST_TEST(of_table("spilling", "outside_named_bytes") == 20'000);
  // It is answered before what is sent behind it.
  world.send("main", json(commands));
  world.send("main", "GET table=values;key=k");
  got = lines();
  BOOST_REQUIRE_EQUAL(got.size(), 7U);
  BOOST_TEST(says(got[0], "COMMITTED"));
  BOOST_TEST(says(got[6], "PAIR"));
}

// Rows and messages: their values lie in files as outside of transactions, and go with a roll-back.
BOOST_AUTO_TEST_CASE(values_of_rows_and_messages_are_in_files) {
  start();
  std::string const row = letters(20'000, 'r');
  std::string const body = letters(300'000, 'b');
  for (char const* const end : {"ROLLBACK", "COMMIT"}) {
    BOOST_TEST(says(one("BEGIN"), "BEGUN"));
    BOOST_TEST(says(one("INSERT table=spilling;name=s;payload=" + row), "PROMISED"));
    BOOST_TEST(says(one("SEND table=post;queue=orders;body=" + body), "PROMISED"));
    BOOST_TEST(promised("spilling") == 20'000);
    BOOST_TEST(promised("post") == 300'000);
    BOOST_TEST(of_table("post", "outside_named_bytes") == 0);
    static_cast<void>(all(end));
    world.settle();
    BOOST_TEST(promised("spilling") + promised("post") == 0);
  }
  BOOST_TEST(of_table("spilling", "outside_named_bytes") == 20'000);
  BOOST_TEST(of_table("post", "outside_named_bytes") == 300'000);
  // Prepared, over a power cut: then merged into the row that waits, and sent.
  BOOST_TEST(says(one("XA_START xid=1:aa:"), "STARTED"));
  BOOST_TEST(says(one("INSERT table=spilling;name=s;payload=" + letters(24'000, 's')), "PROMISED"));
  BOOST_TEST(says(one("SEND table=post;queue=orders;body=" + letters(400'000, 'c')), "PROMISED"));
  BOOST_TEST(says(one("XA_END xid=1:aa:"), "ENDED"));
  BOOST_TEST(says(one("XA_PREPARE xid=1:aa:"), "PREPARED"));
  world.power_cut();
  start();
  BOOST_TEST(promised("spilling") == 24'000);
  BOOST_TEST(promised("post") == 400'000);
  BOOST_TEST(says(one("XA_COMMIT xid=1:aa:"), "COMMITTED"));
  static_cast<void>(lines());
  BOOST_TEST(says(one("PEEK table=spilling;name=s"), "payload=" + letters(24'000, 's')));
  BOOST_TEST(of_table("spilling", "outside_named_bytes") == 24'000);
  BOOST_TEST(of_table("post", "outside_named_bytes") == 700'000);
  BOOST_TEST(says(one("ACQUIRE table=post;queue=orders"), "body=" + body));
  BOOST_TEST(says(one("ACQUIRE table=post;queue=orders"), "body=" + letters(400'000, 'c')));
}

BOOST_AUTO_TEST_CASE(on_a_full_disk_a_blob_is_refused_and_nothing_of_its_transaction_is_done) {
  start();
  BOOST_TEST(says(one("PUT table=blobs;key=a;data=" + letters(40)), "STORED"));
  BOOST_TEST(says(one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(one("PUT table=blobs;key=b;data=" + letters(80'000)), "PROMISED"));
  world.disk().set_capacity(world.disk().used_bytes());
  std::string answer;
  for (int i = 0; i < 2'000 && !says(answer, "code=no_space"); ++i)
    answer = ask("other", "SET table=values;key=f" + std::to_string(i) + ";value=" + std::string(20'000, 'x'));
  BOOST_TEST(says(answer, "code=no_space"));
  BOOST_TEST(says(one("SET table=values;key=more;value=" + std::string(200'000, 'x')), "PROMISED"));
  BOOST_TEST(says(one("COMMIT"), "code=no_space"));
  BOOST_TEST(data("b").empty());
  BOOST_TEST(promised() == 0);
  BOOST_TEST(says(one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(one("OMIT table=blobs;key=a"), "PROMISED"));
  BOOST_TEST(says(one("PUT table=images;key=b;data=" + letters(900'000)), "code=no_space"));
  BOOST_TEST(says(one("COMMIT"), "code=rolled_back"));
  BOOST_TEST(says(one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(one("OMIT table=blobs;key=a"), "PROMISED"));
  BOOST_TEST(says(one("COMMIT"), "COMMITTED"));
}

BOOST_AUTO_TEST_CASE(a_log_that_stops_to_serve_and_a_reload_end_it) {
  SimLog& log = world.use_sim_log("apart");
  start();
  world.advance(DurationMs{100});
  BOOST_TEST(says(one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(one("PUT table=images;key=a;data=" + letters(80'000)), "PROMISED"));
  auto const set_state = [&](log::State state) {
    log.set_state(state, "no way there");
    world.network().turn_again();
    world.settle();
  };
  set_state(log::State::unavailable);
  BOOST_TEST(says(one("COMMIT"), "cause=unavailable"));
  set_state(log::State::serving);
  BOOST_TEST(promised("images") == 0);
  BOOST_TEST(data("a", "images").empty());
  BOOST_TEST(says(one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(one("PUT table=blobs;key=a;data=" + letters(80'000)), "PROMISED"));
  auto changed = std::make_shared<TableDeclaration>(*world.declaration("blobs"));
  for (OptionValue& option : changed->options)
    if (option.name == "blobs-max") option.text = std::to_string(option.integer = 7);
  world.add_table(changed);
  BOOST_TEST(says(ask("admin", "RELOAD"), "RELOADED"));
  BOOST_TEST(says(one("COMMIT"), "code=rolled_back"));
  BOOST_TEST(promised() == 0);
  BOOST_TEST(says(one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(one("PUT table=blobs;key=a;data=" + letters(80'000)), "PROMISED"));
  world.remove_table("blobs");
  BOOST_TEST(says(ask("admin", "RELOAD"), "RELOADED"));
  BOOST_TEST(says(one("COMMIT"), "code=rolled_back"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::transaction_bytes_test
