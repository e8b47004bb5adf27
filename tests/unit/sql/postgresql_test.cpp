// Tables mirrored in a real PostgreSQL on a unix socket, looked at by psql: whole or not at all, in place of what was
// there; with few rights; and servers that are away, silent, or hold a lock.
#include <boost/test/unit_test.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>

#include "tests/support/postgresql_server.h"
#include "tests/unit/sql/sample.h"

namespace fastjournal::sql::test {
namespace {

using fastjournal::test::ChildProcess;
using fastjournal::test::PostgresqlServer;
using fastjournal::test::TemporaryFolder;

// One server for all cases, each in a database of its own.
PostgresqlServer& server() {
  static std::unique_ptr<PostgresqlServer> const one = [] {
    auto made = std::make_unique<PostgresqlServer>("owner");
    made->start();
    return made;
  }();
  return *one;
}

std::string psql(std::string const& database, std::string const& query) {
  ChildProcess child{{server().program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", server().host(),
                      "-U", "owner", "-d", database, "-c", query}};
  static_cast<void>(child.wait());
  return child.output();
}

struct Base {
  Base() {
    static int made = 0;
    name = "base" + std::to_string(++made);
    BOOST_REQUIRE(psql("postgres", "CREATE DATABASE " + name) == "");
  }
  [[nodiscard]] std::string uri(std::string const& user = "owner") const {
    return "postgresql://" + user + "@/" + name + "?host=" + server().host();
  }
  Status write(std::string const& table, TableExport const& content, std::string const& user = "owner") {
    return export_to(uri(user), catalog,
                     {.table = table, .type = "queue", .date = TimeMs{1'700'000'000'000}, .content = content}, stop);
  }
  std::string ask(std::string const& query) { return psql(name, query); }
  std::string queues(std::string const& schema = "fastjournal") {
    return ask(
        "SELECT concat_ws('|', table_name, queue, temporary::int, coalesce(max_messages::text, '-'), "
        "coalesce(dead_letters, '-')) COLLATE \"C\" FROM " +
        schema + ".queues ORDER BY 1");
  }

