// Networks that fail: three computers with a member of etcd and a daemon each (computers.h), clients on a fourth one, and
// clients on the owner's own. While they work, a computer is cut off, both ways or one, and comes back. Whoever is cut off
// must acknowledge nothing and answer no read once another one may own the log; nothing is lost, nothing done twice.
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "clients/cpp/journal.h"
#include "tests/etcd/cluster_job.h"
#include "tests/etcd/computers.h"
#include "tests/etcd/etcd_nodes.h"

BOOST_AUTO_TEST_SUITE(partitions)

using namespace fastjournal;
using namespace fastjournal::test;
using Clock = std::chrono::steady_clock;
using Cut = Computers::Cut;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kNone = SIZE_MAX;
constexpr std::size_t kNodes = 3;
constexpr std::size_t kClients = 3;  // the computer behind them
constexpr int kRounds = 2;
constexpr std::int64_t kLeaseMs = 2'000;

std::int64_t ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration_cast<milliseconds>(to - from).count();
}

std::string host(std::size_t at) { return "192.0.2." + std::to_string(at + 1); }
std::string address(std::size_t at) { return host(at) + ":4050"; }

// Waits for nobody.
client::Options hasty(std::string const& server) {
  client::Options out;
  out.server = server;
  out.time_limit = out.connect_limit = milliseconds{500};
  out.back_off.clear();
  return out;
}

// A client on the computer of a daemon that writes and reads without a pause, each on a thread and connection of its own.
class Neighbour {
 public:
  Neighbour(Computers const& computers, std::size_t at, std::string prefix) : prefix_(std::move(prefix)) {
    Computers::Visit const visit{computers, at};
    threads_.emplace_back([this, at] { ask(at, written_, &Neighbour::write); });
    threads_.emplace_back([this, at] { ask(at, read_, &Neighbour::read); });
  }
  ~Neighbour() { end(); }
  Neighbour(Neighbour const&) = delete;
  Neighbour& operator=(Neighbour const&) = delete;

  void end() {
    {
      std::lock_guard const held{lock_};
      stop_ = true;
    }
    stopped_.notify_all();
    for (std::thread& one : threads_) one.join();
    threads_.clear();
  }
  struct Told {
    std::vector<Clock::time_point> answered;
    std::vector<Clock::time_point> refused;
  };
  [[nodiscard]] Told written() { return copy(written_); }
  [[nodiscard]] Told read() { return copy(read_); }
  // Of the acknowledged rows.
  [[nodiscard]] std::vector<std::string> names() {
    std::lock_guard const held{lock_};
    return names_;
  }
  // Both were answered, or refused, after this.
  bool was_answered(Clock::time_point since) { return is_later(&Told::answered, since); }
  bool was_refused(Clock::time_point since) { return is_later(&Told::refused, since); }

 private:
  using Moments = std::vector<Clock::time_point>;
  bool is_later(Moments Told::*which, Clock::time_point since) {
    std::lock_guard const held{lock_};
    auto const is = [&](Told const& told) { return !(told.*which).empty() && (told.*which).back() > since; };
    return is(written_) && is(read_);
  }
  Told copy(Told const& told) {
    std::lock_guard const held{lock_};
    return told;
  }
  Status write(client::Connection& connection) {
    std::string const name = prefix_ + std::to_string(++serial_);
    Status const said = client::Journal(connection, "work").put({{"name", Value::of_text(name)}}).status();
    std::lock_guard const held{lock_};
    if (said.ok()) names_.push_back(name);
    return said;
  }
  // Of the owner's memory.
  Status read(client::Connection& connection) {
    return connection.call("STATS", {{"table", Value::of_text("work")}}).status();
  }
  void ask(std::size_t at, Told& told, Status (Neighbour::*call)(client::Connection&)) {
    std::unique_ptr<client::Connection> connection;
    for (std::unique_lock held{lock_}; !stop_;) {
      held.unlock();
      Status said{Code::unavailable, "no connection"};
      if (connection == nullptr)
        if (auto opened = client::Connection::open(hasty(address(at))); opened.ok())
          connection = std::move(opened).value();
      if (connection != nullptr) said = (this->*call)(*connection);
      if (!said.ok()) connection.reset();
      held.lock();
      (said.ok() ? told.answered : told.refused).push_back(Clock::now());
      // Not faster than they can be answered by two processors.
      stopped_.wait_for(held, milliseconds{5}, [this] { return stop_; });
    }
  }

