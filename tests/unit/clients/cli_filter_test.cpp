// The commands of a pipeline: what becomes of their descriptors, and which of them are known not to be there.
#include "clients/programs/fastjournal/filter.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.h"

using namespace fastjournal;
using namespace fastjournal::cli;

namespace {

struct CliFilterFixture {
  GroupGuard guard;
  Watch watch{guard, [] { return true; }};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cli_filter, CliFilterFixture)

BOOST_AUTO_TEST_CASE(a_command_reads_one_file_and_writes_another) {
  fastjournal::test::TemporaryFolder const folder;
  std::ofstream{folder / "in"} << "text\n";
  Result<Filtered> const done =
      run_filter("tr a-z \"$FJ_TO\"; echo broken >&2; exit 3", {"FJ_TO=A-Z"}, folder / "in", folder / "out", watch);
  BOOST_REQUIRE(done.ok());
  BOOST_TEST(done->end.status == 3);
  BOOST_TEST(done->errors == "broken");
  std::ifstream out{folder / "out"};
  BOOST_TEST((std::string{std::istreambuf_iterator<char>{out}, {}} == "TEXT\n"));
}

BOOST_AUTO_TEST_CASE(a_descriptor_may_be_the_one_that_it_is_to_be) {
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  std::string said;
  Result<Child::End> const end = run_watched(
      {.words = {"sh", "-c", "echo on >&" + std::to_string(ends[1])}, .descriptors = {{ends[1], ends[1]}}},
      {STDERR_FILENO}, [&](std::string_view text) { said += text; }, watch);
  ::close(ends[1]);
  char part[8]{};
  BOOST_TEST(::read(ends[0], part, sizeof part) == 3, said);
  ::close(ends[0]);
  BOOST_TEST((end.ok() && end->ok()));
}

// Whoever starts it may be killed before it returns: nothing that the command started is left then.
BOOST_AUTO_TEST_CASE(a_command_is_guarded_before_it_begins) {
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  pid_t const starter = ::fork();
  if (starter == 0) {
    static_cast<void>(start_dependent({.words = {"sh", "-c", "sleep 1000 & echo; sleep 1000; true"},
                                       .environment = environment_with({}),
                                       .descriptors = {{ends[1], STDOUT_FILENO}},
                                       .guard = &guard}));
    char said = 0;
    static_cast<void>(!::read(ends[0], &said, 1));
    ::kill(::getpid(), SIGKILL);
  }
  BOOST_TEST(::waitpid(starter, nullptr, 0) == starter);
  ::close(ends[1]);
  // Both have it open.
  pollfd one{ends[0], POLLIN, 0};
  char more = 0;
  BOOST_TEST((::poll(&one, 1, 60'000) > 0 ? ::read(ends[0], &more, 1) : -1) == 0);
  ::close(ends[0]);
}

BOOST_AUTO_TEST_CASE(what_a_command_begins_with_is_looked_for) {
  for (std::string const good : {"cat",
                                 "  exec cat > it",
                                 "cat>it",
                                 "if true; then true; fi",
                                 "! false",
                                 "A=b nosuch",
                                 "\"nosuch\" x",
                                 "$COMMAND",
                                 "(nosuch)",
                                 "{ nosuch; }",
                                 "",
                                 ": nothing",
                                 ". ./nosuch",
                                 "cd /; nosuch",
                                 "f() { nosuch; }; f",
                                 "2>it nosuch",
                                 "/bin/sh -c x",
                                 "export A=b; cat",
                                 "folder:/a",
                                 "http://localhost/"})
    BOOST_TEST(find_filter(good, watch).ok(), good);
  for (auto const& [bad, why] : {std::pair{"nosuch", "run nosuch: No such file or directory"},
                                 {" nosuch -x", "run nosuch: No such file or directory"},
                                 {"nosuch|cat", "run nosuch: No such file or directory"},
                                 {"/nosuch/at-all; x", "run /nosuch/at-all: No such file or directory"},
                                 {"/etc/passwd", "run /etc/passwd: Permission denied"}}) {
    Status const found = find_filter(bad, watch);
    BOOST_TEST(found.message() == why, bad);
  }
}

BOOST_AUTO_TEST_SUITE_END()
