// Random lives of three whole daemons that share a log on a simulated etcd, and of their clients. Producers insert rows
// with client and sequence and send again what was not answered, to whichever node; workers take rows and finish them;
// readers ask. Daemons are killed, stopped and started, owners step down; members of etcd, links and answers fail.
//
// What must hold, whatever happens:
//   - a row whose INSERT was acknowledged is there until its DONE was sent, at every node that answers
//   - a row whose DONE was acknowledged is never seen again, and none is inserted twice
//   - no row is handed to two workers under one epoch, and epochs of a row rise
//   - a DONE is not acknowledged once the row was handed to another worker
//   - values that are set and read under a few keys are linearizable (register_history.h)
//   - no two daemons answer for the table at the same time
// At the end, when nothing fails any more, one node owns the log soon, the others have the same state as it has, and
// every row that was acknowledged and not finished is handed out once.
#include <map>
#include <optional>
#include <random>
#include <set>

#include "engine/digest.h"
#include "tests/world/cluster_of_worlds.h"
#include "tests/world/daemon_life.h"
#include "tests/world/lives.h"
#include "tests/world/register_history.h"

namespace fastjournal::sim {
namespace {

using lives::expect;
using lives::parsed;

constexpr std::size_t kClusterProducers = 3;
constexpr std::size_t kClusterWorkers = 3;
constexpr std::size_t kReaders = 2;
constexpr std::size_t kSetters = 3;  // and getters
constexpr std::size_t kClusterKeys = 2;
constexpr std::size_t kNone = ClusterOfWorlds::kNone;

// Of one row, by its name.
struct KnownRow {
  bool is_inserted{false};   // acknowledged
  bool is_done_sent{false};  // a DONE was sent: it may be gone
  bool is_done{false};       // acknowledged
  std::uint64_t epoch{0};    // last handed out
};

class ClusterLife {
 public:
  ClusterLife(std::uint64_t seed, test::Counts& counts) : chance_(seed), counts_(counts), cluster_(options_of(seed)) {
    for (std::size_t at = 0; at < kClusterProducers + kClusterWorkers + kReaders + kSetters; ++at)
      clients_.push_back({.number = at});
    for (std::size_t at = 0; at < ClusterOfWorlds::kWorlds; ++at) start(at);
  }

