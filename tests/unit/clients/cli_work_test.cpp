// `fastjournal work` with real commands and a scripted daemon. Commands wait for FIFOs that the script opens, so that
// nothing depends on time.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

struct Folder : TemporaryFolder {
  Folder() { BOOST_REQUIRE(::mkfifo(fifo().c_str(), 0600) == 0); }
  [[nodiscard]] std::string fifo() const { return file("fifo"); }
  [[nodiscard]] std::string file(std::string const& name) const { return *this / name; }
  [[nodiscard]] std::string content(std::string const& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

// Opens one end; blocks until the command has opened the other one.
void meet(std::string const& fifo, int mode) {
  int const fd = ::open(fifo.c_str(), mode | O_CLOEXEC);
  if (fd < 0) throw std::runtime_error("cannot open the fifo");
  ::close(fd);
}

// The reading end of a FIFO; a read has a time limit.
class Reader {
 public:
  explicit Reader(std::string const& fifo) : fd_(::open(fifo.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw std::runtime_error("cannot open the fifo");
  }
  Reader(Reader const&) = delete;
  Reader& operator=(Reader const&) = delete;
  ~Reader() { ::close(fd_); }

  // Requires these bytes; "" is the end of the FIFO.
  void expect(std::string const& wanted) const {
    pollfd one{fd_, POLLIN, 0};
    char buffer[64];
    if (::poll(&one, 1, client::kScriptLimitMs) <= 0) throw std::runtime_error("nothing comes through the fifo");
    ssize_t const got = ::read(fd_, buffer, sizeof buffer);
    if (got < 0 || std::string(buffer, static_cast<std::size_t>(got)) != wanted)
      throw std::runtime_error("something else came through the fifo");
  }

 private:
  int fd_;
};

struct WorkSaid {
  ExitCode code{};
  std::string err;
};

WorkSaid run_work(FakeServer::Script script, std::vector<std::string> options, std::vector<std::string> command) {
  FakeServer server(std::move(script));
  std::vector<std::string> words{"--server", server.address(), "work", "pages"};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  std::unique_ptr<CommandLine> const line = parsed(words);
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err, {}};
  WorkSaid said{line->run(console), {}};
  said.err = err.str();
  server.finish();
  // No child process is left, neither running nor as a zombie.
  BOOST_TEST(::waitpid(-1, nullptr, WNOHANG) == -1);
  BOOST_TEST(errno == ECHILD);
  return said;
}

void give_row(Peer& peer, Message const& next, std::int64_t row = 8) {
  peer.answer(next, "ROW",
              {text("table", "pages"), number("row", row), number("epoch", 3), text("uri", "a b"), number("size", 4),
               number("priority", 20), number("timeouts", 1), number("attempts", 2), number("left", 0)});
}

// Each worker that waits for work sends LISTEN.
void let_listen(Peer& peer) { peer.answer(peer.expect("LISTEN"), "LISTENING"); }

void refuse(Peer& peer, Message const& command, std::string_view code, std::string_view message) {
  peer.answer(command, "ERROR", {text("command", command.command), text("code", code), text("message", message)});
}

std::size_t count_of(std::string const& all, std::string_view part) {
  std::size_t out = 0;
  for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++out;
  return out;
}

bool about_row(Message const& message, std::int64_t row = 8) {
  return message.integer("row") == row && message.integer("epoch") == 3;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_work)

BOOST_AUTO_TEST_CASE(the_command_finds_the_row_and_its_success_is_done) {
  Folder const folder;
  WorkSaid const said = run_work(
      [](Peer& peer) {
        Message const next = peer.expect("NEXT");
        want(next.integer("lease") == 7000 && !next.has("wait"), "NEXT");
        give_row(peer, next);
        Message const done = peer.expect("DONE");
        want(about_row(done), "DONE");
        peer.answer(done, "COMPLETED");
      },
      {"--once", "--lease", "7s"},
      {"sh", "-c",
       "cat >\"$0/in\"; echo \"$FJ_TABLE|$FJ_ROW|$FJ_EPOCH|$FJ_PRIORITY|$FJ_TIMEOUTS|$FJ_ATTEMPT|$FJ_URI|$FJ_SIZE\" "
       ">\"$0/env\"",
       folder.path()});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.err == "pages row 8: done\n");
  BOOST_TEST(folder.content("env") == "pages|8|3|20|1|3|a b|4\n");
  BOOST_TEST(folder.content("in") ==
             "{\"table\":\"pages\",\"row\":8,\"epoch\":3,\"uri\":\"a "
             "b\",\"size\":4,\"priority\":20,\"timeouts\":1,\"attempts\":2}\n");
}

BOOST_AUTO_TEST_CASE(a_command_that_fails_gives_the_row_back_with_the_reason) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        give_row(peer, peer.expect("NEXT"));
        Message const release = peer.expect("RELEASE");
        want(about_row(release) && release.text("error") == "sh: exit status 3: no \xc3\xbc here" &&
                 !release.has("process_date"),
             "RELEASE");
        peer.answer(release, "RELEASED", {number("row", 8), number("process_date", 1000)});
        give_row(peer, peer.expect("NEXT"), 9);
        Message const second = peer.expect("RELEASE");
        want(about_row(second, 9) && second.text("error") == "sh: killed by signal 9 (Killed)", "second RELEASE");
        peer.answer(second, "RELEASED");
        peer.answer(peer.expect("NEXT"), "NOTHING");
      },
      {"--until-empty"}, {"sh", "-c", "[ $FJ_ROW = 8 ] && { echo 'no \xc3\xbc here' >&2; exit 3; }; kill -9 $$"});
  BOOST_TEST((said.code == ExitCode::failed));
  BOOST_TEST(said.err ==
             "no \xc3\xbc here\n"
             "pages row 8: exit status 3: attempt 3 failed, released, due 1970-01-01T00:00:01.000Z\n"
             "pages row 9: killed by signal 9 (Killed): attempt 3 failed, released\n");
}

