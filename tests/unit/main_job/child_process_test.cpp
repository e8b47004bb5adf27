// Processes are started, suspended and ended; a missing program is reported, and so is the output of a failed one.
#include <signal.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <thread>

#include "clients/demo/main_job/daemon_process.h"
#include "clients/demo/main_job/forwarder_process.h"
#include "clients/demo/process/child_process.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::main_job {
namespace {

using process::ChildProcess;
using process::last_lines;

struct Started {
  test::TemporaryFolder folder;

  ChildProcess start(std::vector<std::string> const& words) const {
    auto started = ChildProcess::start("child", words, folder.path() / "output");
    BOOST_REQUIRE_MESSAGE(started.ok(), started.status().message());
    return std::move(started).value();
  }
};

bool exists(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(main_job_child_process, Started)

BOOST_AUTO_TEST_CASE(a_program_that_is_not_there_is_told_at_once) {
  auto const started = ChildProcess::start("child", {"/no/such/program"}, folder.path() / "output");
  BOOST_TEST((started.status().code() == Code::io_error));
  BOOST_TEST(started.status().message().find("/no/such/program: No such file") != std::string::npos,
             started.status().message());
}

BOOST_AUTO_TEST_CASE(it_ends_on_a_signal_that_is_blocked_here) {
  sigset_t term;
  sigset_t before;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, &before);
  ChildProcess child = start({"/bin/sh", "-c", "while :; do :; done"});
  std::string const end = child.stop();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  BOOST_TEST(end.starts_with("killed by signal 15"), end);
}

BOOST_AUTO_TEST_CASE(its_end_and_its_last_words_are_known) {
  ChildProcess failing = start({"/bin/sh", "-c", "read nothing; echo out; echo err >&2; exit 3"});
  while (!failing.ended()) std::this_thread::yield();
  BOOST_TEST(failing.ended().value() == "exit status 3");
  BOOST_TEST(failing.stop() == "exit status 3");
  BOOST_TEST(last_lines(failing.output()) == "out\nerr");
  BOOST_TEST(last_lines(folder.path() / "absent") == "");
  ChildProcess patient = start({"/bin/sh", "-c", "while :; do :; done"});
  BOOST_TEST(patient.stop().starts_with("killed by signal 15"));
}

BOOST_AUTO_TEST_CASE(it_can_be_stopped_where_it_stands_and_killed_so) {
  ChildProcess child = start({"/bin/sh", "-c", "while :; do :; done"});
  pid_t const pid = child.pid();
  BOOST_REQUIRE(child.pause());
  BOOST_TEST(!child.ended().has_value());
  child.resume();
  BOOST_REQUIRE(child.pause());
  child.kill();
  BOOST_TEST(!exists(pid));
  BOOST_TEST(child.ended().value().starts_with("killed by signal 9"));
  BOOST_TEST(!child.pause());
}

BOOST_AUTO_TEST_CASE(none_outlives_its_owner) {
  pid_t pid = 0;
  {
    ChildProcess child = start({"/bin/sh", "-c", "while :; do :; done"});
    ChildProcess moved = std::move(child);
    pid = moved.pid();
    BOOST_TEST(exists(pid));
  }
  BOOST_TEST(!exists(pid));
}

BOOST_AUTO_TEST_CASE(a_daemon_that_is_missing_or_fails_is_told_with_its_words) {
  auto const missing = DaemonProcess::start(folder.path(), RunFolder{folder.path()});
  BOOST_TEST((missing.status().code() == Code::not_found));
  BOOST_TEST(missing.status().message().find("./mk build") != std::string::npos);

  std::filesystem::copy_file("/bin/false", folder.path() / "fastjournald");
  auto const failing = DaemonProcess::start(folder.path(), RunFolder{folder.path() / "run"});
  BOOST_TEST((failing.status().code() == Code::unavailable));
  BOOST_TEST(failing.status().message().find("exit status 1") != std::string::npos, failing.status().message());
}

BOOST_AUTO_TEST_CASE(a_forwarder_that_is_missing_is_told) {
  auto const missing = forwarder_words(folder.path(), RunFolder{folder.path()}, "unix:/nowhere");
  BOOST_TEST((missing.status().code() == Code::not_found));
  BOOST_TEST(missing.status().message().find("fastjournal-client): build it with ./mk build") != std::string::npos,
             missing.status().message());
  BOOST_TEST((read_forwarder_figures(RunFolder{folder.path()}).status().code() == Code::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
