// `put --from` against a scripted daemon: numbering, refused rows, lost connections, continued runs. With real kills:
// tests/integration/tables/put_from_test.cpp.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "clients/programs/fastjournal/run_state.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

struct CliPutManyFixture {
  std::string file(std::string const& name) const { return (folder.path() / name).string(); }
  std::string content(std::string const& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> with(std::vector<std::string> more) const {
    // A limit, as without one a run would wait for a daemon whose script has failed.
    std::vector<std::string> words{"put", "pages", "--from", "-", "--refused", file("refused"), "--timeout", "20s"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string aside() const { return file("refused") + ", why: " + file("refused.reasons"); }
  test::TemporaryFolder folder;
};

void insert(Peer& peer, Message const& message, std::string_view result = "inserted") {
  peer.answer(message, "INSERTED", {number("row", 1), text("result", result)});
}

void refuse(Peer& peer, Message const& message, std::string_view code) {
  peer.answer(message, "ERROR", {text("command", "INSERT"), text("code", code), text("message", "no")});
}

// Expects the INSERT of the line with this number and key.
Message line(Peer& peer, std::int64_t number, std::string_view uri, std::string* client = nullptr) {
  Message message = peer.expect("INSERT");
  want(message.text("uri") == uri && message.integer("sequence") == number, "the line and its number");
  if (client != nullptr) {
    if (client->empty()) *client = message.text("client");
    want(*client == message.text("client") && client->starts_with("put-"), "one client, drawn");
  }
  return message;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cli_put_many, CliPutManyFixture)

BOOST_AUTO_TEST_CASE(lines_are_numbered_under_a_drawn_name_and_results_are_counted) {
  std::string client;
  auto const script = [&](Peer& peer) {
    insert(peer, line(peer, 1, "a", &client));
    insert(peer, line(peer, 3, "b", &client));
    insert(peer, line(peer, 4, "a", &client), "merged");
  };
  std::string const input = "{\"uri\":\"a\"}\n\n{\"uri\":\"b\"}\n{\"uri\":\"a\"}";
  Said const said = talk(script, with({}), input);
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.out == "3 in (2 inserted, 1 merged), 0 refused\n");
  BOOST_TEST(said.err == "");
  BOOST_TEST(!std::filesystem::exists(file("refused")));
  std::string const before = std::exchange(client, "");
  static_cast<void>(talk(script, with({}), input));
  BOOST_TEST(client != before);
}

BOOST_AUTO_TEST_CASE(refused_lines_and_bad_json_are_set_aside_and_told) {
  auto const script = [&](Peer& peer) {
    insert(peer, line(peer, 5, "a"));
    refuse(peer, line(peer, 6, "bad"), "bad_parameter");
    insert(peer, line(peer, 8, "b"));
  };
  Said const said = talk(script, with({"--client", "mine", "--sequence", "5"}),
                         "{\"uri\":\"a\"}\n{\"uri\":\"bad\"}\n{\"uri\":\n{\"uri\":\"b\"}\n");
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(said.out == "2 in (2 inserted), 2 refused (" + aside() + ")\n");
  BOOST_TEST(said.err ==
             "fastjournal put pages: line 2: bad_parameter: no\n"
             "fastjournal put pages: line 3: bad_parameter: this is no JSON: it is wrong at byte 8\n");
  BOOST_TEST(content("refused") == "{\"uri\":\"bad\"}\n{\"uri\":\n");
  BOOST_TEST(
      content("refused.reasons") ==
      R"({"line":2,"error":"bad_parameter","message":"no","text":"{\"uri\":\"bad\"}"})"
      "\n"
      R"({"line":3,"error":"bad_parameter","message":"this is no JSON: it is wrong at byte 8","text":"{\"uri\":"})"
      "\n");
}

