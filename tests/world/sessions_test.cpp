// Sessions in the simulator: answers that wait for their commit, the limits of a peer that does not read, connections
// that mix framings, and the end after a failed sync.
#include <boost/test/unit_test.hpp>

#include "tests/world/asking.h"
#include "wire/framer.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::sim::sessions_test {
namespace {

struct Served : Asking {
  Served() { serve(); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sessions)

BOOST_FIXTURE_TEST_CASE(a_failed_sync_ends_everything_before_an_answer_leaves, Served) {
  BOOST_TEST(ask("INSERT table=jobs;name=kept").starts_with("INSERTED "));
  world.disk().fail_call(Call::sync, 1, Failure::io_error);
  BOOST_TEST(ask("INSERT table=jobs;name=unheard") == "(nothing)");
  BOOST_TEST(!world.fatal_error().ok());
  BOOST_TEST(ask("PEEK table=jobs;name=kept") == "(nothing)");
  world.power_cut();
  BOOST_REQUIRE(world.start().ok());
  BOOST_TEST(ask("PEEK table=jobs;name=kept").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(a_failed_write_ends_everything_before_an_answer_leaves, Served) {
  world.disk().fail_call(Call::write, 1, Failure::short_write);
  BOOST_TEST(ask("INSERT table=jobs;name=unheard") == "(nothing)");
  BOOST_TEST(!world.fatal_error().ok());
}

BOOST_FIXTURE_TEST_CASE(many_commands_of_a_turn_share_one_sync, Served) {
  ask("INSERT table=jobs;name=first");
  world.advance(DurationMs{100});  // time to make spare segments and to write the durable marker
  std::uint64_t const before = world.disk().calls(Call::sync);
  for (int i = 0; i < 100; ++i) world.send("main", "INSERT table=jobs;name=n" + std::to_string(i));
  BOOST_TEST(world.network().turn(world.clock().monotonic_us()));
  BOOST_TEST(world.disk().calls(Call::sync) == before + 1);
  for (int i = 0; i < 100; ++i) BOOST_REQUIRE(world.take_line("main").value_or("").starts_with("INSERTED "));
}

BOOST_FIXTURE_TEST_CASE(a_lease_is_written_and_not_synced, Served) {
  ask("INSERT table=jobs;name=a");
  world.advance(DurationMs{100});
  std::uint64_t const before = world.disk().calls(Call::sync);
  world.send("main", "NEXT table=jobs");
  BOOST_TEST(world.network().turn(world.clock().monotonic_us()));
  BOOST_TEST(world.disk().calls(Call::sync) == before);
  BOOST_TEST(world.take_line("main").value_or("").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(a_peer_that_does_not_read_is_held_and_goes_on_where_it_was, Served) {
  std::string const payload(20'000, 'p');
  ask("INSERT table=jobs;name=big;payload=" + payload);
  ask("ALIVE");
  world.send("deaf", "ALIVE");
  world.settle();
  SimNetwork::Connection& deaf = world.network().at(ConnectionId{2});
  deaf.to_client.clear();
  deaf.room = 1000;
  for (int i = 0; i < 1000; ++i) world.send("deaf", "PEEK table=jobs;name=big;request=" + std::to_string(i));
  world.settle();
  BOOST_TEST(deaf.paused);  // of 20 MB of answers only 4 MiB are made
  BOOST_TEST(ask("PEEK table=jobs;name=big").starts_with("ROW "));
  deaf.room = SIZE_MAX;
  world.server().on_writable(ConnectionId{2});
  world.settle();
  BOOST_TEST(!deaf.paused);
  for (int i = 0; i < 1000; ++i) {
    std::string const line = world.take_line("deaf").value_or("");
    BOOST_REQUIRE_MESSAGE(line.find(";request=" + std::to_string(i) + ";") != std::string::npos,
                          i << ": " << line.substr(0, 200));
  }
}

BOOST_FIXTURE_TEST_CASE(text_and_msgpack_mix_on_a_connection_and_each_is_answered_in_its_form, Served) {
  Param const params[] = {{"table", Value::of_text("jobs")},
                          {"name", Value::of_text("a")},
                          {"payload", Value::of_text(std::string_view{"x\0y", 3})}};
  std::string frame;
  protocol::append_frame({.command = "INSERT", .params = params}, frame);
  world.send("main", "ALIVE");
  world.settle();
  static_cast<void>(world.take_line("main"));
  SimNetwork::Connection& line = world.network().at(ConnectionId{1});
  line.to_server += frame;
  world.settle();
  BOOST_REQUIRE(line.to_client.starts_with(protocol::kFrameMagic));
  Message answer;
  BOOST_REQUIRE(
      protocol::parse_frame(std::string_view{line.to_client}.substr(protocol::kFrameHeaderBytes), answer).ok());
  BOOST_TEST(answer.command == "INSERTED");
  line.to_client.clear();
  // A value that text cannot carry is named in the answer, not silently dropped.
  std::string const text = ask("PEEK table=jobs;name=a;request=5");
  BOOST_TEST(text.starts_with("ROW "));
  BOOST_TEST(text.find(";omitted=payload;") != std::string::npos, text);
  BOOST_TEST(text.find("request=5") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_peer_that_ends_its_output_still_gets_its_answers, Served) {
  world.send("main", "INSERT table=jobs;name=a");
  world.network().at(ConnectionId{1}).end_of_input = true;
  world.settle();
  BOOST_TEST(world.take_line("main").value_or("").starts_with("INSERTED "));
  BOOST_TEST(world.network().at(ConnectionId{1}).closed_by_server);
}

BOOST_FIXTURE_TEST_CASE(a_wall_clock_set_back_delays_nothing, Served) {
  ask("INSERT table=jobs;name=a;process_date=+1000");
  world.clock().set_wall(world.clock().wall_us() - 3'600'000'000);
  world.advance(DurationMs{1010});
  BOOST_TEST(ask("NEXT table=jobs").starts_with("ROW "));
}

BOOST_AUTO_TEST_CASE(a_full_disk_refuses_what_adds_lets_work_go_on_and_takes_again_without_a_restart) {
  World world{7};
  world.disk().set_capacity(6U << 20U);
  BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
  BOOST_REQUIRE(world.start().ok());
  auto const ask = [&world](std::string const& line) {
    world.send("main", line);
    world.settle();
    return world.take_line("main").value_or("(nothing)");
  };
  std::string const payload(20'000, 'p');
  std::string answer;
  int inserted = 0;
  for (; inserted < 1000; ++inserted) {
    answer = ask("INSERT table=jobs;name=n" + std::to_string(inserted) + ";payload=" + payload);
    if (!answer.starts_with("INSERTED ")) break;
  }
  BOOST_TEST(answer.find("code=no_space") != std::string::npos, answer);
  BOOST_REQUIRE(inserted > 20);
  for (int i = 0; i < inserted / 2; ++i) {
    Message row;
    std::string const line = ask("NEXT table=jobs");
    BOOST_REQUIRE(protocol::parse_line(line, row).ok());
    BOOST_REQUIRE_MESSAGE(row.command == "ROW", line.substr(0, 200));
    answer = ask("DONE table=jobs;row=" + std::string{row.text("row")} + ";epoch=" + std::string{row.text("epoch")});
    BOOST_REQUIRE_MESSAGE(answer.starts_with("COMPLETED "), answer);
  }
  ask("INSERT table=jobs;name=again");  // it may be a turn too early
  world.advance(DurationMs{10});
  BOOST_TEST(ask("INSERT table=jobs;name=again").starts_with("INSERTED "));
  BOOST_TEST(world.replayed_digest().value() == world.engine().digest());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::sessions_test
