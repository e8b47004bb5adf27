// Queue tables with a real daemon: messages that agents move around a ring of queues, each move a transaction, local or
// distributed, while the daemon is killed again and again; what is in doubt is resolved by turns. The messages are what
// they were. And the command line. FJ_KILLS: how often it is killed.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/transaction.h"
#include "tests/integration/shell.h"
#include "tests/support/seed.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using client::Connection;
using client::Milliseconds;
using client::Transaction;

constexpr int kQueues = 7;
constexpr int kMessages = 60;
constexpr int kMovesBetween = 60;

std::string queue_of(int number) { return "q" + std::to_string(number); }

struct QueuesFixture : ShellFixture {
  QueuesFixture() {
    daemon.write("tables/values.xml", "<table name=\"values\" model=\"keyvalue\"/>\n");
    std::string queues;
    for (int i = 0; i < kQueues; ++i) queues += queue_of(i) + " ";
    daemon.write("tables/post.xml", "<table name=\"post\" model=\"queue\"><queues>" + queues +
                                        "</queues><max-deliveries>0</max-deliveries></table>\n");
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  [[nodiscard]] std::unique_ptr<Connection> connect() const {
    auto opened = Connection::open({.server = daemon.local(), .back_off = {Milliseconds{5}}});
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
    return std::move(opened).value();
  }
};

Message command(std::string_view name, std::vector<std::pair<std::string_view, std::string>> const& params) {
  Message out{name};
  for (auto const& [key, value] : params) out.set(key, std::string_view{value});
  out.own();
  return out;
}

struct Taken {
  std::int64_t message;
  std::int64_t epoch;
};

// Moves messages from queue to queue until it is told to end.
class Agent {
 public:
  Agent(std::unique_ptr<Connection> connection, unsigned number)
      : connection_(std::move(connection)), number_(number), thread_([this] { run(); }) {}
  ~Agent() { end(); }
  Agent(Agent const&) = delete;
  Agent& operator=(Agent const&) = delete;
  void end() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] std::string const& wrong() const { return wrong_; }
  std::atomic<std::int64_t>& committed() { return committed_; }

 private:
  void run() {
    for (unsigned turn = number_; !ends_; ++turn) {
      give_back();
      int const from = static_cast<int>(turn % kQueues);
      auto const taken = connection_->call(
          command("ACQUIRE", {{"table", "post"}, {"queue", queue_of(from)}, {"count", std::to_string(1 + turn % 20)}}));
      if (!taken.ok() || taken->first().command != "MESSAGE") continue;
      std::vector<Message> commands;
      std::size_t const others = mine_.size();
      for (Message const& one : taken->messages) {
        int const to = (from + 1 + static_cast<int>(turn / kQueues % (kQueues - 1))) % kQueues;
        mine_.push_back({one.integer("message").value_or(0), one.integer("epoch").value_or(0)});
        commands.push_back(of("ACCEPT", mine_.back()));
        commands.push_back(
            command("SEND", {{"table", "post"}, {"queue", queue_of(to)}, {"body", std::string{one.text("body")}}}));
      }
      auto const moves = static_cast<std::int64_t>(taken->messages.size());
      commands.push_back(command("ADD", {{"table", "values"}, {"key", "moves"}, {"by", std::to_string(moves)}}));
      bool const is_branch = turn % 4 == 0;
      if (!note(is_branch ? in_a_branch(commands, turn) : at_once(commands))) continue;
      mine_.erase(mine_.begin() + static_cast<std::ptrdiff_t>(others), mine_.end());
      committed_ += moves;
      committed_.notify_all();
    }
  }

  static Message of(std::string_view name, Taken const& taken) {
    return command(
        name, {{"table", "post"}, {"message", std::to_string(taken.message)}, {"epoch", std::to_string(taken.epoch)}});
  }
  // What is in doubt is its own again once its branch was rolled back.
  void give_back() {
    std::erase_if(mine_, [&](Taken const& taken) {
      return connection_->call(of("RELEASE", taken)).status().code() != Code::in_transaction;
    });
  }

