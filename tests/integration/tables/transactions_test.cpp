// Transactions with a real daemon: from the library, the command line and over HTTP; and tokens that workers move around a
// ring of tables, each move a transaction, while the daemon is killed again and again: the tokens are what they were.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "clients/cpp/journal.h"
#include "clients/cpp/key_value.h"
#include "clients/cpp/transaction.h"
#include "tests/integration/shell.h"
#include "tests/support/line_client.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using client::Connection;
using client::Journal;
using client::KeyValue;
using client::Milliseconds;
using client::Params;
using client::Transaction;

constexpr int kTables = 5;
constexpr int kTokens = 40;
constexpr int kKills = 6;
constexpr int kTransactionsMovesBetween = 60;

std::string table_of(int number) { return "ring" + std::to_string(number); }

struct TransactionsFixture : ShellFixture {
  TransactionsFixture() {
    daemon.write("tables/values.xml", "<table name=\"values\" model=\"keyvalue\"/>\n");
    for (int i = 0; i < kTables; ++i)
      daemon.write(
          "tables/" + table_of(i) + ".xml",
          "<table name=\"" + table_of(i) +
              "\" model=\"journal\" row-key=\"token\"><schema><column name=\"token\" type=\"string\"/>"
              "<column name=\"hops\" type=\"uint32\"/></schema><grace>1ms</grace><max-timeouts>100</max-timeouts>"
              "<max-lifetime-timeouts>100</max-lifetime-timeouts><back-off-first>1ms</back-off-first>"
              "<back-off-max>1ms</back-off-max></table>\n");
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  [[nodiscard]] std::unique_ptr<Connection> connect() const {
    auto opened = Connection::open({.server = daemon.local(), .back_off = {Milliseconds{5}}});
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
    return std::move(opened).value();
  }
};

// Moves rows from table to table until it is told to end.
class Mover {
 public:
  Mover(std::unique_ptr<Connection> connection, unsigned number)
      : connection_(std::move(connection)), number_(number), thread_([this] { run(); }) {}
  ~Mover() { end(); }
  void end() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] std::string const& wrong() const { return wrong_; }
  std::atomic<std::int64_t>& committed() { return committed_; }

 private:
  void run() {
    KeyValue values(*connection_, "values");
    for (unsigned turn = number_; !ends_; ++turn) {
      int const from = static_cast<int>(turn % kTables);
      int const to = (from + 1 + static_cast<int>(turn / kTables % (kTables - 1))) % kTables;
      Journal source(*connection_, table_of(from));
      Journal target(*connection_, table_of(to));
      Result<client::Work> const work = source.next({.count = 1 + turn % 3});
      if (!work.ok() || work->rows.empty()) continue;
      Transaction transaction(*connection_);
      for (client::Row const& row : work->rows) {
        transaction.add(source.done_of(row));
        transaction.add(target.insert_of(Params{{"token", Value::of_text(row.columns.at("token"))},
                                                {"hops", Value::of_integer(std::stoll(row.columns.at("hops")) + 1)}}));
      }
      auto const moves = static_cast<std::int64_t>(work->rows.size());
      transaction.add(values.add_of("moves", moves));
      Status const status = transaction.commit().status();
      if (status.ok()) {
        committed_ += moves;
        committed_.notify_all();
        continue;
      }
      // Somebody else has the row by now, or it is not known whether it was done.
      bool const expected = status.code() == Code::closed || status.code() == Code::stale_epoch ||
                            status.code() == Code::not_leased || status.code() == Code::unknown_row ||
                            status.code() == Code::unavailable;
      if (!expected) wrong_ = status.text();
    }
  }

  std::unique_ptr<Connection> connection_;
  unsigned number_;
  std::atomic<bool> ends_{false};
  std::atomic<std::int64_t> committed_{0};
  std::string wrong_;
  std::thread thread_;
};

