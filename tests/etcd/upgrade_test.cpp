// An upgrade as doc/cluster.md has it: one node after the other is stopped and started, the owner last, while producers and
// workers go on. And a node with an older program: it follows up to the first record that it does not know, says so, and
// never decides.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <functional>

#include "clients/cpp/journal.h"
#include "config/endpoints.h"
#include "log/etcd/client/client.h"
#include "log/etcd/etcd_log.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"
#include "tests/etcd/poll_network.h"

BOOST_AUTO_TEST_SUITE(upgrades)

using namespace fastjournal;
using namespace fastjournal::test;
using std::chrono::seconds;

std::int64_t now_us() {
  auto const since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

// A node with a newer program, as far as the log can tell: it becomes the owner, and appends records that it alone knows.
class NewerNode final : private env::NetworkHandler, private log::Following {
 public:
  explicit NewerNode(EtcdNodes const& etcd)
      : client_(network_, {.endpoints = etcd.endpoints()}),
        log_(client_, {.name = "common", .prefix = "/fastjournal/common/", .node = "newer", .address = "127.0.0.1:1"},
             *this) {}

  // False: not within 20 s.
  bool until(std::function<bool()> const& is_so) {
    for (std::int64_t const end = now_us() + 20'000'000; now_us() < end;) {
      turn();
      if (is_so()) return true;
    }
    return false;
  }
  bool own() {
    return until([this] { return log_.is_owned(); });
  }
  // True: it is durable.
  bool append(TableId table, std::uint8_t type, std::uint8_t version) {
    if (!log_.reserve(64, false)) return false;
    static_cast<void>(log_.append(table, type, version, ObjectId{}, 8));
    log_.end_group(Durability::synced);
    return until([this] { return log_.durable_lsn() == log_.end_lsn(); });
  }
  // It is another one's.
  bool leave() {
    log_.step_down(INT64_MAX);
    return until([this] { return !log_.is_owned() && client_.counters().sent == answered(); });
  }
  // Of the table of rows.
  [[nodiscard]] TableId table() const { return table_; }

 private:
  [[nodiscard]] std::uint64_t answered() const {
    etcd::ClientCounters const& all = client_.counters();
    return all.done + all.refused + all.unavailable + all.unknown;
  }
  void turn() {
    network_.turn(*this, 10'000);
    client_.tick(now_us());
    static_cast<void>(log_.end_turn(now_us()));
    client_.end_turn();
  }
  void on_open(ConnectionId id, env::Peer const&) override { client_.opened(id); }
  void on_bytes(ConnectionId id, std::string_view bytes) override { client_.received(id, bytes); }
  void on_writable(ConnectionId id) override { client_.writable(id); }
  void on_end_of_input(ConnectionId id) override { client_.ended(id); }
  void on_closed(ConnectionId id, std::string_view reason) override { client_.closed(id, reason); }
  void on_timer() override {}
  void on_turn_end() override {}
  void on_reset(std::uint64_t, Lsn) override {}
  Status on_record(RecordView const& record) override {
    if (record.table != TableId::catalogue) table_ = record.table;
    return {};
  }

  PollNetwork network_;
  etcd::Client client_;
  log::etcd::EtcdLog log_;
  TableId table_{TableId::catalogue};
};

// Nobody waits for a lease to end.
constexpr int kLeaseS = 10;

struct Trio {
  Trio() { daemons.wait_for_owner(); }
  EtcdNodes etcd{3};
  ClusterDaemons daemons{etcd, 3, kLeaseS};
};

bool says(ClusterDaemons const& daemons, std::size_t at, std::string_view text) {
  return daemons.output(at).find(text) != std::string::npos;
}

BOOST_FIXTURE_TEST_CASE(one_node_after_the_other_the_owner_last_without_a_loss, Trio) {
  Job job(daemons.addresses());
  std::size_t const first_owner = daemons.wait_for_owner();
  for (std::size_t step = 1; step <= daemons.size(); ++step) {
    std::size_t const at = (first_owner + step) % daemons.size();
    BOOST_TEST(job.wait_for(200));
    bool const is_owner = daemons.wait_for_owner() == at;
    job.forget_gaps();
    BOOST_TEST(daemons.end(at) == 0);
    daemons.start(at);
    BOOST_TEST(job.wait_for(200));
    // It follows, so the next one may go.
    BOOST_TEST(job.wait(seconds{20}, [&] { return daemons.owner(at) != ClusterDaemons::kNone; }));
    std::int64_t const gap_ms = job.longest_gap_ms();
    BOOST_TEST_MESSAGE("node " << at << (is_owner ? ", the owner" : ", which follows")
                               << ", is stopped and started: " << gap_ms << " ms without an acknowledgement");
    BOOST_TEST(is_owner == (at == first_owner));
    BOOST_TEST(gap_ms < 1'000 * kLeaseS / 2);
  }
  BOOST_TEST(daemons.wait_for_owner() != first_owner);
  for (std::size_t at = 0; at < daemons.size(); ++at) BOOST_TEST(!says(daemons, at, "alert "), daemons.output(at));
  job.end();
  job.check();
}

BOOST_AUTO_TEST_CASE(a_node_with_an_older_program_follows_up_to_a_newer_record_and_never_decides) {
  EtcdNodes etcd{3};
  ClusterDaemons daemons{etcd, 1};
  daemons.wait_for_owner();
  auto const connection = connect(daemons.address(0));
  client::Journal work(*connection, "work");
  BOOST_REQUIRE(work.put({{"name", Value::of_text("a")}}).ok());
  NewerNode newer{etcd};
  BOOST_REQUIRE(newer.until([&] { return newer.table() != TableId::catalogue; }));
  auto const administrator = connect(daemons.socket(0));
  BOOST_REQUIRE(
      administrator->call("STEP_DOWN", {{"log", Value::of_text("common")}, {"for", Value::of_integer(1'000)}}).ok());
  BOOST_REQUIRE(newer.own());
  // It follows.
  BOOST_TEST(newer.until([&] {
    Result<client::Reply> const told = administrator->call("CLUSTER");
    return told.ok() && told->first().text("owner") == "newer";
  }));
  BOOST_TEST(!says(daemons, 0, "cannot-take-over"));
  BOOST_REQUIRE(newer.append(newer.table(), 1, 200));
  BOOST_TEST(newer.until([&] { return says(daemons, 0, "cannot-take-over"); }));
  BOOST_TEST(says(daemons, 0, "a newer fastjournal wrote it"), daemons.output(0));
  // Nobody else is there, and still it does not take the log: neither now nor after a new start.
  for (int start = 0; start < 2; ++start) {
    BOOST_TEST(newer.leave());
    client::Options options = patient(daemons.address(0));
    options.time_limit = client::Milliseconds{5'000};
    auto const late = client::Connection::open(options);
    BOOST_REQUIRE(late.ok());
    Result<client::Put> const put = client::Journal(*late.value(), "work").put({{"name", Value::of_text("b")}});
    BOOST_TEST(!put.ok());
    BOOST_TEST((put.status().code() == Code::unavailable || put.status().code() == Code::timed_out),
               put.status().text());
    BOOST_TEST(daemons.owner() == ClusterDaemons::kNone);
    // The cause stays, over a new start too.
    Result<client::Reply> const alerts = connect(daemons.socket(0))->call("ALERTS");
    bool const is_up = alerts.ok() && std::ranges::any_of(alerts->messages, [](Message const& one) {
                         return one.text("name") == "cannot-take-over";
                       });
    BOOST_TEST(is_up);
    if (start > 0) break;
    BOOST_TEST(daemons.end(0) == 0);
    daemons.start(0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