  std::string prefix_;
  std::mutex lock_;
  std::condition_variable stopped_;
  bool stop_{false};
  std::uint64_t serial_{0};
  Told written_;
  Told read_;
  std::vector<std::string> names_;
  std::vector<std::thread> threads_;
};

std::size_t count_after(std::vector<Clock::time_point> const& all, Clock::time_point since) {
  std::size_t out = 0;
  for (Clock::time_point const one : all) out += one > since ? 1 : 0;
  return out;
}

// Of the last one; 0: none came after that.
std::int64_t last_ms(std::vector<Clock::time_point> const& all, Clock::time_point since) {
  return all.empty() || all.back() < since ? 0 : ms_between(since, all.back());
}

class Network {
 public:
  Network() {
    std::string members;
    for (std::size_t at = 0; at < kNodes; ++at)
      members += (at == 0 ? "n" : ",n") + std::to_string(at + 1) + "=http://" + host(at) + ":2380";
    std::vector<std::unique_ptr<ChildProcess>> starts;
    for (std::size_t at = 0; at < kNodes; ++at) {
      configure(at, members);
      starts.push_back(std::make_unique<ChildProcess>(computers.inside(at, "systemctl start etcd fastjournal")));
    }
    for (auto const& one : starts)
      if (one->wait(seconds{100}) != 0) throw std::runtime_error("a node did not start: " + one->output());
  }

  static std::string addresses() { return address(0) + "," + address(1) + "," + address(2); }
  std::string run(std::size_t at, std::string const& script) const {
    ChildProcess child{computers.inside(at, script)};
    if (std::optional<int> const code = child.wait(); code != 0)
      throw std::runtime_error(host(at) + ": " + script + ": " + child.output());
    return child.output();
  }
  // Who owns the log as that one says, who serves or follows; kNone: nobody.
  static std::size_t owner(std::size_t asked) {
    auto const connection = client::Connection::open(hasty(address(asked)));
    if (!connection.ok()) return kNone;
    Result<client::Reply> const told = connection.value()->call("CLUSTER");
    if (!told.ok() || told->first().text("standing") == "unavailable") return kNone;
    for (std::size_t at = 0; at < kNodes; ++at)
      if (told->first().text("address") == address(at)) return at;
    return kNone;
  }
  static std::size_t owner() {
    for (std::size_t at = 0; at < kNodes; ++at)
      if (owner(at) == at) return at;
    return kNone;
  }
  // All agree.
  static bool is_whole() {
    std::size_t const first = owner(0);
    return first != kNone && owner(1) == first && owner(2) == first;
  }
  // True: etcd's leader is that one. Else it is told to be, where there is one.
  [[nodiscard]] bool leads(std::size_t wanted) const {
    std::string id;
    std::size_t leader = kNone;
    for (std::size_t at = 0; at < kNodes; ++at) {
      ChildProcess asked{computers.inside(kClients, etcdctl(at) + "endpoint status")};
      if (asked.wait() != 0) return false;
      // Endpoint, id, version, bytes, is it the leader.
      std::vector<std::string> fields;
      std::istringstream line{asked.output()};
      for (std::string one; std::getline(line, one, ',');) fields.push_back(one.substr(one.find_first_not_of(' ')));
      BOOST_REQUIRE_MESSAGE(fields.size() > 4U, asked.output());
      if (at == wanted) id = fields[1];
      if (fields[4] == "true") leader = at;
    }
    if (leader == kNone || leader == wanted) return leader == wanted;
    ChildProcess told{computers.inside(kClients, etcdctl(leader) + "move-leader " + id)};
    static_cast<void>(told.wait());
    return false;
  }
  // Of the table, on the owner.
  [[nodiscard]] std::string digest(std::size_t at) const {
    std::string const told = run(at, "fastjournal --text call DIGEST table=work");
    std::size_t const begin = told.find("digest=");
    BOOST_REQUIRE_MESSAGE(begin != std::string::npos, told);
    return told.substr(begin, told.find_first_of("; \n", begin) - begin);
  }
  void give_away(std::size_t at) const { run(at, "fastjournal cluster step-down common --for 60s"); }

  Computers computers{kNodes + 1};
  Computers::Visit at_clients{computers, kClients};