  std::string name;
  std::string catalog;
  Stop stop;
};

bool postgresql_tells(Status const& status, std::string_view text) {
  BOOST_TEST_MESSAGE(status.message());
  return !status.ok() && status.message().find(text) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(postgresql)

BOOST_FIXTURE_TEST_CASE(names_are_kept_whatever_is_in_them, Base) {
  BOOST_TEST(write("post", content_of(kHostileNames)).message() == "");
  BOOST_TEST(queues() == lines_of("post", kHostileNames));
  BOOST_TEST(ask("SELECT * FROM fastjournal.\"order\"") == "post|1\n");
  BOOST_TEST(ask("SELECT * FROM fastjournal.exports") == "post|queue|1|1700000000000\n");
}

BOOST_FIXTURE_TEST_CASE(a_state_takes_the_place_of_the_former_one_and_of_no_other_tables, Base) {
  catalog = "mirror_2";
  BOOST_TEST(write("post", content_of({"a", "b"})).message() == "");
  BOOST_TEST(write("mail", content_of({"b", "c"})).message() == "");
  BOOST_TEST(write("post", content_of({"b", "d", "e"})).message() == "");
  BOOST_TEST(queues("mirror_2") == lines_of("mail", {"b", "c"}) + lines_of("post", {"b", "d", "e"}));
  BOOST_TEST(write("post", content_of({})).message() == "");
  BOOST_TEST(queues("mirror_2") == lines_of("mail", {"b", "c"}));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_written_whole_changes_nothing, Base) {
  BOOST_TEST(write("post", content_of({"a"})).message() == "");
  BOOST_TEST(ask("DROP TABLE fastjournal.\"order\"; CREATE TABLE fastjournal.\"order\" (other text)") == "");
  BOOST_TEST(postgresql_tells(
      write("post", content_of({"b", "c"})),
      "PostgreSQL: remove the former rows of fastjournal.order: column \"table_name\" does not exist"));
  BOOST_TEST(queues() == lines_of("post", {"a"}));
}

// A reader in a transaction, or an operator at a psql that was forgotten, does not hold an export up.
BOOST_FIXTURE_TEST_CASE(readers_are_not_waited_for, Base) {
  BOOST_TEST(write("post", content_of({"a"})).message() == "");
  ChildProcess reader{{server().program("psql"), "-X", "-q", "-A", "-t", "-h", server().host(), "-U", "owner", "-d",
                       name, "-c", "BEGIN ISOLATION LEVEL REPEATABLE READ", "-c",
                       "SELECT queue FROM fastjournal.queues", "-c", "SELECT pg_sleep(60)"}};
  BOOST_TEST(reader.wait_for_line("a").has_value());
  BOOST_TEST(write("post", content_of({"b"})).message() == "");
  BOOST_TEST(queues() == lines_of("post", {"b"}));
  reader.kill(SIGINT);
  static_cast<void>(reader.wait());
}

BOOST_FIXTURE_TEST_CASE(a_user_needs_no_more_than_a_schema_of_its_own, Base) {
  BOOST_TEST(ask("CREATE ROLE few_" + name + " LOGIN") == "");
  BOOST_TEST(postgresql_tells(write("post", content_of({"a"}), "few_" + name),
                              "PostgreSQL: make the schema fastjournal: permission denied for database " + name));
  BOOST_TEST(ask("CREATE SCHEMA fastjournal AUTHORIZATION few_" + name) == "");
  BOOST_TEST(write("post", content_of({"a"}), "few_" + name).message() == "");
  BOOST_TEST(queues() == lines_of("post", {"a"}));
  // Nor may it make tables where they are all there.
  BOOST_TEST(ask("ALTER SCHEMA fastjournal OWNER TO owner; GRANT USAGE ON SCHEMA fastjournal TO few_" + name) == "");
  BOOST_TEST(write("post", content_of({"b"}), "few_" + name).message() == "");
  BOOST_TEST(queues() == lines_of("post", {"b"}));
}

BOOST_FIXTURE_TEST_CASE(two_daemons_make_a_schema_at_once, Base) {
  std::vector<std::future<Status>> writing;
  for (int i = 0; i < 8; ++i)
    writing.push_back(
        std::async(std::launch::async, [&, i] { return write("post" + std::to_string(i), content_of({"a"})); }));
  for (auto& one : writing) BOOST_TEST(one.get().message() == "");
  BOOST_TEST(ask("SELECT count(*) FROM fastjournal.queues") == "8\n");
}

BOOST_FIXTURE_TEST_CASE(ten_thousand_queues_are_written_and_replaced, Base) {
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.push_back("queue '" + std::to_string(i) + "\"");
  BOOST_TEST(write("post", content_of(names)).message() == "");
  BOOST_TEST((queues() == lines_of("post", names)));
  BOOST_TEST(write("post", content_of({names.begin() + 1, names.end()})).message() == "");
  BOOST_TEST(ask("SELECT count(*) FROM fastjournal.queues") == "9999\n");
}

BOOST_FIXTURE_TEST_CASE(a_server_that_is_away_is_told_with_the_reason_on_one_line, Base) {
  TemporaryFolder const nobody;
  Stop none;
  TableExport const content = content_of({"a"});
  Mirrored const mirrored{.table = "post", .type = "queue", .date = TimeMs{1}, .content = content};
  Status const status = export_to("postgresql://owner@/x?host=" + nobody.path().string(), "", mirrored, none);
  BOOST_TEST(postgresql_tells(status, "PostgreSQL: connect: "));
  BOOST_TEST(postgresql_tells(status, "No such file or directory"));
  BOOST_TEST(status.message().find('\n') == std::string::npos);
  BOOST_TEST(postgresql_tells(write("post", content, "nobody_known"), "role \"nobody_known\" does not exist"));
}

// It accepts the connection, and never says a word.
BOOST_FIXTURE_TEST_CASE(a_stop_ends_the_waiting_for_a_silent_server, Base) {
  TemporaryFolder const folder;
  int const listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string const path = folder / ".s.PGSQL.5432";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  BOOST_REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  BOOST_REQUIRE(::listen(listener, 1) == 0);
  auto const began = std::chrono::steady_clock::now();
  TableExport const content = content_of({"a"});
  auto writing = std::async(std::launch::async, [&] {
    return export_to("postgresql://owner@/x?host=" + folder.path().string(), "",
                     {.table = "post", .type = "queue", .date = TimeMs{1}, .content = content}, stop);
  });
  int const accepted = ::accept(listener, nullptr, nullptr);
  BOOST_TEST(accepted >= 0);
  stop.give();
  BOOST_TEST(postgresql_tells(writing.get(), "PostgreSQL: connect: the daemon stops"));
  BOOST_TEST((std::chrono::steady_clock::now() - began < std::chrono::seconds{5}));
  ::close(accepted);
  ::close(listener);
}

// Somebody has the table locked, and the export is in the middle of its transaction.
BOOST_FIXTURE_TEST_CASE(a_stop_ends_the_waiting_for_a_lock, Base) {
  BOOST_TEST(write("post", content_of({"a"})).message() == "");
  ChildProcess holder{{server().program("psql"), "-X", "-q", "-A", "-t", "-h", server().host(), "-U", "owner", "-d",
                       name, "-c", "BEGIN", "-c", "LOCK TABLE fastjournal.queues", "-c", "SELECT 'locked'", "-c",
                       "SELECT pg_sleep(60)"}};
  BOOST_TEST(holder.wait_for_line("locked").has_value());
  auto writing = std::async(std::launch::async, [&] { return write("post", content_of({"b"})); });
  bool waits = false;
  for (int i = 0; i < 200 && !waits; ++i)
    waits = ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '" + name + "'") ==
            "1\n";
  BOOST_TEST(waits);
  stop.give();
  BOOST_TEST(postgresql_tells(writing.get(), "the daemon stops"));
  holder.kill(SIGINT);
  static_cast<void>(holder.wait());
  BOOST_TEST(queues() == lines_of("post", {"a"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sql::test
