// Faults of the disk and of the machine under the real daemon, which does not know of the layer below it
// (fault_layer.cpp): failing calls, a disk that is full for a time, a power cut that loses unsynced writes, and a
// daemon that is stopped and continued.
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>
#include <set>

#include "tests/integration/daemon.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

constexpr char kSmallLog[] =
    "<fastjournal><log name=\"shared\" container-size=\"512KiB\" sync-place=\"inline\" "
    "sync-method=\"fdatasync\"/></fastjournal>\n";
constexpr char kSmallLogDirect[] =
    "<fastjournal><log name=\"shared\" container-size=\"512KiB\" sync-place=\"inline\" "
    "sync-method=\"direct\"/></fastjournal>\n";
constexpr char kSmallLogOnThread[] =
    "<fastjournal><log name=\"shared\" container-size=\"512KiB\" sync-place=\"thread\"/></fastjournal>\n";
constexpr char kOptions[] = "<processing-timeout>60s</processing-timeout><grace>1ms</grace>";

struct Answer {
  Message message;
  std::string text;
};

std::optional<Answer> ask(LineClient& client, std::string const& line) {
  if (!client.send(line + "\n")) return std::nullopt;
  std::optional<std::string> const text = client.read_line();
  if (!text) return std::nullopt;
  Answer answer{{}, *text};
  if (!protocol::parse_line(answer.text, answer.message).ok()) return std::nullopt;
  return answer;
}

// Inserts until the connection ends or `most` inserts are acknowledged; returns their rows.
std::vector<std::string> insert(LineClient& client, int most, std::size_t payload = 100) {
  std::vector<std::string> rows;
  static int next = 0;
  for (int i = 0; i < most; ++i) {
    auto const answer =
        ask(client, "INSERT table=jobs;name=n" + std::to_string(next++) + ";payload=" + std::string(payload, 'x'));
    if (!answer || answer->message.command != "INSERTED") break;
    rows.emplace_back(answer->message.text("row"));
  }
  return rows;
}

std::size_t missing(std::string const& address, std::vector<std::string> const& rows) {
  LineClient client{address};
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](std::string const& row) {
    auto const answer = ask(client, "PEEK table=jobs;row=" + row);
    return !answer || answer->message.command != "ROW";
  }));
}