 private:
  static std::string etcdctl(std::size_t at) {
    return "ETCDCTL_API=3 etcdctl --endpoints http://" + host(at) + ":2379 ";
  }
  // As doc/cluster.md has it.
  void configure(std::size_t at, std::string const& members) const {
    std::string const peer = "http://" + host(at) + ":2380";
    std::string const url = "http://" + host(at) + ":2379";
    std::string const name = "n" + std::to_string(at + 1);
    std::ofstream{computers.file(at, "etc/default/etcd")}
        << "ETCD_NAME=\"" << name << "\"\nETCD_LISTEN_PEER_URLS=\"" << peer << "\"\nETCD_INITIAL_ADVERTISE_PEER_URLS=\""
        << peer << "\"\nETCD_LISTEN_CLIENT_URLS=\"" << url << "\"\nETCD_ADVERTISE_CLIENT_URLS=\"" << url
        << "\"\nETCD_INITIAL_CLUSTER=\"" << members
        << "\"\nETCD_HEARTBEAT_INTERVAL=\"50\"\nETCD_ELECTION_TIMEOUT=\"500\"\n";
    std::ofstream{computers.file(at, "etc/fastjournal/fastjournal.xml")}
        << "<fastjournal>\n  <listen address=\"" << address(at)
        << "\" plain-text=\"true\" open=\"true\" rights=\"read add work\"/>\n"
        << "  <socket path=\"/run/fastjournal/fastjournal.sock\" mode=\"0600\" rights=\"all\"/>\n"
        << "  <data folder=\"/var/lib/fastjournal\"/>\n  <tables folder=\"tables.d\"/>\n"
        << "  <cluster node=\"" << name << "\" address=\"" << address(at)
        << "\" etcd=\"192.0.2.1:2379, 192.0.2.2:2379, 192.0.2.3:2379\"/>\n"
        << "  <log name=\"shared\"/>\n  <log name=\"common\" engine=\"etcd\" lease=\"" << kLeaseMs
        << "ms\"/>\n</fastjournal>\n";
    std::ofstream{computers.file(at, "etc/fastjournal/tables.d/work.xml")}
        << "<table name=\"work\" model=\"journal\" row-key=\"name\">\n  <log name=\"common\"/>\n"
        << "  <schema><column name=\"name\" type=\"string\" required=\"true\"/></schema>\n"
        << "  <processing-timeout>30s</processing-timeout>\n  <grace>5s</grace>\n</table>\n";
  }
};

bool is_missing() {
  std::string const missing = has_etcd() ? Computers::missing() : "etcd is not installed: etcd-server, etcd-client";
  if (!missing.empty()) BOOST_TEST_MESSAGE("skipped: " << missing);
  return !missing.empty();
}

struct Partition {
  Cut cut;
  bool owner;   // the owner is cut off, else another one
  bool leader;  // what is cut off has etcd's leader
};

char const* text_of(Cut cut) {
  switch (cut) {
    case Cut::both_ways: return "is cut off";
    case Cut::what_it_hears: return "hears nothing";
    case Cut::what_it_says: return "is not heard";
  }
  return "";
}