BOOST_AUTO_TEST_CASE(refused_csv_is_whole_csv_that_can_be_corrected_and_put) {
  std::string const input = "uri,title\r\na,\"one\r\ntwo\"\r\nbad,\"x\r\n\"\r\nb\r\nc,\r\n";
  Said const said = talk(
      [](Peer& peer) {
        Message const first = line(peer, 1, "a");
        want(first.text("title") == "one\r\ntwo", "the value with a newline");
        insert(peer, first);
        Message const second = line(peer, 2, "bad");
        peer.answer(second, "ERROR",
                    {text("command", "INSERT"), text("code", "bad_parameter"), text("message", "no"),
                     text("parameter", "title")});
        Message const last = line(peer, 4, "c");
        want(!last.has("title"), "no value");
        insert(peer, last);
      },
      with({}), input);
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(said.out == "2 in (2 inserted), 2 refused (" + aside() + ")\n");
  BOOST_TEST(says(said.err, "line 4: bad_parameter: no (parameter=title)"), said.err);
  BOOST_TEST(says(said.err, "line 6: bad_parameter: found 1 values, expected 2"), said.err);
  BOOST_TEST(content("refused") == "uri,title\r\nbad,\"x\r\n\"\r\nb\r\n");
  BOOST_TEST(
      content("refused.reasons")
          .starts_with(
              R"({"line":4,"error":"bad_parameter","message":"no","facts":{"parameter":"title"},"text":"bad,\"x\r\n\"\r"})"));
  // The same columns go behind what is there; other columns have no place there.
  Said const other = test::run_line("unix:/nowhere", with({}), "uri,size\na,1\n");
  BOOST_TEST((other.code == ExitCode::usage));
  BOOST_TEST(says(other.err, "there are others in it, without this header"), other.err);
  Said const itself =
      test::run_line("unix:/nowhere", {"put", "pages", "--from", file("refused"), "--refused", file("refused")});
  BOOST_TEST((itself.code == ExitCode::usage));
  BOOST_TEST(says(itself.err, "cannot go to the file that is read"), itself.err);
}

BOOST_AUTO_TEST_CASE(a_stopped_run_of_csv_goes_on_with_its_header) {
  Said const said = talk(
      [](Peer& peer) {
        insert(peer, line(peer, 1, "a"));
        refuse(peer, line(peer, 2, "b"), "paused");
      },
      with({}), "uri,title\na,\"1\n2\"\nb,\n");
  BOOST_TEST(said.out == "1 in (1 inserted), 0 refused, stopped at line 4\n");
  BOOST_TEST(says(said.err, "(head -n 1 INPUT; tail -n +4 INPUT) | fastjournal put pages --from - --client put-"),
             said.err);
  BOOST_TEST(says(said.err, " --sequence 2\n"));
}

BOOST_AUTO_TEST_CASE(a_bad_header_puts_nothing) {
  Said const said = test::run_line("unix:/nowhere", with({}), "uri;title\na;b\n");
  BOOST_TEST((said.code == ExitCode::usage));
  BOOST_TEST(says(said.err, "\"uri;title\" in it is no name of a column"), said.err);
  BOOST_TEST(says(test::run_line("unix:/nowhere", {"put", "pages", "--from", file("none")}).err,
                  "cannot read the file " + file("none")));
}

BOOST_AUTO_TEST_CASE(rows_of_a_slow_writer_are_put_and_settled_while_it_is_waited_for) {
  BOOST_REQUIRE(::mkfifo(file("pipe").c_str(), 0600) == 0);
  // The script writes the second row when the first one has come, so a reader that waits for more would never end.
  std::ofstream writer;
  std::thread opener([&] {
    writer.open(file("pipe"));
    writer << "uri=a\n" << std::flush;
  });
  Said const said = talk(
      [&](Peer& peer) {
        insert(peer, line(peer, 1, "a"));
        opener.join();
        writer << "uri=b;ti" << std::flush << "tle=c\n" << std::flush;
        insert(peer, line(peer, 2, "b"));
        writer.close();
      },
      {"put", "pages", "--from", file("pipe"), "--refused", file("refused")});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.out == "2 in (2 inserted), 0 refused\n");
}

