// Two-phase commit over three logs in memory, each of which is synced, cut, away or full when the test says so: what is
// written in which order, and what is left after a cut at any moment. Tables are those of tally.h, which promise PUT.
#include "engine/transactions/two_phase.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>

#include <boost/test/unit_test.hpp>

#include "engine/engine.h"
#include "tests/unit/engine/memory_log.h"
#include "tests/unit/engine/tally.h"

namespace fastjournal::engine::test {
namespace {

struct PromisingTally final : TallyTable, Promises {
  using TallyTable::TallyTable;
  Capabilities capabilities() override {
    Capabilities out = TallyTable::capabilities();
    out.promises = this;
    return out;
  }
  Verdict decide(Command const& command, Decision& decision) const override {
    if (decision.phase != Phase::promise) return TallyTable::decide(command, decision);
    if (command.message->text("name") == "bad") decision.status = {Code::bad_parameter, "this name is refused"};
    decision.hold->keys.emplace_back(command.message->text("name"));
    return Verdict::done;
  }
  void hold(TransactionId transaction, Hold const& hold) override {
    for (std::string const& key : hold.keys) held[transaction].push_back(key);
  }
  void release(TransactionId transaction) override { held.erase(transaction); }
  std::map<TransactionId, std::vector<std::string>> held;
};

std::shared_ptr<TypeDeclaration const> promising_type() {
  auto type = std::make_shared<TypeDeclaration>(*tally_type());
  type->commands.front().in_transaction = InTransaction::promised;
  return type;
}

// The logs, in the order of their names: the first is home.
constexpr std::array<std::string_view, 3> kLogs{"alpha", "beta", "gamma"};

struct TwoPhasePost final : work::ReplySink {
  void answer(ConnectionId, Message const&, Answer&, Outcome const&) override {}
  void push(log::Log const&, ConnectionId, Answer&, TimeMs, work::ListenMode) override {}
  bool is_full(ConnectionId) override { return false; }
  void end_commit(ConnectionId, Message const& command, Answer& answer, Outcome const& outcome) override {
    std::string text{command.command};
    for (std::size_t i = 0; i < answer.heads().size() && outcome.ok(); ++i) {
      text.append(" ").append(answer.heads()[i].command);
      for (std::size_t p = answer.heads()[i].first; p < answer.params_end(i); ++p)
        if (answer.params()[p].name == "op") text += std::to_string(answer.params()[p].value.unsigned_integer);
    }
    if (!outcome.ok()) text.append(" ").append(row_of(outcome.status.code()).wire_name);
    letters.push_back(text);
  }
  std::vector<std::string> letters;
};

struct Daemon {
  Daemon() {
    types.emplace("tally", std::make_unique<TableType>(tally_plugin<PromisingTally>(), promising_type()));
    for (std::size_t i = 0; i < kLogs.size(); ++i) logs[i].store = 100 + i;
    start();
    for (MemoryLog& log : logs) BOOST_REQUIRE(log.commit().ok());
  }

  // With the logs that are there.
  void start(std::size_t first = 0, std::size_t count = kLogs.size()) {
    post.letters.clear();
    engine = std::make_unique<Engine>(types, post);
    Declarations declarations;
    for (std::size_t i = first; i < count; ++i) {
      std::shared_ptr<TableDeclaration> const table = tally_table("in_" + std::string{kLogs[i]});
      table->log = kLogs[i];
      declarations.push_back(table);
    }
    engine->declare(declarations);
    hosted = {};
    for (std::size_t i = first; i < count; ++i) {
      hosted[i] = &engine->add_log(std::string{kLogs[i]});
      for (bool const catalogue : {true, false})
        for (fastjournal::test::KeptRecord const& record : logs[i].records()) {
          if (!catalogue) BOOST_REQUIRE(engine->recovery().replay(*hosted[i], record.view(), logs[i].base_lsn()).ok());
          if (catalogue && record.table == TableId::catalogue)
            BOOST_REQUIRE(engine->recovery().replay_catalogue(*hosted[i], record.view()).ok());
        }
      BOOST_REQUIRE(engine->recovery().attach(*hosted[i], logs[i]).ok());
    }
    Status const status = engine->finish_recovery(now);
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  }
  void cut() {
    for (MemoryLog& log : logs) log.lose();
  }

