// The pages of the manual are without a complaint of `man` and its checkers, and have every option that the programs'
// own --help has, and everything that a table type declares.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/child_process.h"

namespace {

using namespace fastjournal::test;
namespace fs = std::filesystem;

fs::path const kMan = FJ_BINARY_DIR "/manual/man";

std::vector<fs::path> pages() {
  std::vector<fs::path> out;
  for (auto const& entry : fs::recursive_directory_iterator{kMan})
    if (entry.is_regular_file()) out.push_back(entry.path());
  BOOST_REQUIRE(out.size() > 40U);
  return out;
}

std::string run(std::string const& command) {
  ChildOptions options;
  options.environment = {"LC_ALL=C.UTF-8", "MANWIDTH=80", "MANROFFSEQ="};
  ChildProcess child{{"/bin/sh", "-c", command}, options};
  int const code = child.wait().value_or(-1);
  return code == 0 ? child.output() : child.output() + "exit " + std::to_string(code) + "\n";
}

std::string manual_read(fs::path const& path) {
  std::ifstream file{path, std::ios::binary};
  BOOST_REQUIRE_MESSAGE(file.good(), path);
  return {std::istreambuf_iterator<char>{file}, {}};
}

// As a reader sees it, on lines that are not broken.
std::string shown(std::string const& page) {
  return run("MANWIDTH=1000 man -l " + (kMan / page).string() + " | col -bx");
}

std::set<std::string> matches(std::string const& text, char const* pattern, std::size_t group = 0) {
  std::set<std::string> out;
  std::regex const expression{pattern};
  for (std::sregex_iterator at{text.begin(), text.end(), expression}, end; at != end; ++at) out.insert(at->str(group));
  return out;
}

// Of a help, behind the last of its titles; CLI11 has written it in small and in capital letters.
std::set<std::string> commands_in(std::string const& help) {
  std::size_t const at = std::min(help.find("Subcommands:"), help.find("SUBCOMMANDS:"));
  return at == std::string::npos ? std::set<std::string>{} : matches(help.substr(at), "\n  ([a-z]+) +[a-z]", 1);
}

// Options as they begin a line of --help: "  -j,--jobs NUMBER".
std::set<std::string> options_of(std::string const& command) {
  return matches(run(FJ_BINARY_DIR "/bin/" + command + " --help"), "\n  (?:-[a-z],)? *(--[a-z-]+)", 1);
}

void check_options(std::string const& command, std::string const& page) {
  std::set<std::string> const options = options_of(command);
  BOOST_TEST(options.contains("--help"), command);
  std::string const text = shown(page);
  for (std::string const& option : options)
    BOOST_TEST(text.find("\n       " + option) + text.find(", " + option) != 2 * std::string::npos,
               page << " lacks " << option);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(manual)

// As of the command line, whose commands a unit test has.
BOOST_AUTO_TEST_CASE(no_line_of_help_of_the_daemon_and_the_forwarder_is_longer_than_100) {
  for (char const* const program : {"fastjournald", "fastjournal-client"}) {
    std::istringstream lines{run(std::string{FJ_BINARY_DIR "/bin/"} + program + " --help")};
    std::size_t seen = 0;
    for (std::string line; std::getline(lines, line); ++seen) BOOST_TEST(line.size() <= 100U, line);
    BOOST_TEST(seen > 30U, program);
  }
}

BOOST_AUTO_TEST_CASE(man_and_its_checkers_have_no_complaint) {
  for (fs::path const& page : pages()) {
    BOOST_TEST(run("man --warnings -E UTF-8 -l -Tutf8 -Z " + page.string() + " 2>&1 >/dev/null") == "", page);
    BOOST_TEST(run("mandoc -T lint -W warning " + page.string()) == "", page);
    // What `apropos` finds it by.
    std::string const found = run("lexgrog " + page.string());
    BOOST_TEST(found.find(page.stem().string() + " - ") != std::string::npos, found);
  }
}

BOOST_AUTO_TEST_CASE(every_option_of_help_is_in_the_page) {
  check_options("fastjournal", "man1/fastjournal.1");
  check_options("fastjournald", "man8/fastjournald.8");
  check_options("fastjournal-client", "man1/fastjournal-client.1");
  std::string const help = run(FJ_BINARY_DIR "/bin/fastjournal --help");
  std::set<std::string> const verbs = commands_in(help);
  BOOST_TEST(verbs.size() > 30U);
  for (std::string const& verb : verbs) {
    std::string const page = "man1/fastjournal-" + verb + ".1";
    check_options("fastjournal " + verb, page);
    std::string const own = run(FJ_BINARY_DIR "/bin/fastjournal " + verb + " --help");
    for (std::string const& one : commands_in(own)) check_options("fastjournal " + verb + " " + one, page);
  }
}

BOOST_AUTO_TEST_CASE(the_page_of_the_journal_has_all_that_it_declares) {
  std::string const declared = manual_read(FJ_SOURCE_DIR "/plugins/journal/journal.xml");
  std::string const text = shown("man7/fastjournal-journal.7");
  std::set<std::string> const options = matches(declared, "<option name=\"([a-z-]+)\"", 1);
  BOOST_TEST(options.size() > 20U);
  for (std::string const& option : options)
    BOOST_TEST(text.find("\n       <" + option + ">") != std::string::npos, option);
  std::set<std::string> const messages = matches(declared, "<(?:command|answer) name=\"([A-Z_]+)\"", 1);
  BOOST_TEST(messages.size() > 20U);
  for (std::string const& message : messages)
    BOOST_TEST(text.find("\n   " + message + "\n") != std::string::npos, message);
  for (std::string const& parameter : matches(declared, "<parameter name=\"([a-z_]+)\"", 1))
    BOOST_TEST(text.find("\n       " + parameter + " (") != std::string::npos, parameter);
}

BOOST_AUTO_TEST_CASE(the_pages_of_files_have_their_elements_and_attributes) {
  std::pair<char const*, char const*> const kFiles[] = {{"fastjournal.xsd", "man5/fastjournal.xml.5"},
                                                        {"users.xsd", "man5/fastjournal-users.5"},
                                                        {"table-type.xsd", "man5/fastjournal-table-type.5"}};
  for (auto const& [schema, page] : kFiles) {
    std::string const text = shown(page);
    for (std::string const& name : matches(manual_read(std::string{FJ_SOURCE_DIR "/xml-schemas/"} + schema),
                                           "<xs:attribute name=\"([a-z-]+)\"", 1))
      BOOST_TEST(text.find("\n       " + name) != std::string::npos, page << " lacks " << name);
  }
  std::string const table = shown("man5/fastjournal-table.5");
  for (char const* const name : {"row-key", "max-length", "heartbeat", "refusal", "service"})
    BOOST_TEST(table.find("\n       " + std::string{name}) != std::string::npos, name);
}

BOOST_AUTO_TEST_SUITE_END()
