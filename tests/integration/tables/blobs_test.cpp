// Bytes outside the log beside a real daemon: blob tables over their ports (clients/cpp/blob.h) and by messages, and a
// journal that keeps large columns in files. What was acknowledged is there after kill -9.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "clients/cpp/blob.h"
#include "clients/cpp/client.h"
#include "tests/integration/log_tools.h"
#include "tests/support/seed.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using client::BlobBytes;
using client::BlobOptions;
using client::Blobs;
using client::Connection;
using client::Milliseconds;

std::string bytes_of(std::mt19937_64& chance, std::size_t size) {
  std::string out(size, '\0');
  for (char& byte : out) byte = static_cast<char>(chance());
  return out;
}

struct Scene {
  explicit Scene(std::string const& options = "") : daemon("<spill>16KiB</spill>"), chance(seed_or(1)) {
    daemon.write("tables/pages.xml",
                 "<table name=\"pages\" model=\"blob\">\n<listeners>\n"
                 "<socket path=\"../read\" protocol=\"blobread\" rights=\"read\"/>\n"
                 "<socket path=\"../ask\" protocol=\"blobread\" datagrams=\"true\" rights=\"read\"/>\n"
                 "<socket path=\"../write\" protocol=\"blobwrite\" rights=\"read add\"/>\n</listeners>\n" +
                     options + "\n</table>\n");
    start();
  }
  void start() { BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output()); }
  void kill() {
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
  }
  [[nodiscard]] std::string path(std::string const& name) const { return (daemon.folder() / name).string(); }
  [[nodiscard]] std::unique_ptr<Blobs> open(std::uint32_t version = 2, BlobBytes bytes = BlobBytes::file) const {
    BlobOptions options{.read = "unix:" + path("read"),
                        .write = "unix:" + path("write"),
                        .datagrams = path("ask"),
                        .data_file = path("data/bytes/pages/bcdb_data"),
                        .version = version,
                        .bytes = bytes};
    auto opened = Blobs::open(std::move(options));
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
    return std::move(opened).value();
  }
  [[nodiscard]] std::unique_ptr<Connection> connect() const {
    auto opened = Connection::open({.server = "unix:" + path("socket"), .back_off = {Milliseconds{1}}});
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
    return std::move(opened).value();
  }
  // Of STATS.
  [[nodiscard]] std::int64_t figure(Connection& connection, std::string const& table, std::string const& name) const {
    auto const reply = connection.call("STATS", {{"table", Value::of_text(table)}});
    BOOST_REQUIRE_MESSAGE(reply.ok(), reply.status().text());
    return reply->first().integer(name).value_or(-1);
  }

  RealDaemon daemon;
  std::mt19937_64 chance;
};

void require_is(Blobs& blobs, std::string const& key, std::string const& wanted) {
  auto const got = blobs.get(bcdb::make_key(key));
  BOOST_REQUIRE_MESSAGE(got.ok(), key << ": " << got.status().text());
  BOOST_REQUIRE_MESSAGE(got.value().has_value(), key << " is absent");
  BOOST_REQUIRE_EQUAL(got.value()->size(), wanted.size());
  BOOST_REQUIRE_MESSAGE(*got.value() == wanted, key << " has other bytes");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bytes_beside_a_daemon)