BOOST_AUTO_TEST_CASE(what_would_meet_every_line_stops_the_run_and_tells_how_to_go_on) {
  auto const script = [&](Peer& peer) {
    insert(peer, line(peer, 1, "a"));
    Message const second = line(peer, 2, "b");
    Message const third = line(peer, 3, "c");
    refuse(peer, second, "paused");
    insert(peer, third);
  };
  Said const said = talk(script, with({}), "{\"uri\":\"a\"}\n{\"uri\":\"b\"}\n{\"uri\":\"c\"}\n");
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(said.out == "1 in (1 inserted), 0 refused, stopped at line 2\n");
  BOOST_TEST(says(said.err, "line 2: paused: no"));
  BOOST_TEST(says(said.err, "tail -n +2 INPUT | fastjournal put pages --from - --client put-"));
  BOOST_TEST(says(said.err, " --sequence 2\n"));
}

BOOST_AUTO_TEST_CASE(a_loss_is_told_once_and_what_was_in_flight_is_sent_again) {
  std::string client;
  Said const said = talk(
      [&](Peer& peer) {
        insert(peer, line(peer, 1, "a", &client));
        static_cast<void>(line(peer, 2, "b", &client));
        static_cast<void>(line(peer, 3, "c", &client));
        peer.accept();
        insert(peer, line(peer, 2, "b", &client), "duplicate");
        insert(peer, line(peer, 3, "c", &client));
      },
      with({}), "{\"uri\":\"a\"}\n{\"uri\":\"b\"}\n{\"uri\":\"c\"}\n");
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.out == "3 in (1 duplicate, 2 inserted), 0 refused\n");
  BOOST_TEST(
      says(said.err, "was lost: the daemon ended the connection; trying again\nfastjournal put: connected again\n"),
      said.err);
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_where_its_state_says_if_the_lines_before_are_the_same) {
  std::string const state = file("state");
  std::string client;
  std::string const input = "{\"uri\":\"a\"}\n{\"uri\":\"bad\"}\n{\"uri\":\"b\"}\n{\"uri\":\"c\"}\n";
  Said const first = talk(
      [&](Peer& peer) {
        insert(peer, line(peer, 1, "a", &client));
        refuse(peer, line(peer, 2, "bad", &client), "too_large");
        Message const third = line(peer, 3, "b", &client);
        Message const fourth = line(peer, 4, "c", &client);
        refuse(peer, third, "no_space");
        insert(peer, fourth);
      },
      with({"--resume", state}), input);
  BOOST_TEST((first.code == ExitCode::refused));
  BOOST_TEST(first.out == "1 in (1 inserted), 1 refused (" + aside() + "), stopped at line 3\n");
  // A line that an earlier run added to this file after it had written its state, before it was killed: it is sent
  // again.
  std::ofstream(file("refused"), std::ios::app) << "{\"uri\":\"b\"}\n";

  Said const changed =
      test::run_line("unix:/nowhere", with({"--resume", state}), "{\"uri\":\"A\"}\n" + input.substr(12));
  BOOST_TEST((changed.code == ExitCode::usage));
  BOOST_TEST(says(changed.err, "the first 2 lines are not those that " + state + " says were put"), changed.err);
  Said const shorter = test::run_line("unix:/nowhere", with({"--resume", state}), "{\"uri\":\"a\"}\n");
  BOOST_TEST((shorter.code == ExitCode::usage));
  std::vector<std::string> elsewhere = with({"--resume", state});
  elsewhere[1] = "jobs";
  BOOST_TEST(says(test::run_line("unix:/nowhere", elsewhere, input).err, "is of table pages, not jobs"));

  Said const second = talk(
      [&](Peer& peer) {
        insert(peer, line(peer, 3, "b", &client));
        insert(peer, line(peer, 4, "c", &client), "duplicate");
        insert(peer, line(peer, 5, "d", &client));
      },
      with({"--resume", state}), input + "{\"uri\":\"d\"}\n");
  BOOST_TEST((second.code == ExitCode::refused));
  BOOST_TEST(second.out == "4 in (1 before, 1 duplicate, 2 inserted), 1 refused (" + aside() + ")\n");
  BOOST_TEST(says(second.err, "goes on behind line 2"));
  BOOST_TEST(content("refused") == "{\"uri\":\"bad\"}\n");
  // All lines were put before: nothing is sent.
  Said const third =
      talk([](Peer& peer) { peer.wait_for_end(); }, with({"--resume", state}), input + "{\"uri\":\"d\"}\n");
  BOOST_TEST(third.out == "4 in (4 before), 1 refused (" + aside() + ")\n");
}

