// The protocol of beanstalkd on a whole daemon, under simulated time: its commands and errors, waits, dates, pauses, and
// what outlasts a kill. That the answers are those of beanstalkd is shown beside it (tests/doors/beanstalkd.py).
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

#include "tests/support/documents.h"
#include "tests/world/world.h"

namespace fastjournal::sim {
namespace {

struct Tubes {
  static constexpr char kDoor[] = "127.0.0.1:4300";

  Tubes() {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/doors/tubes.xml").ok());
    world.own_listeners.push_back(
        {.address = kDoor, .rights = kLoopbackRights, .protocol = "beanstalkd", .table = "tubes"});
    BOOST_REQUIRE(world.start().ok());
    connect("a");
  }

  void connect(std::string const& name) { world.come_by(name, kDoor); }
  // What the connection is told, with "|" for the ends of lines, and N for the numbers of jobs.
  std::string read(std::string const& name = "a") {
    world.settle();
    std::string& bytes = world.connection(name).to_client;
    std::string out;
    for (char const c : std::exchange(bytes, {})) out += c == '\n' ? "|" : c == '\r' ? "" : std::string(1, c);
    return out;
  }
  std::string say(std::string_view text, std::string const& name = "a") {
    world.connection(name).to_server += std::string{text} + "\r\n";
    return read(name);
  }
  // Puts a job; its number.
  std::string put(std::string_view how, std::string_view body, std::string const& name = "a") {
    std::string const answer =
        say(std::string{how} + " " + std::to_string(body.size()) + "\r\n" + std::string{body}, name);
    BOOST_REQUIRE_MESSAGE(answer.starts_with("INSERTED "), answer);
    return answer.substr(9, answer.size() - 10);
  }
  // A line of what `stats-...` says.
  std::string figure(std::string_view command, std::string const& of, std::string const& name = "a") {
    std::string const data = say(command, name);
    std::size_t const at = data.find("|" + of + ": ");
    if (at == std::string::npos) return data;
    std::size_t const from = at + of.size() + 3;
    return data.substr(from, data.find('|', from) - from);
  }

