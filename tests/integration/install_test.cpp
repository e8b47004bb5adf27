// `cmake --install` makes a working server: started from the installed files, with no option but the data folder, it
// accepts a row, and the installed command line works on it.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace fastjournal::test;
namespace fs = std::filesystem;

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::string read(fs::path const& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void replace(fs::path const& path, std::string const& from, std::string const& to) {
  std::string text = read(path);
  std::size_t const at = text.find(from);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, path << " has no " << from);
  std::ofstream{path, std::ios::binary} << text.replace(at, from.size(), to);
}

// Installed into a temporary folder, including files with a place outside of the prefix (/etc for the prefix /usr).
struct Installed {
  Installed() { install(); }
  ~Installed() { stop(); }

  void install() {
    ChildOptions options;
    options.environment = {"DESTDIR=" + folder.path().string()};
    ChildProcess cmake{{FJ_CMAKE, "--install", FJ_BINARY_DIR, "--prefix", "/prefix"}, options};
    BOOST_REQUIRE_MESSAGE(cmake.wait(std::chrono::minutes{2}).value_or(-1) == 0, cmake.output());
  }
  void start() {
    daemon = std::make_unique<ChildProcess>(
        std::vector<std::string>{prefix / "sbin/fastjournald", "--data", folder / "data"});
    while (auto const line = daemon->read_line()) {
      if (line->starts_with("listening ") && address.empty()) address = line->substr(10);
      if (*line == "ready") return;
    }
    BOOST_FAIL(daemon->output());
  }
  void stop() {
    if (daemon == nullptr) return;
    daemon->kill(SIGTERM);
    BOOST_TEST(daemon->wait().value_or(-1) == 0);
    daemon.reset();
  }
  std::string run(std::vector<std::string> words) {
    words.insert(words.begin(), prefix / "bin/fastjournal");
    ChildOptions options;
    options.environment = {"FASTJOURNAL_SERVER=" + address};
    ChildProcess child{words, options};
    int const code = child.wait().value_or(-1);
    return child.output() + "exit " + std::to_string(code) + "\n";
  }

  TemporaryFolder folder;
  fs::path prefix{folder.path() / "prefix"};
  fs::path conf{prefix / "etc/fastjournal"};
  std::string address;
  std::unique_ptr<ChildProcess> daemon;
};

// The place of the schema that an XML file names.
fs::path schema_of(fs::path const& file) {
  std::string const text = read(file);
  std::string const name = "noNamespaceSchemaLocation=\"";
  std::size_t const at = text.find(name);
  if (at == std::string::npos) return {};
  std::size_t const from = at + name.size();
  return file.parent_path() / text.substr(from, text.find('"', from) - from);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(installation)

BOOST_FIXTURE_TEST_CASE(an_installed_daemon_starts_and_a_row_is_put_and_worked_on, Installed) {
  if (!fs::exists(conf)) return;  // built for a prefix whose configuration is elsewhere
  // Tests use no fixed port.
  replace(conf / "fastjournal.xml", "127.0.0.1:4050", "127.0.0.1:0");
  start();
  BOOST_TEST(has(run({"put", "pages", "uri=http://example.com/"}), "inserted row"));
  std::string const worked = run({"work", "pages", "--once", "--", "sh", "-c", "echo \"working on $FJ_URI\""});
  BOOST_TEST(has(worked, "working on http://example.com/"), worked);
  BOOST_TEST(has(worked, ": done"), worked);
  BOOST_TEST(fs::is_directory(folder.path() / "data/shared"));
  // TCP has no administrator's rights.
  BOOST_TEST(has(run({"apply", "--yes"}), "needs the right admin"));
  // Without an address the administrator's socket is used, in a folder that the daemon has made.
  fs::path const socket = prefix / "var/run/fastjournal/fastjournal.sock";
  BOOST_TEST((fs::status(socket).permissions() == (fs::perms::owner_read | fs::perms::owner_write)));
  address.clear();
  BOOST_TEST(has(run({"apply", "--yes"}), "nothing to change"));
  BOOST_TEST(has(run({"ping"}), "unix:" + socket.string() + " answers"));
}

BOOST_FIXTURE_TEST_CASE(its_files_are_good_and_name_schemas_that_are_there, Installed) {
  if (!fs::exists(conf)) return;
  BOOST_TEST(run({"check"}) == "3 files are good\nexit 0\n");
  replace(conf / "tables.d/jobs.xml", "<table ", "<tabel ");
  BOOST_TEST(has(run({"check"}), "jobs.xml:"));
  BOOST_TEST(has(run({"check"}), "exit 2"));
  std::size_t seen = 0;
  for (auto const& entry : fs::recursive_directory_iterator{prefix}) {
    if (entry.path().extension() != ".xml") continue;
    fs::path const schema = schema_of(entry.path());
    if (schema.empty()) continue;
    ++seen;
    bool const example = has(entry.path().string(), "/examples/");  // its path is right only where it is copied to
    BOOST_TEST((example || fs::exists(schema)), entry.path() << " names " << schema);
  }
  BOOST_TEST(seen >= 3U);
}

BOOST_FIXTURE_TEST_CASE(an_upgrade_leaves_the_configuration_alone, Installed) {
  if (!fs::exists(conf)) return;
  replace(conf / "fastjournal.xml", "127.0.0.1:4050", "127.0.0.1:4051");
  fs::remove(conf / "tables.d/pages.xml");
  install();
  BOOST_TEST(has(read(conf / "fastjournal.xml"), "127.0.0.1:4051"));
  BOOST_TEST(!fs::exists(conf / "tables.d/pages.xml"));
  BOOST_TEST(run({"check"}) == "2 files are good\nexit 0\n");
}

BOOST_FIXTURE_TEST_CASE(without_a_configuration_it_says_where_an_example_is, Installed) {
  if (!fs::exists(conf)) return;
  fs::remove_all(conf);
  ChildProcess lost{{prefix / "sbin/fastjournald"}};
  BOOST_TEST(lost.wait().value_or(-1) == 1);
  std::string const said = lost.output();
  BOOST_TEST(has(said, (conf / "fastjournal.xml").string()), said);
  std::string const begin = "tables beside it, is ";
  BOOST_REQUIRE_MESSAGE(has(said, begin), said);
  std::size_t const from = said.find(begin) + begin.size();
  fs::path const example = said.substr(from, said.find(": copy it") - from);
  BOOST_TEST(fs::exists(example), example);
  fs::copy(example.parent_path(), conf, fs::copy_options::recursive);
  BOOST_TEST(run({"check"}) == "3 files are good\nexit 0\n");
}

BOOST_AUTO_TEST_SUITE_END()