  Status at_once(std::vector<Message> const& commands) {
    Transaction transaction(*connection_);
    for (Message const& one : commands) transaction.add(one);
    return transaction.commit().status();
  }
  Status in_a_branch(std::vector<Message> const& commands, unsigned turn) {
    std::string number = std::to_string(number_ + 10) + std::to_string(turn);
    if (number.size() % 2 != 0) number = "0" + number;
    std::string const xid = "9:" + number + ":";
    auto const say = [&](std::string_view name) { return connection_->call(command(name, {{"xid", xid}})).status(); };
    if (Status status = say("XA_START"); !status.ok()) return status;
    for (Message const& one : commands)
      if (Status status = connection_->call(one).status(); !status.ok()) {
        static_cast<void>(say("XA_END"));
        static_cast<void>(say("XA_ROLLBACK"));
        return status;
      }
    if (Status status = say("XA_END"); !status.ok()) return status;
    if (Status status = say("XA_PREPARE"); !status.ok()) return status;
    // One in three is left in doubt.
    if (turn % 3 == 0) return {Code::closed, "left in doubt"};
    return say("XA_COMMIT");
  }

  // Whether it was committed.
  bool note(Status const& status) {
    if (status.ok()) return true;
    // Somebody else has the message or the counter by now, or it is not known whether it was done.
    static constexpr Code kExpected[] = {Code::closed,      Code::stale_epoch, Code::not_leased,
                                         Code::unknown_row, Code::unavailable, Code::in_transaction,
                                         Code::rolled_back, Code::not_found,   Code::wrong_state};
    if (std::find(std::begin(kExpected), std::end(kExpected), status.code()) == std::end(kExpected))
      wrong_ = status.text();
    return false;
  }

  std::unique_ptr<Connection> connection_;
  unsigned number_;
  std::vector<Taken> mine_;  // not moved yet
  std::atomic<bool> ends_{false};
  std::atomic<std::int64_t> committed_{0};
  std::string wrong_;
  std::thread thread_;
};