  HostedTable& table(std::size_t log) { return *engine->find_table("in_" + std::string{kLogs[log]}); }
  Status put(std::size_t log, std::string const& name) {
    Message message{"PUT"};
    message.set("name", name);
    Answer answer;
    return engine->transactions().promise(table(log), {TallyTable::kPut, &message, ConnectionId{1}, "w"}, now, answer);
  }
  // A transaction with a command in each of these logs, in this order.
  void begin(std::vector<std::size_t> const& order = {2, 0, 1}) {
    BOOST_REQUIRE(engine->transactions().begin(ConnectionId{1}, {}, now).ok());
    for (std::size_t const log : order) BOOST_REQUIRE(put(log, "n").ok());
  }
  Status commit() {
    Message const message{"COMMIT"};
    Answer answer;
    Outcome outcome = engine->commit(ConnectionId{1}, message, now, answer);
    BOOST_TEST(outcome.is_later == outcome.ok());
    return std::move(outcome.status);
  }
  void advance() { static_cast<void>(engine->end_of_turn(now)); }
  void sync(std::size_t log) { BOOST_REQUIRE(logs[log].commit().ok()); }
  void settle() {
    for (int turn = 0; turn < 10; ++turn) {
      advance();
      for (std::size_t log = 0; log < kLogs.size(); ++log)
        if (hosted[log] != nullptr) sync(log);
    }
  }
  // In the log's book, by role: "p" a part, "o" an outcome, "b" a branch.
  std::string book(std::size_t log) {
    std::string out;
    for (auto const& [object, entry] : hosted[log]->catalogue.transactions().all())
      out += "bpo"[static_cast<std::size_t>(entry.role)];
    return out;
  }
  std::string books() { return book(0) + "/" + book(1) + "/" + book(2); }
  std::int64_t rows(std::size_t log) { return metric_of(table(log), now, "rows"); }
  // What is there of the transaction: in all logs, in none, or half.
  std::string there() {
    std::int64_t sum = 0;
    for (std::size_t log = 0; log < kLogs.size(); ++log) sum += rows(log);
    return sum == 0 ? "nothing" : sum == 3 ? "all" : "half";
  }
  bool holds_nothing() {
    for (std::size_t log = 0; log < kLogs.size(); ++log)
      if (hosted[log] != nullptr && !dynamic_cast<PromisingTally&>(*table(log).table).held.empty()) return false;
    return engine->transactions().open() == 0;
  }

