// The program fastjournal-client with real daemons: what it does when they are away, lack a table or refuse a row, what
// it says about itself, and the files of a list system.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/daemon.h"

namespace fastjournal::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string spool_text_of(fs::path const& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

bool spool_has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Looks every 10 ms, up to the patience of a test.
template <typename What>
bool comes(What const& what) {
  auto const until = std::chrono::steady_clock::now() + kPatience;
  while (!what()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, 10);
  }
  return true;
}

struct Site {
  Site() { folder = temporary.path() / "spool"; }

  void save(std::string const& table, std::string const& name) const {
    ChildProcess put{{FJ_BINARY_DIR "/bin/fastjournal", "put", table, "--spool", folder, "name=" + name}};
    BOOST_REQUIRE_MESSAGE(put.wait().value_or(-1) == 0, put.output());
  }
  // Of the forwarder; it ends with the test.
  ChildProcess& forward(std::vector<std::string> const& options) {
    std::vector<std::string> words{FJ_BINARY_DIR "/bin/fastjournal-client", folder};
    words.insert(words.end(), options.begin(), options.end());
    forwarder = std::make_unique<ChildProcess>(words);
    return *forwarder;
  }
  int forward_once(std::vector<std::string> options) {
    options.emplace_back("--once");
    return forward(options).wait().value_or(-1);
  }
  [[nodiscard]] std::string status() const { return spool_text_of(folder / "forwarder/status.json"); }
  int ask(std::vector<std::string> words, std::string* out = nullptr) const {
    words.insert(words.begin(), {FJ_BINARY_DIR "/bin/fastjournal", "spool"});
    ChildProcess child{words};
    int const code = child.wait().value_or(-1);
    if (out != nullptr) *out = child.output();
    return code;
  }

  TemporaryFolder temporary;
  fs::path folder;
  std::unique_ptr<ChildProcess> forwarder;
};

std::string address_of(RealDaemon const& daemon) { return "unix:" + (daemon.folder() / "socket").string(); }

