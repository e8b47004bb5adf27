// Tables mirrored in an SQLite file, looked at by a connection of the test's own: whole or not at all, in place of what
// was there, beside other tables; and what is told of a file that cannot be written.
#include <boost/test/unit_test.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <memory>

#include "tests/support/temporary_folder.h"
#include "tests/unit/sql/sample.h"

namespace fastjournal::sql::test {
namespace {

char const kQueues[] =
    "SELECT table_name, queue, temporary, coalesce(max_messages, '-'), coalesce(dead_letters, '-') FROM queues";

struct File {
  File() : path(folder / "queues.db") {}

  Status write(std::string const& table, TableExport const& content, std::int64_t date = 1'700'000'000'000) {
    return export_to(path, "", {.table = table, .type = "queue", .date = TimeMs{date}, .content = content}, stop);
  }
  // Rows, sorted; cells separated by |. A failure is its text.
  std::string ask(std::string const& query) {
    open();
    std::vector<std::string> lines;
    auto const take = [](void* to, int cells, char** texts, char**) {
      std::string line;
      for (int i = 0; i < cells; ++i) line.append(i == 0 ? "" : "|").append(texts[i] == nullptr ? "NULL" : texts[i]);
      static_cast<std::vector<std::string>*>(to)->push_back(line + "\n");
      return 0;
    };
    if (sqlite3_exec(reader.get(), query.c_str(), take, &lines, nullptr) != SQLITE_OK)
      return sqlite3_errmsg(reader.get());
    std::sort(lines.begin(), lines.end());
    std::string out;
    for (std::string const& line : lines) out += line;
    return out;
  }
  void open() {
    if (reader != nullptr) return;
    sqlite3* opened = nullptr;
    BOOST_REQUIRE(sqlite3_open(path.c_str(), &opened) == SQLITE_OK);
    reader = {opened, sqlite3_close};
  }

  fastjournal::test::TemporaryFolder folder;
  std::string path;
  Stop stop;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> reader{nullptr, sqlite3_close};
};

bool tells(Status const& status, std::string_view text) {
  BOOST_TEST_MESSAGE(status.message());
  return !status.ok() && status.message().find(text) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sqlite)

BOOST_FIXTURE_TEST_CASE(names_are_kept_whatever_is_in_them, File) {
  BOOST_TEST(write("post", content_of(kHostileNames)).message() == "");
  BOOST_TEST(ask(kQueues) == lines_of("post", kHostileNames));
  BOOST_TEST(ask("SELECT * FROM \"order\"") == "post|1\n");
  BOOST_TEST(ask("SELECT table_name, type, format, exported_at FROM exports") == "post|queue|1|1700000000000\n");
}

BOOST_FIXTURE_TEST_CASE(a_state_takes_the_place_of_the_former_one_and_of_no_other_tables, File) {
  BOOST_TEST(write("post", content_of({"a", "b"})).message() == "");
  BOOST_TEST(write("mail", content_of({"b", "c"})).message() == "");
  BOOST_TEST(write("post", content_of({"b", "d", "e"}), 1'700'000'000'001).message() == "");
  BOOST_TEST(ask(kQueues) == lines_of("mail", {"b", "c"}) + lines_of("post", {"b", "d", "e"}));
  BOOST_TEST(ask("SELECT table_name, exported_at FROM exports") == "mail|1700000000000\npost|1700000000001\n");
  BOOST_TEST(write("post", content_of({})).message() == "");
  BOOST_TEST(ask(kQueues) == lines_of("mail", {"b", "c"}));
}

// It fails at its last relation: the first ones are as they were.
BOOST_FIXTURE_TEST_CASE(what_cannot_be_written_whole_changes_nothing, File) {
  BOOST_TEST(write("post", content_of({"a"})).message() == "");
  BOOST_TEST(ask("DROP TABLE \"order\"; CREATE TABLE \"order\" (other)") == "");
  Status const status = write("post", content_of({"b", "c"}), 1'700'000'000'001);
  BOOST_TEST(tells(status, "SQLite file " + path + ": remove the former rows of order: no such column: "));
  BOOST_TEST(ask(kQueues) == lines_of("post", {"a"}));
  BOOST_TEST(ask("SELECT exported_at FROM exports") == "1700000000000\n");
  BOOST_TEST(ask("DROP TABLE \"order\"") == "");
  BOOST_TEST(write("post", content_of({"b", "c"})).message() == "");
  BOOST_TEST(ask(kQueues) == lines_of("post", {"b", "c"}));
}

BOOST_FIXTURE_TEST_CASE(who_reads_in_a_transaction_sees_one_state_and_is_waited_for, File) {
  BOOST_TEST(write("post", content_of({"a"})).message() == "");
  BOOST_TEST(ask("BEGIN") == "");
  BOOST_TEST(ask(kQueues) == lines_of("post", {"a"}));
  auto writing = std::async(std::launch::async, [&] { return write("post", content_of({"b"})); });
  BOOST_TEST((writing.wait_for(std::chrono::milliseconds{50}) == std::future_status::timeout));
  BOOST_TEST(ask(kQueues) == lines_of("post", {"a"}));
  BOOST_TEST(ask("COMMIT") == "");
  BOOST_TEST(writing.get().message() == "");
  BOOST_TEST(ask(kQueues) == lines_of("post", {"b"}));
}

BOOST_FIXTURE_TEST_CASE(a_lock_that_stays_is_told_and_a_stop_ends_the_waiting, File) {
  BOOST_TEST(write("post", content_of({"a"})).message() == "");
  BOOST_TEST(ask("BEGIN EXCLUSIVE") == "");
  auto const began = std::chrono::steady_clock::now();
  auto writing = std::async(std::launch::async, [&] { return write("post", content_of({"b"})); });
  stop.give();
  Status const status = writing.get();
  BOOST_TEST(tells(status, "database is locked: another program has it open"));
  BOOST_TEST((status.code() == Code::in_use));
  BOOST_TEST((std::chrono::steady_clock::now() - began < std::chrono::seconds{4}));
  BOOST_TEST(ask("COMMIT") == "");
  BOOST_TEST(ask(kQueues) == lines_of("post", {"a"}));
}

BOOST_FIXTURE_TEST_CASE(a_file_that_cannot_be_is_named_with_the_reason, File) {
  path = folder / "none/queues.db";
  BOOST_TEST(tells(write("post", content_of({"a"})),
                   "SQLite file " + path + ": open it: unable to open database file (No such file or directory)"));
  path = folder / "text.db";
  std::ofstream{path} << std::string(5000, 'x');
  BOOST_TEST(tells(write("post", content_of({"a"})), "file is not a database"));
  path = folder / "folder";
  std::filesystem::create_directories(path);
  BOOST_TEST(tells(write("post", content_of({"a"})), "unable to open database file"));
  path = "/dev/full";
  BOOST_TEST(!write("post", content_of({"a"})).ok());
}

BOOST_FIXTURE_TEST_CASE(ten_thousand_queues_are_written_and_replaced, File) {
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.push_back("queue '" + std::to_string(i) + "\"");
  BOOST_TEST(write("post", content_of(names)).message() == "");
  BOOST_TEST((ask(kQueues) == lines_of("post", names)));
  BOOST_TEST(write("post", content_of({names.begin() + 1, names.end()})).message() == "");
  BOOST_TEST(ask("SELECT count(*) FROM queues") == "9999\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sql::test