  World world{1};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(beanstalkd, Tubes)

BOOST_AUTO_TEST_CASE(jobs_are_put_reserved_and_deleted) {
  std::string const second = put("put 5 0 60", "two");
  std::string const first = put("put 1 0 60", "one");
  std::string const last = put("put 4294967295 0 0", "");
  BOOST_TEST(say("peek-ready") == "FOUND " + first + " 3|one|");
  BOOST_TEST(say("reserve") == "RESERVED " + first + " 3|one|");
  BOOST_TEST(say("reserve-with-timeout 0") == "RESERVED " + second + " 3|two|");
  BOOST_TEST(figure("stats-job " + first, "state") == "reserved");
  BOOST_TEST(figure("stats-job " + first, "time-left") == "60");
  BOOST_TEST(figure("stats-job " + last, "ttr") == "1");
  // By its holder, and by nobody else.
  connect("b");
  BOOST_TEST(say("delete " + first, "b") == "NOT_FOUND|");
  BOOST_TEST(say("touch " + first, "b") == "NOT_FOUND|");
  BOOST_TEST(say("touch " + first) == "TOUCHED|");
  BOOST_TEST(say("delete " + first) == "DELETED|");
  BOOST_TEST(say("delete " + first) == "NOT_FOUND|");
  BOOST_TEST(say("delete " + last, "b") == "DELETED|");
  BOOST_TEST(say("release " + second + " 7 10") == "RELEASED|");
  BOOST_TEST(say("peek-delayed") == "FOUND " + second + " 3|two|");
  BOOST_TEST(figure("stats-job " + second, "releases") == "1");
  BOOST_TEST(figure("stats-job " + second, "pri") == "7");
  BOOST_TEST(say("reserve-job " + second) == "RESERVED " + second + " 3|two|");
  BOOST_TEST(say("bury " + second + " 9") == "BURIED|");
  BOOST_TEST(say("peek-buried") == "FOUND " + second + " 3|two|");
  BOOST_TEST(figure("stats-tube default", "current-jobs-buried") == "1");
  BOOST_TEST(say("kick 10") == "KICKED 1|");
  BOOST_TEST(say("kick 0") == "KICKED 0|");
  BOOST_TEST(say("kick-job " + second) == "NOT_FOUND|");
  BOOST_TEST(figure("stats-job " + second, "pri") == "9");
}

// `>` is sent, `<` is what comes; $a is the number of a job.
BOOST_AUTO_TEST_CASE(the_example_of_the_document_is_what_happens) {
  std::string number;
  std::string came;
  std::size_t played = 0;
  for (test::Example const& example : test::examples_of(FJ_SOURCE_DIR, "doc/beanstalkd.md")) {
    if (example.language != "beanstalkd") continue;
    for (std::string line : example.lines) {
      ++played;
      if (std::size_t const at = line.find("$a"); at != std::string::npos && !number.empty())
        line.replace(at, 2, number);
      if (line.starts_with("> ")) {
        world.connection("a").to_server += line.substr(2) + "\r\n";
        continue;
      }
      came += read();
      std::string const one = came.substr(0, came.find('|'));
      came.erase(0, one.size() + 1);
      if (number.empty() && one.starts_with("INSERTED ")) number = one.substr(9);
      if (std::size_t const at = line.find("$a"); at != std::string::npos) line.replace(at, 2, number);
      BOOST_TEST(one == line.substr(2));
    }
  }
  BOOST_TEST(played >= 15U);
  BOOST_TEST(came.empty(), came);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said_in_its_words) {
  std::string const name(201, 'x');
  for (std::string const text : {"put 1 2 3",
                                 "put -1 0 0 0",
                                 "put 4294967296 0 0 0",
                                 "peek x",
                                 "peek-readyx",
                                 "reservex",
                                 "release 1 2",
                                 "bury 1",
                                 "kick ",
                                 "touch 1 ",
                                 "use ",
                                 "use -a",
                                 "use a b",
                                 "watch a:b",
                                 "pause-tube a",
                                 "pause-tube a 5 ",
                                 "delete 99999999999999999999999",
                                 "list-tubesx",
                                 "statsx",
                                 "stats-tube -"})
    BOOST_TEST(say(text) == "BAD_FORMAT|", text);
  BOOST_TEST(say("use " + name) == "BAD_FORMAT|");
  BOOST_TEST(say("use " + name.substr(1)) == "USING " + name.substr(1) + "|");
  for (std::string const text : {"", "foo", "PUT 1 0 0 0", "kick", "delete"})
    BOOST_TEST(say(text) == "UNKNOWN_COMMAND|", text);
  BOOST_TEST(say(std::string("use a\0b", 7)) == "BAD_FORMAT|");
  // A line that is too long ends where it ends; one whose carriage return stands alone does not.
  BOOST_TEST(say("watch " + std::string(5000, 'y')) == "BAD_FORMAT|");
  BOOST_TEST(say("list-tube-used") == "USING " + name.substr(1) + "|");
  world.connection("a").to_server += "use b\r";
  BOOST_TEST(read() == "");
  world.connection("a").to_server += "\n";
  BOOST_TEST(read() == "USING b|");
  // Two bytes behind the body are taken; what is left is an empty line.
  BOOST_TEST(say("put 1 0 0 2\r\nabc\r") == "EXPECTED_CRLF|UNKNOWN_COMMAND|");
  BOOST_TEST(say("put 1 0 0 4294967295 x") == "");
  for (std::string const text : {"delete 8", "release 8 1 0", "bury 8 1", "touch 8", "peek 8", "kick-job 8",
                                 "reserve-job 8", "stats-job 8", "stats-tube none", "pause-tube none 1"}) {
    connect("b");
    BOOST_TEST(say(text, "b") == "NOT_FOUND|", text);
    world.close("b");
  }
}

BOOST_AUTO_TEST_CASE(a_body_that_is_too_large_is_passed_over) {
  std::size_t const most = (std::size_t{1} << 24U) - 226;
  std::string const over = std::to_string(most + 1);
  world.connection("a").to_server += "put 1 0 0 " + over + "\r\n" + std::string(most, 'x');
  BOOST_TEST(read() == "");
  world.connection("a").to_server += "y\r\nlist-tube-used\r\n";
  BOOST_TEST(read() == "JOB_TOO_BIG|USING default|");
  // The table takes less.
  BOOST_TEST(say("put 1 0 0 65536\r\n" + std::string(65536, 'x')) == "JOB_TOO_BIG|");
  put("put 1 0 0", std::string(65535, 'x'));
}

BOOST_AUTO_TEST_CASE(tubes_are_used_and_watched) {
  BOOST_TEST(say("watch b") == "WATCHING 2|");
  BOOST_TEST(say("watch b") == "WATCHING 2|");
  BOOST_TEST(say("list-tubes-watched") == "OK 18|---|- default|- b||");
  BOOST_TEST(say("ignore default") == "WATCHING 1|");
  BOOST_TEST(say("ignore default") == "WATCHING 1|");
  BOOST_TEST(say("ignore b") == "NOT_IGNORED|");
  connect("c");
  BOOST_TEST(say("use d", "c") == "USING d|");
  BOOST_TEST(say("list-tubes") == "OK 22|---|- b|- d|- default||");
  std::string const job = put("put 1024 0 60", "x", "c");
  put("put 1023 0 60", "x", "c");
  BOOST_TEST(figure("stats-tube d", "current-jobs-urgent") == "1");
  BOOST_TEST(figure("stats-tube d", "current-using") == "1");
  BOOST_TEST(figure("stats", "current-jobs-ready") == "2");
  BOOST_TEST(figure("stats", "current-connections") == "2");
  BOOST_TEST(figure("stats", "current-producers") == "1");
  BOOST_TEST(figure("stats", "cmd-put") == "2");
  // Whoever has reserved, or waited; a job that is not there makes no worker.
  BOOST_TEST(say("reserve-job 99", "c") == "NOT_FOUND|");
  BOOST_TEST(figure("stats", "current-workers") == "0");
  BOOST_TEST(say("reserve-job " + job, "c") == "RESERVED " + job + " 1|x|");
  BOOST_TEST(figure("stats", "current-workers") == "1");
  world.close("c");
  world.settle();
  BOOST_TEST(figure("stats", "current-workers") == "0");
  // It has jobs, and then it is gone; whoever uses its name again has a new one.
  BOOST_TEST(figure("stats-tube d", "total-jobs") == "2");
  BOOST_TEST(say("watch d") == "WATCHING 2|");
  BOOST_TEST(say("reserve").starts_with("RESERVED "));
  BOOST_TEST(say("reserve") == "RESERVED " + job + " 1|x|");
  BOOST_TEST(say("delete " + job) == "DELETED|");
  BOOST_TEST(figure("stats-tube d", "cmd-delete") == "1");
  BOOST_TEST(say("pause-tube d 60") == "PAUSED|");
  world.close("a");
  world.settle();
  connect("a");
  BOOST_TEST(say("watch d") == "WATCHING 2|");
  BOOST_TEST(say("reserve").starts_with("RESERVED ") == false);
  connect("e");
  BOOST_TEST(figure("stats-tube d", "pause-time-left", "e") == "60");
  BOOST_TEST(say("watch e", "e") == "WATCHING 2|");
  BOOST_TEST(say("pause-tube e 60", "e") == "PAUSED|");
  BOOST_TEST(say("ignore e", "e") == "WATCHING 1|");
  BOOST_TEST(say("stats-tube e", "e") == "NOT_FOUND|");
  BOOST_TEST(say("watch e", "e") == "WATCHING 2|");
  BOOST_TEST(figure("stats-tube e", "pause-time-left", "e") == "0");
}

BOOST_AUTO_TEST_CASE(a_wait_ends_by_a_job_by_time_and_before_a_lease) {
  BOOST_TEST(say("reserve-with-timeout 0") == "TIMED_OUT|");
  BOOST_TEST(say("reserve-with-timeout 2") == "");
  connect("b");
  BOOST_TEST(figure("stats-tube default", "current-waiting", "b") == "1");
  world.advance(DurationMs{2000});
  BOOST_TEST(read() == "TIMED_OUT|");
  // One that ends while it waits.
  connect("c");
  BOOST_TEST(say("reserve", "c") == "");
  BOOST_TEST(figure("stats", "current-waiting", "b") == "1");
  world.close("c");
  BOOST_TEST(figure("stats", "current-waiting", "b") == "0");
  // One whose end is seen by what it sends no more.
  connect("d");
  BOOST_TEST(say("reserve", "d") == "");
  BOOST_TEST(!world.connection("d").paused);
  world.connection("d").end_of_input = true;
  world.settle();
  BOOST_TEST(figure("stats", "current-waiting", "b") == "0");
  // Without end: for days.
  BOOST_TEST(say("reserve") == "");
  world.advance(DurationMs{2 * 86'400'000});
  BOOST_TEST(read() == "");
  std::string const job = put("put 0 0 3", "x", "b");
  BOOST_TEST(read() == "RESERVED " + job + " 1|x|");
  BOOST_TEST(say("reserve-with-timeout 60") == "");
  world.advance(DurationMs{1999});
  BOOST_TEST(read() == "");
  world.advance(DurationMs{1});
  BOOST_TEST(read() == "DEADLINE_SOON|");
  BOOST_TEST(say("reserve") == "DEADLINE_SOON|");
  world.advance(DurationMs{1000});
  BOOST_TEST(say("touch " + job) == "NOT_FOUND|");
  BOOST_TEST(figure("stats-job " + job, "timeouts") == "1");
  BOOST_TEST(figure("stats", "job-timeouts") == "1");
  // The lease of what it had is over: it is a job like any other.
  BOOST_TEST(say("reserve") == "RESERVED " + job + " 1|x|");
  world.advance(DurationMs{3000});
  BOOST_TEST(say("delete " + job) == "DELETED|");
}

BOOST_AUTO_TEST_CASE(a_delay_and_a_pause_end_at_their_date) {
  std::string const later = put("put 0 2 60", "later");
  BOOST_TEST(figure("stats-job " + later, "delay") == "2");
  BOOST_TEST(say("reserve-with-timeout 10") == "");
  world.advance(DurationMs{1999});
  BOOST_TEST(read() == "");
  world.advance(DurationMs{1});
  BOOST_TEST(read() == "RESERVED " + later + " 5|later|");
  BOOST_TEST(say("release " + later + " 0 0") == "RELEASED|");
  BOOST_TEST(say("pause-tube default 5") == "PAUSED|");
  BOOST_TEST(figure("stats-tube default", "pause") == "5");
  BOOST_TEST(say("peek-ready").starts_with("FOUND "));
  BOOST_TEST(say("reserve-with-timeout 60") == "");
  world.advance(DurationMs{4999});
  BOOST_TEST(read() == "");
  world.advance(DurationMs{1});
  BOOST_TEST(read() == "RESERVED " + later + " 5|later|");
  BOOST_TEST(say("pause-tube default 5") == "PAUSED|");
  BOOST_TEST(say("pause-tube default 0") == "PAUSED|");
  BOOST_TEST(figure("stats-tube default", "pause-time-left") == "0");
}

// The table kicks a thousand at a time.
BOOST_AUTO_TEST_CASE(as_many_are_kicked_as_were_asked_for) {
  std::string all;
  for (int i = 0; i < 1300; ++i) all += "put 0 60 60 1\r\nx\r\n";
  world.connection("a").to_server += all;
  read();
  BOOST_TEST(say("kick 1200") == "KICKED 1200|");
  BOOST_TEST(say("kick 1200") == "KICKED 100|");
}

BOOST_AUTO_TEST_CASE(what_was_acknowledged_outlasts_a_power_cut) {
  std::string const kept = put("put 70000 0 60", "kept");
  std::string const had = put("put 1 0 60", "had");
  BOOST_TEST(say("reserve") == "RESERVED " + had + " 3|had|");
  world.power_cut();
  BOOST_REQUIRE(world.start().ok());
  connect("n");
  BOOST_TEST(say("reserve", "n") == "RESERVED " + had + " 3|had|");
  BOOST_TEST(say("reserve", "n") == "RESERVED " + kept + " 4|kept|");
  BOOST_TEST(figure("stats-job " + kept, "pri", "n") == "70000");
  BOOST_TEST(say("delete " + kept, "n") == "DELETED|");
  world.kill();
  BOOST_REQUIRE(world.start().ok());
  connect("m");
  BOOST_TEST(say("peek " + kept, "m") == "NOT_FOUND|");
  BOOST_TEST(say("reserve-with-timeout 0", "m") == "RESERVED " + had + " 3|had|");
  // A connection that ends gives back what it has, and nothing is counted.
  world.close("m");
  connect("o");
  BOOST_TEST(say("reserve-with-timeout 0", "o") == "RESERVED " + had + " 3|had|");
  BOOST_TEST(figure("stats-job " + had, "timeouts", "o") == "0");
  BOOST_TEST(figure("stats", "job-timeouts", "o") == "0");
}

BOOST_AUTO_TEST_CASE(commands_are_pipelined_and_a_connection_ends_by_quit) {
  world.connection("a").to_server +=
      "put 1 0 9 1\r\na\r\nput 2 0 9 1\r\nb\r\nreserve\r\nreserve\r\nlist-tube-used\r\nres";
  std::string const all = read();
  BOOST_TEST(std::count(all.begin(), all.end(), '|') == 7, all);
  BOOST_TEST(all.ends_with("1|b|USING default|"), all);
  world.connection("a").to_server += "erve-with-timeout 0\r\nquit\r\nlist-tubes\r\n";
  BOOST_TEST(read() == "TIMED_OUT|");
  BOOST_TEST(world.is_closed("a"));
}

BOOST_AUTO_TEST_CASE(a_connection_watches_no_more_than_fits_one_command) {
  for (int i = 1; i < 256; ++i) BOOST_REQUIRE(say("watch " + std::to_string(i)).starts_with("WATCHING "));
  BOOST_TEST(say("watch 256") == "OUT_OF_MEMORY|");
  BOOST_TEST(say("watch 255") == "WATCHING 256|");
  for (int i = 1; i < 256; ++i) BOOST_REQUIRE(say("ignore " + std::to_string(i)).starts_with("WATCHING "));
  std::string answer;
  for (int i = 0; i < 20 && answer != "OUT_OF_MEMORY|"; ++i)
    answer = say("watch " + std::string(198, 'w') + std::to_string(10 + i));
  BOOST_TEST(answer == "OUT_OF_MEMORY|");
  BOOST_TEST(say("reserve-with-timeout 1") == "");
  world.advance(DurationMs{1000});
  BOOST_TEST(read() == "TIMED_OUT|");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