BOOST_AUTO_TEST_CASE(with_json_what_is_told_is_json_too) {
  auto const script = [](Peer& peer) {
    give_row(peer, peer.expect("NEXT"));
    peer.answer(peer.expect("DONE"), "COMPLETED");
  };
  BOOST_TEST(run_work(script, {"--once", "--json"}, {"true"}).err ==
             "{\"note\":\"row 8: done\",\"command\":\"work\",\"table\":\"pages\"}\n");
}

BOOST_AUTO_TEST_CASE(what_became_of_a_row_that_failed_is_told_as_the_daemon_says_it) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        for (auto const& [row, answer] : {std::pair{8, "PARKED"}, {9, "DELETED"}}) {
          give_row(peer, peer.expect("NEXT"), row);
          Message const release = peer.expect("RELEASE");
          want(release.text("error") == "sh: exit status 1", "RELEASE");
          peer.answer(release, answer, {number("row", row)});
        }
        give_row(peer, peer.expect("NEXT"), 10);
        Message const fail = peer.expect("FAIL");
        peer.answer(fail, "DELETED", {number("row", 10)});
        peer.answer(peer.expect("NEXT"), "NOTHING");
      },
      {"--until-empty", "--fail-status", "65"}, {"sh", "-c", "[ $FJ_ROW = 10 ] && exit 65; exit 1"});
  BOOST_TEST(said.err ==
             "pages row 8: exit status 1: parked after 3 attempts\n"
             "pages row 9: exit status 1: deleted: given up, or expired\n"
             "pages row 10: exit status 65: deleted: given up, or expired\n");
}

