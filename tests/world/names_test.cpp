// Values that clients choose and answers repeat must be short and possible to write in every format, or the command is
// refused before it does anything. Also the number of bytes that one short command can cause.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>

#include "fastjournal/limits.h"
#include "tests/support/temporary_folder.h"
#include "tests/world/asking.h"
#include "wire/framer.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::sim::names_test {
namespace {

struct Served : Asking {
  Served() { serve(); }
  // Sends a command as a frame; returns the answer.
  std::string ask_by_frame(std::string_view command, std::vector<Param> const& params) {
    static_cast<void>(ask("ALIVE"));
    std::string frame;
    protocol::append_frame({.command = command, .params = params}, frame);
    SimNetwork::Connection& line = world.network().at(ConnectionId{1});
    line.to_server += frame;
    world.settle();
    std::string const bytes = std::exchange(line.to_client, {});
    BOOST_REQUIRE(bytes.starts_with(protocol::kFrameMagic));
    Message answer;
    BOOST_REQUIRE(protocol::parse_frame(std::string_view{bytes}.substr(protocol::kFrameHeaderBytes), answer).ok());
    std::string text;
    BOOST_REQUIRE(protocol::append_line({.command = answer.command, .params = answer.params()}, text).ok());
    return text;
  }
  [[nodiscard]] std::size_t sent() { return world.network().at(ConnectionId{1}).to_client.size(); }
  bool is_there(std::string const& name) { return ask("PEEK table=jobs;name=" + name).starts_with("ROW "); }
};

bool refuses(std::string const& answer, std::string_view code) {
  return answer.starts_with("ERROR ") && answer.find("code=" + std::string{code}) != std::string::npos &&
         answer.find("parameter=request") != std::string::npos && answer.find(";request=") == std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(names)

BOOST_FIXTURE_TEST_CASE(a_request_of_256_bytes_comes_back_and_a_longer_one_is_refused, Served) {
  std::string const most(kRequestBytesMax, 'r');
  BOOST_TEST(ask("INSERT table=jobs;name=a;request=" + most).find(";request=" + most) != std::string::npos);
  std::string const answer = ask("INSERT table=jobs;name=b;request=" + most + "r");
  BOOST_TEST(refuses(answer, "too_large"), answer);
  BOOST_TEST(answer.find("256") != std::string::npos, answer);
  BOOST_TEST(!is_there("b"));
}

BOOST_FIXTURE_TEST_CASE(a_long_request_multiplies_nothing, Served) {
  for (int i = 0; i < 100; ++i) ask("INSERT table=jobs;name=n" + std::to_string(i));
  std::string const request(200'000, 'r');
  for (std::string const& line :
       {"LIST table=jobs;count=100;request=" + request,
        "{\"command\":\"LIST\",\"parameters\":{\"table\":\"jobs\","
        "\"count\":100,\"request\":\"" +
            request + "\"}}",
        "<far:" + request + " LIST table=jobs;count=100", "HELLO request=" + request, request + " x=1"}) {
    world.send("main", line);
    world.settle();
    BOOST_TEST(sent() < 1000U, line.substr(0, 40) << ": " << sent());
    while (world.take_line("main")) continue;
  }
  std::string const framed = ask_by_frame(
      "LIST", {{"table", Value::of_text("jobs")}, {"request", Value::of_binary(std::string_view{request})}});
  BOOST_TEST(refuses(framed, "too_large"), framed);
}

// JSON and msgpack can carry values that no text line can, while the answer, or a later message, is a text line.
BOOST_FIXTURE_TEST_CASE(what_no_answer_could_repeat_is_refused_before_anything_is_done, Served) {
  std::string answer = ask(R"({"command":"INSERT","parameters":{"table":"jobs","name":"nul","request":"a\u0000b"}})");
  BOOST_TEST(refuses(answer, "bad_parameter"), answer);
  BOOST_TEST(!is_there("nul"));
  answer = ask(R"({"command":"INSERT","parameters":{"table":"jobs","name":"slash","request":"a;b\\\\"}})");
  BOOST_TEST(refuses(answer, "bad_parameter"), answer);
  BOOST_TEST(!is_there("slash"));
  answer = ask_by_frame("INSERT", {{"table", Value::of_text("jobs")},
                                   {"name", Value::of_text("framed")},
                                   {"request", Value::of_text(std::string_view{"a\0b", 3})}});
  BOOST_TEST(refuses(answer, "bad_parameter"), answer);
  BOOST_TEST(!is_there("framed"));
  // In a value without quotes, a backslash at the end is harmless.
  answer = ask(R"({"command":"INSERT","parameters":{"table":"jobs","name":"plain","request":"ab\\\\"}})");
  BOOST_TEST(answer.starts_with("INSERTED "), answer);
}

BOOST_FIXTURE_TEST_CASE(a_sender_to_whom_no_answer_could_go_is_refused_before_anything_is_done, Served) {
  BOOST_TEST(ask("<far:a/b INSERT table=jobs;name=a").starts_with("INVALID "));
  BOOST_TEST(ask("<:{x INSERT table=jobs;name=a").starts_with("INVALID "));
  BOOST_TEST(ask("<far:" + std::string(kSenderBytesMax, 's') + " INSERT table=jobs;name=a").starts_with("INVALID "));
  BOOST_TEST(!is_there("a"));
  std::string const service(kSenderBytesMax - 3, 's');
  BOOST_TEST(ask("<far:" + service + " INSERT table=jobs;name=a").starts_with("far:" + service + "/INSERTED "));
}

BOOST_FIXTURE_TEST_CASE(other_names_have_an_end_too_and_the_refusal_names_it, Served) {
  std::string const long_name(2000, 'n');
  for (auto const& [line, parameter] :
       std::vector<std::pair<std::string, std::string>>{{"NEXT table=jobs;worker=", "worker"},
                                                        {"LISTEN table=jobs;mode=deliver;worker=", "worker"},
                                                        {"LISTEN table=jobs;worker=", "worker"},
                                                        {"PAUSE table=jobs;worker=", "worker"},
                                                        {"RESUME table=jobs;worker=", "worker"},
                                                        {"INSERT table=jobs;name=a;sequence=1;client=", "client"},
                                                        {"ALIVE serial=", "serial"},
                                                        {"ALIVE timestamp=", "timestamp"}}) {
    std::string const answer = ask(line + long_name);
    BOOST_TEST(answer.find("code=too_large") != std::string::npos, line << answer.substr(0, 300));
    BOOST_TEST(answer.find("parameter=" + parameter) != std::string::npos, line << answer.substr(0, 300));
    BOOST_TEST(answer.size() < 400U, line);
  }
  BOOST_TEST(ask("UNLISTEN table=jobs;domain=" + long_name).size() < 400U);
  BOOST_TEST(ask("LOWER name=" + long_name).size() < 400U);
  BOOST_TEST(ask("STATS table=" + long_name).size() < 400U);
}

// Of two addresses, one of which has a client that invents names, and many others.
BOOST_AUTO_TEST_CASE(who_invents_names_takes_its_own_places_only) {
  test::TemporaryFolder const folder;
  std::ofstream{folder / "log.xml"} << R"(<table name="log" model="journal" row-key="name"><schema>)"
                                    << R"(<column name="name" type="string"/></schema>)"
                                    << "<clients-max>200</clients-max></table>";
  std::ofstream{folder / "mail.xml"} << R"(<table name="mail" model="queue"><queues-max>80</queues-max>)"
                                     << "<clients-max>200</clients-max></table>";
  Asking served;
  BOOST_REQUIRE(served.world.add_table(folder / "log.xml").ok());
  served.serve(folder / "mail.xml");
  auto const is_taken = [&served](std::string const& who, std::string const& line) {
    return !served.ask(who, line).starts_with("ERROR ");
  };
  auto const count = [&](std::string const& who, std::string const& head, std::string const& tail) {
    int taken = 0;
    for (int i = 0; i < 200; ++i) taken += is_taken(who, head + who + std::to_string(i) + tail) ? 1 : 0;
    return taken;
  };
  BOOST_TEST(count("inventor@127.0.0.2", "INSERT table=log;name=a;sequence=1;client=", "") == 25);
  BOOST_TEST(count("inventor@127.0.0.2", "DECLARE table=mail;queue=", ";temporary=1") == 20);
  for (std::string const who : {"producer@127.0.0.2", "another@127.0.0.2", "elsewhere@127.0.0.1"}) {
    BOOST_TEST(is_taken(who, "INSERT table=log;name=b;sequence=1;client=of-" + who), who);
    BOOST_TEST(is_taken(who, "DECLARE table=mail;temporary=1;queue=of-" + who), who);
  }
  BOOST_TEST(is_taken("inventor@127.0.0.2", "INSERT table=log;name=a;sequence=2;client=inventor@127.0.0.20"));
  // A name whose command is refused takes none, however often it comes.
  std::string const patient = "patient@127.0.0.3";
  BOOST_TEST(is_taken(patient, "DECLARE table=mail;queue=small;max_messages=1"));
  BOOST_TEST(is_taken(patient, "SEND table=mail;queue=small;body=a;client=first;sequence=1"));
  for (int i = 0; i < 200; ++i)
    BOOST_TEST(!is_taken(patient, "SEND table=mail;queue=small;body=b;client=second;sequence=1"));
  BOOST_TEST(is_taken(patient, "PURGE table=mail;queue=small"));
  BOOST_TEST(is_taken(patient, "SEND table=mail;queue=small;body=b;client=second;sequence=1"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::names_test
