// `cmake --install` makes a working server: started from the installed files, with no option but the data folder, it
// accepts a row, and the installed command line works on it.
#include <boost/test/unit_test.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "tests/integration/daemon.h"
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
      if (line->starts_with("listening ") && address.empty()) address = line->substr(10, line->find(' ', 10) - 10);
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
    words.insert(words.begin(), before.begin(), before.end());
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
  std::vector<std::string> before;  // words that become the command
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

BOOST_FIXTURE_TEST_CASE(no_other_daemon_answers_for_one_that_is_stopped, Installed) {
  if (!fs::exists(conf)) return;
  RealDaemon other{""};
  BOOST_REQUIRE_MESSAGE(other.start(), other.output());
  std::string const port = other.tcp();
  replace(conf / "fastjournal.xml", "127.0.0.1:4050", port);
  std::string const socket = "unix:" + (prefix / "var/run/fastjournal/fastjournal.sock").string();
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"ls", "pages"}, {"kick", "pages", "1"}, {"delete", "pages", "1"}, {"ping"}}) {
    std::string const told = run(words);
    BOOST_TEST(has(told, "cannot connect to " + socket), told);
    BOOST_TEST(has(told, (conf / "fastjournal.xml").string() + " names"), told);
    BOOST_TEST(has(told, "--server or FASTJOURNAL_SERVER"), told);
    BOOST_TEST(has(told, "exit 3"), told);
  }
  std::string const judged = run({"doctor"});
  BOOST_TEST(has(judged, "no daemon answers: cannot connect to " + socket), judged);
  // Without the right to open the socket, what the configuration names beside it is the way.
  fs::create_directories(prefix / "var/run/fastjournal");
  std::ofstream{prefix / "var/run/fastjournal/fastjournal.sock"};
  fs::permissions(prefix / "var/run/fastjournal/fastjournal.sock", fs::perms::none);
  fs::permissions(folder.path(), fs::perms::others_exec | fs::perms::others_read, fs::perm_options::add);
  if (::geteuid() == 0) {
    before = {"env", "HOME=/", "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"};
    std::string const answered = run({"ping"});
    BOOST_TEST(has(answered, port + " answers"), answered);
    // But not a program of another user than the socket's.
    BOOST_REQUIRE(::seteuid(65533) == 0);
    int const listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    BOOST_REQUIRE(::seteuid(0) == 0);
    sockaddr_in at{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof at;
    BOOST_REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&at), size) == 0);
    BOOST_REQUIRE(::listen(listener, 8) == 0);
    BOOST_REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    std::string const strange = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    replace(conf / "fastjournal.xml", port, strange);
    for (std::string const command : {"ping", "doctor"}) {
      std::string const told = run({command, "--timeout", "200ms"});
      BOOST_TEST(has(told, socket + " may not be opened, and at " + strange + " listens a program of user 65533"),
                 told);
      BOOST_TEST(has(told, "--server"), told);
    }
    BOOST_REQUIRE(::chown((prefix / "var/run/fastjournal/fastjournal.sock").c_str(), 65533, 65533) == 0);
    std::string const own = run({"ping", "--timeout", "200ms"});
    BOOST_TEST((has(own, strange) && !has(own, "may not be opened")), own);
    ::close(listener);
    before.clear();
  }
  std::string const named = run({"--server", port, "ping"});
  BOOST_TEST(has(named, port + " answers"), named);
  BOOST_TEST(has(run({"--server", "", "ping"}), "--server: it is empty"));
  other.kill(SIGTERM);
  BOOST_TEST(other.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(units_are_installed_with_the_prefix_that_they_name_only) {
  TemporaryFolder const folder;
  std::ofstream{folder / "CMakeLists.txt"} << "cmake_minimum_required(VERSION 3.25)\nproject(units NONE)\n"
                                              "set(CMAKE_INSTALL_LIBDIR lib)\ninclude(GNUInstallDirs)\n"
                                              "include(" FJ_SOURCE_DIR "/cmake/folders.cmake)\n";
  ChildOptions options;
  options.environment = {"DESTDIR=" + (folder / "destination")};
  auto const cmake = [&options](std::vector<std::string> words) {
    words.insert(words.begin(), FJ_CMAKE);
    ChildProcess child{words, options};
    int const code = child.wait(std::chrono::minutes{1}).value_or(-1);
    return child.output() + "exit " + std::to_string(code) + "\n";
  };
  std::string const build = folder / "build";
  for (std::string const systemd : {"ON", "OFF"}) {
    std::string const made =
        cmake({"-S", folder / "", "-B", build, "-DCMAKE_INSTALL_PREFIX=/named", "-DFJ_SYSTEMD=" + systemd});
    BOOST_TEST(has(made, "exit 0"), made);
    std::string const same = cmake({"--install", build});
    BOOST_TEST(has(same, "exit 0"), same);
    std::string const other = cmake({"--install", build, "--prefix", "/other"});
    BOOST_TEST(has(other, "exit 0") == (systemd == "OFF"), other);
    BOOST_TEST(has(other, "-DCMAKE_INSTALL_PREFIX=/other") == (systemd == "ON"), other);
  }
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

BOOST_FIXTURE_TEST_CASE(manual_and_completion_are_where_they_are_looked_for, Installed) {
  fs::path const share = prefix / "share";
  for (char const* const file :
       {"man/man1/fastjournal.1", "man/man1/fastjournal-put.1", "man/man1/fastjournal-client.1",
        "man/man8/fastjournald.8", "man/man5/fastjournal.xml.5", "man/man5/fastjournal-table.5",
        "man/man7/fastjournal-journal.7", "bash-completion/completions/fastjournal",
        "bash-completion/completions/fastjournald", "bash-completion/completions/fastjournal-client",
        "zsh/site-functions/_fastjournal", "zsh/site-functions/_fastjournald",
        "fish/vendor_completions.d/fastjournal.fish", "fish/vendor_completions.d/fastjournal-client.fish"})
    BOOST_TEST(fs::exists(share / file), file);
  // man finds pages by the place of the program.
  ChildOptions options;
  options.environment = {"PATH=" + (prefix / "bin").string() + ":/usr/bin:/bin", "MANPATH="};
  ChildProcess man{{"man", "-w", "fastjournal-put"}, options};
  BOOST_TEST(man.wait().value_or(-1) == 0, man.output());
  BOOST_TEST(has(man.output(), "fastjournal-put.1"), man.output());
}

BOOST_FIXTURE_TEST_CASE(installed_documents_link_to_installed_documents, Installed) {
  std::size_t seen = 0;
  for (auto const& entry : fs::recursive_directory_iterator{prefix / "share/doc"}) {
    if (entry.path().extension() != ".md") continue;
    std::string const text = read(entry.path());
    bool code = false;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      std::string const line = text.substr(at, text.find('\n', at) - at);
      if (line.starts_with("```")) code = !code;
      for (std::size_t link = line.find("]("); !code && link != std::string::npos; link = line.find("](", link + 2)) {
        std::string const target = line.substr(link + 2, line.find_first_of(")#", link + 2) - link - 2);
        if (target.empty() || has(target, "://")) continue;
        ++seen;
        BOOST_TEST(fs::exists(entry.path().parent_path() / target), entry.path() << " links to " << target);
      }
      if (text.find('\n', at) == std::string::npos) break;
    }
  }
  BOOST_TEST(seen > 20U);
}

BOOST_AUTO_TEST_SUITE_END()