BOOST_AUTO_TEST_CASE(standard_error_arrives_in_full_and_its_end_goes_with_the_row) {
  Folder const folder;
  WorkSaid const said = run_work(
      [](Peer& peer) {
        give_row(peer, peer.expect("NEXT"));
        Message const release = peer.expect("RELEASE");
        std::string_view const error = release.text("error");
        want(error.size() <= 1024 && error.starts_with("sh: exit status 1: ...") && error.ends_with("14999\n15000"),
             "the end");
        std::string_view const trace = release.text("error_trace");
        want(trace.size() > 65'000 && trace.size() <= 65'536 && trace.starts_with("...") &&
                 trace.ends_with("14999\n15000"),
             "more of it");
        peer.answer(release, "RELEASED");
      },
      // A background process keeps standard error open; the worker must not wait for it.
      {"--once", "--quiet"}, {"sh", "-c", "seq 15000 >&2; (read x <\"$0\") & exit 1", folder.fifo()});
  meet(folder.fifo(), O_WRONLY);
  BOOST_TEST(said.err.size() == 78894U);
}

// Where the error has all of it, nothing is sent twice; and an older daemon refuses the parameter.
BOOST_AUTO_TEST_CASE(a_trace_goes_where_there_is_more_and_a_daemon_that_knows_traces) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        give_row(peer, peer.expect("NEXT"));
        Message const brief = peer.expect("RELEASE");
        want(brief.text("error").ends_with("no\nway") && !brief.has("error_trace"), "a short one");
        peer.answer(brief, "RELEASED");
        for (std::string_view const command : {"RELEASE", "FAIL"}) {
          give_row(peer, peer.expect("NEXT"), command == "FAIL" ? 10 : 9);
          Message const told = peer.expect(command);
          want(told.text("error_trace").ends_with("999\n1000"), "its trace");
          peer.answer(told, "ERROR", {text("code", "unknown_parameter"), text("parameter", "error_trace")});
          Message const again = peer.expect(command);
          want(!again.has("error_trace") && again.text("error").ends_with("999\n1000"), "without its trace");
          peer.answer(again, command == "FAIL" ? "PARKED" : "RELEASED");
        }
        peer.answer(peer.expect("NEXT"), "NOTHING");
      },
      {"--until-empty", "--quiet", "--fail-status", "65"},
      {"sh", "-c",
       "[ $FJ_ROW = 8 ] && { printf 'no\\nway\\n' >&2; exit 1; }; seq 1000 >&2; [ $FJ_ROW = 9 ] || exit 65; exit 1"});
  BOOST_TEST((said.code == ExitCode::failed));
  BOOST_TEST(!says(said.err, "unknown_parameter"), said.err);
}

BOOST_AUTO_TEST_CASE(the_fail_status_parks_the_row) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        give_row(peer, peer.expect("NEXT"));
        Message const fail = peer.expect("FAIL");
        want(about_row(fail) && fail.text("error") == "sh: exit status 65", "FAIL");
        peer.answer(fail, "PARKED");
      },
      {"--once", "--fail-status", "65", "--quiet"}, {"sh", "-c", "exit 65"});
  BOOST_TEST((said.code == ExitCode::failed));
  BOOST_TEST(said.err == "");
}

// Without the value the command would do something else than intended.
BOOST_AUTO_TEST_CASE(a_row_that_no_environment_can_carry_is_given_up_and_not_run) {
  Folder const folder;
  auto const give = [](Peer& peer, Message const& next) {
    peer.answer(next, "ROW",
                {text("table", "pages"), number("row", 8), number("epoch", 3), text("uri", std::string_view{"a\0b", 3}),
                 number("left", 0)});
  };
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        give(peer, peer.expect("NEXT"));
        Message const fail = peer.expect("FAIL");
        want(about_row(fail) && says(std::string{fail.text("error")}, "column uri has a NUL"), "FAIL");
        peer.answer(fail, "PARKED");
      },
      {"--once"}, {"sh", "-c", "touch \"$0/ran\"", folder.path()});
  BOOST_TEST((said.code == ExitCode::failed));
  BOOST_TEST(said.err ==
             "pages row 8: column uri has a NUL, which no environment can hold: work with --input-only: parked after 1 "
             "attempt\n");
  BOOST_TEST(!std::filesystem::exists(folder.file("ran")));
  // A command that reads its input gets the whole value.
  WorkSaid const read = run_work(
      [&](Peer& peer) {
        give(peer, peer.expect("NEXT"));
        peer.answer(peer.expect("DONE"), "COMPLETED");
      },
      {"--once", "--input-only"}, {"sh", "-c", "cat >\"$0/in\"; echo \"${FJ_URI-none}\" >\"$0/env\"", folder.path()});
  BOOST_TEST((read.code == ExitCode::ok));
  BOOST_TEST(folder.content("env") == "none\n");
  BOOST_TEST(says(folder.content("in"), "\"uri\":\"a\\u0000b\""), folder.content("in"));
}

