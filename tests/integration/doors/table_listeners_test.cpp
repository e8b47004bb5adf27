// Listeners of tables' files with the real daemon: they come and go with RELOAD, and an address that somebody else has
// leaves everything as it was. What a bound listener refuses: tests/world/bound_listeners_test.cpp.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/integration/daemon.h"
#include "tests/integration/shell.h"

namespace fastjournal::test {
namespace {

bool table_listeners_has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string listeners(std::string const& elements) { return "<listeners>" + elements + "</listeners>"; }

// The address behind these words of an answer.
std::string address_after(std::string const& text, std::string const& words) {
  std::size_t const at = text.find(words);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, text);
  std::string out = text.substr(at + words.size());
  out.resize(std::min(out.find_first_of(" ;\\\"\n"), out.size()));
  return out;
}

struct TableListenersRunning {
  explicit TableListenersRunning(std::string const& elements = "") {
    daemon.write("fastjournal.xml", "<fastjournal>\n<listen address=\"127.0.0.1:0\"/>\n" + elements +
                                        "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
    daemon.listens_as_configured = true;
  }
  ~TableListenersRunning() {
    if (!is_running) return;
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  void start() {
    is_running = daemon.start();
    BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
  }
  [[nodiscard]] std::string socket(std::string const& name) const {
    return "unix:" + (daemon.folder() / name).string();
  }
  std::string administer(std::string const& line) const { return LineClient{socket("socket")}.ask(line); }

  RealDaemon daemon{""};
  bool is_running{false};
};

struct Bound : TableListenersRunning {
  Bound() : TableListenersRunning("<listen address=\"127.0.0.1:0\" table=\"jobs\"/>\n") {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(table_listeners)

BOOST_FIXTURE_TEST_CASE(they_come_and_go_with_reload, TableListenersRunning) {
  daemon.write_table("jobs", listeners("<socket path=\"sockets/jobs.sock\" rights=\"add read\"/>"));
  start();
  std::string const socket_of_jobs = socket("tables/sockets/jobs.sock");
  BOOST_TEST(table_listeners_has(daemon.output(),
                                 "listening " + socket_of_jobs + " (messages, table jobs, rights read add)\n"),
             daemon.output());
  LineClient jobs{socket_of_jobs};
  BOOST_TEST(jobs.ask("INSERT name=a").starts_with("INSERTED "));
  BOOST_TEST(table_listeners_has(jobs.ask("NEXT"), "right=work"));

  daemon.write_table("jobs", listeners("<listen address=\"127.0.0.1:0\"/>"));
  std::string const reloaded = administer("RELOAD");
  BOOST_TEST(reloaded.starts_with("RELOADED "), reloaded);
  BOOST_TEST(table_listeners_has(jobs.read_line().value_or("(nothing)"), "ERROR code=closed;command=CONNECT;"));
  BOOST_TEST(!jobs.read_line().has_value());
  BOOST_TEST(jobs.closed());
  BOOST_TEST(!std::filesystem::exists(daemon.folder() / "tables/sockets/jobs.sock"));
  LineClient after{address_after(reloaded, "listens on ")};
  BOOST_TEST(after.ask("NEXT").starts_with("ROW "));

  daemon.write_table("jobs", "");
  BOOST_TEST(administer("RELOAD").starts_with("RELOADED "));
  BOOST_TEST(table_listeners_has(after.read_line().value_or("(nothing)"), "ERROR code=closed;command=CONNECT;"));
}

BOOST_FIXTURE_TEST_CASE(a_reload_that_cannot_have_an_address_changes_nothing, TableListenersRunning) {
  start();
  RealDaemon other{""};
  BOOST_REQUIRE_MESSAGE(other.start(), other.output());
  daemon.write_table("jobs", "<grace>3s</grace>" + listeners("<listen address=\"127.0.0.1:0\"/>\n<listen address=\"" +
                                                             other.tcp() + "\"/>"));
  daemon.write_table("mail", "");
  for (std::string const line : {"RELOAD dry_run=1", "RELOAD"}) {
    std::string const refused = administer(line);
    BOOST_TEST(refused.starts_with("ERROR code=in_use;"), refused);
    BOOST_TEST(
        table_listeners_has(refused, "jobs.xml:7: <listen>: listen on " + other.tcp() + ": Address already in use"),
        refused);
    BOOST_TEST(table_listeners_has(administer("STATS table=mail"), "unknown_table"));
  }
  other.kill(SIGTERM);
  BOOST_TEST(other.wait().value_or(-1) == 0);
  std::string const reloaded = administer("RELOAD");
  BOOST_TEST(table_listeners_has(reloaded, "table jobs: grace 10s -> 3s"), reloaded);
  BOOST_TEST(table_listeners_has(reloaded, "table mail: new"), reloaded);
  BOOST_TEST(table_listeners_has(reloaded, "table jobs: listens on " + other.tcp()), reloaded);
}

BOOST_FIXTURE_TEST_CASE(a_start_that_cannot_have_an_address_is_refused_before_anything_is_read, TableListenersRunning) {
  RealDaemon other{""};
  BOOST_REQUIRE_MESSAGE(other.start(), other.output());
  daemon.write_table("jobs", listeners("<listen address=\"" + other.tcp() + "\"/>"));
  BOOST_TEST(!daemon.start());
  BOOST_TEST(daemon.wait().value_or(0) == 1);
  BOOST_TEST(table_listeners_has(daemon.output(), "listen on " + other.tcp() + ": Address already in use"),
             daemon.output());
  BOOST_TEST(!std::filesystem::exists(daemon.folder() / "data"));
  other.kill(SIGTERM);
  static_cast<void>(other.wait());
}

BOOST_FIXTURE_TEST_CASE(a_bound_listener_needs_its_table, Bound) {
  start();
  LineClient jobs{address_after(daemon.output().substr(daemon.output().find("listening ") + 10), "listening ")};
  BOOST_TEST(table_listeners_has(jobs.ask("LIST table=mail"), "bound=jobs"));
  BOOST_TEST(jobs.ask("LIST").starts_with("NOTHING"));
  std::filesystem::rename(daemon.folder() / "tables/jobs.xml", daemon.folder() / "jobs.away");
  std::string const refused = administer("RELOAD");
  BOOST_TEST(table_listeners_has(refused, "fastjournal.xml:3: <listen>: no table"), refused);
  BOOST_TEST(jobs.ask("LIST").starts_with("NOTHING"));
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  is_running = daemon.start();
  BOOST_TEST(!is_running);
  BOOST_TEST(table_listeners_has(daemon.output(), "fastjournal.xml:3: <listen>: no table \"jobs\" is declared"),
             daemon.output());
  Ran const check = run_in_shell(daemon, "fastjournal check fastjournal.xml; fastjournal check --plugins " +
                                             daemon.plugins + " fastjournal.xml tables");
  BOOST_TEST(table_listeners_has(check.output, "no table \"jobs\" is declared"), check.output);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::test