// A run that is killed before its first answer is continued by the same client, and keeps what others set aside.
BOOST_AUTO_TEST_CASE(the_state_names_the_client_before_the_first_row_leaves) {
  std::string const state = file("state");
  std::ofstream(file("refused")) << "{\"uri\":\"of another run\"}\n";
  RunState early;
  static_cast<void>(talk(
      [&](Peer& peer) {
        Message const first = peer.expect("INSERT");
        Result<std::optional<RunState>> const there = read_state(state);
        want(there.ok() && there->has_value(), "a state");
        early = *there.value();
        want(early.client == first.text("client") && early.rows == 0, "the client of the row, and no row");
        insert(peer, first);
      },
      with({"--resume", state}), "{\"uri\":\"a\"}\n"));
  // As if it had been killed there, with a row set aside.
  BOOST_REQUIRE(write_state(state, early).ok());
  std::ofstream(file("refused"), std::ios::app) << "{\"uri\":\"a\"}\n";
  std::string client = early.client;
  Said const second = talk([&](Peer& peer) { insert(peer, line(peer, 1, "a", &client), "duplicate"); },
                           with({"--resume", state}), "{\"uri\":\"a\"}\n");
  BOOST_TEST(second.out == "1 in (1 duplicate), 0 refused\n");
  BOOST_TEST(content("refused") == "{\"uri\":\"of another run\"}\n");
}

BOOST_AUTO_TEST_CASE(a_state_is_read_as_it_was_written_and_nothing_else_is_one) {
  std::string const path = file("state");
  BOOST_TEST(!read_state(path)->has_value());
  RunState const written{"pages", "put-1", 12, 13, UINT64_MAX, 10, 2, "a file", 99, 101};
  BOOST_REQUIRE(write_state(path, written).ok());
  Result<std::optional<RunState>> const got = read_state(path);
  BOOST_REQUIRE(got.ok() && got->has_value());
  RunState const& state = *got.value();
  BOOST_TEST(state.table == "pages");
  BOOST_TEST(state.client == "put-1");
  BOOST_TEST(state.rows == 12U);
  BOOST_TEST(state.lines == 13U);
  BOOST_TEST(state.hash == UINT64_MAX);
  BOOST_TEST(state.in == 10U);
  BOOST_TEST(state.refused == 2U);
  BOOST_TEST(state.refused_file == "a file");
  BOOST_TEST(state.refused_bytes == 99U);
  BOOST_TEST(state.reasons_bytes == 101U);
  std::string const text = content("state");
  for (std::string const& bad : {std::string(), std::string("{\"uri\":\"a\"}\n"), text.substr(0, text.find("hash")),
                                 text.substr(0, text.find("client")) + text.substr(text.find("rows 12"))}) {
    std::ofstream(path) << bad;
    BOOST_TEST((read_state(path).status().code() == Code::bad_parameter), bad);
  }
  BOOST_TEST((write_state(file("no/such/folder"), written).code() == Code::io_error));
}

BOOST_AUTO_TEST_CASE(a_person_sees_how_far_it_is) {
  FakeServer server([&](Peer& peer) { insert(peer, line(peer, 1, "a")); });
  std::istringstream in("{\"uri\":\"a\"}\n");
  std::ostringstream out;
  std::ostringstream err;
  std::unique_ptr<CommandLine> const line_given = parsed({"--server", server.address(), "put", "pages", "--from", "-"});
  Console console{in, out, err, {}, true};
  BOOST_TEST((line_given->run(console) == ExitCode::ok));
  BOOST_TEST(err.str() == "\r1 in, 0 refused\x1b[K\r\x1b[K");
}

BOOST_AUTO_TEST_SUITE_END()
