// Commands that want bytes read before they are decided (Verdict::fetch), in the whole server: order of answers,
// connections that end meanwhile, documents that go. The table is a pipeline whose ended documents are
// in files.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "tests/world/daemon_life.h"

namespace fastjournal::sim::fetches_test {
namespace {

constexpr std::string_view kAgain = "FOUND table=ended;source=pages;uri=/a;hash=h1";

struct Scene {
  Scene() : world(1) {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/ended.xml").ok());
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    BOOST_REQUIRE(world.start().ok());
    world.advance(DurationMs{1});
    for (std::string const uri : {"/a", "/b"}) {
      std::vector<Message> const answers = ask("FOUND table=ended;source=pages;uri=" + uri + ";hash=h1");
      Message const& found = answers.front();
      std::string const about =
          ";document=" + std::string{found.text("document")} + ";token=" + std::string{found.text("token")};
      ask("DROPPED table=ended" + about);
      if (uri == "/a") first = found.text("document");
      world.advance(DurationMs{1});
    }
    BOOST_REQUIRE(archived() == 2);
    world.hold_byte_jobs(true);
  }
  std::vector<Message> ask(std::string const& line) { return lives::ask(world, "look", line); }
  std::int64_t archived() { return ask("STATS table=ended").front().integer("documents_archived").value_or(-1); }
  void say(std::string const& client, std::string_view line) { world.send(client, line); }
  std::string hear(std::string const& client) {
    world.settle();
    return world.take_line(client).value_or("nothing");
  }
  void read_files() {
    world.hold_byte_jobs(false);
    world.settle();
  }
  World world;
  std::string first;  // number of /a
};

bool begins(std::string_view text, std::string_view with) { return text.starts_with(with); }

}  // namespace

BOOST_AUTO_TEST_SUITE(fetches)

BOOST_AUTO_TEST_CASE(what_follows_on_the_connection_waits_and_others_do_not) {
  Scene scene;
  scene.say("w", kAgain);
  scene.say("w", "STATS table=ended");
  scene.say("w", "FOUND table=ended;source=pages;uri=/new;hash=h1");
  scene.say("other", "FOUND table=ended;source=pages;uri=/other;hash=h1");
  BOOST_TEST(scene.hear("w") == "nothing");
  BOOST_TEST(begins(scene.hear("other"), "DOCUMENT "));
  scene.read_files();
  std::string const again = scene.hear("w");
  BOOST_TEST(again.find("change=unchanged") != std::string::npos, again);
  BOOST_TEST(begins(scene.hear("w"), "STATS "));
  std::string const fresh = scene.hear("w");
  BOOST_TEST(fresh.find("change=new") != std::string::npos, fresh);
  // The page is at hand now.
  scene.world.hold_byte_jobs(true);
  scene.say("w", kAgain);
  BOOST_TEST(scene.hear("w").find("change=unchanged") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(several_commands_on_one_page_are_each_answered_once) {
  Scene scene;
  for (std::string const client : {"w", "v", "x"}) scene.say(client, kAgain);
  scene.say("y", "FOUND table=ended;source=pages;uri=/a;hash=h2");
  for (std::string const client : {"w", "v", "x", "y"}) BOOST_TEST(scene.hear(client) == "nothing");
  scene.read_files();
  int unchanged = 0;
  for (std::string const client : {"w", "v", "x"})
    if (scene.hear(client).find("change=unchanged") != std::string::npos) ++unchanged;
  // In the order in which they came: the change is the last.
  BOOST_TEST(unchanged == 3);
  BOOST_TEST(scene.hear("y").find("change=changed") != std::string::npos);
  BOOST_TEST(scene.hear("y") == "nothing");
  BOOST_TEST(scene.archived() == 1);
}

BOOST_AUTO_TEST_CASE(a_connection_that_ends_meanwhile_changes_nothing) {
  Scene scene;
  scene.say("w", "FOUND table=ended;source=pages;uri=/a;hash=h2");
  BOOST_TEST(scene.hear("w") == "nothing");
  scene.world.close("w");
  scene.read_files();
  BOOST_TEST(scene.archived() == 2);
  scene.say("v", kAgain);
  BOOST_TEST(scene.hear("v").find("change=unchanged") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_document_that_is_forgotten_meanwhile_is_new_then) {
  Scene scene;
  scene.say("v", "FORGET table=ended;document=" + scene.first);
  scene.say("w", kAgain);
  BOOST_TEST(scene.hear("v") == "nothing");
  BOOST_TEST(scene.hear("w") == "nothing");
  scene.read_files();
  BOOST_TEST(begins(scene.hear("v"), "CHANGED "));
  BOOST_TEST(scene.hear("w").find("change=new") != std::string::npos);
  BOOST_TEST(scene.archived() == 1);
}

BOOST_AUTO_TEST_CASE(a_power_cut_meanwhile_loses_nothing) {
  Scene scene;
  scene.say("w", "FOUND table=ended;source=pages;uri=/a;hash=h2");
  BOOST_TEST(scene.hear("w") == "nothing");
  scene.world.power_cut();
  scene.world.hold_byte_jobs(false);
  BOOST_REQUIRE(scene.world.start().ok());
  BOOST_TEST(scene.archived() == 2);
  scene.say("v", kAgain);
  BOOST_TEST(scene.hear("v").find("change=unchanged") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::fetches_test
