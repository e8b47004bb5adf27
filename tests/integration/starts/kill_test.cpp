// kill -9 of the real daemon under load, a hundred times (FJ_KILLS). Producers insert, and workers lease, finish and
// forget rows, while it dies at a moment drawn by seed (FJ_SEED). Then every row is counted by id:
//   - a row whose insert was acknowledged is finished, or is still handed out;
//   - a row whose DONE was acknowledged is never handed out again;
//   - a row is never handed out before the lease of its last holder is over: at its date, or, as a start ends all
//     connections, the grace after the next start.
#include <poll.h>
#include <sys/socket.h>
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "tests/integration/daemon.h"
#include "tests/support/seed.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

std::int64_t wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

constexpr std::int64_t kGraceMs = 300;

// What the test knows about the rows, only from acknowledgements.
struct ClientOracle {
  struct Lease {
    std::string epoch;
    std::int64_t end;
  };
  std::map<std::string, std::string> inserted;  // row -> name, of acknowledged inserts
  std::set<std::string> done;                   // rows whose DONE was acknowledged
  std::set<std::string> done_sent;              // rows whose DONE may have arrived
  std::map<std::string, Lease> leases;
  std::set<std::string> handed_out;
  std::uint64_t handed_out_twice{0};
  std::uint64_t too_early{0};
  std::uint64_t after_done{0};
  std::uint64_t refused{0};
};

// One connection with up to 32 messages in flight; their answers go to the oracle.
class Talker {
 public:
  Talker(std::string const& address, bool producer, ClientOracle& books)
      : client_(address), producer_(producer), books_(books) {}

  // Sends up to `most` more messages; false once the connection is broken.
  bool talk(std::mt19937_64& random, std::uint64_t& next_name, int most) {
    std::string out;
    for (int i = 0; i < most && in_flight_ < 32; ++i, ++in_flight_) {
      if (producer_) {
        out += "INSERT table=jobs;name=n" + std::to_string(next_name++) + ";priority=" + std::to_string(random() % 4) +
               "\n";
      } else if (!to_finish_.empty() && random() % 8 != 0) {
        auto const [row, epoch] = to_finish_.back();
        to_finish_.pop_back();
        books_.done_sent.insert(row);
        out += "DONE table=jobs;row=" + row + ";epoch=" + epoch + "\n";
      } else {
        out += "NEXT table=jobs;count=4\n";
      }
    }
    return client_.send(out);
  }

