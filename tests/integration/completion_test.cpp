// The words that bash offers with the script of `fastjournal completion bash`.
#include <boost/test/unit_test.hpp>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace fastjournal::test;

// What is offered for `line`, words in bash's own syntax of which the last one is to be completed. No daemon is asked,
// as none listens at that address.
std::string offered(std::string const& function, std::string const& line) {
  std::string const script =
      "PATH=" FJ_BINARY_DIR
      "/bin:$PATH FASTJOURNAL_SERVER=unix:/nowhere/at/all\n. <(fastjournal completion bash)\nCOMP_WORDS=(" +
      line + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n" + function + "\necho \"${COMPREPLY[@]}\"\n";
  ChildProcess bash{{"bash", "--norc", "-c", script}};
  std::string const out = bash.read_line().value_or("(nothing)");
  BOOST_TEST(bash.wait().value_or(-1) == 0, bash.output());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(completion)

BOOST_AUTO_TEST_CASE(commands_options_and_their_values) {
  BOOST_TEST(offered("_fastjournal", "fastjournal st") == "stats stop");
  BOOST_TEST(offered("_fastjournal", "fastjournal kick pages --dr") == "--dry-run");
  BOOST_TEST(offered("_fastjournal", "fastjournal ls pages --status pa") == "parked paused");
  BOOST_TEST(offered("_fastjournal", "fastjournal listen pages --mode ''") == "wake row deliver");
  BOOST_TEST(offered("_fastjournal", "fastjournal log ''") == "verify dump salvage resize");
  // The value of an option is not taken for the command, and completion goes on after it.
  BOOST_TEST(offered("_fastjournal", "fastjournal --timeout 3s completion z") == "zsh");
}

// If we offer no word, the shell offers files.
BOOST_AUTO_TEST_CASE(files_are_left_to_the_shell) {
  for (char const* const line : {"fastjournal check /et", "fastjournal log verify --config ''", "fastjournal backup x",
                                 "fastjournal feed pages --plugins /us"})
    BOOST_TEST(offered("_fastjournal", line) == "", line);
}

BOOST_AUTO_TEST_CASE(the_daemon_names_its_own_options) {
  BOOST_TEST(offered("_fastjournald", "fastjournald --me") == "--message-files");
  std::string const all = offered("_fastjournald", "fastjournald --");
  for (char const* const option :
       {"--config", "--tables", "--data", "--plugins", "--listen", "--forget", "--accept-clock", "--check"})
    BOOST_TEST(all.find(option) != std::string::npos, option << " in " << all);
  BOOST_TEST(offered("_fastjournald", "fastjournald --config ''") == "");
}

BOOST_AUTO_TEST_SUITE_END()