BOOST_AUTO_TEST_CASE(blobs_are_stored_and_read_in_all_ways) {
  Scene scene;
  auto const blobs = scene.open();
  std::map<std::string, std::string> stored;
  for (std::size_t const size : {0UL, 1UL, 4000UL, 65'536UL, 65'537UL, 3'000'000UL}) {
    std::string const key = "of " + std::to_string(size);
    stored[key] = bytes_of(scene.chance, size);
    auto const put = blobs->put(bcdb::make_key(key), stored[key]);
    BOOST_REQUIRE_MESSAGE(put.ok(), put.status().text());
  }
  for (BlobBytes const way : {BlobBytes::file, BlobBytes::descriptor, BlobBytes::relay}) {
    auto const reader = scene.open(2, way);
    for (auto const& [key, bytes] : stored) require_is(*reader, key, bytes);
    auto const none = reader->get(bcdb::make_key("nothing"));
    BOOST_REQUIRE_MESSAGE(none.ok(), none.status().text());
    BOOST_TEST(!none.value().has_value());
  }
  // By a message, not all of a large one is brought into memory.
  std::string const zeros(70'000'000, 'z');
  BOOST_REQUIRE(blobs->put(bcdb::make_key("zeros"), zeros).ok());
  require_is(*scene.open(2, BlobBytes::relay), "zeros", zeros);
  auto const connection = scene.connect();
  auto const ask = [&](std::int64_t length) {
    return connection->call("GET", {{"table", Value::of_text("pages")},
                                    {"key", Value::of_text("zeros")},
                                    {"data", Value::of_integer(1)},
                                    {"length", Value::of_integer(length)}});
  };
  BOOST_TEST((ask(70'000'000).status().code() == fastjournal::Code::too_large));
  auto const some = ask(1'000'000);
  BOOST_REQUIRE_MESSAGE(some.ok(), some.status().text());
  BOOST_TEST(some->first().text("data").size() == 1'000'000U);
  auto const part = scene.open(2, BlobBytes::relay)->fetch(bcdb::make_key("of 4000"), 100, 50);
  BOOST_REQUIRE_MESSAGE(part.ok(), part.status().text());
  BOOST_TEST(part.value().value_or("") == stored["of 4000"].substr(100, 50));
  scene.kill();
  scene.start();
  auto const after = scene.open();
  for (auto const& [key, bytes] : stored) require_is(*after, key, bytes);
}

