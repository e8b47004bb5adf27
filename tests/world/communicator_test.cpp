// The daemon as a service of a communicatord, which the test plays, under simulated time: registration, the messages
// that every service knows, the addresses of senders, lost connections, STOP, and alerts as FLAG messages.
#include <boost/test/unit_test.hpp>

#include "tests/world/asking.h"
#include "wire/text.h"

namespace fastjournal::sim::communicator_test {
namespace {

constexpr char kAddress[] = "unix:/run/communicatord.sock";

struct Registered : Asking {
  explicit Registered(std::string alert_address = {}) : Asking(11) {
    world.configure = [alert_address](server::Server& server) {
      server.links().join({.communicator = kAddress,
                           .service = "fastjournal",
                           .alert_service = "watcher",
                           .alert_address = alert_address,
                           .origin = {"box", "0.1.0"}});
    };
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    world.network().serve(kAddress);
    BOOST_REQUIRE(world.start().ok());
  }
  // All that the daemon sent over its connection since the last call.
  std::string heard() {
    ConnectionId const id = world.network().made();
    return id == ConnectionId::none ? "(nobody)" : std::exchange(world.network().at(id).to_client, {});
  }
  std::string say(std::string const& line) {
    world.network().at(world.network().made()).to_server += line + "\n";
    world.settle();
    return heard();
  }
  void fail_a_row(std::string const& name) {
    ask("INSERT table=jobs;name=" + name);
    std::string const got = ask("NEXT table=jobs");
    Message row;
    BOOST_REQUIRE(protocol::parse_line(got, row).ok());
    ask("FAIL table=jobs;row=" + std::string{row.text("row")} + ";epoch=" + std::string{row.text("epoch")});
  }
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(communicator)

BOOST_FIXTURE_TEST_CASE(it_registers_and_says_what_it_knows, Registered) {
  BOOST_TEST(heard() == "REGISTER service=fastjournal;version=1;\n");
  BOOST_TEST(say("READY") == "");
  std::string const list = say("HELP");
  BOOST_TEST(list.starts_with("COMMANDS list="));
  for (char const* command : {"ALIVE", "HELP", "INSERT", "NEXT", "QUITTING", "READY", "RESTART", "STOP", "UNKNOWN"})
    BOOST_TEST(has(list, command), command);
  BOOST_TEST(!has(ask("HELP"), "QUITTING"));
}

BOOST_FIXTURE_TEST_CASE(the_messages_of_every_service, Registered) {
  heard();
  BOOST_TEST(say("ALIVE serial=7;timestamp=123") ==
             "ABSOLUTELY reply_timestamp=" + std::to_string(world.now().value / 1000) + ";serial=7;timestamp=123;\n");
  for (char const* quiet : {"UNKNOWN command=FLAG", "INVALID message=x", "STATUS service=x;status=up",
                            "SERVICE_UNAVAILABLE unavailable_server=x", "READY"})
    BOOST_TEST(say(quiet) == "", quiet);
  BOOST_TEST(say("<box:backend NONSENSE a=b") == "box:backend/UNKNOWN command=NONSENSE;\n");
}

BOOST_FIXTURE_TEST_CASE(a_command_is_answered_to_its_sender_who_is_the_worker, Registered) {
  heard();
  BOOST_TEST(say("<far:backend fastjournal/INSERT table=jobs;name=a").starts_with("far:backend/INSERTED "));
  BOOST_TEST(say("<far:backend fastjournal/NEXT table=jobs").starts_with("far:backend/ROW "));
  BOOST_TEST(has(ask("PEEK table=jobs;name=a"), "worker=far:backend"));
  BOOST_TEST(say("<far:other NEXT table=jobs;wait=1000;request=5") == "");
  world.advance(DurationMs{1000});
  BOOST_TEST(heard().starts_with("far:other/NOTHING "));
}

BOOST_FIXTURE_TEST_CASE(what_does_not_go_this_way_is_refused, Registered) {
  heard();
  BOOST_TEST(has(say("<a:b LISTEN table=jobs"), "a:b/ERROR code=not_supported;command=LISTEN;"));
}

BOOST_FIXTURE_TEST_CASE(a_row_with_a_large_value_is_handed_out_without_it, Registered) {
  heard();
  ask("INSERT table=jobs;name=big;priority=1;payload=" + std::string(16384, 'x'));
  ask("INSERT table=jobs;name=quoted;priority=2;payload=" + std::string(16384, '\\'));
  ask("INSERT table=jobs;name=less;priority=3;payload=" + std::string(16383, 'x'));
  std::string const big = say("<a:b NEXT table=jobs;request=1");
  BOOST_TEST(big.starts_with("a:b/ROW "), big);
  BOOST_TEST(has(big, ";name=big;"));
  BOOST_TEST(has(big, ";omitted=payload;"));
  BOOST_TEST(has(big, ";request=1;"));
  BOOST_TEST(big.size() < 1000U);
  // As long as it waits to be handed out.
  BOOST_TEST(has(say("<a:b NEXT table=jobs"), ";omitted=payload;"));
  // One large row does not block the next one, and columns that fit are sent.
  std::string const less = say("<a:c NEXT table=jobs");
  BOOST_TEST(less.starts_with("a:c/ROW "));
  BOOST_TEST(!has(less, "omitted"));
  BOOST_TEST(less.size() > 16383U);
  // The same for the answer to a NEXT that waited. Other connections get all columns.
  say("<a:d NEXT table=jobs;wait=60000;request=2");
  ask("INSERT table=jobs;name=late;payload=" + std::string(20000, 'x'));
  std::string const late = heard();
  BOOST_TEST(late.starts_with("a:d/ROW "), late);
  BOOST_TEST(has(late, ";omitted=payload;"));
  BOOST_TEST(ask("PEEK table=jobs;name=big").size() > 16384U);
}

BOOST_FIXTURE_TEST_CASE(what_counts_from_it, Registered) {
  BOOST_TEST(has(ask("STOP"), "not_allowed"));
  BOOST_TEST(has(ask("RESTART"), "not_allowed"));
  BOOST_TEST(world.stop_reason().empty());
  heard();
  BOOST_TEST(has(say("<a:b RELOAD"), "a:b/ERROR code=not_allowed"));
  // It has the rights add and work, and no others.
  for (char const* const command :
       {"PEEK table=jobs;name=x", "STATS", "TABLES", "PAUSE table=jobs", "DIGEST", "BACKUP"})
    BOOST_TEST(has(say(std::string{"<a:b "} + command), "a:b/ERROR code=not_allowed"), command);
  BOOST_TEST(has(say("<a:b KICK table=jobs;name=x"), "whoever comes by the communicatord has add work"));
  BOOST_TEST(has(say("<a:b INSERT table=jobs;name=x"), "a:b/INSERTED "));
  BOOST_TEST(has(say("<a:b HELP command=PEEK"), "a:b/HELP "));
  BOOST_TEST(say("RESTART") == "");
  BOOST_TEST(world.stop_reason().starts_with("restart: "));
  BOOST_TEST(say("STOP") == "");
  BOOST_TEST(world.stop_reason().starts_with("the command STOP"));
  BOOST_TEST(world.server().finish().ok());
  BOOST_TEST(heard() == "UNREGISTER service=fastjournal;\n");
}

BOOST_FIXTURE_TEST_CASE(after_quitting_it_does_not_unregister, Registered) {
  heard();
  BOOST_TEST(say("QUITTING") == "");
  BOOST_TEST(world.server().finish().ok());
  BOOST_TEST(heard() == "");
}

BOOST_FIXTURE_TEST_CASE(it_comes_back_after_one_one_one_three_and_so_on_up_to_a_minute, Registered) {
  heard();
  world.network().stop_serving(kAddress);
  std::uint64_t attempts = world.network().attempts();
  BOOST_TEST(attempts == 1U);
  world.network().drop(world.network().made());
  world.settle();
  for (int const wait : {1, 1, 1, 3, 5, 10, 20, 30, 60, 60}) {
    world.advance(DurationMs{wait * 1000 - 1});
    BOOST_TEST(world.network().attempts() == attempts);
    world.advance(DurationMs{1});
    BOOST_TEST(world.network().attempts() == ++attempts);
  }
  world.network().serve(kAddress);
  world.advance(DurationMs{60'000});
  BOOST_TEST(heard() == "REGISTER service=fastjournal;version=1;\n");
  say("READY");
  // The connection was confirmed, so after the next loss the first attempt comes soon.
  world.network().drop(world.network().made());
  world.advance(DurationMs{1000});
  BOOST_TEST(heard() == "REGISTER service=fastjournal;version=1;\n");
}

BOOST_FIXTURE_TEST_CASE(leases_of_a_lost_communicatord_end_after_the_grace, Registered) {
  say("<a:b INSERT table=jobs;name=a");
  BOOST_TEST(say("<a:b NEXT table=jobs").find("a:b/ROW ") == 0U);
  world.network().stop_serving(kAddress);
  world.network().drop(world.network().made());
  world.advance(DurationMs{120'000});
  BOOST_TEST(has(ask("PEEK table=jobs;name=a"), "timeouts=1"));
}

BOOST_FIXTURE_TEST_CASE(alerts_are_told_to_the_service_and_again_when_it_returns, Registered) {
  heard();
  fail_a_row("a");
  std::string const up = heard();
  BOOST_TEST(has(up, "watcher/FLAG count=1;date="), up);
  for (char const* part : {"state=up;", "unit=fastjournal;", "section=jobs;", "name=row-failed;", "priority=60;",
                           "tags=journal;", "manual_down=no;", "hostname=box;", "version=0.1.0;", "message=row "})
    BOOST_TEST(has(up, part), part << " in " << up);
  fail_a_row("b");
  BOOST_TEST(heard() == "");
  world.network().drop(world.network().made());
  world.advance(DurationMs{1000});
  std::string const again = heard();
  BOOST_TEST(again.starts_with("REGISTER "));
  BOOST_TEST(has(again, "watcher/FLAG count=2;"), again);
  ask("DELETE table=jobs;name=a");
  ask("DELETE table=jobs;name=b");
  BOOST_TEST(has(heard(), "state=down;"));
}

BOOST_FIXTURE_TEST_CASE(an_alert_waits_for_its_commit, Registered) {
  ask("INSERT table=jobs;name=a");
  Message row;
  std::string const got = ask("NEXT table=jobs");
  BOOST_REQUIRE(protocol::parse_line(got, row).ok());
  heard();
  world.disk().fail_call(Call::sync, 1, Failure::io_error);
  ask("FAIL table=jobs;row=" + std::string{row.text("row")} + ";epoch=" + std::string{row.text("epoch")});
  BOOST_TEST(!world.fatal_error().ok());
  BOOST_TEST(heard() == "");
  BOOST_TEST(world.told().empty());
}

BOOST_AUTO_TEST_CASE(alerts_may_go_to_an_address_of_their_own) {
  Registered all{"127.0.0.1:4041"};
  BOOST_TEST(all.heard() == "REGISTER service=fastjournal;version=1;\n");
  all.fail_a_row("a");
  BOOST_TEST(all.heard() == "");
  all.world.network().serve("127.0.0.1:4041");
  all.world.advance(DurationMs{1000});
  std::string const first = all.heard();
  BOOST_TEST(first.starts_with("watcher/FLAG "), first);
}

BOOST_AUTO_TEST_CASE(a_clock_that_was_set_is_an_alert_until_it_is_followed) {
  World world{3};
  BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
  BOOST_REQUIRE(world.start().ok());
  auto const ask = [&] {
    world.send("main", "ALERTS");
    world.settle();
    return world.take_line("main").value_or("");
  };
  world.clock().set_wall(world.clock().wall_us() - 3'000'000);
  world.advance(DurationMs{2000});
  static_cast<void>(ask());
  world.advance(DurationMs{2000});
  BOOST_TEST(has(ask(), "name=clock-jump"));
  BOOST_TEST(has(ask(), "count=1"));
  world.advance(DurationMs{600'000});
  BOOST_TEST(ask() == "ALERTS count=0;");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::communicator_test
