// Files that come into the tables folder while the daemon runs: the alert tables-waiting, and auto-reload. Purpose: who
// drops a file learns what became of it without asking. Method: the real daemon, and ALERTS until it tells.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tests/integration/daemon.h"
#include "tests/support/line_client.h"

using namespace fastjournal::test;

namespace {

struct TablesWaiting {
  void start(bool auto_reload) {
    daemon.listens_as_configured = true;
    daemon.write("fastjournal.xml", std::string{"<fastjournal><listen address=\"127.0.0.1:0\"/>"
                                                "<socket path=\"socket\" rights=\"all\"/><tables folder=\"tables\""} +
                                        (auto_reload ? " auto-reload=\"true\"" : "") + "/></fastjournal>\n");
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
  static std::string table(std::string const& name) {
    return "<table name=\"" + name +
           "\" model=\"journal\" row-key=\"name\"><schema><column name=\"name\" type=\"string\"/></schema></table>\n";
  }
  [[nodiscard]] std::string path(std::string const& name) const { return daemon.folder() / "tables" / (name + ".xml"); }
  // Written elsewhere, renamed into place.
  void drop(std::string const& name, std::string const& text) {
    daemon.write(name, text);
    std::filesystem::rename(daemon.folder() / name, path(name));
  }
  std::string ask(std::string const& line) { return LineClient{daemon.local()}.ask(line); }
  // Its message; empty: it is not up.
  std::string waiting() {
    LineClient client{daemon.local()};
    BOOST_REQUIRE(client.send("ALERTS\n"));
    std::string out;
    for (std::string line = client.read_line().value_or("");; line = client.read_line().value_or("")) {
      if (line.find("name=tables-waiting;") != std::string::npos) out = line;
      if (!line.starts_with("ALERT ") || line.find("left=0;") != std::string::npos) return out;
    }
  }
  static bool comes_true(std::function<bool()> const& condition) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!condition())
      if (std::chrono::steady_clock::now() > end) return false;
    return true;
  }
  bool says(std::string const& what) {
    return comes_true([&] { return waiting().find(what) != std::string::npos; });
  }
  bool is_lowered() {
    return comes_true([&] { return waiting().empty(); });
  }
  bool takes(std::string const& name) { return ask("INSERT table=" + name + ";name=a").starts_with("INSERTED "); }

  RealDaemon daemon{""};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tables_waiting)

BOOST_FIXTURE_TEST_CASE(a_file_that_waits_for_reload_is_an_alert, TablesWaiting) {
  start(false);
  drop("fresh", table("fresh"));
  BOOST_TEST(says("fresh"), waiting());
  BOOST_TEST(!takes("fresh"));
  BOOST_TEST(ask("RELOAD").starts_with("RELOADED "));
  BOOST_TEST(waiting() == "");
  BOOST_TEST(takes("fresh"));
  // Whatever is wrong with it, and until it is as it was.
  drop("bad", "<table name=\"bad\" model=\"nothing\"/>\n");
  BOOST_TEST(says("nothing"), waiting());
  std::filesystem::remove(path("bad"));
  BOOST_TEST(is_lowered(), waiting());
  // Nor does it outlive a start, which loads all of them.
  drop("later", table("later"));
  BOOST_TEST(says("later"), waiting());
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(is_lowered(), waiting());
  BOOST_TEST(takes("later"));
}

BOOST_FIXTURE_TEST_CASE(with_auto_reload_good_files_are_loaded_and_bad_ones_change_nothing, TablesWaiting) {
  start(true);
  drop("fresh", table("fresh"));
  BOOST_TEST(comes_true([&] { return takes("fresh"); }), daemon.output());
  // Many are loaded together, and a link counts.
  for (int i = 0; i < 200; ++i) drop("many" + std::to_string(i), table("many" + std::to_string(i)));
  daemon.write("elsewhere", table("linked"));
  std::filesystem::create_symlink(daemon.folder() / "elsewhere", path("linked"));
  BOOST_TEST(comes_true([&] { return takes("linked") && takes("many0") && takes("many199"); }), daemon.output());
  // Nothing of a good file while another is bad.
  drop("bad", "<table name=\"bad\" model=\"nothing\"/>\n");
  BOOST_TEST(says("nothing"), waiting());
  drop("good", table("good"));
  // Half a file: it is not closed.
  std::ofstream half{path("half")};
  half << table("half").substr(0, 40) << std::flush;
  BOOST_TEST(ask("RELOAD").find("half.xml") != std::string::npos);
  BOOST_TEST(!takes("good"));
  std::filesystem::remove(path("bad"));
  BOOST_TEST(says("half.xml"), waiting());
  BOOST_TEST(!takes("good"));
  half << table("half").substr(40);
  half.close();
  BOOST_TEST(comes_true([&] { return takes("good") && takes("half"); }), waiting());
  BOOST_TEST(is_lowered(), waiting());
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  BOOST_TEST(daemon.output().find("the tables folder was changed: ") != std::string::npos, daemon.output());
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_takes_the_place_of_the_old_one_is_watched, TablesWaiting) {
  start(true);
  std::filesystem::copy(daemon.folder() / "tables", daemon.folder() / "next");
  std::filesystem::rename(daemon.folder() / "tables", daemon.folder() / "old");
  std::filesystem::rename(daemon.folder() / "next", daemon.folder() / "tables");
  // Looked at by now.
  drop("fresh", table("fresh"));
  BOOST_TEST(comes_true([&] { return takes("fresh"); }), daemon.output());
  drop("fresher", table("fresher"));
  BOOST_TEST(comes_true([&] { return takes("fresher"); }), daemon.output());
}

BOOST_AUTO_TEST_SUITE_END()