  bool hear() {
    char bytes[65536];
    ssize_t const count = ::recv(client_.fd(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return false;
    if (count > 0) in_.append(bytes, static_cast<std::size_t>(count));
    std::size_t at = 0;
    for (std::size_t end; (end = in_.find('\n', at)) != std::string::npos; at = end + 1)
      note(std::string_view{in_}.substr(at, end - at));
    in_.erase(0, at);
    return true;
  }
  [[nodiscard]] int fd() const { return client_.fd(); }

 private:
  void note(std::string_view line) {
    Message message;
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    std::string const row{message.text("row")};
    if (message.text("left").empty() || message.text("left") == "0") --in_flight_;
    if (message.command == "INSERTED") {
      books_.inserted[row] = "";
    } else if (message.command == "COMPLETED") {
      books_.done.insert(row);
      books_.leases.erase(row);
    } else if (message.command == "ROW") {
      note_lease(row, message);
      to_finish_.emplace_back(row, message.text("epoch"));
    } else if (message.command == "ERROR") {
      ++books_.refused;
    }
  }
  void note_lease(std::string const& row, Message const& message) {
    if (books_.done.contains(row)) ++books_.after_done;
    auto const before = books_.leases.find(row);
    if (before != books_.leases.end() && before->second.end > wall_ms() + 5) ++books_.too_early;
    if (!books_.handed_out.insert(row).second) ++books_.handed_out_twice;
    books_.leases[row] = {std::string{message.text("epoch")}, *message.integer("lease_end")};
  }

  LineClient client_;
  bool producer_;
  ClientOracle& books_;
  std::string in_;
  int in_flight_{0};
  std::vector<std::pair<std::string, std::string>> to_finish_;
};

void load_until(std::string const& address, ClientOracle& books, std::mt19937_64& random, std::uint64_t& next_name,
                std::size_t acknowledgements) {
  std::vector<std::unique_ptr<Talker>> talkers;
  for (int i = 0; i < 4; ++i) talkers.push_back(std::make_unique<Talker>(address, i < 2, books));
  std::size_t const target = books.inserted.size() + books.done.size() + acknowledgements;
  while (books.inserted.size() + books.done.size() < target) {
    std::vector<pollfd> polls;
    for (auto const& talker : talkers) {
      BOOST_REQUIRE(talker->talk(random, next_name, 8));
      polls.push_back({talker->fd(), POLLIN, 0});
    }
    BOOST_REQUIRE(::poll(polls.data(), polls.size(), 20'000) > 0);
    for (auto const& talker : talkers) BOOST_REQUIRE(talker->hear());
  }
  // More messages are under way when the daemon dies.
  for (auto const& talker : talkers) BOOST_REQUIRE(talker->talk(random, next_name, 32));
}

// Takes and finishes all rows that are left.
void drain(std::string const& address, ClientOracle& books) {
  LineClient client{address};
  for (int empty = 0; empty < 200;) {
    BOOST_REQUIRE(client.send("NEXT table=jobs;count=100;wait=50;request=1\n"));
    std::string finish;
    for (bool more = true; more;) {
      std::optional<std::string> const line = client.read_line();
      BOOST_REQUIRE(line.has_value());
      Message message;
      BOOST_REQUIRE(protocol::parse_line(*line, message).ok());
      if (message.command == "NOTHING") {
        // No next_date: nothing waits and nothing is leased.
        if (!message.has("next_date")) return;
        ++empty;
        break;
      }
      std::string const row{message.text("row")};
      if (books.done.contains(row)) ++books.after_done;
      books.handed_out.insert(row);
      books.done.insert(row);
      finish += "DONE table=jobs;row=" + row + ";epoch=" + std::string{message.text("epoch")} + "\n";
      more = message.text("left") != "0";
    }
    std::size_t const count = static_cast<std::size_t>(std::count(finish.begin(), finish.end(), '\n'));
    BOOST_REQUIRE(client.send(finish));
    for (std::size_t i = 0; i < count; ++i) BOOST_REQUIRE(client.read_line().value_or("").starts_with("COMPLETED"));
  }
  BOOST_FAIL("rows never came back");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(a_daemon_killed_under_load)

BOOST_AUTO_TEST_CASE(loses_no_acknowledged_row_and_hands_no_row_to_two_holders) {
  std::uint64_t const seed = seed_or(std::random_device{}());
  std::uint64_t const kills = number_from("FJ_KILLS", 100);
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    std::mt19937_64 random{seed};
    RealDaemon daemon{
        "<processing-timeout>800ms</processing-timeout><grace>300ms</grace><back-off-first>1ms</back-off-first>"
        "<max-timeouts>250</max-timeouts><max-lifetime-timeouts>250</max-lifetime-timeouts>"};
    ClientOracle books;
    std::uint64_t next_name = 0;
    for (std::uint64_t round = 0; round < kills; ++round) {
      for (auto& [row, lease] : books.leases) lease.end = std::min(lease.end, wall_ms() + kGraceMs);
      BOOST_REQUIRE_MESSAGE(daemon.start(), "round " << round << ": " << daemon.output());
      load_until(random() % 2 == 0 ? daemon.tcp() : daemon.local(), books, random, next_name, 50 + random() % 1500);
      daemon.kill(SIGKILL);
      BOOST_REQUIRE(daemon.wait().has_value());
    }
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    std::size_t const done_before = books.done.size();
    drain(daemon.local(), books);
    std::uint64_t lost = 0;
    for (auto const& [row, unused] : books.inserted)
      if (!books.done.contains(row) && !books.done_sent.contains(row)) ++lost;
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
    BOOST_TEST_MESSAGE(kills << " kills, seed " << seed << ": " << books.inserted.size() << " inserts acknowledged, "
                             << done_before << " finished under load, " << books.done.size() - done_before << " after, "
                             << books.handed_out_twice << " handed out again, " << books.refused << " refused; lost "
                             << lost << ", too early " << books.too_early << ", after DONE " << books.after_done);
    BOOST_TEST(lost == 0);
    BOOST_TEST(books.too_early == 0);
    BOOST_TEST(books.after_done == 0);
    BOOST_TEST(books.inserted.size() > kills * 10);
  }
}

BOOST_AUTO_TEST_SUITE_END()