// Undoes all writes that no sync covered, or a random part of them, newest first.
void cut_power(std::filesystem::path const& undo, std::filesystem::path const& log, std::mt19937_64& random,
               bool everything, std::uint64_t& taken_back) {
  struct Entry {
    std::int64_t head[2];
    std::string bytes;
  };
  for (auto const& entry : std::filesystem::directory_iterator(undo)) {
    std::ifstream in{entry.path(), std::ios::binary};
    std::vector<Entry> entries;
    for (Entry one; in.read(reinterpret_cast<char*>(one.head), sizeof one.head);) {
      one.bytes.resize(static_cast<std::size_t>(one.head[1]));
      // The program may have died while it wrote this entry: then the write itself did not happen.
      if (!in.read(one.bytes.data(), one.head[1]) && one.head[1] > 0) break;
      entries.push_back(one);
    }
    std::filesystem::path const file = log / entry.path().stem();
    if (std::filesystem::exists(file)) {
      std::fstream out{file, std::ios::binary | std::ios::in | std::ios::out};
      for (auto one = entries.rbegin(); one != entries.rend(); ++one) {
        if (!everything && random() % 2 == 0) continue;
        out.seekp(one->head[0]);
        out.write(one->bytes.data(), one->head[1]);
        ++taken_back;
      }
    }
    std::filesystem::resize_file(entry.path(), 0);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(a_daemon_on_a_bad_disk)

BOOST_AUTO_TEST_CASE(acknowledges_nothing_after_a_failed_call_and_has_everything_when_started_again) {
  for (char const* const call : {"write", "sync"})
    for (char const* const how : {"EIO", "ENOSPC", "short"})
      for (int const nth : {40, 60, 90}) {
        if (std::string_view{call} == "sync" && std::string_view{how} == "short") continue;
        std::string const fault = std::string{call} + ":" + std::to_string(nth) + ":" + how;
        BOOST_TEST_CONTEXT(fault) {
          RealDaemon daemon{kOptions};
          daemon.write("fastjournal.xml", nth == 60 ? kSmallLogOnThread : nth == 90 ? kSmallLogDirect : kSmallLog);
          daemon.environment = beneath("FJ_FAULT=" + fault);
          BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
          std::vector<std::string> rows;
          {
            LineClient client{daemon.tcp()};
            rows = insert(client, 500);
          }
          BOOST_TEST(rows.size() < 500U);
          BOOST_TEST(daemon.wait().value_or(-1) == 1);
          BOOST_TEST(daemon.output().find("fault layer: ") != std::string::npos, daemon.output());
          BOOST_TEST(daemon.output().find("nothing more is acknowledged") != std::string::npos, daemon.output());
          bool const at_once = nth == 90 && daemon.output().find("write ") != std::string::npos;
          BOOST_TEST((at_once || daemon.output().find(std::string{call} + " ") != std::string::npos));
          BOOST_TEST(daemon.output().find("container-") != std::string::npos);
          daemon.environment.clear();
          BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
          BOOST_TEST(missing(daemon.tcp(), rows) == 0U);
          daemon.kill(SIGTERM);
          BOOST_TEST(daemon.wait().value_or(-1) == 0);
        }
      }
}

BOOST_AUTO_TEST_CASE(refuses_what_adds_while_it_is_full_and_goes_on_when_there_is_space) {
  RealDaemon daemon{kOptions};
  daemon.write("fastjournal.xml", kSmallLog);
  daemon.write("quota", std::to_string(6 * (512U << 10U)));
  daemon.environment = beneath("FJ_QUOTA=" + (daemon.folder() / "quota").string());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  LineClient client{daemon.tcp()};
  std::vector<std::string> rows = insert(client, 2000, 4000);
  BOOST_TEST(rows.size() > 50U);
  BOOST_REQUIRE(rows.size() < 2000U);
  // Compaction meanwhile may make room for a few more rows.
  std::string code;
  for (int i = 0; i < 200 && code.empty(); ++i) {
    auto const answer =
        ask(client, "INSERT table=jobs;name=more" + std::to_string(i) + ";payload=" + std::string(4000, 'y'));
    BOOST_REQUIRE(answer.has_value());
    code = answer->message.text("code");
    if (code.empty()) rows.emplace_back(answer->message.text("row"));
  }
  BOOST_TEST(code == "no_space");
  // Removals work, both by DONE and by DELETE.
  std::set<std::string> ended;
  for (int i = 0; i < 20; ++i) {
    auto const row = ask(client, "NEXT table=jobs");
    BOOST_REQUIRE(row.has_value());
    BOOST_REQUIRE(row->message.command == "ROW");
    std::string const id{row->message.text("row")};
    auto const done =
        ask(client, i % 2 == 0 ? "DONE table=jobs;row=" + id + ";epoch=" + std::string{row->message.text("epoch")}
                               : "DELETE table=jobs;row=" + id);
    BOOST_REQUIRE(done.has_value());
    BOOST_TEST((done->message.command == "COMPLETED" || done->message.command == "DELETED"), done->text);
    ended.insert(id);
  }
  daemon.write("quota", std::to_string(40 * (512U << 10U)));
  // The log checks for space now and then: an insert must succeed within this many tries.
  bool accepted = false;
  for (int i = 0; i < 3000 && !accepted; ++i) {
    auto const answer = ask(client, "INSERT table=jobs;name=again;payload=z");
    BOOST_REQUIRE(answer.has_value());
    accepted = answer->message.command == "INSERTED";
  }
  BOOST_TEST(accepted);
  std::vector<std::string> const more = insert(client, 100, 4000);
  BOOST_TEST(more.size() == 100U);
  std::erase_if(rows, [&](std::string const& row) { return ended.contains(row); });
  rows.insert(rows.end(), more.begin(), more.end());
  daemon.kill(SIGKILL);
  BOOST_REQUIRE(daemon.wait().has_value());
  daemon.environment.clear();
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(missing(daemon.tcp(), rows) == 0U);
  BOOST_TEST(missing(daemon.tcp(), {ended.begin(), ended.end()}) == ended.size());
}

BOOST_AUTO_TEST_CASE(has_everything_acknowledged_after_power_cuts_that_take_what_was_not_synced) {
  std::uint64_t const seed = std::random_device{}();
  std::mt19937_64 random{seed};
  BOOST_TEST_CONTEXT("seed " << seed) {
    RealDaemon daemon{kOptions};
    std::filesystem::path const undo = daemon.folder() / "undo";
    std::filesystem::create_directories(undo);
    daemon.environment = beneath("FJ_UNDO=" + undo.string());
    std::vector<std::string> rows;
    std::uint64_t taken_back = 0;
    for (int cut = 0; cut < 12; ++cut) {
      daemon.write("fastjournal.xml", cut % 3 == 0 ? kSmallLog : cut % 3 == 1 ? kSmallLogOnThread : kSmallLogDirect);
      BOOST_REQUIRE_MESSAGE(daemon.start(), "cut " << cut << ": " << daemon.output());
      BOOST_TEST(missing(daemon.tcp(), rows) == 0U, "cut " << cut);
      LineClient client{daemon.tcp()};
      for (std::string& row : insert(client, 20 + static_cast<int>(random() % 100), 1000))
        rows.push_back(std::move(row));
      // Leases are written but not synced, so the power cut has something to lose.
      for (int i = 0; i < 5; ++i) BOOST_REQUIRE(ask(client, "NEXT table=jobs").has_value());
      BOOST_REQUIRE(client.send("INSERT table=jobs;name=unheard;payload=x\nNEXT table=jobs\n"));
      daemon.kill(SIGKILL);
      BOOST_REQUIRE(daemon.wait().has_value());
      cut_power(undo, daemon.folder() / "data" / "shared", random, cut % 2 == 0, taken_back);
    }
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    BOOST_TEST(missing(daemon.tcp(), rows) == 0U);
    BOOST_TEST(taken_back > 0U);
    BOOST_TEST_MESSAGE(rows.size() << " rows, " << taken_back << " writes taken back");
  }
}

BOOST_AUTO_TEST_CASE(goes_on_after_it_stood_still) {
  RealDaemon daemon{
      "<processing-timeout>200ms</processing-timeout><grace>200ms</grace>"
      "<back-off-first>1ms</back-off-first>"};
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  LineClient client{daemon.tcp()};
  std::vector<std::string> const rows = insert(client, 50);
  BOOST_REQUIRE(rows.size() == 50U);
  auto const leased = ask(client, "NEXT table=jobs");
  BOOST_REQUIRE(leased.has_value());
  std::string const row{leased->message.text("row")};
  daemon.kill(SIGSTOP);
  // A client gives up waiting for its answer; its message stays in the kernel's buffer.
  LineClient impatient{daemon.tcp()};
  BOOST_REQUIRE(impatient.send("INSERT table=jobs;name=late;payload=x\n"));
  BOOST_TEST(!impatient.read_line(std::chrono::milliseconds{600}).has_value());
  BOOST_TEST(!impatient.closed());
  daemon.kill(SIGCONT);
  BOOST_TEST(impatient.read_line().value_or("").starts_with("INSERTED"));
  // The lease has run out meanwhile: another client takes the row, and the first holder is refused.
  LineClient other{daemon.tcp()};
  bool again = false;
  for (int i = 0; i < 100 && !again; ++i) {
    auto const next = ask(other, "NEXT table=jobs;wait=500;request=1");
    BOOST_REQUIRE(next.has_value());
    again = next->message.text("row") == row;
  }
  BOOST_TEST(again);
  auto const late = ask(client, "DONE table=jobs;row=" + row + ";epoch=" + std::string{leased->message.text("epoch")});
  BOOST_REQUIRE(late.has_value());
  BOOST_TEST(late->message.text("code") == "stale_epoch", late->text);
  BOOST_TEST(missing(daemon.tcp(), rows) == 0U);
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