// Commits and rolls back by turns what is in doubt.
void resolve(Connection& connection, std::uint64_t& turn) {
  auto const branches = connection.call(command("XA_RECOVER", {{"count", "1000"}}));
  BOOST_REQUIRE_MESSAGE(branches.ok(), branches.status().text());
  for (Message const& branch : branches->messages) {
    if (branch.command != "BRANCH") continue;
    auto const ended = connection.call(
        command(++turn % 2 == 0 ? "XA_COMMIT" : "XA_ROLLBACK", {{"xid", std::string{branch.text("xid")}}}));
    // Its agent may have been faster.
    BOOST_TEST((ended.ok() || ended.status().code() == Code::not_found), ended.status().text());
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(queues_beside_a_daemon)

BOOST_FIXTURE_TEST_CASE(messages_go_around_a_ring_while_the_daemon_is_killed, QueuesFixture) {
  auto const connection = connect();
  for (int i = 0; i < kMessages; ++i)
    BOOST_TEST(connection
                   ->call(command("SEND", {{"table", "post"},
                                           {"queue", queue_of(i % kQueues)},
                                           {"body", "m" + std::to_string(i) + std::string(i % 5 * 60, '.')}}))
                   .ok());
  Agent one(connect(), 0);
  Agent other(connect(), 3);
  std::uint64_t turn = 0;
  std::uint64_t const kills = number_from("FJ_KILLS", 6);
  for (std::uint64_t kill = 0; kill < kills; ++kill) {
    std::int64_t const before = one.committed();
    for (std::int64_t now = before; now < before + kMovesBetween; now = one.committed()) {
      // What is in doubt holds messages, and the counter.
      resolve(*connection, turn);
      std::this_thread::yield();
    }
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  one.end();
  other.end();
  BOOST_TEST(one.wrong() == "");
  BOOST_TEST(other.wrong() == "");
  resolve(*connection, turn);
  std::map<std::string, int> found;
  auto const shown = connection->call(command("BROWSE", {{"table", "post"}, {"count", "1000"}, {"body", "1"}}));
  BOOST_REQUIRE_MESSAGE(shown.ok(), shown.status().text());
  for (Message const& message : shown->messages)
    if (message.command == "MESSAGE") ++found[std::string{message.text("body")}];
  BOOST_TEST(found.size() == static_cast<std::size_t>(kMessages));
  for (auto const& [body, times] : found) BOOST_TEST(times == 1, body << " is there " << times << " times");
  auto const counted = connection->call(command("GET", {{"table", "values"}, {"key", "moves"}}));
  BOOST_REQUIRE(counted.ok());
  BOOST_TEST(counted->first().integer("value").value_or(0) >= one.committed() + other.committed());
  BOOST_TEST_MESSAGE(kills << " kills, " << counted->first().integer("value").value_or(0) << " moves, " << turn
                           << " branches resolved");
}

BOOST_FIXTURE_TEST_CASE(messages_by_the_command_line, QueuesFixture) {
  run("fastjournal queue make post work --dead-letters q0 --max-deliveries 2");
  run("fastjournal queue exchange post news topic");
  run("fastjournal queue bind post news anna 'sport.#' --make");
  BOOST_TEST(run("fastjournal queue send post work 'one cake'").starts_with("sent message "));
  BOOST_TEST(run("printf 'goal' | fastjournal queue send post --exchange news --key sport.football -")
                 .starts_with("sent message "));
  BOOST_TEST(run("fastjournal queue ls post").find("anna") != std::string::npos);
  BOOST_TEST(run("fastjournal queue take post anna") == "goal\n");
  BOOST_TEST(run("fastjournal queue take post work") == "one cake\n");
  BOOST_TEST(run_in_shell(daemon, "fastjournal queue take post work").code == 4);
  run("fastjournal queue send post work again");
  BOOST_TEST(run("fastjournal queue move post work q1") == "moved 1 message\n");
  BOOST_TEST(run("fastjournal queue ls post q1").find("due") != std::string::npos);
  BOOST_TEST(run("fastjournal queue purge post q1") == "dropped 1 message\n");
  BOOST_TEST(run("fastjournal queue remove post work").find("REMOVED") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(an_operator_has_single_messages_and_queues_in_hand, QueuesFixture) {
  auto const refused = [&](std::string const& command, int code, std::string_view why) {
    Ran const ran = run_in_shell(daemon, command);
    BOOST_TEST((ran.code == code && ran.output.find(why) != std::string::npos), command << ": " << ran.output);
  };
  auto const send = [&](std::string const& rest) {
    std::string const said = run("fastjournal queue send post " + rest);
    return said.substr(said.rfind(' ') + 1, said.size() - said.rfind(' ') - 2);
  };
  std::string const first = send("q0 first --lease 90s --priority 7");
  std::string const later = send("q0 later --at +1h");
  std::string const other = send("q1 other --priority 3");
  refused("fastjournal queue send post q0 x --priority 300", 1, "priority is 300, expected 0 to 255");
  refused("fastjournal queue send post q0 x --lease 0", 1, "lease is 0");
  std::string const peeked = run("fastjournal queue peek post q0 --json");
  for (std::string const& part :
       {"\"message\":" + first + ",", std::string{"\"lease\":90000"}, std::string{"\"first\""}})
    BOOST_TEST(peeked.find(part) != std::string::npos, part << " in " << peeked);
  BOOST_TEST(run("fastjournal queue peek post q0 --status waiting").find(later) != std::string::npos);
  refused("fastjournal queue peek post q0 --status parked", 4, "no message of q0 is parked");

  BOOST_TEST(run("fastjournal queue pause post q0 --until +1h --reason inventory").find("q0 is paused") !=
             std::string::npos);
  BOOST_TEST(run("fastjournal queue ls post --json").find("\"pause_reason\":\"inventory\"") != std::string::npos);
  refused("fastjournal queue take post q0", 4, "");
  // Of several queues: the message of the one that is not paused, though each has one.
  BOOST_TEST(run("fastjournal queue take post q0 q1") == "other\n");
  BOOST_TEST(run("fastjournal queue pause post q0 --until 2020-01-01") ==
             "queue q0 is not paused: that date is past\n");
  BOOST_TEST(run("fastjournal queue pause post q0").find("until `queue resume`") != std::string::npos);
  BOOST_TEST(run("fastjournal queue resume post q0") == "queue q0 hands out its messages again\n");
  BOOST_TEST(run("fastjournal queue resume post q0") == "queue q0 was not paused\n");
  refused("fastjournal queue pause post nowhere", 1, "no queue nowhere");

  std::string const parked = run("fastjournal queue park post " + first + " --error 'who ordered this?' --json");
  BOOST_TEST(parked.find("\"fate\":\"parked\"") != std::string::npos, parked);
  BOOST_TEST(run("fastjournal queue peek post q0 --status parked").find("who ordered this?") != std::string::npos);
  refused("fastjournal queue park post " + first + " --priority 1", 2, "EPOCH");
  refused("fastjournal queue park post " + first + " 1", 1, "not_leased");
  refused("fastjournal queue kick post", 2, "the number of a message, or --queue NAME");
  refused("fastjournal queue kick post " + first + " --queue q0", 2, "the number of a message, or --queue NAME");
  // Parked ones first; what waits for its date only when none is parked.
  BOOST_TEST(run("fastjournal queue kick post --queue q0") == "kicked 1 message\n");
  BOOST_TEST(run("fastjournal queue kick post --queue q0 --count 1") == "kicked 1 message\n");
  BOOST_TEST(run("fastjournal queue kick post --queue q0") == "kicked 0 messages\n");
  refused("fastjournal queue kick post " + later, 1, "is due, expected waiting");
  BOOST_TEST(run("fastjournal queue delete post " + first) == "message " + first + " of q0 is deleted\n");
  refused("fastjournal queue delete post " + first, 1, "unknown_row");
  BOOST_TEST(run("fastjournal queue take post q0 --count 5") == "later\n");
}

// With a lease in hand PARK takes its epoch, and a new priority.
BOOST_FIXTURE_TEST_CASE(a_message_with_a_consumer_is_parked_by_its_epoch, QueuesFixture) {
  std::unique_ptr<Connection> const connection = connect();
  BOOST_REQUIRE(connection->call(command("SEND", {{"table", "post"}, {"queue", "q0"}})).ok());
  auto const taken = connection->call(command("ACQUIRE", {{"table", "post"}, {"queue", "q0"}}));
  BOOST_REQUIRE_MESSAGE(taken.ok(), taken.status().text());
  std::string const number = std::to_string(taken->first().integer("message").value_or(0));
  std::string const epoch = std::to_string(taken->first().integer("epoch").value_or(0));
  Ran const without = run_in_shell(daemon, "fastjournal queue park post " + number);
  BOOST_TEST((without.code == 1 && without.output.find("is with a consumer") != std::string::npos), without.output);
  run("fastjournal queue park post " + number + " " + epoch + " --priority 9");
  std::string const shown = run("fastjournal queue peek post q0 --status parked --json");
  BOOST_TEST(shown.find("\"priority\":9") != std::string::npos, shown);
}

// Its queues need not be removed first; messages do.
BOOST_FIXTURE_TEST_CASE(a_table_of_queues_without_messages_is_dropped_in_one_step, QueuesFixture) {
  LineClient client{daemon.local()};
  BOOST_TEST(client.ask("DECLARE table=post;queue=own").starts_with("DECLARED"));
  BOOST_TEST(client.ask("DECLARE table=post;exchange=news;kind=fanout").starts_with("DECLARED"));
  BOOST_TEST(client.ask("BIND table=post;exchange=news;queue=own").starts_with("BOUND"));
  for (int i = 0; i < 2; ++i) BOOST_TEST(client.ask("SEND table=post;exchange=news;body=x").starts_with("SENT"));
  std::filesystem::remove(daemon.folder() / "tables/post.xml");
  std::string const refused = client.ask("RELOAD");
  BOOST_TEST(refused.find("still has rows (2)") != std::string::npos, refused);
  BOOST_TEST(client.ask("PURGE table=post;queue=own").starts_with("PURGED"));
  std::string const dropped = client.ask("RELOAD");
  BOOST_TEST(dropped.find("table post: dropped") != std::string::npos, dropped);
  BOOST_TEST(client.ask("QUEUES table=post").find("unknown_table") != std::string::npos);
  // Nothing of it is left at a start, nor for a table of that name.
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  daemon.write("tables/post.xml", "<table name=\"post\" model=\"queue\"/>\n");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  LineClient again{daemon.local()};
  BOOST_TEST(again.ask("SEND table=post;queue=own;body=x").find("not_found") != std::string::npos);
}

// What a journal remembers of its producers, and key/value of deleted keys, are no rows.
BOOST_FIXTURE_TEST_CASE(a_table_whose_rows_are_gone_is_dropped, QueuesFixture) {
  LineClient client{daemon.local()};
  BOOST_TEST(client.ask("INSERT table=jobs;name=a;client=p;sequence=1").starts_with("INSERTED"));
  BOOST_TEST(client.ask("DELETE table=jobs;name=a").starts_with("DELETED"));
  BOOST_TEST(client.ask("SET table=values;key=a;value=x").starts_with("STORED"));
  BOOST_TEST(client.ask("DELETE table=values;key=a").starts_with("DELETED"));
  std::filesystem::remove(daemon.folder() / "tables/jobs.xml");
  std::filesystem::remove(daemon.folder() / "tables/values.xml");
  std::string const dropped = client.ask("RELOAD");
  BOOST_TEST(dropped.find("table jobs: dropped") != std::string::npos, dropped);
  BOOST_TEST(dropped.find("table values: dropped") != std::string::npos, dropped);
}

BOOST_AUTO_TEST_SUITE_END()
