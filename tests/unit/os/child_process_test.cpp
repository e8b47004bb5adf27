// The helper with which the tests run programs: if it is wrong, every integration test is.
#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "tests/support/child_process.h"

namespace fastjournal::test {

BOOST_AUTO_TEST_SUITE(child_process)

BOOST_AUTO_TEST_CASE(output_comes_line_by_line_and_the_code_after_it) {
  ChildProcess child{{"sh", "-c", "echo one; echo two >&2; printf three; exit 7"}};
  BOOST_TEST(child.read_line().value() == "one");
  BOOST_TEST(child.read_line().value() == "two");
  BOOST_TEST(child.read_line().value() == "three");
  BOOST_TEST(!child.read_line().has_value());
  BOOST_TEST(child.wait().value() == 7);
  BOOST_TEST(child.wait().value() == 7);
}

BOOST_AUTO_TEST_CASE(waiting_ends_at_its_limit) {
  ChildProcess child{{"sleep", "1000"}};
  BOOST_TEST(!child.read_line(std::chrono::milliseconds{5}).has_value());
  BOOST_TEST(!child.wait(std::chrono::milliseconds{5}).has_value());
  child.kill(SIGTERM);
  BOOST_TEST(child.wait().value() == 128 + SIGTERM);
}

BOOST_AUTO_TEST_CASE(a_child_never_outlives_its_object) {
  pid_t pid = -1;
  {
    ChildProcess child{{"sleep", "1000"}};
    pid = child.pid();
    BOOST_TEST(::kill(pid, 0) == 0);
  }
  BOOST_TEST(::kill(pid, 0) == -1);
  BOOST_TEST(errno == ESRCH);
}

BOOST_AUTO_TEST_CASE(waiting_reads_on_so_that_a_full_pipe_hangs_nobody) {
  ChildProcess child{{"sh", "-c", "head -c 1000000 /dev/zero"}};
  BOOST_TEST(child.wait().value() == 0);
  BOOST_TEST(child.output().size() == 1'000'000U);
}

BOOST_AUTO_TEST_CASE(a_grandchild_that_keeps_the_pipe_delays_nothing) {
  ChildProcess child{{"sh", "-c", "sleep 1000 & echo $!"}};
  std::string const grandchild = child.read_line().value();
  BOOST_TEST(child.wait().value() == 0);
  BOOST_TEST(::kill(std::stoi(grandchild), SIGKILL) == 0);
}

BOOST_AUTO_TEST_CASE(a_line_is_found_by_its_words_and_the_environment_is_passed_on) {
  ChildOptions options;
  options.environment = {"GREETING=hello"};
  ChildProcess child{{"sh", "-c", "echo first; echo $GREETING world; echo last"}, options};
  BOOST_TEST(child.wait_for_line("world").value() == "hello world");
  BOOST_TEST(!child.wait_for_line("nothing like it").has_value());
  BOOST_TEST(child.output() == "first\nhello world\nlast\n");
}

BOOST_AUTO_TEST_CASE(a_program_that_is_not_there_is_told_at_once) {
  BOOST_CHECK_THROW(ChildProcess({"/no/such/program"}), std::system_error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::test
