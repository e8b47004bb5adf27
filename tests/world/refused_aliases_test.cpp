// Messages of other systems that a table refuses (<alias refused="keep">) are confirmed only once the line is durable
// in the file of refused messages. Temporary refusals are answered as such, and an alert reports the lines.
#include <boost/test/unit_test.hpp>

#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::refused_aliases_test {
namespace {

constexpr char kCommunicator[] = "unix:/run/communicatord.sock";

struct Fixture : Asking {
  explicit Fixture(std::string const& refused = "keep") : Asking(5) {
    std::ofstream{folder / "jobs.xml"}
        << "<table name=\"jobs\" model=\"journal\" row-key=\"name\"><schema>"
           "<column name=\"name\" type=\"string\" required=\"true\" max-length=\"9\"/></schema>"
           "<aliases><alias command=\"PUTJOB\" means=\"INSERT\" answer=\"GOTJOB\" refusal=\"JOBFAILED\" refused=\""
        << refused
        << "\"><parameter name=\"uri\" is=\"name\"/><parameter name=\"n\" use=\"echo\"/></alias></aliases></table>";
    world.configure = [](server::Server& server) {
      communicator::OutboundOptions options;
      options.communicator = kCommunicator;
      server.links().join(std::move(options));
    };
    world.network().serve(kCommunicator);
    serve(folder / "jobs.xml");
  }
  std::string answer() {
    world.settle();
    return world.take_line("main").value_or("(nothing)");
  }
  [[nodiscard]] bool alert_says(std::string_view part) const {
    std::vector<log::AlertNotice> const& told = world.told();
    return !told.empty() && told.back().alert.name == "alias-refused" &&
           told.back().alert.message.find(part) != std::string::npos;
  }
  test::TemporaryFolder folder;
};

struct Telling : Fixture {
  Telling() : Fixture("tell") {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(refused_aliases)

BOOST_FIXTURE_TEST_CASE(a_yes_waits_until_the_line_is_durable, Fixture) {
  world.hold_refused();
  BOOST_TEST(ask("PUTJOB n=1;uri=much too long;secret_code=sesame") == "(nothing)");
  BOOST_REQUIRE(world.kept().size() == 1U);
  std::string const& kept = world.kept()[0];
  BOOST_TEST(kept.starts_with("jobs: # "), kept);
  BOOST_TEST(kept.ends_with("\nPUTJOB n=1;uri=much too long;\n"), kept);
  BOOST_TEST(kept.find("sesame") == std::string::npos);
  // Other messages are handled meanwhile.
  BOOST_TEST(ask("PUTJOB n=2;uri=short") == "GOTJOB n=2;");
  world.tell_kept({});
  BOOST_TEST(answer() == "GOTJOB n=1;");
  BOOST_TEST(alert_says("PUTJOB of table jobs from sim:main cannot be taken: "));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_kept_is_refused, Fixture) {
  world.hold_refused();
  ask("PUTJOB n=1;uri=much too long");
  world.tell_kept({Code::io_error, "write x: No space left on device"});
  BOOST_TEST(answer() == "JOBFAILED n=1;");
  ask("PUTJOB n=2;colour=red;uri=x");
  world.close("main");
  world.settle();
  world.tell_kept({});  // the sender is gone
  BOOST_TEST(ask("ALIVE").starts_with("ABSOLUTELY "));
}

BOOST_FIXTURE_TEST_CASE(no_more_wait_than_their_limit, Fixture) {
  world.hold_refused();
  for (int i = 0; i < 1024; ++i) world.send("main", "PUTJOB n=1;uri=much too long");
  world.settle();
  BOOST_TEST(ask("PUTJOB n=2;uri=much too long") == "JOBFAILED n=2;");
  world.tell_kept({});
  BOOST_TEST(answer() == "GOTJOB n=1;");
  BOOST_TEST(ask("PUTJOB n=3;uri=much too long") == "GOTJOB n=1;");
  BOOST_TEST(world.kept().size() == 1025U);
}

BOOST_FIXTURE_TEST_CASE(no_more_bytes_wait_than_their_limit, Fixture) {
  world.hold_refused();
  std::string const line = "PUTJOB n=1;uri=" + std::string(900'000, 'x');
  constexpr std::size_t kFit = (16U << 20U) / 900'000 + 1;
  for (std::size_t i = 0; i < kFit; ++i) BOOST_TEST(ask(line) == "(nothing)");
  BOOST_TEST(ask("PUTJOB n=2;uri=much too long") == "JOBFAILED n=2;");
  BOOST_TEST(world.kept().size() == kFit);
  world.tell_kept({});
  BOOST_TEST(answer() == "GOTJOB n=1;");
  ask("PUTJOB n=3;uri=much too long");
  BOOST_TEST(world.kept().size() == kFit + 1);
}

BOOST_FIXTURE_TEST_CASE(what_ends_by_itself_is_refused_and_no_alert, Fixture) {
  ask("DRAIN table=jobs");
  BOOST_TEST(ask("PUTJOB n=1;uri=short") == "JOBFAILED n=1;");
  BOOST_TEST(world.kept().empty());
  BOOST_TEST(world.told().empty());
}

// For lack of a right a message is neither kept in the file nor confirmed: the administrator can grant the right.
BOOST_FIXTURE_TEST_CASE(an_alias_needs_the_right_of_the_command_that_it_means, Fixture) {
  world.give_rights("reader", {Right::read, Right::work, Right::manage});
  world.send("reader", "PUTJOB uri=a;n=1");
  world.settle();
  BOOST_TEST(world.take_line("reader").value_or("") == "JOBFAILED n=1;");
  BOOST_TEST(world.kept().empty());
  world.give_rights("producer", {Right::add});
  world.send("producer", "PUTJOB uri=a;n=2");
  world.settle();
  BOOST_TEST(world.take_line("producer").value_or("") == "GOTJOB n=2;");
}

BOOST_FIXTURE_TEST_CASE(without_the_option_the_alert_tells, Telling) {
  BOOST_TEST(ask("PUTJOB n=1;uri=much too long") == "JOBFAILED n=1;");
  BOOST_TEST(world.kept().empty());
  BOOST_TEST(alert_says("it was answered with JOBFAILED"));
  BOOST_REQUIRE(world.notes().size() == 1U);
  BOOST_TEST(ask("LOWER name=alias-refused").starts_with("LOWERED "));
}

BOOST_FIXTURE_TEST_CASE(its_sender_by_way_of_a_communicatord_is_answered, Fixture) {
  SimNetwork::Connection& communicatord = world.network().at(world.network().made());
  communicatord.to_client.clear();
  world.hold_refused();
  communicatord.to_server += "<box:www PUTJOB n=1;uri=much too long\n";
  world.settle();
  BOOST_TEST(communicatord.to_client == "");
  world.tell_kept({});
  world.settle();
  BOOST_TEST(communicatord.to_client == "box:www/GOTJOB n=1;\n");
  BOOST_TEST(world.kept()[0].find("box:www: ") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(to_be_connected_is_no_warning, Fixture) {
  BOOST_TEST(world.notes().empty());
  BOOST_REQUIRE(world.informed().size() == 1U);
  BOOST_TEST(world.informed()[0].starts_with("connected to the communicatord at "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::refused_aliases_test