bool has_row(std::string const& address, std::string const& table, std::string const& name) {
  return LineClient{address}.ask("PEEK table=" + table + ";name=" + name).starts_with("ROW ");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(the_forwarder)

BOOST_AUTO_TEST_CASE(it_waits_for_a_daemon_and_a_ping_ends_the_waiting) {
  Site site;
  RealDaemon daemon{""};
  site.save("jobs", "early");
  site.forward({"--server", address_of(daemon)});
  BOOST_TEST(comes([&] { return spool_has(site.status(), "\"state\":\"away\""); }));
  BOOST_TEST(spool_has(site.status(), "\"waiting_bytes\":"));
  std::string shown;
  site.ask({"status", site.folder}, &shown);
  BOOST_TEST(spool_has(shown, "1 row"), shown);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(comes([&] {
    int const fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::string const path = site.folder / "forwarder/socket";
    std::memcpy(to.sun_path, path.data(), path.size());
    bool const sent = ::sendto(fd, "PING", 4, 0, reinterpret_cast<sockaddr*>(&to), sizeof to) == 4;
    ::close(fd);
    BOOST_TEST(sent);
    return has_row(daemon.local(), "jobs", "early");
  }));
  // It wakes by itself.
  site.save("jobs", "late");
  BOOST_TEST(comes([&] { return has_row(daemon.local(), "jobs", "late"); }));
  BOOST_TEST(comes([&] { return spool_has(site.status(), "\"confirmed\":2"); }));
  std::string const metrics = spool_text_of(site.folder / "forwarder/metrics.prom");
  BOOST_TEST(spool_has(metrics, "fastjournal_spool_confirmed_rows_total{"), metrics);
  BOOST_TEST(site.ask({"status", site.folder}) == 0);
  site.forwarder->kill(SIGTERM);
  BOOST_TEST(site.forwarder->wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(a_folder_has_one_forwarder) {
  Site site;
  RealDaemon daemon{""};
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  site.save("jobs", "a");
  site.forward({"--server", address_of(daemon)});
  BOOST_REQUIRE(comes([&] { return has_row(daemon.local(), "jobs", "a"); }));
  ChildProcess second{{FJ_BINARY_DIR "/bin/fastjournal-client", site.folder, "--server", address_of(daemon)}};
  BOOST_TEST(second.wait().value_or(-1) == 1);
  BOOST_TEST(spool_has(second.output(), "another forwarder, process " + std::to_string(site.forwarder->pid())),
             second.output());
}

BOOST_AUTO_TEST_CASE(mistakes_on_the_command_line_are_told) {
  Site site;
  auto const says = [&](std::vector<std::string> const& options) {
    std::vector<std::string> words{FJ_BINARY_DIR "/bin/fastjournal-client"};
    words.insert(words.end(), options.begin(), options.end());
    ChildProcess child{words};
    int const code = child.wait().value_or(-1);
    return std::to_string(code) + " " + child.output();
  };
  BOOST_TEST(says({}).starts_with("2 "));
  BOOST_TEST(says({site.folder, "--period", "0"}).starts_with("2 "));
  BOOST_TEST(says({site.folder, "--server"}).starts_with("2 "));
  BOOST_TEST(spool_has(says({"/proc/nowhere/spool"}), "1 fastjournal-client: mkdir of /proc/nowhere/spool: "));
}

BOOST_AUTO_TEST_CASE(a_row_goes_to_the_first_daemon_that_has_its_table) {
  Site site;
  RealDaemon first{""};
  RealDaemon second{""};
  second.write_table("mail", "");
  BOOST_REQUIRE_MESSAGE(first.start() && second.start(), first.output() << second.output());
  site.save("mail", "m");
  site.save("jobs", "j");
  BOOST_TEST(site.forward_once({"--server", address_of(first), "--server", address_of(second)}) == 1);
  BOOST_TEST(has_row(first.local(), "jobs", "j"));
  BOOST_TEST(!has_row(second.local(), "jobs", "j"));
  site.forward({"--server", address_of(first), "--server", address_of(second)});
  BOOST_TEST(comes([&] { return has_row(second.local(), "mail", "m"); }));
  // The first one goes: the second has the table too.
  first.kill(SIGKILL);
  BOOST_REQUIRE(first.wait().has_value());
  site.save("jobs", "other");
  BOOST_TEST(comes([&] { return has_row(second.local(), "jobs", "other"); }));
}

BOOST_AUTO_TEST_CASE(a_refused_row_and_a_table_that_comes_later_hold_nothing_up) {
  Site site;
  RealDaemon daemon{""};
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  fs::path const flags = site.temporary.path() / "flags";
  fs::create_directories(flags);
  site.save("mail", "m");
  ChildProcess put{{FJ_BINARY_DIR "/bin/fastjournal", "put", "jobs", "--spool", site.folder, "colour=red"}};
  BOOST_REQUIRE(put.wait().value_or(-1) == 0);
  site.save("jobs", "good");
  site.forward({"--server", address_of(daemon), "--flags", flags});
  BOOST_TEST(comes([&] { return has_row(daemon.local(), "jobs", "good"); }));
  auto const flag = [&](std::string const& ending) {
    for (auto const& entry : fs::directory_iterator{flags})
      if (entry.path().string().ends_with(ending)) return spool_text_of(entry.path());
    return std::string{};
  };
  BOOST_TEST(comes([&] { return !flag("_jobs_row-aside.flag").empty(); }));
  BOOST_TEST(flag("_jobs_row-aside.flag").starts_with("unit=fastjournal-client-"));
  std::string shown;
  BOOST_TEST(site.ask({"status", site.folder}, &shown) == 8);
  BOOST_TEST(spool_has(shown, "mail"), shown);
  BOOST_TEST(site.ask({"list", site.folder, "--aside"}, &shown) == 0);
  BOOST_TEST(spool_has(shown, "colour"), shown);

  daemon.write_table("mail", "");
  daemon.kill(SIGHUP);
  BOOST_TEST(comes([&] { return has_row(daemon.local(), "mail", "m"); }));
  // With the column, the row that was refused is resent as it is.
  daemon.write("tables/jobs.xml",
               "<table name=\"jobs\" model=\"journal\" row-key=\"name\">\n<schema>\n"
               "<column name=\"name\" type=\"string\" required=\"true\" default=\"none\"/>\n"
               "<column name=\"payload\" type=\"string\"/>\n<column name=\"colour\" type=\"string\"/>\n"
               "</schema>\n</table>\n");
  BOOST_TEST(site.ask({"purge", site.folder, "jobs", "--yes"}) == 0);
  BOOST_TEST(comes([&] { return flag("_jobs_row-aside.flag").empty(); }));
  BOOST_TEST(comes([&] { return site.ask({"status", site.folder}) == 0; }));
}

BOOST_AUTO_TEST_CASE(it_shows_a_token_and_says_when_that_is_refused) {
  Site site;
  RealDaemon daemon{""};
  daemon.write("fastjournal.xml",
               "<fastjournal>\n<access users=\"users.xml\"/>\n<listen address=\"127.0.0.1:0\" rights=\"\"/>\n"
               "</fastjournal>\n");
  daemon.listens_as_configured = true;
  ChildProcess add{{FJ_BINARY_DIR "/bin/fastjournal", "user", "add", "site", "--rights", "add", "--tables", "jobs",
                    "--file", daemon.folder() / "users.xml"},
                   {.merge_errors = false}};
  std::string token;
  while (std::optional<std::string> const line = add.read_line())
    if (!line->empty()) token = *line;
  BOOST_REQUIRE(add.wait().value_or(-1) == 0);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  fs::path const file = site.temporary.path() / "token";
  std::ofstream{file} << token << '\n';
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  site.save("jobs", "a");
  BOOST_TEST(site.forward_once({"--server", daemon.tcp(), "--token-file", file}) == 0);
  std::ofstream{file} << "fj_no_such_token\n";
  site.forward({"--server", daemon.tcp(), "--token-file", file});
  BOOST_TEST(comes([&] { return spool_has(site.status(), "\"state\":\"refused\""); }));
}

// A name such as 7.msg comes again every day: a line counts by the file instance and its place.
BOOST_AUTO_TEST_CASE(the_hourly_files_of_a_list_system_are_read_and_overwritten) {
  Site site;
  RealDaemon daemon{""};
  daemon.write(
      "tables/pages.xml",
      "<table name=\"pages\" model=\"journal\" row-key=\"uri\">\n<schema>\n"
      "<column name=\"uri\" type=\"string\" required=\"true\"/>\n</schema>\n<aliases>\n"
      "<alias command=\"LISTDATA\" means=\"INSERT\" answer=\"GOTLISTDATA\" refusal=\"LISTDATAFAILED\">\n"
      "<parameter name=\"uri\"/>\n<parameter name=\"priority\"/>\n"
      "<parameter name=\"key_start_date\" is=\"process_date\" unit=\"us\"/>\n</alias>\n</aliases>\n</table>\n");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  fs::create_directories(site.folder);
  std::time_t const now = std::time(nullptr);
  int const hour = static_cast<int>(now / 3600 % 24);
  // Of an hour that is over, whatever the clock says meanwhile.
  fs::path const old = site.folder / (std::to_string((hour + 12) % 24) + ".msg");
  fs::path const current = site.folder / (std::to_string(hour) + ".msg");
  auto const line = [](int page) {
    return "priority=20;key_start_date=1540000010000000;uri=http://example.com/" + std::to_string(page) + "\n";
  };
  std::string lines;
  for (int page = 0; page < 300; ++page) lines += line(page % 200);
  std::ofstream{old} << lines << "key_start_date=soon;uri=http://example.com/bad\n";
  std::ofstream{current} << line(0) << line(1000);
  site.forward({"--server", address_of(daemon), "--lines", "LISTDATA"});
  BOOST_TEST(comes([&] { return !fs::exists(old) && fs::is_empty(site.folder / "closing"); }));
  BOOST_TEST(comes([&] { return spool_text_of(current).find_first_not_of('\n') == std::string::npos; }));
  LineClient client{daemon.local()};
  BOOST_TEST(spool_has(client.ask("STATS table=pages"), ";rows=201;"));
  // The name again, as tomorrow.
  std::ofstream{old} << line(2000);
  BOOST_TEST(comes([&] { return spool_has(client.ask("STATS table=pages"), ";rows=202;"); }));
  std::string shown;
  BOOST_TEST(site.ask({"list", site.folder, "--aside"}, &shown) == 0);
  BOOST_TEST(spool_has(shown, "key_start_date"), shown);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::test
