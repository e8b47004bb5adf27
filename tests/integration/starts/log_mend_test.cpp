// `fastjournal log dump`, `log salvage` and `log resize` on folders of the real daemon: the reports of damage, and a
// daemon that serves from the resulting logs.
#include <sstream>

#include "tests/integration/log_tools.h"

using namespace fastjournal::test;

namespace {

// Damages one byte of the batch that has the row with the key `name`.
void damage_row(Filled const& filled, std::string const& name) {
  std::string const segment = filled.log() + "/container-000001";
  std::string const bytes = bytes_of(segment);
  std::size_t const at = bytes.find(name);
  BOOST_REQUIRE(at != std::string::npos);
  std::fstream file{segment, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(static_cast<std::streamoff>(at));
  file.put('#');
}

}  // namespace

BOOST_AUTO_TEST_SUITE(log_mend)

BOOST_AUTO_TEST_CASE(dump_shows_segments_batches_and_records_and_marks_damage) {
  Filled filled;
  filled.stop();
  ToolRan const whole = run_tool({"log", "dump", filled.log()});
  BOOST_TEST(whole.code == 0, whole.output);
  BOOST_TEST(contains(whole.output, "CONTAINER container=container-000001"), whole.output);
  BOOST_TEST(contains(whole.output, "seal=yes"), whole.output);
  BOOST_TEST(contains(whole.output, "is=schema"), whole.output);
  BOOST_TEST(!contains(whole.output, "DAMAGE"), whole.output);
  ToolRan const one = run_tool({"log", "dump", filled.log(), "--table", "jobs", "--bytes", "4", "--json"});
  BOOST_TEST(contains(one.output, "\"command\":\"RECORD\""), one.output);
  BOOST_TEST(!contains(one.output, "(catalogue)"), one.output);
  BOOST_TEST(run_tool({"log", "dump", filled.log(), "--table", "nobody"}).code == 2);
  BOOST_TEST(run_tool({"log", "dump", filled.log(), "--segment", "77"}).code == 2);

  damage_row(filled, "row7");
  Picture const before = picture_of(filled.log());
  ToolRan const damaged = run_tool({"log", "dump", filled.log()});
  BOOST_TEST(damaged.code == 7, damaged.output);
  BOOST_TEST(contains(damaged.output, "DAMAGE container=container-000001 offset="), damaged.output);
  BOOST_CHECK(picture_of(filled.log()) == before);
}

BOOST_AUTO_TEST_CASE(salvage_keeps_all_but_what_is_damaged_and_the_daemon_goes_on_from_it) {
  Filled filled;
  filled.stop();
  ToolRan const sound = run_tool({"log", "salvage", filled.log(), "--to", filled.path("new")});
  BOOST_TEST(sound.code == 1, sound.output);
  BOOST_TEST(contains(sound.output, "nothing to salvage"), sound.output);
  BOOST_TEST(!std::filesystem::exists(filled.path("new")));

  damage_row(filled, "row7");
  BOOST_TEST(!filled.daemon.start());
  Picture const before = picture_of(filled.log());
  ToolRan const salvaged = run_tool({"log", "salvage", filled.log(), "--to", filled.path("new")});
  BOOST_TEST(salvaged.code == 0, salvaged.output);
  BOOST_TEST(contains(salvaged.output, "LOST container=container-000001 offset="), salvaged.output);
  BOOST_TEST(contains(salvaged.output, "TABLE table=jobs rows=18"), salvaged.output);
  BOOST_CHECK(picture_of(filled.log()) == before);
  ToolRan const verified = run_tool({"log", "verify", filled.path("new"), "--json"});
  BOOST_TEST(verified.code == 0, verified.output);
  BOOST_TEST(value_behind(verified.output, "digest") == value_behind(salvaged.output, "digest"));
  BOOST_TEST(run_tool({"log", "salvage", filled.log(), "--to", filled.path("new")}).code == 2);

  std::filesystem::rename(filled.log(), filled.path("damaged"));
  std::filesystem::rename(filled.path("new"), filled.log());
  filled.start();
  LineClient client{filled.daemon.tcp()};
  BOOST_TEST(contains(client.ask("PEEK table=jobs;name=row7"), "code=unknown_row"));
  BOOST_TEST(contains(client.ask("PEEK table=jobs;name=row8"), "payload=xxx"));
  BOOST_TEST(contains(client.ask("INSERT table=jobs;name=row7"), "result=inserted"));
}

BOOST_AUTO_TEST_CASE(resize_gives_other_segments_and_the_daemon_goes_on_from_them) {
  constexpr std::uintmax_t kMiB = 1U << 20U;
  Filled filled;
  auto const resize = [&](std::string const& size) {
    return run_tool({"log", "resize", filled.log(), "--container-size", size, "--json"});
  };
  ToolRan const used = resize("1MiB");
  BOOST_TEST(used.code == 6, used.output);
  std::string const digest = filled.digest();
  filled.stop();
  for (std::uintmax_t const size : {kMiB, 2 * kMiB}) {
    ToolRan const resized = resize(std::to_string(size));
    BOOST_TEST(resized.code == 0, resized.output);
    BOOST_TEST(value_behind(resized.output, "container_bytes") == std::to_string(size), resized.output);
    BOOST_TEST(value_behind(resized.output, "digest") == digest, resized.output);
    BOOST_TEST(std::filesystem::file_size(filled.log() + "/container-000001") == size);
    BOOST_TEST(!std::filesystem::exists(filled.log() + ".resize"));
  }
  Picture const before = picture_of(filled.log());
  BOOST_TEST(contains(resize("2MiB").output, "nothing was changed"));
  BOOST_TEST(resize("large").code == 2);
  BOOST_TEST(run_tool({"log", "resize", filled.log()}).code == 2);
  BOOST_TEST(run_tool({"log", "resize", filled.path("tables"), "--container-size", "1MiB"}).code == 2);
  BOOST_TEST(!std::filesystem::exists(filled.path("tables") + "/lock"));
  std::filesystem::create_directory(filled.log() + ".resize");
  ToolRan const leftover = resize("1MiB");
  BOOST_TEST(leftover.code == 2, leftover.output);
  BOOST_TEST(contains(leftover.output, "remove it, then begin again"), leftover.output);
  std::filesystem::remove(filled.log() + ".resize");
  // A tool that locks the folder writes its name into the lock file.
  Picture after = picture_of(filled.log());
  after.files[filled.log() + "/lock"] = before.files.at(filled.log() + "/lock");
  BOOST_CHECK(after == before);

  filled.start();
  LineClient client{filled.daemon.tcp()};
  BOOST_TEST(contains(client.ask("PEEK table=jobs;name=row8"), "payload=xxx"));
  BOOST_TEST(contains(client.ask("INSERT table=jobs;name=new"), "result=inserted"));
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

// The words of a command line in the document, with the paths of this test.
std::vector<std::string> words_of_example(std::string line, Filled const& filled) {
  std::vector<std::pair<std::string, std::string>> const kPlaces{
      {"/var/lib/fastjournal/shared", filled.log()},
      {"/var/lib/fastjournal/saved", filled.path("saved")},
      {"/etc/fastjournal/fastjournal.xml", filled.path("fastjournal.xml")},
      {"/backup/monday", filled.path("monday")}};
  for (auto const& [there, here] : kPlaces)
    if (std::size_t const at = line.find(there); at != std::string::npos) line.replace(at, there.size(), here);
  std::vector<std::string> out;
  std::istringstream in{line};
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(log_tools_page)

BOOST_AUTO_TEST_CASE(every_example_of_the_page_does_what_it_says) {
  constexpr char kPrompt[] = "    $ fastjournal ";
  Filled filled;
  bool running = true;
  int examples = 0;
  std::ifstream page{FJ_SOURCE_DIR "/doc/log-tools.md"};
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(kPrompt)) continue;
    std::vector<std::string> words = words_of_example(line.substr(sizeof kPrompt - 1), filled);
    bool const wants_daemon = contains(line, " backup ");
    // The document's reader needs no address; this daemon is elsewhere.
    if (wants_daemon) words.insert(words.begin(), {"--server", "unix:" + filled.path("socket")});
    if (wants_daemon && !running) filled.start();
    if (!wants_daemon && running) filled.stop();
    running = wants_daemon;
    if (contains(line, "salvage")) damage_row(filled, "row7");
    ToolRan const ran = run_tool(words);
    BOOST_TEST(ran.code == 0, line << "\n" << ran.output);
    ++examples;
  }
  BOOST_TEST(examples == 9);
}

BOOST_AUTO_TEST_SUITE_END()