BOOST_AUTO_TEST_CASE(nothing_to_do_once_has_its_exit_code) {
  WorkSaid const said = run_work([](Peer& peer) { peer.answer(peer.expect("NEXT"), "NOTHING"); }, {"--once"}, {"true"});
  BOOST_TEST((said.code == ExitCode::nothing));
}

BOOST_AUTO_TEST_CASE(values_that_no_environment_holds_go_by_files) {
  Folder const folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  // One above the system's limit of a variable, and so many that all together are above that of an environment.
  std::string const body(200'000, 'b');
  client::Params row{text("table", "pages"), number("row", 8), number("epoch", 3),
                     number("left", 0),      text("uri", "a"), text("body", body)};
  // Parameters borrow.
  std::vector<std::string> kept;
  kept.reserve(220);
  for (int i = 0; i < 110; ++i) {
    std::string_view const name = kept.emplace_back("part_" + std::to_string(i));
    row.push_back(text(name, kept.emplace_back(60'000 - i, 'p')));
  }
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        peer.answer(peer.expect("NEXT"), "ROW", row);
        peer.answer(peer.expect("DONE"), "COMPLETED");
      },
      {"--once"},
      {"sh", "-c",
       "cp \"$FJ_FILE_BODY\" \"$0/body\"; echo \"${FJ_BODY-none} $FJ_URI\" >\"$0/env\"; "
       "for i in $(seq 0 109); do eval p=\"\\${FJ_FILE_PART_$i-}\" v=\"\\${FJ_PART_$i-}\"; "
       "if [ -n \"$p\" ]; then wc -c <\"$p\"; else echo ${#v}; fi; done >\"$0/parts\"; stat -c %a \"$FJ_FILE_BODY\" "
       ">\"$0/mode\"",
       folder.path()});
  ::unsetenv("TMPDIR");
  BOOST_TEST((said.code == ExitCode::ok), said.err);
  BOOST_TEST((folder.content("body") == body));
  BOOST_TEST(folder.content("env") == "none a\n");
  BOOST_TEST(folder.content("mode") == "600\n");
  std::string parts;
  for (int i = 0; i < 110; ++i) parts += std::to_string(60'000 - i) + "\n";
  BOOST_TEST(folder.content("parts") == parts);
  for (auto const& entry : std::filesystem::directory_iterator{folder.path()})
    BOOST_TEST(!says(entry.path().string(), "fastjournal-row"), entry.path());
}

BOOST_AUTO_TEST_CASE(a_row_whose_files_cannot_be_written_is_a_failed_attempt) {
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        let_listen(peer);
        peer.answer(peer.expect("NEXT"), "ROW",
                    {text("table", "pages"), number("row", 8), number("epoch", 3), number("left", 0),
                     text("body", std::string(200'000, 'b'))});
        Message const release = peer.expect("RELEASE");
        want(says(std::string{release.text("error")}, "its values cannot be given to the command"), "the reason");
        peer.answer(release, "RELEASED");
        give_row(peer, peer.expect("NEXT"), 9);
        peer.answer(peer.expect("DONE"), "COMPLETED");
      },
      {"--max", "2"}, {"true"});
  ::unsetenv("TMPDIR");
  BOOST_TEST((said.code == ExitCode::failed));
  BOOST_TEST(says(said.err, "No such file or directory"), said.err);
}

BOOST_AUTO_TEST_CASE(a_column_that_would_replace_a_variable_ends_the_work_and_costs_the_row_nothing) {
  for (std::string const column : {"attempt", "row", "file_body"}) {
    WorkSaid const said = run_work(
        [&](Peer& peer) {
          let_listen(peer);
          peer.answer(peer.expect("NEXT"), "ROW",
                      {text("table", "pages"), number("epoch", 3), number("left", 0), number("row", 8),
                       text("body", std::string(70'000, 'b')), text(column == "row" ? "ROW" : column, "x")});
          Message const release = peer.expect("RELEASE");
          want(!release.has("error"), "no attempt");
          peer.answer(release, "RELEASED");
        },
        {"--max", "1"}, {"true"});
    BOOST_TEST((said.code == ExitCode::usage));
    BOOST_TEST(says(said.err, "would replace the variable FJ_"), said.err);
    BOOST_TEST(says(said.err, "--input-only"), said.err);
  }
}

BOOST_AUTO_TEST_CASE(a_command_that_is_not_there_is_found_before_a_row_is_taken) {
  // Nobody is asked: there is no daemon.
  auto const told = [](std::vector<std::string> const& words) {
    test::Said const said = test::run_line("unix:/nowhere", words);
    BOOST_TEST((said.code == ExitCode::usage), said.err);
    return said.err;
  };
  BOOST_TEST(told({"work", "pages", "--", "/nowhere/at/all"}) ==
             "fastjournal work: run /nowhere/at/all: No such file or directory\n");
  BOOST_TEST(told({"work", "pages", "-j", "2", "--", "nosuchcommand"}) ==
             "fastjournal work: run nosuchcommand: No such file or directory\n");
  BOOST_TEST(told({"work", "pages", "--", "/"}) == "fastjournal work: run /: Permission denied\n");
  BOOST_TEST(told({"kv", "lock", "pairs", "k", "--", "nosuchcommand"}) ==
             "fastjournal kv lock: run nosuchcommand: No such file or directory\n");
  BOOST_TEST(says(told({"work", "pages", "--", "echo $FJ_URI"}),
                  "it is one word: leave out the quotes, or have a shell read it: -- sh -c 'echo $FJ_URI'"));
}

BOOST_AUTO_TEST_CASE(a_command_that_cannot_be_run_costs_the_row_nothing_and_ends_the_work) {
  Folder const folder;
  std::string const program = folder.file("script");
  std::ofstream{program} << "#!/nowhere/at/all\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  WorkSaid const said = run_work(
      [](Peer& peer) {
        let_listen(peer);
        give_row(peer, peer.expect("NEXT"));
        Message const release = peer.expect("RELEASE");
        want(!release.has("process_date") && !release.has("error"), "no attempt");
        peer.answer(release, "RELEASED");
      },
      {}, {program});
  BOOST_TEST((said.code == ExitCode::usage));
  BOOST_TEST(says(said.err, "run " + program + ": No such file or directory\n"), said.err);
}

BOOST_AUTO_TEST_CASE(the_lease_is_renewed_while_the_command_runs) {
  Folder const folder;
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        give_row(peer, peer.expect("NEXT"));
        for (int i = 0; i < 3; ++i) {
          Message const touch = peer.expect("TOUCH");
          want(about_row(touch) && touch.integer("lease") == 60, "TOUCH");
          peer.answer(touch, "TOUCHED", {number("lease_end", 1)});
        }
        meet(folder.fifo(), O_WRONLY);
        Message message = peer.next();
        for (; message.command == "TOUCH"; message = peer.next()) peer.answer(message, "TOUCHED");
        want(message.command == "DONE", "DONE");
        peer.answer(message, "COMPLETED");
      },
      {"--once", "--lease", "60ms"}, {"sh", "-c", "read x <\"$0\"; exit 0", folder.fifo()});
  BOOST_TEST((said.code == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(a_lost_lease_ends_the_command_and_settles_nothing) {
  Folder const folder;
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        give_row(peer, peer.expect("NEXT"));
        peer.answer(peer.expect("TOUCH"), "ERROR", {text("code", "stale_epoch"), text("message", "leased to w2")});
        peer.answer(peer.expect("NEXT"), "NOTHING");
      },
      {"--until-empty", "--lease", "60ms"}, {"sh", "-c", "read x <\"$0\"", folder.fifo()});
  BOOST_TEST((said.code == ExitCode::failed));
  BOOST_TEST(says(said.err, "lost while the command ran: stale_epoch: leased to w2"));
}

BOOST_AUTO_TEST_CASE(a_stop_is_handed_on_to_all_and_the_row_is_given_back_at_once) {
  Folder const folder;
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        let_listen(peer);
        give_row(peer, peer.expect("NEXT"));
        Reader fifo(folder.fifo());
        fifo.expect("up\n");
        ::kill(::getpid(), SIGTERM);
        Message const release = peer.expect("RELEASE");
        want(about_row(release) && !release.has("process_date") && !release.has("error"), "no attempt");
        peer.answer(release, "RELEASED");
        // The end of the FIFO: no process holds it any more, the command's own child included.
        fifo.expect("");
      },
      {}, {"sh", "-c", "exec 3>\"$0\"; sleep 60 & echo up >&3; wait", folder.fifo()});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(says(said.err, "pages row 8: killed by signal 15 (Terminated): released\n"));
}

// Without an answer: a call alone would wait for 5 s.
BOOST_AUTO_TEST_CASE(a_stop_while_the_daemon_does_not_answer_ends_after_its_time) {
  Folder const folder;
  auto const begun = std::chrono::steady_clock::now();
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        let_listen(peer);
        give_row(peer, peer.expect("NEXT"));
        Reader fifo(folder.fifo());
        fifo.expect("up\n");
        ::kill(::getpid(), SIGTERM);
        static_cast<void>(peer.expect("RELEASE"));
        peer.wait_for_end();
      },
      {"--stop-after", "100ms"}, {"sh", "-c", "exec 3>\"$0\"; sleep 60 & echo up >&3; wait", folder.fifo()});
  BOOST_TEST((said.code == ExitCode::unreachable));
  BOOST_TEST(says(said.err, "no answer within --stop-after"));
  BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::milliseconds{4'500}));
}

// Away, and nobody told otherwise.
BOOST_AUTO_TEST_CASE(a_stop_while_the_daemon_is_away_ends_after_5_s) {
  Folder const folder;
  std::chrono::steady_clock::time_point stopped;
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        let_listen(peer);
        give_row(peer, peer.expect("NEXT"));
        Reader fifo(folder.fifo());
        fifo.expect("up\n");
        stopped = std::chrono::steady_clock::now();
        peer.close();
        ::kill(::getpid(), SIGTERM);
      },
      {}, {"sh", "-c", "exec 3>\"$0\"; sleep 60 & echo up >&3; wait", folder.fifo()});
  auto const took = std::chrono::steady_clock::now() - stopped;
  BOOST_TEST((said.code == ExitCode::unreachable), said.err);
  BOOST_TEST((took > std::chrono::seconds{4} && took < std::chrono::milliseconds{8'500}),
             std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms");
}

BOOST_AUTO_TEST_CASE(a_command_that_finishes_in_spite_of_a_stop_is_done) {
  Folder const folder;
  WorkSaid const said = run_work(
      [&](Peer& peer) {
        let_listen(peer);
        give_row(peer, peer.expect("NEXT"));
        meet(folder.fifo(), O_RDONLY);
        ::kill(::getpid(), SIGINT);
        meet(folder.fifo(), O_WRONLY);
        peer.answer(peer.expect("DONE"), "COMPLETED");
      },
      {}, {"sh", "-c", "trap '' INT; : >\"$0\"; read x <\"$0\"; exit 0", folder.fifo()});
  BOOST_TEST((said.code == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(a_stop_while_idle_ends_at_once) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        let_listen(peer);
        Message const next = peer.expect("NEXT");
        want(!next.has("wait"), "a listener does not wait in NEXT");
        peer.answer(next, "NOTHING");
        peer.push("LISTEN", {text("table", "pages")});
        give_row(peer, peer.expect("NEXT"));
        peer.answer(peer.expect("DONE"), "COMPLETED");
        peer.answer(peer.expect("NEXT"), "NOTHING");
        ::kill(::getpid(), SIGTERM);
        peer.wait_for_end();
      },
      {}, {"true"});
  BOOST_TEST((said.code == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(a_pause_is_waited_out_and_told_once) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        let_listen(peer);
        for (int i = 0; i < 2; ++i) {
          refuse(peer, peer.expect("NEXT"), "paused", "table pages is paused by ann");
          peer.push("LISTEN", {text("table", "pages")});
        }
        give_row(peer, peer.expect("NEXT"));
        peer.answer(peer.expect("DONE"), "COMPLETED");
      },
      {"--max", "1"}, {"true"});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.err ==
             "fastjournal work: table pages is paused by ann; waiting\n"
             "fastjournal work: work goes on\n"
             "pages row 8: done\n");
}

BOOST_AUTO_TEST_CASE(who_does_not_wait_finds_nothing_in_a_paused_table) {
  auto const script = [](Peer& peer) { refuse(peer, peer.expect("NEXT"), "paused", "table pages is paused by ann"); };
  WorkSaid const once = run_work(script, {"--once"}, {"true"});
  BOOST_TEST((once.code == ExitCode::nothing));
  BOOST_TEST(once.err == "fastjournal work: table pages is paused by ann\n");
  BOOST_TEST((run_work(script, {"--until-empty"}, {"true"}).code == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(a_restart_of_the_daemon_is_waited_out_and_told_once) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        let_listen(peer);
        peer.answer(peer.expect("NEXT"), "NOTHING");
        // The daemon restarts while the worker sleeps, and again while it waits for an answer.
        peer.accept();
        let_listen(peer);
        peer.push("LISTEN", {text("table", "pages")});
        static_cast<void>(peer.expect("NEXT"));
        peer.accept();
        let_listen(peer);
        give_row(peer, peer.expect("NEXT"));
        peer.answer(peer.expect("DONE"), "COMPLETED");
      },
      {"--max", "1"}, {"true"});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(count_of(said.err, "the daemon ended the connection; trying again\n") == 2U);
  BOOST_TEST(count_of(said.err, "fastjournal work: connected again\n") == 2U);
  BOOST_TEST(count_of(said.err, "\n") == 5U, said.err);
}

BOOST_AUTO_TEST_CASE(a_subscription_that_is_refused_after_a_reconnect_ends_the_work) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        let_listen(peer);
        peer.answer(peer.expect("NEXT"), "NOTHING");
        peer.accept();
        refuse(peer, peer.expect("LISTEN"), "unknown_table", "there is no table pages");
        peer.wait_for_end();
      },
      {}, {"true"});
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(says(said.err, "unknown_table: there is no table pages"));
}

BOOST_AUTO_TEST_CASE(a_done_whose_answer_was_lost_is_said_again) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        give_row(peer, peer.expect("NEXT"));
        static_cast<void>(peer.expect("DONE"));
        peer.accept();
        peer.answer(peer.expect("DONE"), "ERROR", {text("code", "unknown_row"), text("message", "no such row")});
      },
      {"--once"}, {"true"});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.err.ends_with("pages row 8: done\n"));
}

BOOST_AUTO_TEST_CASE(a_command_may_leave_its_input_unread) {
  WorkSaid const said = run_work(
      [](Peer& peer) {
        Message const next = peer.expect("NEXT");
        std::string const large(1U << 20U, 'x');
        peer.answer(
            next, "ROW",
            {text("table", "pages"), number("row", 8), number("epoch", 3), text("data", large), number("left", 0)});
        peer.answer(peer.expect("DONE"), "COMPLETED");
      },
      {"--once"}, {"sh", "-c", "[ -z \"$FJ_DATA\" ]"});
  BOOST_TEST((said.code == ExitCode::ok));
}

BOOST_AUTO_TEST_SUITE_END()
