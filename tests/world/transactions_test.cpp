// Transactions in the whole core, where a transcript cannot show it: memory that they hold, limits, logs that stop to
// serve, and a full disk.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/access/token.h"
#include "engine/transactions/branches.h"
#include "tests/world/asking.h"
#include "tests/world/world.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::sim::transactions_test {
namespace {

struct Daemon : Asking {
  Daemon() {
    for (char const* const name : {"jobs", "values", "own"})
      BOOST_REQUIRE(world.add_table(std::string{FJ_SOURCE_DIR "/tests/transcripts/"} + name + ".xml").ok());
  }
  // All answers to one line.
  std::vector<std::string> all(std::string const& line) {
    std::vector<std::string> out{ask(line)};
    while (std::optional<std::string> answer = world.take_line("main")) out.push_back(*answer);
    return out;
  }
  std::string one(std::string const& line) { return all(line).front(); }
  // No log has anything of a transaction.
  bool daemon_is_clean() {
    world.settle();
    return std::ranges::all_of(world.engine().logs(),
                               [](auto const& log) { return log->catalogue.transactions().all().empty(); });
  }
};

bool says(std::string const& line, std::string_view what) { return line.find(what) != std::string::npos; }

std::string many(std::string const& what, std::size_t times) {
  std::string out = "[";
  for (std::size_t i = 0; i < times; ++i) out += (i == 0 ? "" : ",") + what;
  return out + "]";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transactions)

BOOST_AUTO_TEST_CASE(the_memory_of_their_commands_is_the_clients_and_is_given_back) {
  Daemon daemon;
  daemon.start();
  auto const kept = [&] { return daemon.stat("client_memory"); };
  std::int64_t const before = kept();
  for (char const* const end : {"COMMIT", "ROLLBACK"}) {
    BOOST_TEST(says(daemon.one("BEGIN"), "BEGUN"));
    for (int i = 0; i < 20; ++i)
      BOOST_TEST(says(daemon.one("INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + std::string(5000, 'x')),
                      "PROMISED"));
    BOOST_TEST(kept() >= before + 20 * 5000);
    static_cast<void>(daemon.all(end));
    BOOST_TEST(kept() <= before + 10'000);
  }
}

BOOST_AUTO_TEST_CASE(one_has_a_thousand_commands_at_most) {
  Daemon daemon;
  daemon.start();
  BOOST_TEST(says(daemon.one("BEGIN"), "BEGUN"));
  for (int i = 0; i < 1000; ++i) daemon.world.send("main", "INSERT table=jobs;name=n" + std::to_string(i));
  BOOST_TEST(says(daemon.all("INSERT table=jobs;name=one_more").back(), "code=over_limit"));
  BOOST_TEST(says(daemon.one("COMMIT"), "code=rolled_back"));
  std::string const add = R"({\"command\":\"INSERT\",\"table\":\"jobs\",\"name\":\"a\"})";
  BOOST_TEST(says(daemon.one("TRANSACTION commands=\"" + many(add, 1001) + "\""), "code=over_limit"));
  std::vector<std::string> const all = daemon.all("TRANSACTION commands=\"" + many(add, 1000) + "\"");
  BOOST_REQUIRE_EQUAL(all.size(), 1001U);
  BOOST_TEST(says(all.front(), "COMMITTED"));
  BOOST_TEST(says(all.back(), "merges=999;op=1000;"));
}

BOOST_AUTO_TEST_CASE(on_a_full_disk_what_removes_is_committed_and_what_adds_is_not) {
  Daemon daemon;
  daemon.start();
  for (int i = 0; i < 3; ++i) static_cast<void>(daemon.one("INSERT table=jobs;name=n" + std::to_string(i)));
  std::vector<Message> rows;
  for (std::string const& line : daemon.all("NEXT table=jobs;count=3")) {
    rows.emplace_back();
    BOOST_REQUIRE(protocol::parse_line(line, rows.back()).ok());
    rows.back().own();
  }
  auto const done = [&](std::size_t i) {
    return "DONE table=jobs;row=" + std::string{rows[i].text("row")} + ";epoch=" + std::string{rows[i].text("epoch")};
  };
  daemon.world.disk().set_capacity(daemon.world.disk().used_bytes());
  for (int i = 0;
       i < 10'000 &&
       !says(daemon.one("INSERT table=jobs;name=f" + std::to_string(i) + ";payload=" + std::string(2000, 'x')),
             "code=no_space");
       ++i) {
  }
  BOOST_TEST(says(daemon.one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(daemon.one(done(0)), "PROMISED"));
  BOOST_TEST(says(daemon.one("INSERT table=jobs;name=more;payload=" + std::string(200'000, 'x')), "PROMISED"));
  BOOST_TEST(says(daemon.one("COMMIT"), "code=no_space"));
  BOOST_TEST(says(daemon.one("COMMIT"), "code=wrong_state"));
  BOOST_TEST(says(daemon.one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(daemon.one(done(0)), "PROMISED"));
  BOOST_TEST(says(daemon.one(done(1)), "PROMISED"));
  BOOST_TEST(says(daemon.one("COMMIT"), "COMMITTED"));
  daemon.world.power_cut();
  daemon.start();
  BOOST_TEST(says(daemon.one("PEEK table=jobs;row=" + std::string{rows[0].text("row")}), "code=unknown_row"));
  BOOST_TEST(says(daemon.one("PEEK table=jobs;row=" + std::string{rows[2].text("row")}), "ROW"));
}

BOOST_AUTO_TEST_CASE(a_log_that_stops_to_serve_ends_those_of_its_tables) {
  Daemon daemon;
  SimLog& log = daemon.world.use_sim_log("own");
  daemon.start();
  daemon.world.advance(DurationMs{100});
  BOOST_TEST(says(daemon.one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(daemon.one("INSERT table=own;name=a"), "PROMISED"));
  BOOST_TEST(says(daemon.ask("other", "BEGIN"), "BEGUN"));
  BOOST_TEST(says(daemon.ask("other", "INSERT table=jobs;name=a"), "PROMISED"));
  auto const set_state = [&](log::State state) {
    log.set_state(state, "no way there");
    daemon.world.network().turn_again();
    daemon.world.settle();
  };
  set_state(log::State::unavailable);
  std::string const answer = daemon.one("COMMIT");
  BOOST_TEST(says(answer, "code=rolled_back"), answer);
  BOOST_TEST(says(answer, "cause=unavailable"), answer);
  BOOST_TEST(says(daemon.ask("other", "COMMIT"), "COMMITTED"));
  set_state(log::State::serving);
  BOOST_TEST(says(daemon.one("PEEK table=own;name=a"), "code=unknown_row"));
}

// Table own is in a log of its own, which is home.
struct Several : Daemon {
  Several() {
    world.log_options.sync_place = log::SyncPlace::on_thread;
    start();
  }
  void promise() {
    BOOST_TEST(says(one("BEGIN"), "BEGUN"));
    BOOST_TEST(says(one("INSERT table=own;name=a"), "PROMISED"));
    BOOST_TEST(says(one("INSERT table=jobs;name=a"), "PROMISED"));
  }
  void hold(std::string_view log, bool is_held) {
    world.hold_syncs(world.log(log), is_held);
    world.settle();
  }
  // While it is held.
  void kill(std::string_view log) {
    world.hold_syncs(world.log(log), false);
    world.kill();
  }
  bool is_there(std::string const& table) { return says(ask("other", "PEEK table=" + table + ";name=a"), "ROW "); }
  bool is_nowhere() { return !is_there("own") && !is_there("jobs"); }
  std::string in_doubt() { return ask("admin", "XA_RECOVER"); }
};

BOOST_FIXTURE_TEST_CASE(what_is_sent_behind_a_commit_in_several_logs_is_answered_behind_it, Several) {
  promise();
  hold("shared", true);
  world.send("main", "COMMIT");
  world.send("main", "PEEK table=own;name=a");
  world.send("main", "BEGIN");
  world.settle();
  BOOST_TEST(world.take_line("main").has_value() == false);
  BOOST_TEST(says(ask("third", "PEEK table=own;name=a"), "unknown_row"));  // others go on
  hold("shared", false);
  for (char const* const expected : {"COMMITTED", "INSERTED", "INSERTED", "ROW", "BEGUN"})
    BOOST_TEST(says(world.take_line("main").value_or(""), expected), expected);
}

BOOST_FIXTURE_TEST_CASE(a_commit_in_several_logs_goes_on_without_its_connection, Several) {
  promise();
  hold("shared", true);
  world.send("main", "COMMIT");
  world.settle();
  world.close("main");
  hold("shared", false);
  BOOST_TEST(is_there("own"));
  BOOST_TEST(is_there("jobs"));
  BOOST_TEST(daemon_is_clean());
}

BOOST_FIXTURE_TEST_CASE(a_clean_end_brings_it_to_its_end, Several) {
  promise();
  hold("shared", true);
  world.send("main", "COMMIT");
  world.settle();
  BOOST_TEST(world.server().finish().ok());
  BOOST_TEST(says(world.take_line("main").value_or(""), "COMMITTED"));
  kill("shared");
  start();
  BOOST_TEST(is_there("own"));
  BOOST_TEST(is_there("jobs"));
  BOOST_TEST(daemon_is_clean());
}

BOOST_FIXTURE_TEST_CASE(a_kill_before_the_outcome_gives_it_up_and_one_behind_it_carries_it_out, Several) {
  promise();
  hold("shared", true);
  world.send("main", "COMMIT");
  world.settle();
  kill("shared");  // the part is written; it may be durable
  start();
  BOOST_TEST(is_nowhere());
  BOOST_TEST(says(in_doubt(), "BRANCHES count=0"));
  promise();
  hold("own", true);
  world.send("main", "COMMIT");
  world.settle();
  kill("own");  // so is the outcome
  start();
  BOOST_TEST(is_there("own"));
  BOOST_TEST(is_there("jobs"));
  BOOST_TEST(says(in_doubt(), "BRANCHES count=0"));
}

BOOST_FIXTURE_TEST_CASE(a_home_that_was_put_back_from_a_copy_leaves_it_in_doubt_with_an_alert, Several) {
  auto const copy = world.disk().image();
  for (int i = 0; i < 50; ++i) BOOST_TEST(says(one("INSERT table=own;name=n" + std::to_string(i)), "INSERTED"));
  promise();
  hold("own", true);
  world.send("main", "COMMIT");
  world.settle();
  kill("own");
  auto image = world.disk().image();
  std::erase_if(image, [](auto const& file) { return file.first.starts_with("own/"); });
  for (auto const& [name, bytes] : copy)
    if (name.starts_with("own/")) image[name] = bytes;
  world.disk().restore(image);
  start();
  for (int again = 0; again < 2; ++again) {
    BOOST_TEST(is_nowhere());
    BOOST_TEST(says(in_doubt(), "home=lost"));
    BOOST_TEST(says(ask("XA_RECOVER"), "BRANCHES count=0"));  // it is nobody's but an administrator's
    world.advance(DurationMs{1});
    BOOST_TEST(says(ask("admin", "ALERTS"), "name=in-doubt"));
    while (world.take_line("admin")) continue;
    // Home grows, and does not know more by that.
    for (int i = 0; i < 200; ++i) static_cast<void>(one("INSERT table=own;name=m" + std::to_string(i)));
    world.kill();
    start();
  }
  Message branch;
  BOOST_REQUIRE(protocol::parse_line(in_doubt(), branch).ok());
  std::string const xid{branch.text("xid")};
  BOOST_TEST(says(ask("XA_COMMIT xid=" + xid), "XAER_NOTA"));
  BOOST_TEST(says(ask("admin", "XA_COMMIT xid=" + xid), "XAER_RMFAIL"));
  BOOST_TEST(says(ask("admin", "XA_DECIDE outcome=commit;xid=" + xid), "DECIDED"));
  BOOST_TEST(is_there("jobs"));
  BOOST_TEST(daemon_is_clean());
}

BOOST_FIXTURE_TEST_CASE(a_table_that_is_not_kept_may_be_part_of_it, Daemon) {
  BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/scratch.xml").ok());
  start();
  BOOST_TEST(says(one("BEGIN"), "BEGUN"));
  BOOST_TEST(says(one("INSERT table=scratch;name=a"), "PROMISED"));
  BOOST_TEST(says(one("INSERT table=jobs;name=a"), "PROMISED"));
  std::vector<std::string> const answer = all("COMMIT");
  BOOST_REQUIRE_EQUAL(answer.size(), 3U);
  BOOST_TEST(says(answer[1], "table=scratch;"), answer[1]);
  BOOST_TEST(says(answer[2], "table=jobs;"), answer[2]);
  BOOST_TEST(daemon_is_clean());
  world.kill();
  start();
  BOOST_TEST(says(one("PEEK table=jobs;name=a"), "ROW"));
  BOOST_TEST(daemon_is_clean());
}

BOOST_AUTO_TEST_CASE(the_commands_of_a_whole_one_may_be_frames) {
  Daemon daemon;
  daemon.start();
  std::string const bytes("\x00\xFF;", 3);
  std::string frames;
  std::vector<Param> const set{{"table", Value::of_text("values")},
                               {"key", Value::of_text("k")},
                               {"type", Value::of_text("buffer")},
                               {"value", Value::of_binary(bytes)}};
  protocol::append_frame({.command = "SET", .params = set}, frames);
  std::vector<Param> const insert{{"table", Value::of_text("jobs")}, {"name", Value::of_text("a")}};
  protocol::append_frame({.command = "INSERT", .params = insert}, frames);
  auto const send = [&](std::string_view commands) {
    std::string out;
    std::vector<Param> const whole{{"commands", Value::of_binary(commands)}};
    protocol::append_frame({.command = "TRANSACTION", .params = whole}, out);
    daemon.world.connection("frames").to_server += out;
    daemon.world.settle();
    return std::exchange(daemon.world.connection("frames").to_client, {});
  };
  BOOST_TEST(says(send(frames), "COMMITTED"));
  BOOST_TEST(says(daemon.one("GET table=values;key=k"), "value=AP87"));
  // A text message has them in base64.
  std::string text;
  BOOST_REQUIRE(
      protocol::append_line(
          {.command = "TRANSACTION", .params = std::vector<Param>{{"commands", Value::of_binary(frames)}}}, text)
          .ok());
  text.pop_back();
  BOOST_TEST(says(daemon.one(text), "COMMITTED"));
  BOOST_TEST(says(daemon.one("PEEK table=jobs;name=a"), "ROW"));
  // Cut anywhere they are refused, and nothing is done.
  for (std::size_t end = 0; end < frames.size(); ++end) {
    std::string const answer = send(std::string_view{frames}.substr(0, end));
    bool const is_whole = end == frames.find("FJM", 4);
    BOOST_TEST(says(answer, is_whole ? "COMMITTED" : "ERROR"), end << ": " << answer);
  }
}

// One stranger, and any number of them, leave room for users; all of them for an administrator.
BOOST_AUTO_TEST_CASE(branches_are_shared_out_by_origin) {
  using engine::Branches;
  Daemon daemon;
  access::Users users;
  auto const token_of = [](std::string const& name) {
    std::string const random(access::kSaltBytes + access::kSecretBytes, name[0]);
    return access::Token::make(
        std::span<char const, access::kSaltBytes + access::kSecretBytes>{random.data(), random.size()});
  };
  for (char const* const name : {"ann", "bob", "cid"})
    BOOST_REQUIRE(users.add({.name = name,
                             .grants = {{.rights = {Right::work}, .tables = {}}},
                             .token = access::TokenHash::of(token_of(name), access::kHashCostLeast).value()}));
  daemon.world.set_users(std::move(users));
  daemon.start();
  std::size_t made = 0;
  // Until one is refused: how many it is of this client. Some of them are prepared.
  auto const fill = [&](std::string const& client) {
    for (std::size_t of_client = 0;; ++of_client, ++made) {
      std::string const xid = "1:" + std::to_string(100'000 + made) + ":";
      daemon.world.send(client, "XA_START xid=" + xid);
      std::string const started = daemon.ask(client, "XA_END xid=" + xid);
      std::string const ended = daemon.world.take_line(client).value_or("");
      if (!says(started, "STARTED")) {
        BOOST_TEST(says(started, "code=over_limit"), started);
        return of_client;
      }
      BOOST_REQUIRE(says(ended, "ENDED"));
      if (of_client < 10) BOOST_REQUIRE(says(daemon.ask(client, "XA_PREPARE xid=" + xid), "PREPARED"));
    }
  };
  for (char const* const stranger : {"a@192.0.2.1", "b@192.0.2.2"})
    BOOST_TEST(fill(stranger) == Branches::kMostOfOrigin);
  BOOST_TEST(fill("c@192.0.2.3") == Branches::kMostOfPeers - 2 * Branches::kMostOfOrigin);
  BOOST_TEST(fill("d@192.0.2.4") == 0U);
  for (std::string const user : {"ann", "bob", "cid"}) {
    std::string const client = user + "@192.0.2.4";
    std::string const answer = daemon.ask(client, "AUTH user=" + user + ";token=" + std::string{token_of(user).text()});
    BOOST_REQUIRE_MESSAGE(says(answer, "AUTHENTICATED"), answer);
    BOOST_TEST(fill(client) == (user == "cid" ? 0U : Branches::kMostOfOrigin));
  }
  BOOST_TEST(made == Branches::kMost - Branches::kKept);
  BOOST_TEST(fill("admin") == Branches::kKept);
  // What is prepared counts over a start.
  daemon.world.kill();
  daemon.start();
  BOOST_TEST(fill("a@192.0.2.1") == Branches::kMostOfOrigin - 10);
}

// Their records in the log likewise: a half for one, an eighth kept for administrators.
BOOST_AUTO_TEST_CASE(bytes_of_prepared_branches_are_shared_out_by_origin) {
  Daemon daemon;
  daemon.start();
  std::size_t made = 0;
  // Branches of nearly a MiB until one is refused: their number, and why.
  auto const fill = [&](std::string const& client, std::string_view why) {
    for (std::size_t of_client = 0;; ++of_client) {
      std::string const xid = "1:" + std::to_string(100'000 + ++made) + ":";
      BOOST_REQUIRE(says(daemon.ask(client, "XA_START xid=" + xid), "STARTED"));
      std::string const payload((1U << 20U) - 2048, 'x');
      BOOST_REQUIRE(says(daemon.ask(client, "INSERT table=jobs;name=n" + std::to_string(made) + ";payload=" + payload),
                         "PROMISED"));
      BOOST_REQUIRE(says(daemon.ask(client, "XA_END xid=" + xid), "ENDED"));
      std::string const answer = daemon.ask(client, "XA_PREPARE xid=" + xid);
      if (says(answer, "PREPARED")) continue;
      BOOST_TEST(says(answer, "code=over_limit"), answer);
      BOOST_TEST(says(answer, why), answer);
      return of_client;
    }
  };
  BOOST_TEST(fill("a@192.0.2.1", "a user's or peer's prepared transactions") == 32U);
  BOOST_TEST(fill("b@192.0.2.2", "the rest is kept for administrators") == 24U);
  BOOST_TEST(fill("admin", "the prepared transactions of log") == 8U);
}

// By itself and in a transaction, with frame-bytes as the document says; one byte more is refused.
BOOST_AUTO_TEST_CASE(a_message_of_a_queue_has_a_body_of_64_mib) {
  Daemon daemon;
  BOOST_REQUIRE(daemon.world.add_table(FJ_SOURCE_DIR "/tests/transcripts/post.xml").ok());
  daemon.world.limits.frames.frame_bytes_max = std::size_t{66} << 20U;
  daemon.start();
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  auto const send = [&](std::size_t bytes) {
    std::string body(bytes, 'b');
    body.back() = 'e';
    std::string const properties = "{\"p\":\"" + std::string((64U << 10U) - 8, 'p') + "\"}";
    std::vector<Param> params{{"table", Value::of_text("post")},
                              {"queue", Value::of_text("orders")},
                              {"properties", Value::of_text(properties)},
                              {"body_binary", Value::of_binary(body)}};
    std::string frame;
    protocol::append_frame({.command = "SEND", .params = params}, frame);
    daemon.world.connection("main").to_server += frame;
    daemon.world.settle();
    return std::exchange(daemon.world.connection("main").to_client, {});
  };
  std::string answer = send(kMost);
  BOOST_TEST(says(answer, "SENT"), answer.substr(0, 200));
  answer = send(kMost + 1);
  BOOST_TEST(says(answer, "too_large"), answer.substr(0, 200));
  BOOST_TEST(says(daemon.one("BEGIN"), "BEGUN"));
  answer = send(kMost);
  BOOST_TEST(says(answer, "PROMISED"), answer.substr(0, 200));
  BOOST_TEST(says(daemon.one("COMMIT"), "COMMITTED"));
  for (int i = 0; i < 2; ++i) {
    std::string const taken = daemon.one("ACQUIRE table=post;queue=orders;places=1");
    std::size_t const at = taken.find("message=");
    BOOST_REQUIRE_MESSAGE(at != std::string::npos && says(taken, "bytes=67108864;"), taken.substr(0, 300));
    std::string const number = taken.substr(at + 8, taken.find(';', at) - at - 8);
    BOOST_TEST(says(daemon.one("READ table=post;message=" + number + ";offset=67108862;length=2"), "body_binary=YmU="));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::transactions_test