  void step(std::uint64_t) {
    std::uint64_t const what = draw(1'000);
    if (what < 500)
      clients_act();
    else if (what < 960)
      pass(1 + static_cast<std::int64_t>(draw(20)));
    else if (what < 972)
      kill_one();
    else if (what < 980)
      stop_one();
    else if (what < 984)
      step_down();
    else
      start_one();
    resume_due();
  }
  void end() { come_to_rest(); }

 private:
  static EtcdOptions options_of(std::uint64_t seed) {
    EtcdOptions out;
    out.seed = seed;
    std::mt19937_64 chance{seed};
    if (chance() % 4 != 0) out.faults = EtcdFaults::all();
    return out;
  }
  std::uint64_t draw(std::uint64_t below) { return chance_() % below; }
  std::size_t any_node() { return static_cast<std::size_t>(draw(ClusterOfWorlds::kWorlds)); }

  struct Client {
    std::size_t number{0};
    std::size_t node{0};         // where it sends to
    std::size_t connections{0};  // a new name for each
    std::string waits_for{};     // the line that was sent and not answered; empty: none
    bool is_sent{false};         // on this connection
    bool is_resent{false};       // a connection was lost meanwhile
    std::int64_t again_at{0};    // ms
    std::uint64_t request{0};
    std::string name{};  // of the row
    std::string row{};
    std::uint64_t epoch{0};
    std::uint64_t sequence{0};
    bool was_done{false};  // readers: as of the question
    bool was_there{false};
    std::int64_t asked_at{0};  // setters
    std::string value{};       // to be set; empty: it reads
  };
  [[nodiscard]] bool is_producer(Client const& one) const { return one.number < kClusterProducers; }
  [[nodiscard]] bool is_worker(Client const& one) const {
    return !is_producer(one) && one.number < kClusterProducers + kClusterWorkers;
  }
  [[nodiscard]] static bool is_setter(Client const& one) {
    return one.number >= kClusterProducers + kClusterWorkers + kReaders;
  }
  [[nodiscard]] static std::string name_of(Client const& one) {
    return "c" + std::to_string(one.number) + "-" + std::to_string(one.connections);
  }

  // -- time and faults ------------------------------------------------------------
  void pass(std::int64_t ms) {
    for (std::int64_t at = 0; at < ms; ++at) {
      cluster_.pass(1);
      ++now_ms_;
      look_for_owners();
      for (Client& one : clients_) hear(one);
    }
  }

  // Who serves says so by its answers only; the two must not answer for one log at one moment.
  void look_for_owners() {
    std::size_t serving = 0;
    for (std::size_t at = 0; at < ClusterOfWorlds::kWorlds; ++at) {
      if (!cluster_.is_up(at) || !cluster_.hosted(at).serves) continue;
      ++serving;
      if (at != owner_) {
        owner_ = at;
        ++counts_["owners"];
      }
    }
    expect(serving <= 1, "two daemons answer");
  }

  void start(std::size_t at) {
    Status const status = cluster_.start(at);
    expect(status.ok(), status.text());
  }
  void kill_one() {
    std::size_t const at = any_node();
    if (!cluster_.world(at).is_running()) return;
    cluster_.kill(at, draw(2) == 0);
    stopped_until_.erase(at);
    ++counts_["kills"];
    for (Client& one : clients_)
      if (one.node == at) lose(one);
  }
  void start_one() {
    std::size_t const at = any_node();
    if (!cluster_.world(at).is_running()) start(at);
  }
  void stop_one() {
    std::size_t const at = any_node();
    if (!cluster_.is_up(at)) return;
    cluster_.stop(at);
    stopped_until_[at] = now_ms_ + static_cast<std::int64_t>(draw(6'000));
    ++counts_["stops"];
  }
  void resume_due() {
    for (auto at = stopped_until_.begin(); at != stopped_until_.end();)
      if (now_ms_ >= at->second) {
        cluster_.resume(at->first);
        at = stopped_until_.erase(at);
      } else {
        ++at;
      }
  }
  void step_down() {
    std::size_t const at = cluster_.owner();
    if (at != kNone) cluster_.log(at).step_down(draw(2) == 0 ? 0 : cluster_.world(at).clock().monotonic_us() + 500'000);
  }

  // -- clients ----------------------------------------------------------------------
  void clients_act() {
    Client& one = clients_[static_cast<std::size_t>(draw(clients_.size()))];
    if (one.waits_for.empty()) {
      if (is_producer(one))
        insert(one);
      else if (is_worker(one))
        work(one);
      else if (is_setter(one))
        set_or_get(one);
      else
        read(one);
    }
    go_on(one);
  }

  void ask(Client& one, std::string line) {
    one.waits_for = std::move(line) + ";request=" + std::to_string(++one.request);
    one.is_sent = one.is_resent = false;
    one.again_at = now_ms_;
  }
  // Sends what is not sent, where that is possible now.
  void go_on(Client& one) {
    if (one.waits_for.empty() || one.is_sent || now_ms_ < one.again_at) return;
    if (!cluster_.world(one.node).is_running()) {
      one.node = any_node();
      return;
    }
    // Nobody answers a stopped one, and after a while its client gives it up.
    if (cluster_.is_stopped(one.node) && draw(10) == 0) return lose(one);
    cluster_.world(one.node).send(name_of(one), one.waits_for);
    one.is_sent = true;
    sent_at_[one.number] = now_ms_;
  }
  void hang_up(Client& one) {
    if (cluster_.is_up(one.node)) cluster_.world(one.node).close(name_of(one));
    ++one.connections;
  }
  // Its connection is gone: what was sent may have been done.
  void lose(Client& one) {
    if (one.is_sent) {
      one.is_resent = true;
      ++counts_["commands sent again"];
    }
    hang_up(one);
    one.is_sent = false;
    one.node = any_node();
    one.again_at = now_ms_ + static_cast<std::int64_t>(draw(50));
  }

  void insert(Client& one) {
    one.name = "r" + std::to_string(one.number) + "-" + std::to_string(++one.sequence);
    rows_[one.name];
    ask(one, "INSERT table=own;name=" + one.name + ";client=p" + std::to_string(one.number) +
                 ";sequence=" + std::to_string(one.sequence));
  }
  void work(Client& one) {
    if (one.row.empty()) return ask(one, "NEXT table=own");
    if (draw(4) == 0) {
      // It forgets what it has: the lease ends by itself.
      one.row.clear();
      return;
    }
    rows_[one.name].is_done_sent = true;
    ask(one, "DONE table=own;row=" + one.row + ";epoch=" + std::to_string(one.epoch));
  }
  void read(Client& one) {
    if (rows_.empty()) return;
    auto at = rows_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw(rows_.size())));
    one.name = at->first;
    one.was_done = at->second.is_done;
    one.was_there = at->second.is_inserted && !at->second.is_done_sent;
    ask(one, "PEEK table=own;name=" + one.name);
  }

  void set_or_get(Client& one) {
    one.name = "k" + std::to_string(draw(kClusterKeys));
    one.asked_at = moment();
    one.value.clear();
    if (draw(2) == 0) return ask(one, "GET table=values;key=" + one.name);
    one.value = std::to_string(one.number) + "-" + std::to_string(++one.sequence);
    ask(one, "SET table=values;key=" + one.name + ";value=" + one.value + ";client=s" + std::to_string(one.number) +
                 ";sequence=" + std::to_string(one.sequence));
  }
  void take_of_setter(Client& one, Message const& answer) {
    ++counts_["values set or read"];
    RegisterHistory& history = values_[one.name];
    if (one.value.empty()) {
      bool const is_there = answer.command == "PAIR";
      expect(is_there || answer.command == "NOTHING", "GET: " + std::string{answer.command});
      return history.read(is_there ? std::string{answer.text("value")} : std::string{}, one.asked_at, moment());
    }
    std::string_view const result = answer.text("result");
    expect(answer.command == "STORED" && (result == "stored" || (result == "duplicate" && one.is_resent)),
           "SET: " + std::string{answer.command} + " " + std::string{result} + std::string{answer.text("message")});
    history.write(one.value, one.asked_at, moment());
  }
  // Each another one, and in the order in which things happen.
  [[nodiscard]] std::int64_t moment() { return now_ms_ * 1'000'000 + ++moments_; }

  void hear(Client& one) {
    std::size_t const node = one.node;
    if (!one.waits_for.empty() && one.is_sent) {
      if (!cluster_.world(node).is_running() || cluster_.world(node).is_closed(name_of(one))) return lose(one);
      // It waits for a node that does not answer, and gives up.
      if (now_ms_ - sent_at_[one.number] > 3'000) return lose(one);
      if (cluster_.is_stopped(node)) return;
      while (std::optional<std::string> const line = cluster_.world(node).take_line(name_of(one))) {
        Message const answer = parsed(*line);
        if (answer.text("request") != std::to_string(one.request)) continue;
        take(one, answer);
        if (one.waits_for.empty() || !one.is_sent) break;
      }
    }
    go_on(one);
  }

  void take(Client& one, Message const& answer) {
    if (answer.command == "ERROR" && (answer.text("code") == "moved" || answer.text("code") == "unavailable")) {
      one.is_sent = false;
      one.again_at = now_ms_ + answer.integer("retry").value_or(1);
      if (answer.text("code") != "moved") return;
      ++counts_["answers that named another node"];
      hang_up(one);
      one.node = ClusterOfWorlds::at_address(answer.text("address"));
      expect(one.node != kNone, "moved without an address");
      return;
    }
    one.waits_for.clear();
    if (is_producer(one)) return take_of_producer(one, answer);
    if (is_worker(one)) return take_of_worker(one, answer);
    if (is_setter(one)) return take_of_setter(one, answer);
    ++counts_["rows read"];
    bool const is_there = answer.command == "ROW";
    if (one.was_there)
      expect(is_there || rows_[one.name].is_done_sent, one.name + " was acknowledged and is not there");
    if (one.was_done) expect(!is_there, one.name + " was finished and is there");
  }

  void take_of_producer(Client& one, Message const& answer) {
    expect(answer.command == "INSERTED" || (answer.command == "ERROR" && answer.text("code") == "no_space"),
           "INSERT: " + std::string{answer.command} + " " + std::string{answer.text("message")});
    if (answer.command != "INSERTED") {
      --one.sequence;
      return;
    }
    std::string_view const result = answer.text("result");
    expect(result == "inserted" || (result == "duplicate" && one.is_resent), one.name + ": " + std::string{result});
    rows_[one.name].is_inserted = true;
    ++counts_["rows inserted"];
  }

  void take_of_worker(Client& one, Message const& answer) {
    if (one.row.empty()) {
      if (answer.command == "ROW") take_row(one, answer);
      return;
    }
    KnownRow& row = rows_[one.name];
    std::string const id = std::exchange(one.row, {});
    if (answer.command == "COMPLETED" || (one.is_resent && answer.text("code") == "unknown_row")) {
      expect(row.epoch == one.epoch || answer.command != "COMPLETED",
             one.name + ": DONE under epoch " + std::to_string(one.epoch) + ", and " + std::to_string(row.epoch) +
                 " was handed out");
      row.is_done = true;
      ++counts_["rows done"];
      return;
    }
    std::string_view const code = answer.text("code");
    bool const is_late = code == "stale_epoch" || code == "not_leased" || (code == "unknown_row" && row.is_done);
    expect(is_late, one.name + " (" + id + "): DONE: " + std::string{code});
  }

  void take_row(Client& one, Message const& answer) {
    one.name = answer.text("name");
    one.row = answer.text("row");
    one.epoch = answer.find("epoch") == nullptr ? 0 : std::stoull(std::string{answer.text("epoch")});
    KnownRow& row = rows_[one.name];
    expect(!row.is_done, one.name + " was finished and is handed out");
    expect(one.epoch > row.epoch,
           one.name + ": epoch " + std::to_string(one.epoch) + " after " + std::to_string(row.epoch));
    row.epoch = one.epoch;
  }

  // -- the end -----------------------------------------------------------------------
  void come_to_rest() {
    cluster_.etcd().calm();
    cluster_.etcd().disarm();
    for (auto const& [at, until] : stopped_until_) cluster_.resume(at);
    stopped_until_.clear();
    for (std::size_t at = 0; at < ClusterOfWorlds::kWorlds; ++at)
      if (!cluster_.world(at).is_running()) start(at);
    pass(20'000);
    std::size_t const owner = cluster_.owner();
    expect(owner != kNone, "nobody owns the log in the end: " + why_not());
    for (int ms = 0; ms < 30'000 && is_any_waiting(); ++ms) pass(1);
    expect(!is_any_waiting(), "a command is never answered");
    pass(1'000);
    for (std::size_t at = 0; at < ClusterOfWorlds::kWorlds; ++at)
      expect(engine::digest_of(cluster_.hosted(at)) == engine::digest_of(cluster_.hosted(cluster_.owner())),
             "node " + std::to_string(at) + " has another state than the owner");
    // Leases of workers that forgot them end.
    pass(400'000 / 1000);
    drain();
    for (auto const& [key, history] : values_) expect(history.check().empty(), key + ": " + history.check());
  }
  [[nodiscard]] bool is_any_waiting() const {
    return std::ranges::any_of(clients_, [](Client const& one) { return !one.waits_for.empty(); });
  }
  [[nodiscard]] std::string why_not() {
    std::string out;
    for (std::size_t at = 0; at < ClusterOfWorlds::kWorlds; ++at)
      out += std::to_string(at) + ": phase " + std::to_string(static_cast<int>(cluster_.log(at).phase())) + ", " +
             cluster_.log(at).why().message() + "; ";
    return out;
  }

  // Every row that must be there is, and none that must not.
  void drain() {
    World& world = cluster_.world(cluster_.owner());
    for (auto const& [name, row] : rows_) {
      world.send("judge", "PEEK table=own;name=" + name);
      pass(1);
      std::optional<std::string> line = world.take_line("judge");
      for (int ms = 0; ms < 1'000 && !line; ++ms) {
        pass(1);
        line = world.take_line("judge");
      }
      expect(line.has_value(), "no answer to PEEK");
      bool const is_there = parsed(*line).command == "ROW";
      if (row.is_inserted && !row.is_done_sent) expect(is_there, name + " is lost: " + *line);
      if (row.is_done) expect(!is_there, name + " was finished and is there: " + *line);
    }
  }

  std::mt19937_64 chance_;
  test::Counts& counts_;
  ClusterOfWorlds cluster_;
  std::vector<Client> clients_;
  std::map<std::string, KnownRow> rows_;
  std::map<std::string, RegisterHistory> values_;
  std::int64_t moments_{0};
  std::map<std::size_t, std::int64_t> stopped_until_;
  std::map<std::size_t, std::int64_t> sent_at_;
  std::int64_t now_ms_{0};
  std::size_t owner_{kNone};
};

}  // namespace

test::LifeResult live_in_cluster(std::uint64_t seed, std::uint64_t steps) {
  return test::live<ClusterLife>(seed, steps);
}

}  // namespace fastjournal::sim
