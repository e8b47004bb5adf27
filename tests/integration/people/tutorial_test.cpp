// doc/tutorial.md, doc/recipes.md and doc/coming-from.md go as they stand: their files are written, their commands are
// run in one folder for each page, beside a daemon that the page itself starts, and each prints what is shown. Nothing
// sleeps: the commands of the pages wait for the daemon.
//
//   ```LANGUAGE FILE      written to FILE
//   ```console terminal   a command that goes on running; the next blocks wait for its last shown line
//   ```console            commands and their output
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/documents.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace fastjournal::test;
namespace fs = std::filesystem;

std::string const kTutorialRoot = FJ_SOURCE_DIR;

// The reader of a page: his folder, his terminals.
class Reader {
 public:
  Reader() {
    // What `npm install` does with a folder.
    fs::create_directory(folder_.path() / "node_modules");
    fs::create_directory_symlink(kTutorialRoot + "/clients/node", folder_.path() / "node_modules/fastjournal");
    options_.environment = {"PATH=" FJ_BINARY_DIR "/bin:/usr/bin:/bin",
                            "PYTHONPATH=" + kTutorialRoot + "/clients/python",
                            "PKG_CONFIG_PATH=" FJ_BINARY_DIR "/tutorial/pkgconfig", "COLUMNS=100"};
  }

  void write(std::string const& name, std::vector<std::string> const& lines) const {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream file{folder_.path() / name};
    for (std::string const& line : lines) file << line << '\n';
    BOOST_REQUIRE_MESSAGE(file.good(), name);
  }

  // Returns the lines of output up to the one that is shown last.
  std::vector<std::string> start(std::string const& command, std::string const& last) {
    terminal_ = std::make_unique<ChildProcess>(words_of("exec " + command), options_);
    std::vector<std::string> out;
    while (auto line = terminal_->read_line()) {
      out.push_back(*line);
      if (is_as_shown(*line, last)) break;
    }
    return out;
  }

  std::vector<std::string> run(std::string const& command) {
    if (command.starts_with("export ")) exports_ += command + "\n";
    ChildProcess child{words_of(command), options_};
    std::vector<std::string> out;
    // A compiler takes its time.
    while (auto line = child.read_line(std::chrono::minutes{2})) out.push_back(*line);
    BOOST_TEST(child.wait().has_value(), command << " does not end");
    return out;
  }

  // The exit code of what was started.
  std::optional<int> ended() { return terminal_ == nullptr ? std::nullopt : terminal_->wait(); }

 private:
  [[nodiscard]] std::vector<std::string> words_of(std::string const& command) const {
    return {"/bin/sh", "-c", "cd '" + folder_.path().string() + "'\n" + exports_ + command};
  }

  TemporaryFolder folder_;
  ChildOptions options_;
  std::string exports_;
  std::unique_ptr<ChildProcess> terminal_;
};

void play(Reader& reader, Example const& example) {
  for (Shown const& shown : commands_of(example)) {
    bool const terminal = !example.words.empty() && example.words.front() == "terminal";
    std::vector<std::string> const output =
        terminal ? reader.start(shown.command, shown.output.back()) : reader.run(shown.command);
    std::string const wrong = difference(output, shown.output);
    BOOST_TEST(wrong.empty(), example.document << ":" << shown.line << ": " << shown.command << "\n  " << wrong);
  }
}

void read_through(std::string const& document, std::set<std::string> const& expected) {
  Reader reader;
  std::set<std::string> languages;
  for (Example const& example : examples_of(kTutorialRoot, document)) {
    languages.insert(example.language);
    if (example.language == "console") {
      play(reader, example);
    } else if (example.language != "transcript" && example.language != "text") {
      BOOST_REQUIRE_MESSAGE(example.words.size() == 1, document << ":" << example.line << ": names no file");
      reader.write(example.words.front(), example.lines);
    }
  }
  for (std::string const& language : expected) BOOST_TEST(languages.contains(language), document << ": " << language);
  BOOST_TEST(reader.ended().value_or(-1) == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tutorial)

BOOST_AUTO_TEST_CASE(it_goes_as_it_stands_in_four_languages) {
  read_through("doc/tutorial.md", {"sh", "python", "javascript", "cpp"});
}

BOOST_AUTO_TEST_CASE(recipes_go_as_they_stand) { read_through("doc/recipes.md", {"xml", "sh", "python"}); }

BOOST_AUTO_TEST_CASE(who_comes_from_another_queue_finds_what_works) {
  read_through("doc/coming-from.md", {"xml", "sh", "javascript", "python"});
}

BOOST_AUTO_TEST_SUITE_END()