// Version 1 has no result: a writer looks for what it wrote.
BOOST_AUTO_TEST_CASE(clients_of_version_1_write_and_read) {
  Scene scene;
  auto const blobs = scene.open(1);
  BOOST_TEST(!blobs->find_once(bcdb::make_key("page")).value().has_value());
  std::string const bytes = bytes_of(scene.chance, 200'000);
  for (std::string const& text : {std::string{"small"}, bytes}) {
    auto const put = blobs->put(bcdb::make_key("page"), text);
    BOOST_REQUIRE_MESSAGE(put.ok(), put.status().text());
    std::string got;
    auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (got != text && std::chrono::steady_clock::now() < limit) {
      auto const found = blobs->get(bcdb::make_key("page"));
      BOOST_REQUIRE_MESSAGE(found.ok(), found.status().text());
      got = found.value().value_or("");
    }
    BOOST_TEST((got == text));
  }
  auto const once = blobs->find_once(bcdb::make_key("page"));
  BOOST_REQUIRE_MESSAGE(once.ok(), once.status().text());
  BOOST_REQUIRE(once.value().has_value());
  auto const again = blobs->read(*once.value());
  BOOST_REQUIRE_MESSAGE(again.ok(), again.status().text());
  BOOST_TEST((again.value() == bytes));
}

BOOST_AUTO_TEST_CASE(many_puts_under_way_and_a_kill_lose_none_that_was_answered) {
  Scene scene;
  std::map<std::string, std::string> answered;
  for (int start = 0; start < 3; ++start) {
    auto const blobs = scene.open();
    std::vector<std::pair<std::string, std::string>> sent;
    for (int i = 0; i < 400; ++i) {
      sent.emplace_back("key " + std::to_string(scene.chance() % 200),
                        bytes_of(scene.chance, scene.chance() % 100'000));
      BOOST_REQUIRE(blobs->send_put(bcdb::make_key(sent.back().first), sent.back().second).ok());
    }
    std::size_t results = 0;
    for (; results < 300; ++results) {
      auto const put = blobs->receive_put();
      BOOST_REQUIRE_MESSAGE(put.ok(), put.status().text());
      answered[sent[results].first] = sent[results].second;
    }
    scene.kill();
    scene.start();
    // The rest may be there or not, in the order in which they were sent.
    auto const after = scene.open();
    std::map<std::string, std::vector<std::string>> may_be;
    for (; results < sent.size(); ++results) may_be[sent[results].first].push_back(sent[results].second);
    for (auto& [key, bytes] : answered) {
      auto const got = after->get(bcdb::make_key(key));
      BOOST_REQUIRE_MESSAGE(got.ok() && got.value().has_value(), key);
      bool const is_later = std::ranges::find(may_be[key], *got.value()) != may_be[key].end();
      BOOST_TEST((*got.value() == bytes || is_later), key);
      bytes = *got.value();
    }
  }
}

BOOST_AUTO_TEST_CASE(maintenance_exchanges_the_file_while_blobs_are_written) {
  Scene scene;
  auto const blobs = scene.open();
  auto const connection = scene.connect();
  std::map<std::string, std::string> stored;
  auto const put = [&](int i) {
    std::string const key = "key " + std::to_string(i % 50);
    stored[key] = bytes_of(scene.chance, 1 + scene.chance() % 30'000);
    auto const done = blobs->put(bcdb::make_key(key), stored[key]);
    BOOST_REQUIRE_MESSAGE(done.ok(), done.status().text());
  };
  for (int i = 0; i < 300; ++i) put(i);
  std::filesystem::path const folder = scene.path("data/bytes/pages");
  std::uintmax_t const before = std::filesystem::file_size(folder / "data.000001");
  auto const begun = connection->call("MAINTAIN", {{"table", Value::of_text("pages")}});
  BOOST_REQUIRE_MESSAGE(begun.ok(), begun.status().text());
  auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  int i = 300;
  while (std::filesystem::read_symlink(folder / "bcdb_data") != "data.000002") {
    BOOST_REQUIRE(std::chrono::steady_clock::now() < limit);
    put(++i);
  }
  for (int more = 0; more < 20; ++more) put(++i);
  BOOST_TEST(std::filesystem::file_size(folder / "data.000002") < before / 2);
  // Whoever has the old one open reads on; a new reader gets the new one.
  for (auto const& [key, bytes] : stored) require_is(*scene.open(), key, bytes);
  scene.kill();
  scene.start();
  for (auto const& [key, bytes] : stored) require_is(*scene.open(), key, bytes);
}

BOOST_AUTO_TEST_CASE(large_columns_of_a_journal_are_kept_in_files) {
  Scene scene;
  auto connection = scene.connect();
  std::string payload(3'000'000, 'p');
  for (char& c : payload) c = static_cast<char>('a' + scene.chance() % 26);
  auto const insert = [&](std::string const& name, std::string const& text) {
    auto const reply = connection->call(
        "INSERT",
        {{"table", Value::of_text("jobs")}, {"name", Value::of_text(name)}, {"payload", Value::of_text(text)}});
    BOOST_REQUIRE_MESSAGE(reply.ok(), reply.status().text());
    return std::string{reply->first().text("result")};
  };
  BOOST_TEST(insert("small", "few bytes") == "inserted");
  BOOST_TEST(insert("large", payload) == "inserted");
  BOOST_TEST(insert("large", payload + "!") == "merged");
  BOOST_TEST(scene.figure(*connection, "jobs", "outside_named_bytes") == 3'000'001);
  BOOST_TEST(scene.figure(*connection, "jobs", "memory_bytes") < 1'000'000);
  scene.kill();
  scene.start();
  connection = scene.connect();
  // As a place: a reader on this computer.
  auto reply = connection->call(
      "NEXT", {{"table", Value::of_text("jobs")}, {"count", Value::of_integer(2)}, {"places", Value::of_integer(1)}});
  BOOST_REQUIRE_MESSAGE(reply.ok(), reply.status().text());
  BOOST_REQUIRE_EQUAL(reply->messages.size(), 2U);
  for (Message const& row : reply->messages) {
    if (row.text("name") == "small") continue;
    std::string const place{row.text("payload")};
    std::size_t const one = place.find(' ');
    std::size_t const two = place.find(' ', one + 1);
    BOOST_TEST(place.substr(one + 1, two - one - 1) == "3000001");
    std::ifstream file{place.substr(two + 1), std::ios::binary};
    file.seekg(std::stoll(place.substr(0, one)));
    std::string got(3'000'001, '\0');
    file.read(got.data(), static_cast<std::streamsize>(got.size()));
    BOOST_TEST((got == payload + "!"));
    // And whole.
    auto const whole = connection->call("PEEK", {{"table", Value::of_text("jobs")}, {"row", *row.find("row")}});
    BOOST_REQUIRE_MESSAGE(whole.ok(), whole.status().text());
    BOOST_TEST((whole->first().text("payload") == payload + "!"));
    auto const done = connection->call(
        "DONE", {{"table", Value::of_text("jobs")}, {"row", *row.find("row")}, {"epoch", *row.find("epoch")}});
    BOOST_REQUIRE_MESSAGE(done.ok(), done.status().text());
  }
  BOOST_TEST(scene.figure(*connection, "jobs", "outside_named_bytes") == 0);
}

// Threads are a few for the whole daemon, not one for each table that stores something.
BOOST_AUTO_TEST_CASE(a_few_threads_store_the_bytes_of_all_tables) {
  constexpr int kTables = 40;
  RealDaemon daemon{""};
  for (int i = 0; i < kTables; ++i) daemon.write_table("t" + std::to_string(i), "<spill>16KiB</spill>");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  auto const threads = [&] {
    std::filesystem::directory_iterator const tasks{"/proc/" + std::to_string(daemon.child().pid()) + "/task"};
    return std::distance(begin(tasks), end(tasks));
  };
  auto const before = threads();
  LineClient client{daemon.local()};
  std::string const payload(kCarriedBytesMax + 1, 'p');  // the log's record cannot carry it: it waits for its file
  for (int i = 0; i < kTables; ++i) {
    std::string const name = "t" + std::to_string(i);
    BOOST_TEST(client.ask("INSERT table=" + name + ";name=a;payload=" + payload).starts_with("INSERTED"), name);
  }
  BOOST_TEST(threads() - before <= 12);
}

// A backup while blobs are written, and a log that is written anew, have the bytes that their records name.
BOOST_AUTO_TEST_CASE(backups_and_resized_logs_have_their_bytes) {
  Scene scene;
  std::map<std::string, std::string> stored;
  auto const put = [&](Blobs& blobs, int i) {
    std::string const key = "key " + std::to_string(i % 50);
    stored[key] = bytes_of(scene.chance, 1 + scene.chance() % 100'000);
    auto const done = blobs.put(bcdb::make_key(key), stored[key]);
    BOOST_REQUIRE_MESSAGE(done.ok(), done.status().text());
  };
  auto blobs = scene.open();
  for (int i = 0; i < 100; ++i) put(*blobs, i);
  std::string payload(200'000, 'p');
  for (char& c : payload) c = static_cast<char>('a' + scene.chance() % 26);
  {
    auto const connection = scene.connect();
    auto const inserted = connection->call(
        "INSERT",
        {{"table", Value::of_text("jobs")}, {"name", Value::of_text("large")}, {"payload", Value::of_text(payload)}});
    BOOST_REQUIRE_MESSAGE(inserted.ok(), inserted.status().text());
  }
  std::map<std::string, std::string> const at_backup = stored;
  ToolRan const made = run_tool({"backup", scene.path("copy"), "--json", "--server", "unix:" + scene.path("socket")});
  BOOST_REQUIRE_MESSAGE(made.code == 0, made.output);
  BOOST_TEST(contains(made.output, "data/bytes/pages"), made.output);
  for (int i = 0; i < 50; ++i) put(*blobs, i);
  blobs.reset();
  auto const require_all = [&](std::map<std::string, std::string> const& all) {
    auto const after = scene.open();
    for (auto const& [key, bytes] : all) require_is(*after, key, bytes);
    auto const connection = scene.connect();
    auto const row = connection->call("PEEK", {{"table", Value::of_text("jobs")}, {"name", Value::of_text("large")}});
    BOOST_REQUIRE_MESSAGE(row.ok(), row.status().text());
    BOOST_TEST((row->first().text("payload") == payload));
  };
  auto const stop = [&] {
    scene.daemon.kill(SIGTERM);
    BOOST_TEST(scene.daemon.wait().value_or(-1) == 0);
  };
  stop();
  ToolRan const resized = run_tool({"log", "resize", scene.path("data/shared"), "--container-size", "1MiB"});
  BOOST_REQUIRE_MESSAGE(resized.code == 0, resized.output);
  scene.start();
  require_all(stored);
  stop();
  std::filesystem::rename(scene.path("data"), scene.path("gone"));
  std::filesystem::rename(scene.path("copy"), scene.path("data"));
  scene.start();
  require_all(at_backup);
}

BOOST_AUTO_TEST_SUITE_END()
