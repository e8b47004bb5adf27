// `fastjournal work` with the real daemon: through a pause, a drain and a kill -9; several workers at once; commands
// that fail.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdint>

#include "tests/integration/shell.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

struct WorkFixture {
  explicit WorkFixture(std::string const& options = "<grace>1s</grace>") : daemon{options} {
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
  ~WorkFixture() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  void run(std::string const& command) {
    Ran const ran = run_in_shell(daemon, command);
    BOOST_TEST(ran.code == 0, command << ": " << ran.output);
  }
  // Runs `fastjournal work jobs` with this text: `options -- COMMAND`.
  ChildProcess work(std::string const& options) {
    ChildOptions child;
    child.environment = shell_variables(daemon);
    return ChildProcess{shell_words(daemon, "exec fastjournal work jobs " + options), child};
  }
  static void stop(ChildProcess& worker) {
    worker.kill(SIGTERM);
    BOOST_TEST(worker.wait().value_or(-1) == 0);
  }

  RealDaemon daemon;
};

std::size_t work_count_of(std::string const& all, std::string_view part) {
  std::size_t out = 0;
  for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++out;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(work_beside_a_daemon)

BOOST_AUTO_TEST_CASE(a_pause_a_drain_and_a_restart_are_waited_out_and_told_once) {
  WorkFixture f;
  f.run("fastjournal pause jobs --worker ann --reason lunch");
  f.run("fastjournal put jobs name=a");
  ChildProcess worker = f.work("-- sh -c 'echo \"did $FJ_NAME $FJ_ATTEMPT\"'");
  BOOST_REQUIRE(worker.wait_for_line("lunch").has_value());
  f.run("fastjournal put jobs name=b");
  f.run("fastjournal resume jobs");
  BOOST_REQUIRE(worker.wait_for_line("did a 1").has_value());
  BOOST_REQUIRE(worker.wait_for_line("did b 1").has_value());
  // Rows are still handed out while a table drains; inserts must wait until it is open again.
  f.run("fastjournal drain jobs && fastjournal resume jobs && fastjournal put jobs name=c");
  BOOST_REQUIRE(worker.wait_for_line("did c 1").has_value());
  f.daemon.kill(SIGKILL);
  BOOST_REQUIRE(worker.wait_for_line("trying again").has_value());
  BOOST_REQUIRE(f.daemon.wait().has_value());
  BOOST_REQUIRE_MESSAGE(f.daemon.start(), f.daemon.output());
  BOOST_REQUIRE(worker.wait_for_line("connected again").has_value());
  f.run("fastjournal put jobs name=d");
  BOOST_REQUIRE(worker.wait_for_line("did d 1").has_value());
  WorkFixture::stop(worker);
  std::string const& said = worker.output();
  for (char const* const once : {"lunch", "work goes on", "trying again", "connected again"})
    BOOST_TEST(work_count_of(said, once) == 1U, once << " in " << said);
}

BOOST_AUTO_TEST_CASE(a_command_that_fails_rests_longer_each_time_and_is_given_up_at_last) {
  WorkFixture f{
      "<back-off-first>200ms</back-off-first><back-off-jitter>0</back-off-jitter><max-attempts>4</max-attempts>"
      "<grace>1s</grace>"};
  f.run("fastjournal put jobs name=a");
  ChildProcess worker =
      f.work("--max 4 -- sh -c 'echo \"try $FJ_ATTEMPT at $(date +%s%3N)\"; echo broken >&2; exit 3'");
  BOOST_TEST(worker.wait().value_or(-1) == 5);
  std::string const& said = worker.output();
  std::vector<long long> at;
  for (int i = 1; i <= 4; ++i) {
    std::string const head = "try " + std::to_string(i) + " at ";
    std::size_t const place = said.find(head);
    BOOST_REQUIRE_MESSAGE(place != std::string::npos, said);
    at.push_back(std::stoll(said.substr(place + head.size(), 13)));
  }
  for (std::size_t i = 1; i < at.size(); ++i) BOOST_TEST(at[i] - at[i - 1] >= 200LL << (i - 1));
  for (int i = 1; i <= 3; ++i)
    BOOST_TEST(work_count_of(said, ": attempt " + std::to_string(i) + " failed, released, due ") == 1U, said);
  BOOST_TEST(work_count_of(said, "exit status 3: parked after 4 attempts\n") == 1U, said);
  Ran const row = run_in_shell(f.daemon, "fastjournal peek jobs name=a");
  BOOST_TEST(row.output.find("sh: exit status 3: broken") != std::string::npos, row.output);
  BOOST_TEST(row.output.find("parked") != std::string::npos, row.output);
}

BOOST_AUTO_TEST_CASE(a_stop_counts_no_attempt_and_the_row_is_due_at_once) {
  WorkFixture f;
  f.run("fastjournal put jobs name=a");
  ChildProcess worker = f.work("-- sh -c 'echo up; exec sleep 60'");
  BOOST_REQUIRE(worker.wait_for_line("up").has_value());
  WorkFixture::stop(worker);
  ChildProcess again = f.work("--once -- sh -c 'echo \"try $FJ_ATTEMPT\"'");
  BOOST_TEST(again.wait().value_or(-1) == 0);
  BOOST_TEST(work_count_of(again.output(), "try 1\n") == 1U, again.output());
}

BOOST_AUTO_TEST_CASE(it_is_woken_and_does_not_ask_meanwhile) {
  WorkFixture f;
  ChildProcess worker = f.work("-- sh -c 'echo \"did $FJ_NAME\"'");
  f.run("fastjournal put jobs name=a");
  BOOST_REQUIRE(worker.wait_for_line(": done").has_value());
  Ran const stats = run_in_shell(f.daemon, "fastjournal stats jobs --json");
  BOOST_TEST(stats.output.find("\"listeners\":1,") != std::string::npos, stats.output);
  BOOST_TEST(stats.output.find("\"waiting_commands\":0") != std::string::npos, stats.output);
  WorkFixture::stop(worker);
}

BOOST_AUTO_TEST_CASE(several_work_at_once_and_end_together) {
  WorkFixture f;
  f.run("for i in 1 2 3; do mkfifo gate$i && fastjournal put jobs name=$i; done");
  // Each command waits until all three run.
  ChildProcess worker = f.work("-j 3 -- sh -c 'echo up; read x <gate$FJ_NAME; echo \"did $FJ_NAME\"'");
  for (int i = 0; i < 3; ++i) BOOST_REQUIRE(worker.wait_for_line("up").has_value());
  f.run("for i in 1 2 3; do echo >gate$i; done");
  for (int i = 0; i < 3; ++i) BOOST_REQUIRE(worker.wait_for_line(": done").has_value());
  f.daemon.kill(SIGKILL);
  BOOST_REQUIRE(worker.wait_for_line("trying again").has_value());
  BOOST_REQUIRE(f.daemon.wait().has_value());
  BOOST_REQUIRE_MESSAGE(f.daemon.start(), f.daemon.output());
  BOOST_REQUIRE(worker.wait_for_line("connected again").has_value());
  WorkFixture::stop(worker);
  // Only one of the workers reports it.
  BOOST_TEST(work_count_of(worker.output(), "trying again") == 1U, worker.output());
}

// Long before half of the lease is over, when it would be renewed in any case.
BOOST_AUTO_TEST_CASE(a_row_in_work_is_adopted_once_it_is_connected_again) {
  WorkFixture f{"<grace>30s</grace>"};
  std::string const fifo = (f.daemon.folder() / "fifo").string();
  f.run("mkfifo " + fifo + " && fastjournal put jobs name=a");
  ChildProcess worker = f.work("--lease 1h --once -- cat " + fifo);
  auto const lease_end = [&] {
    std::string const shown = run_in_shell(f.daemon, "fastjournal peek jobs name=a --json").output;
    std::size_t const at = shown.find("\"lease_end\":");
    return at == std::string::npos ? std::int64_t{0} : std::stoll(shown.substr(at + 12));
  };
  std::int64_t before = 0;
  for (int i = 0; i < 1000 && before == 0; ++i) before = lease_end();
  BOOST_REQUIRE(before != 0);
  f.daemon.kill(SIGKILL);
  BOOST_REQUIRE(f.daemon.wait().has_value());
  BOOST_REQUIRE_MESSAGE(f.daemon.start(), f.daemon.output());
  std::int64_t after = 0;
  for (int i = 0; i < 1000 && after <= before; ++i) after = lease_end();
  BOOST_TEST(after > before);
  f.run("echo done > " + fifo);
  BOOST_TEST(worker.wait().value_or(-1) == 0);
  BOOST_TEST(lease_end() == 0);
}

BOOST_AUTO_TEST_CASE(workers_of_a_crew_that_was_killed_end_too) {
  WorkFixture f;
  ChildProcess worker = f.work("-j 2 --worker crew -- true");
  auto const listeners = [&](std::string_view count) {
    std::string const wanted = "\"listeners\":" + std::string(count) + ",";
    for (int i = 0; i < 1000; ++i)
      if (run_in_shell(f.daemon, "fastjournal stats jobs --json").output.find(wanted) != std::string::npos) return true;
    return false;
  };
  BOOST_TEST(listeners("2"));
  worker.kill(SIGKILL);
  BOOST_TEST(listeners("0"));
}

// Whatever has the pipe open for writing is the command, or was started by it: at its end, all of them are gone.
BOOST_AUTO_TEST_CASE(a_command_ends_with_what_it_started_when_its_worker_is_killed) {
  WorkFixture f;
  f.run("mkfifo fifo && fastjournal put jobs name=a");
  ChildProcess worker = f.work("-- sh -c 'exec >fifo 3>fifo; echo begun; sleep 1000 & sleep 1000; echo on'");
  int const fd = ::open((f.daemon.folder() / "fifo").c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(fd >= 0);
  std::string said;
  char part[64];
  auto const more = [&] {
    pollfd one{fd, POLLIN, 0};
    ssize_t const got = ::poll(&one, 1, 60'000) > 0 ? ::read(fd, part, sizeof part) : -1;
    if (got > 0) said.append(part, static_cast<std::size_t>(got));
    return got;
  };
  while (said != "begun\n" && more() > 0) continue;
  BOOST_TEST(said == "begun\n");
  worker.kill(SIGKILL);
  static_cast<void>(worker.wait());
  BOOST_TEST(more() == 0, said);
  ::close(fd);
}

BOOST_AUTO_TEST_CASE(the_files_of_a_worker_that_was_killed_are_gone_when_the_next_one_has_begun) {
  WorkFixture f;
  auto const folders = [&] { return run_in_shell(f.daemon, "ls tmp | grep -c row").output; };
  f.run("mkdir tmp && head -c 200000 /dev/zero | tr '\\0' p > large && fastjournal put jobs name=a payload=@large");
  BOOST_TEST(run_in_shell(f.daemon, "TMPDIR=tmp fastjournal work jobs -- sh -c 'kill -9 $PPID'").code != 0);
  BOOST_TEST(folders() == "1\n");
  f.run("TMPDIR=tmp fastjournal work jobs --until-empty -- true");
  BOOST_TEST(folders() == "0\n");
}

BOOST_AUTO_TEST_CASE(what_holds_a_lock_ends_when_the_one_that_locked_is_killed) {
  WorkFixture f;
  f.daemon.write("tables/pairs.xml", "<table name=\"pairs\" model=\"keyvalue\"/>\n");
  f.run("fastjournal reload && mkfifo fifo");
  ChildOptions options;
  options.environment = shell_variables(f.daemon);
  ChildProcess lock{
      shell_words(f.daemon,
                  "exec fastjournal kv lock pairs k --create -- sh -c 'exec >fifo; echo begun; exec sleep 1000'"),
      options};
  int const fd = ::open((f.daemon.folder() / "fifo").c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(fd >= 0);
  char part[64];
  auto const more = [&] {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 60'000) > 0 ? ::read(fd, part, sizeof part) : -1;
  };
  BOOST_TEST(more() > 0);
  lock.kill(SIGKILL);
  static_cast<void>(lock.wait());
  BOOST_TEST(more() == 0);
  ::close(fd);
}

BOOST_AUTO_TEST_SUITE_END()
