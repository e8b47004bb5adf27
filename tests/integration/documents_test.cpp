// The commands that the documents show (tests/support/documents.h, "console") are run in a shell, with a daemon that
// serves conf/tables.d, and must print what is shown: `...` within a line is any text, and a line of it alone is any
// lines.
#include <boost/test/unit_test.hpp>

#include <csignal>

#include "tests/integration/daemon.h"
#include "tests/support/documents.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

std::string const kRoot = FJ_SOURCE_DIR;
constexpr std::string_view kAny = "...";

// The shell of one document: a daemon, and the commands in their order.
class Shell {
 public:
  Shell() {
    std::filesystem::remove_all(daemon_.folder() / "tables");
    std::filesystem::copy(kRoot + "/conf/tables.d", daemon_.folder() / "tables");
    BOOST_REQUIRE_MESSAGE(daemon_.start(), daemon_.output());
  }
  ~Shell() {
    daemon_.kill(SIGTERM);
    static_cast<void>(daemon_.wait());
  }

  // Runs the command in the root of the checkout, where the document's reader is; returns the lines of output.
  std::vector<std::string> run(std::string const& command) {
    ChildOptions options;
    options.environment = {"FASTJOURNAL_SERVER=unix:" + (daemon_.folder() / "socket").string(),
                           "PATH=" FJ_BINARY_DIR "/bin:/usr/bin:/bin", "COLUMNS=100"};
    ChildProcess child{{"/bin/sh", "-c", "cd '" + kRoot + "' && " + command}, options};
    std::vector<std::string> out;
    while (auto line = child.read_line()) out.push_back(*line);
    static_cast<void>(child.wait());
    return out;
  }

 private:
  RealDaemon daemon_{""};
};

// Empty if the output is as shown; otherwise the difference.
std::string compare(std::vector<std::string> const& output, std::vector<std::string> const& shown) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i] == kAny) {
      if (i + 1 == shown.size()) return {};
      while (at < output.size() && !is_as_shown(output[at], shown[i + 1])) ++at;
      continue;
    }
    if (at == output.size()) return "expected \"" + shown[i] + "\", but there is no more output";
    if (!is_as_shown(output[at], shown[i])) return "expected \"" + shown[i] + "\", got \"" + output[at] + "\"";
    ++at;
  }
  return at == output.size() ? "" : "did not expect \"" + output[at] + "\"";
}

void play(Shell& shell, Example const& example) {
  for (std::size_t i = 0; i < example.lines.size();) {
    BOOST_REQUIRE_MESSAGE(example.lines[i].starts_with("$ "), example.document << ": " << example.lines[i]);
    std::size_t const line = i;
    std::string command = example.lines[i++].substr(2);
    while (command.ends_with('\\') && i < example.lines.size()) command += "\n" + example.lines[i++];
    std::vector<std::string> shown;
    while (i < example.lines.size() && !example.lines[i].starts_with("$ ")) shown.push_back(example.lines[i++]);
    std::string const wrong = compare(shell.run(command), shown);
    BOOST_TEST(wrong.empty(),
               example.document << ":" << example.line + static_cast<int>(line) << ": " << command << "\n  " << wrong);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(commands_in_documents)

BOOST_AUTO_TEST_CASE(they_print_what_is_shown) {
  std::size_t seen = 0;
  for (std::string const& document : documents(kRoot)) {
    std::unique_ptr<Shell> shell;
    for (Example const& example : examples_of(kRoot, document)) {
      if (example.language != "console") continue;
      if (shell == nullptr) shell = std::make_unique<Shell>();
      play(*shell, example);
      ++seen;
    }
  }
  BOOST_TEST(seen > 0U);
}

BOOST_AUTO_TEST_SUITE_END()
