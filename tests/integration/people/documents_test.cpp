// The commands that the documents show (tests/support/documents.h, "console") are run in a shell, with a daemon that
// serves conf/tables.d (those about key/value tables and transactions: also tests/transcripts/values.xml; that about blob tables: also the
// table that it declares), and must print what is shown:
// `...` within a line is any text, and a line of it alone is any lines.
#include <boost/test/unit_test.hpp>

#include <csignal>

#include "tests/integration/blob_document.h"
#include "tests/integration/daemon.h"
#include "tests/support/documents.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

std::string const kRoot = FJ_SOURCE_DIR;

// The shell of one document: a daemon, and the commands in their order.
class Shell {
 public:
  explicit Shell(std::string const& document) {
    std::filesystem::remove_all(daemon_.folder() / "tables");
    std::filesystem::copy(kRoot + "/conf/tables.d", daemon_.folder() / "tables");
    if (document == "doc/keyvalue.md" || document == "doc/transactions.md" || document == "clients/README.md")
      std::filesystem::copy(kRoot + "/tests/transcripts/values.xml", daemon_.folder() / "tables");
    if (document == kBlobDocument) declare_table_of_blob_document(daemon_, kRoot);
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
    ChildProcess child{{"/bin/sh", "-c", "cd '" + kRoot + "' && " + with_own_paths(command, daemon_)}, options};
    std::vector<std::string> out;
    while (auto line = child.read_line()) out.push_back(*line);
    static_cast<void>(child.wait());
    return out;
  }

 private:
  RealDaemon daemon_{""};
};

void play(Shell& shell, Example const& example) {
  BOOST_REQUIRE_MESSAGE(example.lines.front().starts_with("$ "), example.document << ": " << example.lines.front());
  for (Shown const& shown : commands_of(example)) {
    std::string const wrong = difference(shell.run(shown.command), shown.output);
    BOOST_TEST(wrong.empty(), example.document << ":" << shown.line << ": " << shown.command << "\n  " << wrong);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(commands_in_documents)

BOOST_AUTO_TEST_CASE(they_print_what_is_shown) {
  std::size_t seen = 0;
  std::vector<std::string> all = documents(kRoot);
  all.emplace_back("clients/README.md");
  for (std::string const& document : all) {
    // tutorial_test.cpp, tests/etcd/document_test.cpp
    if (has_daemon_of_its_own(document) || document == "doc/cluster.md") continue;
    std::unique_ptr<Shell> shell;
    for (Example const& example : examples_of(kRoot, document)) {
      if (example.language != "console") continue;
      if (shell == nullptr) shell = std::make_unique<Shell>(document);
      play(*shell, example);
      ++seen;
    }
  }
  BOOST_TEST(seen > 0U);
}

BOOST_AUTO_TEST_SUITE_END()