  TableTypes types;
  TwoPhasePost post;
  std::array<MemoryLog, 3> logs;
  std::unique_ptr<Engine> engine;
  std::array<HostedLog*, 3> hosted{};
  TimeMs now{1'000'000};
};

std::string recover(Daemon& daemon) {
  Answer answer;
  daemon.engine->branches().recover({.is_operator = true}, false, {}, 100, daemon.now, answer);
  std::string out;
  for (Answer::Head const& head : answer.heads()) out.append(head.command);
  return out;
}
std::string xid_in(Daemon& daemon, std::size_t log) {
  return daemon.hosted[log]->catalogue.transactions().all().begin()->second.xid;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(two_phase)

BOOST_FIXTURE_TEST_CASE(parts_then_the_outcome_then_their_ends_and_then_it_is_forgotten, Daemon) {
  begin();
  BOOST_REQUIRE(commit().ok());
  BOOST_TEST(books() == "/p/p");
  sync(1);
  advance();
  BOOST_TEST(books() == "/p/p");  // gamma's part may still be lost
  BOOST_TEST(!engine->two_phase().wants_turn());
  sync(2);
  BOOST_TEST(engine->two_phase().wants_turn());
  advance();
  BOOST_TEST(books() == "o/p/p");
  BOOST_TEST(rows(0) == 1);
  BOOST_TEST(rows(1) + rows(2) == 0);
  sync(0);
  advance();
  BOOST_TEST(books() == "o//");
  BOOST_TEST(there() == "all");
  BOOST_TEST(post.letters.empty());
  sync(1);
  advance();
  BOOST_TEST(books() == "o//");
  sync(2);
  advance();
  BOOST_TEST(books() == "//");
  BOOST_REQUIRE_EQUAL(post.letters.size(), 1U);
  // As they were sent: of gamma, alpha and beta.
  BOOST_TEST(post.letters.front() == "COMMIT COMMITTED PUT1 PUT2 PUT3");
  BOOST_TEST(!engine->two_phase().is_under_way());
  BOOST_TEST(holds_nothing());
  for (MemoryLog const& log : logs) BOOST_TEST(log.held == 0U);
  BOOST_TEST(engine->transactions().figures().committed == 1U);
}

// Each log is synced or not before each of the turns, in every way that there is.
BOOST_AUTO_TEST_CASE(a_cut_at_any_moment_leaves_all_or_nothing) {
  std::map<std::string, int> seen;
  constexpr unsigned kTurns = 4;
  for (unsigned way = 0; way < 1U << (3 * kTurns); ++way) {
    Daemon daemon;
    daemon.begin();
    BOOST_REQUIRE(daemon.commit().ok());
    bool answered = false;
    for (unsigned turn = 0; turn < kTurns; ++turn) {
      for (std::size_t log = 0; log < 3; ++log)
        if ((way >> (3 * turn + log) & 1U) != 0) daemon.sync(log);
      daemon.advance();
      answered = answered || !daemon.post.letters.empty();
    }
    daemon.cut();
    daemon.start();
    std::string const there = daemon.there();
    ++seen[there];
    // Before anybody is served.
    BOOST_TEST_REQUIRE(there != "half", "way " << way);
    BOOST_TEST_REQUIRE((there == "all" || !answered), "way " << way);
    // And once more before what the start has written is durable, in some of the logs.
    if (way % 3 == 0) {
      if (way % 2 == 0) daemon.sync(way % 5 % 3);
      daemon.cut();
      daemon.start();
      BOOST_TEST_REQUIRE(daemon.there() == there, "way " << way);
    }
    daemon.settle();
    BOOST_TEST_REQUIRE(daemon.books() == "//", "way " << way);
    BOOST_TEST_REQUIRE(recover(daemon) == "BRANCHES", "way " << way);
    BOOST_TEST_REQUIRE(daemon.holds_nothing(), "way " << way);
  }
  BOOST_TEST(seen["all"] > 100);
  BOOST_TEST(seen["nothing"] > 100);
}

BOOST_FIXTURE_TEST_CASE(without_room_in_one_of_the_logs_nothing_is_written, Daemon) {
  for (std::size_t full = 0; full < 3; ++full) {
    begin();
    logs[full].room = false;
    Status const status = commit();
    BOOST_TEST((status.code() == Code::rolled_back));
    BOOST_TEST(status.message().find("no room") != std::string::npos, status.message());
    logs[full].room = true;
    BOOST_TEST(books() == "//");
    for (MemoryLog const& log : logs) BOOST_TEST(log.held == 0U);
    BOOST_TEST(holds_nothing());
    settle();
    BOOST_TEST(there() == "nothing");
  }
}

BOOST_FIXTURE_TEST_CASE(room_for_the_end_is_held_from_the_beginning, Daemon) {
  begin();
  BOOST_REQUIRE(commit().ok());
  for (MemoryLog const& log : logs) BOOST_TEST(log.held > 0U);
  for (MemoryLog& log : logs) log.room = false;  // but for removals
  settle();
  BOOST_TEST(there() == "all");
  for (MemoryLog const& log : logs) BOOST_TEST(log.held == 0U);
}

BOOST_FIXTURE_TEST_CASE(a_part_that_finds_no_room_is_tried_again, Daemon) {
  begin();
  BOOST_REQUIRE(commit().ok());
  sync(1);
  sync(2);
  advance();
  logs[2].room = logs[2].room_to_remove = false;
  settle();
  BOOST_TEST(there() == "half");  // it is decided, and gamma waits
  BOOST_TEST(book(2) == "p");
  BOOST_TEST(post.letters.empty());
  BOOST_TEST(!engine->two_phase().wants_turn());
  BOOST_TEST((engine->two_phase().next_due() == now + TwoPhase::kAgainAfter));
  logs[2].room = logs[2].room_to_remove = true;
  settle();
  BOOST_TEST(book(2) == "p");
  now = now + TwoPhase::kAgainAfter;
  settle();
  BOOST_TEST(there() == "all");
  BOOST_TEST(books() == "//");
  BOOST_TEST(post.letters.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_log_that_stops_to_serve_before_the_outcome_ends_it, Daemon) {
  for (std::size_t away = 0; away < 3; ++away) {
    begin();
    BOOST_REQUIRE(commit().ok());
    engine->set_serving(*hosted[away], {Code::unavailable, "it is away"}, now);
    BOOST_TEST(engine->two_phase().wants_turn());
    settle();
    BOOST_REQUIRE_EQUAL(post.letters.size(), away + 1);
    BOOST_TEST(post.letters.back() == "COMMIT rolled_back");
    engine->set_serving(*hosted[away], {}, now);
    settle();
    BOOST_TEST(books() == "//");
    BOOST_TEST(there() == "nothing");
    BOOST_TEST(holds_nothing());
    for (MemoryLog const& log : logs) BOOST_TEST(log.held == 0U);
  }
}

BOOST_FIXTURE_TEST_CASE(after_the_outcome_a_log_that_is_away_is_waited_for, Daemon) {
  begin();
  BOOST_REQUIRE(commit().ok());
  sync(1);
  sync(2);
  advance();
  engine->set_serving(*hosted[1], {Code::unavailable, "it is away"}, now);
  settle();
  BOOST_TEST(rows(1) == 0);
  BOOST_TEST(rows(2) == 1);
  BOOST_TEST(book(0) == "o");
  BOOST_TEST(post.letters.empty());
  engine->set_serving(*hosted[1], {}, now);
  settle();
  BOOST_TEST(there() == "all");
  BOOST_TEST(post.letters.size() == 1U);
  BOOST_TEST(books() == "//");
}

BOOST_FIXTURE_TEST_CASE(it_goes_on_without_its_connection_and_no_time_ends_it, Daemon) {
  begin();
  BOOST_REQUIRE(commit().ok());
  engine->connection_closed(ConnectionId{1}, now);
  now = now + DurationMs{3'600'000};
  static_cast<void>(engine->run_timers(now));
  settle();
  BOOST_TEST(there() == "all");
}

BOOST_FIXTURE_TEST_CASE(a_reload_that_would_drop_a_table_of_it_is_refused_meanwhile, Daemon) {
  begin({0, 1});
  BOOST_REQUIRE(commit().ok());
  for (std::size_t const gone : {0U, 1U}) {
    Declarations next = engine->declarations();
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(gone));
    BOOST_TEST((engine->reloading().check(next).code() == Code::bad_configuration));
  }
  settle();
  BOOST_TEST(rows(0) + rows(1) == 2);
}

// A part without its home is in doubt. An older copy of home does not know more, also when it has grown.
BOOST_FIXTURE_TEST_CASE(only_that_very_home_is_asked, Daemon) {
  begin({0, 1});
  BOOST_REQUIRE(commit().ok());
  sync(1);
  cut();
  start(1);  // without alpha
  BOOST_TEST(recover(*this) == "BRANCH");
  BOOST_TEST(engine->alerting().has_pending() == false);
  static_cast<void>(engine->run_timers(now));
  BOOST_TEST(engine->alerting().has_pending());
  BOOST_TEST(rows(1) == 0);
  BOOST_TEST(!holds_nothing());
  // It is back, and has all that it had.
  cut();
  start();
  BOOST_TEST(recover(*this) == "BRANCHES");
  settle();
  BOOST_TEST(books() == "//");
  BOOST_TEST(there() == "nothing");
}

BOOST_FIXTURE_TEST_CASE(an_older_home_leaves_it_in_doubt_for_good, Daemon) {
  begin({0, 1, 2});
  BOOST_REQUIRE(commit().ok());
  settle();
  BOOST_TEST(there() == "all");
  BOOST_REQUIRE(engine->transactions().begin(ConnectionId{1}, {}, now).ok());
  for (std::size_t log = 0; log < 3; ++log) BOOST_REQUIRE(put(log, "m").ok());
  BOOST_REQUIRE(commit().ok());
  sync(1);
  sync(2);
  Lsn const before = logs[0].found;
  cut();
  logs[0].found = before;  // as of the first start
  start();
  BOOST_TEST(recover(*this) == "BRANCH");  // once, though it is in two logs
  BOOST_TEST(books() == "/p/p");
  settle();
  cut();
  start();  // home stands beyond that by now
  BOOST_TEST(recover(*this) == "BRANCH");
  Answer answer;
  Message const message{"XA_DECIDE"};
  BOOST_REQUIRE(engine->branches()
                    .decide({.command = &message}, xid_in(*this, 1), log::Outcome::committed, now, answer)
                    .is_later);
  // The first of the parts has the outcome for the others now.
  BOOST_TEST(books() == "/o/p");
  sync(1);
  cut();
  start();
  BOOST_TEST(recover(*this) == "BRANCHES");
  settle();
  BOOST_TEST(books() == "//");
  BOOST_TEST(rows(1) == 2);
  BOOST_TEST(rows(2) == 2);
  BOOST_TEST(holds_nothing());
}

// The outcome stays until the log with that part is there again.
BOOST_FIXTURE_TEST_CASE(a_branch_ends_in_a_log_that_is_not_there_when_it_comes_back, Daemon) {
  for (bool const commits : {true, false}) {
    Branches& first = engine->branches();
    Message const message{"XA"};
    Branches::Caller const caller{.connection = ConnectionId{1}, .origin = "manager", .command = &message};
    std::string const xid = commits ? "1:aa:" : "1:bb:";
    BOOST_REQUIRE(first.start(caller, xid, Branches::Start::begin, DurationMs{1000}, now).ok());
    for (std::size_t log = 0; log < 3; ++log) BOOST_REQUIRE(put(log, xid).ok());
    BOOST_REQUIRE(first.end(caller, xid, Branches::End::success, now).ok());
    Answer answer;
    BOOST_REQUIRE(first.prepare(caller, xid, now, answer).is_later);
    BOOST_TEST((first.commit(caller, xid, false, now, answer).status.code() == Code::wrong_state));
    BOOST_TEST(recover(*this) == "BRANCHES");  // it is not prepared yet
    settle();
    BOOST_TEST(books() == "b/p/p");
    BOOST_TEST(recover(*this) == "BRANCH");
    cut();
    start(0, 2);  // without gamma
    BOOST_TEST(recover(*this) == "BRANCH");
    Branches& second = engine->branches();
    BOOST_REQUIRE(
        (commits ? second.commit(caller, xid, false, now, answer) : second.roll_back(caller, xid, now, answer)).ok());
    settle();
    BOOST_TEST(book(0) == (commits ? "o" : ""));
    BOOST_TEST(book(1) == "");
    cut();
    start();
    settle();
    BOOST_TEST(books() == "//");
    for (std::size_t log = 0; log < 3; ++log) BOOST_TEST(rows(log) == 1);
    BOOST_TEST(recover(*this) == "BRANCHES");
    BOOST_TEST(holds_nothing());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::engine::test
