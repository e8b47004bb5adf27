// What bash, zsh and fish offer with the completion scripts that are installed, without and with a daemon.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>

#include "tests/integration/daemon.h"
#include "tests/support/child_process.h"

namespace {

using namespace fastjournal::test;

std::string const kScripts = FJ_BINARY_DIR "/manual/completion";
std::string const kCompletionNobody = "unix:/nowhere/at/all";

// How it is asked what it offers for the last word of a line; a blank at the end: for a new word.
struct CompletionShell {
  char const* name;
  std::vector<std::string> (*command)(std::string const& line);
};

std::string program_of(std::string const& line) { return line.substr(0, line.find(' ')); }

// bash has its words in an array: those of `line` are without blanks.
std::vector<std::string> in_bash(std::string const& line) {
  std::string const words = line.ends_with(' ') ? line + "''" : line;
  std::string function = "_" + program_of(line);
  std::replace(function.begin(), function.end(), '-', '_');
  return {"bash", "--norc", "-c",
          ". " + kScripts + "/bash/" + program_of(line) + "\nCOMP_WORDS=(" + words +
              ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n" + function + "\nprintf '%s\\n' \"${COMPREPLY[@]}\""};
}

std::vector<std::string> in_zsh(std::string const& line) {
  return {"zsh", "-f", FJ_SOURCE_DIR "/tests/integration/people/zsh_offers.zsh", kScripts + "/zsh", line};
}

std::vector<std::string> in_fish(std::string const& line) {
  return {"fish", "--no-config", "-c",
          "source " + kScripts + "/fish/" + program_of(line) + ".fish; complete -C '" + line + "'"};
}

constexpr CompletionShell kShells[] = {{"bash", in_bash}, {"zsh", in_zsh}, {"fish", in_fish}};

// The words, sorted, with blanks between them; without fish's descriptions, and the = of columns, which zsh adds later.
std::string offered(CompletionShell const& shell, std::string const& line,
                    std::string const& server = kCompletionNobody) {
  ChildOptions options;
  options.environment = {"FASTJOURNAL_SERVER=" + server, "PATH=" FJ_BINARY_DIR "/bin:/usr/bin:/bin", "TERM=dumb"};
  ChildProcess child{shell.command(line), options};
  BOOST_TEST(child.wait().value_or(-1) == 0, shell.name << ": " << line << "\n" << child.output());
  std::set<std::string> words;
  std::istringstream out{child.output()};
  for (std::string word; std::getline(out, word);) {
    word = word.substr(0, word.find('\t'));
    if (word.ends_with('=')) word.pop_back();
    if (!word.empty()) words.insert(word);
  }
  std::string all;
  for (std::string const& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

struct Case {
  char const* line;
  char const* words;
};

void check(CompletionShell const& shell, Case const& one, std::string const& server = kCompletionNobody) {
  std::string const words = offered(shell, one.line, server);
  BOOST_TEST(words == one.words, shell.name << ": " << one.line << " offers '" << words << "'");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(completion)

BOOST_AUTO_TEST_CASE(commands_options_and_their_values) {
  constexpr Case kCases[] = {
      {"fastjournal st", "stats stop"},
      {"fastjournal kick pages --dr", "--dry-run"},
      {"fastjournal ls pages --status pa", "parked paused"},
      {"fastjournal listen pages --mode ", "deliver row wake"},
      {"fastjournal log ", "dump resize salvage verify"},
      {"fastjournal spool st", "status"},
      {"fastjournal kv re", "rename"},
      {"fastjournal kv rename values a b --over", "--overwrite"},
      {"fastjournal kv set --type b", "boolean buffer"},
      // The value of an option is not taken for the command, and completion goes on after it.
      {"fastjournal --timeout 3s completion z", "zsh"},
      {"fastjournald --me", "--message-files"},
      {"fastjournal-client --log-level w", "warn"},
      {"fastjournal-client --al", "--alert-command"},
      // No daemon: nothing, and no error.
      {"fastjournal take pa", ""},
  };
  for (CompletionShell const& shell : kShells)
    for (Case const& one : kCases) check(shell, one);
}

BOOST_AUTO_TEST_CASE(tables_columns_and_commands_are_asked_of_the_daemon) {
  RealDaemon daemon{""};
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  std::string const server = daemon.local();
  constexpr Case kCases[] = {
      {"fastjournal put ", "jobs"},          {"fastjournal put jobs ", "name payload"},
      {"fastjournal peek jobs ", "name"},    {"fastjournal tables --columns ", "jobs"},
      {"fastjournal call PA", "PARK PAUSE"},
  };
  for (CompletionShell const& shell : kShells) {
    for (Case const& one : kCases) check(shell, one, server);
    BOOST_TEST(offered(shell, "fastjournal --server " + server + " stats j") == "jobs", shell.name);
  }
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

// Keys are data of others: no shell carries them out.
BOOST_AUTO_TEST_CASE(keys_are_asked_of_the_daemon) {
  RealDaemon daemon{""};
  daemon.write("tables/values.xml", "<table name=\"values\" model=\"keyvalue\"/>\n");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  std::string const server = daemon.local();
  std::string const mark = (daemon.folder() / "mark").string();
  for (std::string const& key : {std::string{"site:1"}, std::string{"site:2"}, "evil$(touch " + mark + ")"}) {
    ChildProcess set{{FJ_BINARY_DIR "/bin/fastjournal", "--server", server, "kv", "set", "values", key, "x"}};
    BOOST_TEST(set.wait().value_or(-1) == 0, set.output());
  }
  constexpr Case kCases[] = {
      {"fastjournal kv get ", "jobs values"},
      {"fastjournal kv get values si", "site:1 site:2"},
      {"fastjournal kv get values site:1 s", "site:1 site:2"},
      {"fastjournal kv lock values site:2", "site:2"},
      {"fastjournal kv del values none", ""},
  };
  for (CompletionShell const& shell : kShells) {
    for (Case const& one : kCases) check(shell, one, server);
    BOOST_TEST(offered(shell, "fastjournal kv get values ev", server).find("evil") == 0U, shell.name);
  }
  BOOST_TEST(!std::filesystem::exists(mark));
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

// Where bash is offered no word, it offers files.
BOOST_AUTO_TEST_CASE(files_are_left_to_the_shell) {
  for (char const* const line : {"fastjournal check /et", "fastjournal log verify --config ", "fastjournal backup x",
                                 "fastjournal feed pages --plugins /us", "fastjournald --config "})
    BOOST_TEST(offered(kShells[0], line) == "", line);
  BOOST_TEST(offered(kShells[2], "fastjournal backup /et") == "/etc/");
}

// The command line prints what is installed.
BOOST_AUTO_TEST_CASE(a_checkout_has_the_same_scripts) {
  std::pair<char const*, char const*> const kFiles[] = {
      {"bash", "bash/fastjournal"}, {"zsh", "zsh/_fastjournal"}, {"fish", "fish/fastjournal.fish"}};
  for (auto const& [shell, file] : kFiles) {
    ChildProcess child{
        {"/bin/sh", "-c",
         std::string{FJ_BINARY_DIR "/bin/fastjournal completion "} + shell + " | cmp - " + kScripts + "/" + file}};
    BOOST_TEST(child.wait().value_or(-1) == 0, child.output());
  }
}

BOOST_AUTO_TEST_SUITE_END()
