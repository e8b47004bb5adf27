// An upgrade from each version whose log is in tests/golden/logs: today's daemon answers the rows that rows.jsonl has
// for it, after its first start on that log and after the next one. Each tagged version must have such a log, written
// by its own programs; nothing of an old version is built here.
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/integration/golden_logs.h"

using namespace fastjournal::test;

namespace {

using Json = nlohmann::json;

// What time does not change. A row that was leased has timed out a year later: the rest of it may differ by then.
constexpr char const* kStable[] = {"table",           "row",   "name", "note",     "times", "data",
                                   "added",           "site",  "size", "priority", "error", "insertion_date",
                                   "expiration_date", "merges"};

// By table and number.
std::map<std::string, Json> rows_of(std::string const& lines) {
  std::map<std::string, Json> out;
  std::istringstream rest{lines};
  for (std::string line; std::getline(rest, line);) {
    Json const row = Json::parse(line, nullptr, false);
    BOOST_REQUIRE_MESSAGE(row.is_object(), line);
    Json& kept = out[row.at("table").get<std::string>() + " " + row.at("row").dump()];
    for (char const* const name : kStable)
      if (row.contains(name)) kept[name] = row.at(name);
    kept["parked"] = row.at("status") == "parked";
  }
  return out;
}

std::map<std::string, Json> rows_now(Opened& opened) {
  std::string lines;
  for (char const* const table : {"golden", "events"})
    lines +=
        run_tool({"--server", "unix:" + (opened.daemon.folder() / "socket").string(), "ls", table, "--all", "--json"})
            .output;
  return rows_of(lines);
}

void check_rows(Opened& opened, std::map<std::string, Json> const& expected) {
  std::map<std::string, Json> const found = rows_now(opened);
  BOOST_TEST(found.size() == expected.size());
  for (auto const& [name, row] : expected)
    BOOST_TEST((found.contains(name) && found.at(name) == row),
               name << " was " << row.dump() << " and is " << (found.contains(name) ? found.at(name).dump() : "gone"));
}

// Tags of releases: v1.2.3.
std::vector<std::string> tags_of(std::string const& repository) {
  ChildProcess git{{"git", "-c", "safe.directory=*", "-C", repository, "tag", "--list", "v[0-9]*"}};
  std::vector<std::string> out;
  while (auto const line = git.read_line()) out.push_back(*line);
  BOOST_TEST(git.wait().value_or(-1) == 0, git.output());
  return out;
}

std::vector<std::string> tags_without_log(std::string const& repository) {
  std::vector<std::string> out = tags_of(repository);
  std::erase_if(out, [&](std::string const& tag) {
    return fs::exists(fs::path{repository} / "tests/golden/logs" / tag / "rows.jsonl");
  });
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(upgrade)

BOOST_AUTO_TEST_CASE(rows_of_each_version_are_answered_as_before) {
  std::size_t rows = 0;
  for (fs::path const& log : logs_that_landed()) {
    BOOST_TEST_CONTEXT(log.filename().string()) {
      std::map<std::string, Json> const expected = rows_of(bytes_of(log / "rows.jsonl"));
      BOOST_TEST(expected.size() > 20U);
      rows += expected.size();
      Opened opened{log};
      for (int start = 0; start < 2; ++start) {
        opened.start();
        check_rows(opened, expected);
        static_cast<void>(opened.stop());
      }
    }
  }
  BOOST_TEST(rows > 100U);
}

BOOST_AUTO_TEST_CASE(each_tagged_version_has_a_log) {
  // A copy without its history has no tags, and so nothing to look for.
  if (!fs::exists(FJ_SOURCE_DIR "/.git")) return;
  for (std::string const& tag : tags_without_log(FJ_SOURCE_DIR))
    BOOST_TEST(false, "tests/golden/logs/" << tag << " is missing: build " << tag << " and make it with make.sh, as "
                                           << "tests/golden/logs/README.md tells");
}

BOOST_AUTO_TEST_CASE(a_tag_without_a_log_is_found) {
  TemporaryFolder folder;
  ChildProcess git{
      {"/bin/sh", "-c",
       "cd \"$0\" && git init -q . && git -c user.name=t -c user.email=t@localhost commit -q --allow-empty "
       "-m one && git tag v1.0.0 && git tag v1.1.0 && git tag other",
       folder.path().string()}};
  BOOST_REQUIRE_MESSAGE(git.wait().value_or(-1) == 0, git.output());
  BOOST_TEST((tags_without_log(folder.path()) == std::vector<std::string>{"v1.0.0", "v1.1.0"}));
  fs::create_directories(folder / "tests/golden/logs/v1.0.0");
  std::ofstream{folder / "tests/golden/logs/v1.0.0/rows.jsonl"} << "\n";
  BOOST_TEST((tags_without_log(folder.path()) == std::vector<std::string>{"v1.1.0"}));
}

BOOST_AUTO_TEST_SUITE_END()