// One that is cut off while the job runs, and comes back.
void cut_and_heal(Network& network, Job& job, Partition const& partition, int serial) {
  auto const [cut, of_owner, of_leader] = partition;
  BOOST_REQUIRE(job.wait(seconds{60}, [] { return Network::is_whole(); }));
  std::size_t const owner = Network::owner(0);
  std::size_t const at = of_owner ? owner : (owner + 1 + static_cast<std::size_t>(serial) % 2) % kNodes;
  std::size_t const leader = of_leader ? at : of_owner ? (owner + 1) % kNodes : owner;
  BOOST_REQUIRE(job.wait(seconds{60}, [&] { return network.leads(leader); }));
  BOOST_TEST(job.wait_for(200));
  BOOST_REQUIRE(Network::owner(0) == owner);
  Neighbour neighbour{network.computers, at, "beside" + std::to_string(serial) + "-"};
  if (of_owner) BOOST_TEST(job.wait(seconds{10}, [&] { return neighbour.was_answered({}); }));
  job.forget_gaps();
  network.computers.cut(at, cut);
  Clock::time_point const begin = Clock::now();
  // Another one decides, and what is cut off was asked after its lease.
  BOOST_TEST(job.wait_for(400, seconds{30}));
  std::int64_t const gap_ms = job.longest_gap_ms();
  Clock::time_point const end_of_lease = begin + milliseconds{kLeaseMs};
  BOOST_TEST(job.wait(seconds{30}, [&] { return neighbour.was_refused(end_of_lease + seconds{1}); }));
  neighbour.end();
  std::int64_t const cut_ms = ms_between(begin, Clock::now());
  std::size_t const now_owner = Network::owner((at + 1) % kNodes);
  network.computers.heal(at, cut);
  Clock::time_point const healed = Clock::now();
  BOOST_TEST(job.wait(seconds{60}, [] { return Network::is_whole(); }));
  std::int64_t const whole_ms = ms_between(healed, Clock::now());
  Neighbour::Told const written = neighbour.written();
  Neighbour::Told const read = neighbour.read();
  std::ostringstream what;
  what << (of_owner ? "the owner, n" : "a node that follows, n") << at + 1
       << (of_leader ? " with etcd's leader, " : ", ") << text_of(cut);
  BOOST_TEST_MESSAGE(
      what.str() << " for " << cut_ms << " ms: " << gap_ms << " ms without an acknowledgement; beside it the last one "
                 << last_ms(written.answered, begin) << " ms and the last read " << last_ms(read.answered, begin)
                 << " ms after the cut, refused " << count_after(written.refused, begin) << " and "
                 << count_after(read.refused, begin) << " times; all agree " << whole_ms << " ms after it healed");
  BOOST_TEST((now_owner != kNone && now_owner != at), what.str());
  BOOST_TEST((of_owner || now_owner == owner), what.str());
  BOOST_TEST(count_after(written.answered, end_of_lease) == 0U, what.str());
  BOOST_TEST(count_after(read.answered, end_of_lease) == 0U, what.str());
  BOOST_TEST(gap_ms < (of_owner ? 10'000 : 3'000), what.str());
  for (std::string const& name : neighbour.names()) job.expect(name);
}

// One after the other becomes the owner: what each has applied is the same.
void compare(Network const& network, Job& job) {
  auto const connection = connect(Network::addresses());
  for (int row = 0; row < 100; ++row)
    BOOST_TEST(client::Journal(*connection, "work").put({{"name", Value::of_text("last" + std::to_string(row))}}).ok());
  BOOST_REQUIRE(job.wait(seconds{60}, [] { return Network::is_whole(); }));
  std::size_t owner = Network::owner();
  std::string const digest = network.digest(owner);
  for (std::size_t others = 1; others < kNodes; ++others) {
    network.give_away(owner);
    BOOST_REQUIRE(job.wait(seconds{20}, [&] {
      std::size_t const now = Network::owner();
      if (now == kNone || now == owner) return false;
      owner = now;
      return true;
    }));
    // It has taken over when it answers.
    BOOST_TEST(connection->call("PEEK", {{"table", Value::of_text("work")}, {"name", Value::of_text("last0")}}).ok());
    BOOST_TEST(network.digest(owner) == digest);
  }
  BOOST_TEST_MESSAGE("the same on all nodes: " << digest);
}

void play(std::vector<Partition> const& partitions) {
  if (is_missing()) return;
  Network network;
  Job job{Network::addresses()};
  int serial = 0;
  for (int round = 0; round < kRounds; ++round)
    for (Partition const& one : partitions) cut_and_heal(network, job, one, serial++);
  job.end();
  job.check();
  compare(network, job);
}

BOOST_AUTO_TEST_CASE(an_owner_that_is_cut_off_acknowledges_nothing_and_another_node_goes_on) {
  play({{Cut::both_ways, true, false}, {Cut::both_ways, true, true}});
}

BOOST_AUTO_TEST_CASE(a_node_that_follows_may_be_cut_off) {
  play({{Cut::both_ways, false, false}, {Cut::both_ways, false, true}});
}

BOOST_AUTO_TEST_CASE(one_direction_is_enough_to_be_cut_off) {
  play({{Cut::what_it_hears, true, false},
        {Cut::what_it_says, true, false},
        {Cut::what_it_hears, true, true},
        {Cut::what_it_says, true, true},
        {Cut::what_it_hears, false, true},
        {Cut::what_it_says, false, true}});
}

BOOST_AUTO_TEST_SUITE_END()
