// What a queue table says of itself for a mirror in SQL, and that its version changes with that, and with nothing else.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/queue/harness.h"

namespace fastjournal::queue::test {
namespace {

std::string text_of(ExportRelation::Cell const& cell) {
  using Kind = ExportRelation::Cell::Kind;
  switch (cell.kind) {
    case Kind::absent: return "-";
    case Kind::text: return "'" + std::string{cell.text} + "'";
    case Kind::integer: return std::to_string(cell.integer);
    case Kind::boolean: return cell.integer != 0 ? "yes" : "no";
  }
  return {};
}

// "NAME: cell cell, cell cell; NAME: ..."
std::string shown(TableExport const& content) {
  std::string out;
  for (ExportRelation const& relation : content.relations) {
    out += (out.empty() ? "" : "; ") + std::string{relation.name()} + ":";
    for (std::size_t row = 0; row < relation.rows(); ++row) {
      if (row > 0) out += ",";
      for (std::size_t column = 0; column < relation.columns().size(); ++column)
        out += " " + text_of(relation.cell(row, column));
    }
  }
  return out;
}

struct Watched : Harness {
  explicit Watched(Texts const& options = {}) : Harness(options) {}
  std::string exported() { return shown(table->export_all()); }
  // Whether the version is another one since the last call.
  bool changed() {
    std::uint64_t const version = table->export_version();
    return std::exchange(seen, version) != version;
  }
  std::uint64_t seen{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(queue_export)

BOOST_AUTO_TEST_CASE(queues_exchanges_and_bindings_are_told_with_their_options) {
  Watched table;
  table.make("dead");
  table.make("orders", {{"dead_letters", "dead"},
                        {"max_deliveries", "3"},
                        {"max_messages", "10"},
                        {"max_bytes", "1000"},
                        {"when_full", "drop"},
                        {"expires", "60000"}});
  table.make("mine", {{"temporary", "1"}});
  table.exchange("news", "topic");
  table.exchange("all", "fanout");
  BOOST_TEST(table.bind("news", "orders", "a.*").name() == "BOUND");
  std::string const number = std::to_string(table.table->shared().queues.bindings().begin()->first);
  BOOST_TEST(table.exported() ==
             "queues: 'dead' no no no - - - - 'refuse' -, 'mine' yes no no - - - - 'refuse' -, "
             "'orders' no no no 'dead' 3 10 1000 'drop' 60000; exchanges: 'all' 'fanout', 'news' 'topic'; "
             "bindings: 'news' 'orders' 'a.*' " +
                 number);
  BOOST_TEST(table.table->export_all().format == 1U);
}

BOOST_AUTO_TEST_CASE(queues_of_the_file_and_those_that_are_leaving_are_marked) {
  Watched table{{{"queues", "orders"}}};
  table.timers();
  BOOST_TEST(table.exported() == "queues: 'orders' no yes no - - - - 'refuse' -; exchanges:; bindings:");
  table.make("old", {{"max_messages", "5"}});
  table.send("old", "1");
  table.run("REMOVE", {{"queue", "old"}});
  BOOST_TEST(
      table.exported() ==
      "queues: 'old' no no yes - - - - 'refuse' -, 'orders' no yes no - - - - 'refuse' -; exchanges:; bindings:");
  table.timers();
  BOOST_TEST(table.exported() == "queues: 'orders' no yes no - - - - 'refuse' -; exchanges:; bindings:");
}

BOOST_AUTO_TEST_CASE(the_version_changes_with_what_is_told_and_with_nothing_else) {
  Watched table{{{"queues", "orders"}}};
  table.timers();
  std::string before;
  // Whether the export and its version agree.
  auto const has_changed = [&] {
    std::string const now = table.exported();
    bool const is_other = now != before;
    before = now;
    bool const has_other_version = table.changed();
    BOOST_TEST(is_other == has_other_version, now);
    return is_other;
  };
  BOOST_TEST(has_changed());
  BOOST_TEST(!has_changed());
  for (auto const& change : std::vector<std::function<Reply()>>{
           [&] { return table.make("a"); },
           [&] {
             return table.make("a", {{"max_messages", "9"}});
           },
           [&] {
             return table.make("t", {{"temporary", "1"}});
           },
           [&] { return table.exchange("e", "direct"); },
           [&] { return table.bind("e", "a", "k"); },
           [&] {
             return table.bind("e", "made", "k", {{"declare", "1"}});
           },
           [&] {
             return table.run("UNBIND", {{"exchange", "e"}, {"queue", "a"}, {"routing_key", "k"}});
           },
           [&] {
             return table.run("REMOVE", {{"exchange", "e"}});
           },
           [&] {
             return table.run("REMOVE", {{"queue", "made"}});
           },
       }) {
    Reply const reply = change();
    BOOST_TEST(reply.error() == "");
    BOOST_TEST(has_changed(), reply.name());
  }
  // The same again, and messages that come and go.
  for (auto const& use : std::vector<std::function<Reply()>>{
           [&] {
             return table.make("a", {{"max_messages", "9"}});
           },
           [&] { return table.send("a", "1"); },
           [&] { return table.end("RELEASE", table.take("a")); },
           [&] { return table.end("REJECT", table.take("a")); },
           [&] {
             return table.run("PURGE", {{"queue", "a"}, {"status", "parked"}});
           },
           [&] { return table.send("a", "2"); },
       }) {
    Reply const reply = use();
    BOOST_TEST(reply.error() == "");
    BOOST_TEST(!has_changed(), reply.name());
  }
  // Compacted, as it is.
  table.log.skip(2 * kOldestLsnGrain);
  table.compact(table.log.end());
  BOOST_TEST(!has_changed());
  // A queue that leaves while it has messages, and is gone with the last one.
  table.run("REMOVE", {{"queue", "a"}});
  BOOST_TEST(has_changed());
  table.timers();
  BOOST_TEST(has_changed());
  // Another declaration.
  table.table->change(declare({{"queues", ""}}));
  BOOST_TEST(has_changed());
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_replay_tells_the_same) {
  Watched table;
  table.make("a", {{"max_bytes", "7"}});
  table.exchange("e", "fanout");
  table.bind("e", "a");
  table.run("REMOVE", {{"exchange", "e"}});
  table.exchange("e", "topic");
  table.bind("e", "a", "#");
  std::string const before = table.exported();
  table.restart();
  BOOST_TEST(table.exported() == before);
}

// A table as large as it may be by default is told of while the loop waits.
BOOST_AUTO_TEST_CASE(ten_thousand_queues_are_told_at_once) {
  Watched table;
  table.exchange("e", "topic");
  for (int i = 0; i < 9'999; ++i) table.bind("e", "queue" + std::to_string(i), "orders.#", {{"declare", "1"}});
  TableExport const content = table.table->export_all();
  BOOST_TEST(content.relations[0].rows() == 9'999U);
  BOOST_TEST(content.relations[2].rows() == 9'999U);
  BOOST_TEST(content.relations[0].cell(9'998, 0).text == "queue9998");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue::test