std::string post(std::string const& body) {
  return "POST /v1/TRANSACTION HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transactions_beside_a_daemon)

BOOST_FIXTURE_TEST_CASE(tokens_go_around_a_ring_while_the_daemon_is_killed, TransactionsFixture) {
  auto const connection = connect();
  for (int i = 0; i < kTokens; ++i)
    BOOST_TEST(Journal(*connection, table_of(i % kTables))
                   .put({{"token", Value::of_text("t" + std::to_string(i))}, {"hops", Value::of_integer(0)}})
                   .ok());
  Mover one(connect(), 0);
  Mover other(connect(), 3);
  for (int kill = 0; kill < kKills; ++kill) {
    std::int64_t const before = one.committed();
    for (std::int64_t now = before; now < before + kTransactionsMovesBetween; now = one.committed())
      one.committed().wait(now);
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  one.end();
  other.end();
  BOOST_TEST(one.wrong() == "");
  BOOST_TEST(other.wrong() == "");
  std::map<std::string, int> tokens;
  std::int64_t hops = 0;
  for (int i = 0; i < kTables; ++i) {
    auto const rows =
        connection->call("LIST", {{"table", Value::of_text(table_of(i))}, {"count", Value::of_integer(1000)}});
    BOOST_REQUIRE_MESSAGE(rows.ok(), rows.status().text());
    for (Message const& row : rows->messages) {
      if (row.command != "ROW") continue;
      ++tokens[std::string{row.text("token")}];
      hops += row.integer("hops").value_or(0);
    }
  }
  BOOST_TEST(tokens.size() == static_cast<std::size_t>(kTokens));
  for (auto const& [token, times] : tokens) BOOST_TEST(times == 1, token << " is there " << times << " times");
  auto const counted = KeyValue(*connection, "values").get("moves");
  BOOST_REQUIRE(counted.ok() && counted->has_value());
  std::int64_t const moves = std::get<std::int64_t>(counted.value()->value);
  BOOST_TEST(moves == hops);
  BOOST_TEST(moves >= one.committed() + other.committed());
}

BOOST_FIXTURE_TEST_CASE(a_file_of_commands_is_carried_out_or_not, TransactionsFixture) {
  daemon.write("good.tx", "# two tables\nINSERT table=ring0;token=a\nSET table=values;key=k;value=1\n");
  std::string const out = run("fastjournal tx run good.tx");
  BOOST_TEST(out.find("INSERTED") != std::string::npos, out);
  BOOST_TEST(out.find("STORED") != std::string::npos, out);
  BOOST_TEST(run("fastjournal kv get values k") == "1\n");
  daemon.write("bad.tx", "SET table=values;key=k;value=2\n\nDONE table=ring0;row=1;epoch=1\n");
  Ran const ran = run_in_shell(daemon, "fastjournal tx run bad.tx");
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(ran.output.find("bad.tx:3") != std::string::npos, ran.output);
  BOOST_TEST(run("fastjournal kv get values k") == "1\n");
  BOOST_TEST(run("printf 'ADD table=values;key=n;by=5\\n' | fastjournal --json --text tx run -")
                 .find("\"command\":\"STORED\"") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(over_http_a_transaction_is_one_request, TransactionsFixture) {
  daemon.kill(SIGTERM);
  static_cast<void>(daemon.wait());
  daemon.write("fastjournal.xml",
               "<fastjournal>\n<listen address=\"127.0.0.1:0\" protocol=\"http\"/>\n"
               "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
  daemon.listens_as_configured = true;
  bool const ready = daemon.start();
  BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  auto const ask = [&](std::string const& request, std::string const& last) {
    LineClient client{daemon.tcp()};
    BOOST_TEST(client.send(request));
    std::string text;
    while (std::optional<std::string> const line = client.read_line()) {
      text += *line + "\n";
      if (line->find(last) != std::string::npos) break;
    }
    return text;
  };
  std::string const done = ask(post(R"({"commands":[{"command":"INSERT","table":"ring0","token":"h","hops":7},)"
                                    R"({"command":"SET","table":"values","key":"h","value":1}]})"),
                               "\"left\":0");
  BOOST_TEST(done.find("200 OK") != std::string::npos, done);
  BOOST_TEST(done.find("\"command\":\"COMMITTED\"") != std::string::npos, done);
  BOOST_TEST(done.find("\"command\":\"INSERTED\"") != std::string::npos, done);
  std::string const refused = ask(post(R"({"commands":[{"command":"SET","table":"values","key":"h","value":2},)"
                                       R"({"command":"NEXT","table":"ring0"}]})"),
                                  "}");
  BOOST_TEST(refused.find("400 ") != std::string::npos, refused);
  BOOST_TEST(refused.find("\"op\":\"2\"") != std::string::npos, refused);
  BOOST_TEST(run("fastjournal kv get values h") == "1\n");
  std::string begin =
      "POST /v1/BEGIN HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  BOOST_TEST(ask(begin, "}").find("stands alone") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
