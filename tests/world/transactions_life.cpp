// Lives of transactions in the daemon, local and distributed ones: workers move tokens around a ring of journals. Each
// move finishes a row of one journal, inserts the token into another, stores how often the token was moved in a blob, and
// counts it in a key/value table, all in one transaction, which may be rolled back, refused, left alone, sent as a whole, or under way when the power is cut; or it
// is a branch that is prepared and resolved much later. The tables are in one log, two or three, each of which loses
// what was not synced by itself. After each end every token must be in the ring exactly once, and the moves that the
// tokens have made are those that were counted, and those in their blobs: never half a transaction, and none lost that was
// acknowledged. At the end of a life no bytes are left of what was rolled back.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "tests/world/daemon_life.h"
#include "tests/world/lives.h"

namespace fastjournal::sim {
namespace {

using lives::ask;
using lives::Counts;
using lives::expect;
using lives::parsed;

constexpr std::size_t kTablesCount = 3;
constexpr std::size_t kTokens = 12;
constexpr std::array<std::string_view, 3> kWorkers{"w0", "w1", "w2"};

std::string table_of(std::size_t number) { return "ring" + std::to_string(number); }

// A world with the ring and the counters, in one log, two or three. Of several, home is the first by name.
void build(World& world, std::size_t logs) {
  constexpr std::array<std::array<std::string_view, kTablesCount>, 4> kLogs{
      {{}, {"shared", "shared", "shared"}, {"shared", "alone", "shared"}, {"alone", "shared", "third"}}};
  expect(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/values.xml").ok(), "the table was refused");
  expect(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok(), "the table was refused");
  expect(world.add_table(FJ_SOURCE_DIR "/tests/world/tables/blobs.xml").ok(), "the table was refused");
  auto blobs = std::make_shared<TableDeclaration>(*world.declaration("blobs"));
  blobs->log = kLogs[logs][1];
  world.add_table(blobs);
  for (std::size_t i = 0; i < kTablesCount; ++i) {
    auto ring = std::make_shared<TableDeclaration>(*world.declaration("jobs"));
    ring->name = table_of(i);
    ring->log = kLogs[logs][i];
    world.add_table(ring);
  }
  world.remove_table("jobs");
}

// The blob of a token, as base64: how often it was moved, and some more bytes.
std::string blob_of(std::int64_t hops, std::size_t bytes) {
  std::string out = "h" + std::to_string(hops) + "x";
  while (out.size() < bytes || out.size() % 4 != 0) out += 'a';
  return out;
}
std::int64_t hops_of(std::string_view blob) {
  return blob.starts_with('h') ? std::stoll(std::string{blob.substr(1)}) : -1;
}

struct Held {
  std::size_t table{0};
  std::string token;
  std::string row;
  std::string epoch;
  std::int64_t hops{0};
};

struct Ring {
  std::map<std::string, int> tokens;  // how often each is there
  std::int64_t hops{0};               // of all
  std::int64_t moves{0};              // as counted
  std::string wrong{};                // of a blob
};

Ring look(World& world) {
  Ring out;
  for (std::size_t table = 0; table < kTablesCount; ++table)
    for (Message const& row : ask(world, "look", "LIST table=" + table_of(table) + ";count=1000")) {
      if (row.command != "ROW") continue;
      std::string const token{row.text("name")};
      std::int64_t const hops = row.integer("payload").value_or(0);
      ++out.tokens[token];
      out.hops += hops;
      std::int64_t const blob =
          hops_of(ask(world, "look", "GET table=blobs;key=" + token + ";data=1").front().text("data"));
      if (blob != hops)
        out.wrong = token + " was moved " + std::to_string(hops) + " times, and its blob says " + std::to_string(blob);
    }
  for (Message const& counter : ask(world, "look", "GET table=values;prefix=moves"))
    out.moves += counter.integer("value").value_or(0);
  return out;
}

// Nothing is under way: of transactions over several logs nothing is left but branches that wait for their manager, and
// none is in doubt because of a log.
std::string left_in(World& world) {
  std::set<std::string> branches;
  for (Message const& branch : ask(world, "admin", "XA_RECOVER count=1000")) {
    if (branch.command != "BRANCH") continue;
    branches.emplace(branch.text("xid"));
    if (branch.has("home")) return "the home of " + std::string{branch.text("xid")} + " is said to be lost";
  }
  for (auto const& log : world.engine().logs())
    for (auto const& [object, entry] : log->catalogue.transactions().all())
      if (!branches.contains(entry.xid)) return "log " + log->name + " still has something of " + entry.xid;
  return {};
}

std::string wrong_in(Ring const& ring) {
  if (!ring.wrong.empty()) return ring.wrong;
  for (auto const& [token, times] : ring.tokens)
    if (times != 1) return "token " + token + " is there " + std::to_string(times) + " times";
  if (ring.tokens.size() != kTokens)
    return std::to_string(ring.tokens.size()) + " tokens are there, and should be " + std::to_string(kTokens);
  if (ring.hops != ring.moves)
    return "the tokens were moved " + std::to_string(ring.hops) + " times, and " + std::to_string(ring.moves) +
           " moves were counted";
  return {};
}

void fill_ring(World& world) {
  for (std::size_t i = 0; i < kTokens; ++i) {
    std::vector<Message> const answer =
        ask(world, "look", "INSERT table=ring0;name=t" + std::to_string(i) + ";payload=0");
    expect(answer.front().command == "INSERTED", "a token was refused");
    std::string const put = "PUT table=blobs;key=t" + std::to_string(i) + ";data=" + blob_of(0, 8);
    expect(ask(world, "look", put).front().command == "STORED", "a blob was refused");
  }
}

// The commands of a transaction that moves these.
std::vector<std::string> moves_of(std::vector<Held> const& rows, std::string const& counter, std::mt19937_64& random) {
  std::vector<std::string> out;
  for (Held const& one : rows) {
    std::size_t const to = (one.table + 1 + random() % (kTablesCount - 1)) % kTablesCount;
    out.push_back("DONE table=" + table_of(one.table) + ";row=" + one.row + ";epoch=" + one.epoch);
    out.push_back("INSERT table=" + table_of(to) + ";name=" + one.token + ";payload=" + std::to_string(one.hops + 1));
    std::size_t const bytes = random() % 16 == 0 ? 90'000 : random() % 6'000;
    out.push_back("PUT table=blobs;key=" + one.token + ";data=" + blob_of(one.hops + 1, bytes));
  }
  out.push_back("ADD table=values;key=" + counter + ";by=" + std::to_string(rows.size()));
  return out;
}

class TransactionsLife final : private lives::DaemonLife {
 public:
  TransactionsLife(std::uint64_t seed, Counts& counts) : DaemonLife(seed, counts, {}) {
    build(world_, 1 + seed % 3);
    if (seed % 4 == 0) world_.log_options.sync_place = log::SyncPlace::on_thread;
    start();
    fill_ring(world_);
  }

  void step(std::uint64_t) {
    std::uint64_t const dice = draw(100);
    Worker& worker = workers_[draw(kWorkers.size())];
    if (dice < 30) {
      take(worker);
    } else if (dice < 66) {
      move(worker);
    } else if (dice < 76) {
      move_in_a_branch(worker);
    } else if (dice < 80) {
      resolve(worker);
    } else if (dice < 86) {
      world_.advance(DurationMs{static_cast<std::int64_t>(draw(draw(8) == 0 ? 70'000 : 8'000))});
      read_all();
    } else if (dice < 89) {
      if (draw(2) == 0)
        static_cast<void>(lives::ask(world_, "admin", "KICK table=" + table_of(draw(kTablesCount))));
      else
        maintain();
    } else if (dice < 92) {
      read_all();
      world_.close(worker.name);
      worker.forget();
      world_.settle();
    } else if (dice < 94) {
      // Nothing is under way: the ring is looked at table by table.
      world_.settle();
      read_all();
      check();
    } else {
      end_daemon(dice);
    }
  }
  void end() {
    end_daemon(99);
    leave_nothing();
  }

 private:
  struct Worker {
    std::string name;
    std::vector<Held> held{};
    std::deque<std::int64_t> under_way{};  // moves of each transaction whose end was not answered; -1: a ROLLBACK
    bool in_transaction{false};            // it was left open,
    std::int64_t open_moves{0};            // with so many moves

    void forget() {
      open_moves = 0;
      held.clear();
      under_way.clear();
      in_transaction = false;
    }
  };

  void take(Worker& worker) {
    if (worker.in_transaction) return;
    std::size_t const table = draw(kTablesCount);
    world_.send(worker.name, "NEXT table=" + table_of(table) + ";count=" + std::to_string(1 + draw(3)));
    world_.settle();
    read(worker);
  }

  void move(Worker& worker) {
    std::vector<Held> rows;
    std::size_t const count = 1 + draw(4);
    while (!worker.held.empty() && rows.size() < count) {
      rows.push_back(worker.held.back());
      worker.held.pop_back();
    }
    if (rows.empty() && draw(4) != 0) return;
    // Sometimes a counter that others use as well, and hold.
    std::string const counter = draw(4) == 0 ? "moves" : "moves-" + worker.name;
    std::vector<std::string> const commands = moves_of(rows, counter, random_);
    auto const moves = static_cast<std::int64_t>(rows.size());
    if (!worker.in_transaction && draw(4) == 0) {
      world_.send(worker.name, lives::whole_transaction(commands));
      worker.under_way.push_back(moves);
    } else {
      if (!worker.in_transaction) world_.send(worker.name, "BEGIN timeout=" + std::to_string(1000 + draw(59'000)));
      for (std::string const& command : commands) {
        world_.send(worker.name, command);
        if (draw(8) == 0) world_.settle();
      }
      if (draw(12) == 0) world_.send(worker.name, "PEEK table=ring0;row=1");  // refused: it ends the transaction
      std::uint64_t const dice = draw(10);
      worker.in_transaction = dice == 0;
      if (dice == 0) {
        // Left open: further commands, time or a loss follow.
        worker.open_moves += moves;
      } else {
        worker.under_way.push_back(dice == 1 ? -1 : moves + worker.open_moves);
        worker.open_moves = 0;
        world_.send(worker.name, dice == 1 ? "ROLLBACK" : "COMMIT");
      }
    }
    if (draw(3) == 0) return;  // under way
    world_.settle();
    read(worker);
  }

  // Left in doubt, mostly.
  void move_in_a_branch(Worker& worker) {
    if (worker.in_transaction || worker.held.empty()) return;
    std::vector<Held> rows{worker.held.back()};
    worker.held.pop_back();
    std::string const xid = "7:" + hex_of(++branches_) + ":";
    moves_of_branch_[xid] = static_cast<std::int64_t>(rows.size());
    world_.send(worker.name, "XA_START xid=" + xid);
    for (std::string const& command : moves_of(rows, "moves-" + xid.substr(2, xid.size() - 3), random_))
      world_.send(worker.name, command);
    world_.send(worker.name, "XA_END xid=" + xid);
    world_.send(worker.name, "XA_PREPARE xid=" + xid);
    if (draw(3) == 0) return;  // under way
    world_.settle();
    read(worker);
  }

  // Any worker's branch: they have one origin.
  void resolve(Worker& worker) {
    if (worker.in_transaction || prepared_.empty()) return;
    auto const one = std::next(prepared_.begin(), static_cast<std::ptrdiff_t>(draw(prepared_.size())));
    world_.send(worker.name, (draw(3) == 0 ? "XA_ROLLBACK xid=" : "XA_COMMIT xid=") + *one);
    prepared_.erase(one);
    if (draw(3) == 0) return;
    world_.settle();
    read(worker);
  }

  // The files of blobs are exchanged, with transactions that are open or in doubt.
  void maintain() {
    static_cast<void>(lives::ask(world_, "admin", "MAINTAIN table=blobs"));
    if (draw(3) == 0) world_.advance(DurationMs{61'000});
    read_all();
  }

  std::int64_t figure(std::string const& name) { return ask("STATS table=blobs").front().integer(name).value_or(-1); }
  // What was rolled back, and what was replaced, takes no space behind a maintenance.
  void leave_nothing() {
    for (std::string const& xid : prepared_)
      expect(ask("XA_ROLLBACK xid=" + xid).front().command == "ROLLED_BACK", "a branch stays");
    expect(figure("outside_promised_bytes") == 0, "bytes are promised to nobody");
    for (int i = 0; i < 2; ++i) {
      world_.advance(DurationMs{180'000});
      static_cast<void>(lives::ask(world_, "admin", "MAINTAIN table=blobs"));
      world_.advance(DurationMs{180'000});
    }
    check();
    expect(figure("outside_files") == 1, "an older file stays");
    constexpr std::int64_t kHeader = 4096;
    std::int64_t const most = kHeader + figure("outside_named_bytes") + 8 * static_cast<std::int64_t>(kTokens);
    expect(figure("outside_file_bytes") <= most, std::to_string(figure("outside_file_bytes")) + " bytes are taken");
  }

  // What was acknowledged as prepared is in doubt, and nobody else's is; each is resolved, or stays.
  void check_prepared() {
    std::set<std::string> listed;
    for (Message const& branch : ask("XA_RECOVER count=1000"))
      if (branch.command == "BRANCH") listed.emplace(branch.text("xid"));
    for (std::string const& xid : prepared_)
      expect(listed.contains(xid), "branch " + xid + " was prepared, and is not in doubt");
    prepared_ = listed;
  }

  static std::string hex_of(std::uint64_t number) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[number >> static_cast<unsigned>(shift) & 15U];
    return out;
  }

  void read_all() {
    for (Worker& worker : workers_) read(worker);
  }
  void read(Worker& worker) {
    while (std::optional<std::string> line = world_.take_line(worker.name)) {
      Message const answer = parsed(*line);
      std::string_view const about = answer.text("command");
      if (answer.command == "ROW" && answer.has("epoch")) {
        worker.held.push_back({.table = static_cast<std::size_t>(answer.text("table").back() - '0'),
                               .token = std::string{answer.text("name")},
                               .row = std::string{answer.text("row")},
                               .epoch = std::string{answer.text("epoch")},
                               .hops = answer.integer("payload").value_or(0)});
      } else if (answer.command == "PREPARED") {
        prepared_.emplace(answer.text("xid"));
      } else if (answer.has("xid")) {
        if (answer.command == "COMMITTED") acknowledged_ += moves_of_branch_.at(std::string{answer.text("xid")});
        counts_["transactions committed"] += answer.command == "COMMITTED" ? 1 : 0;
      } else if (answer.command == "COMMITTED") {
        expect(!worker.under_way.empty() && worker.under_way.front() >= 0, "COMMITTED of nothing");
        acknowledged_ += worker.under_way.front();
        worker.under_way.pop_front();
        ++counts_["transactions committed"];
      } else if (answer.command == "ROLLED_BACK") {
        expect(!worker.under_way.empty() && worker.under_way.front() < 0, "ROLLED_BACK of nothing");
        worker.under_way.pop_front();
      } else if (answer.command == "ERROR") {
        ++counts_["commands refused"];
        if (about != "COMMIT" && about != "ROLLBACK" && about != "TRANSACTION") continue;
        expect(!worker.under_way.empty(), "a refusal of nothing: " + *line);
        worker.under_way.pop_front();
      }
    }
  }

  void end_daemon(std::uint64_t dice) {
    read_all();
    if (dice < 96) {
      // The power goes at one of the next writes; what is acknowledged before counts.
      world_.disk().stop_after(draw(6));
      for (Worker& worker : workers_) {
        if (worker.in_transaction) {
          world_.send(worker.name, "COMMIT");
          worker.under_way.push_back(std::exchange(worker.open_moves, 0));
          worker.in_transaction = false;
        } else {
          move(worker);
        }
      }
      world_.settle();
      read_all();
    }
    start_again(dice < 98, workers_);
    check();
    expect(left_in(world_).empty(), left_in(world_));
    check_prepared();
  }

  void check() {
    Ring const ring = look(world_);
    expect(wrong_in(ring).empty(), wrong_in(ring));
    expect(ring.moves >= acknowledged_, std::to_string(acknowledged_) + " moves were acknowledged, and " +
                                            std::to_string(ring.moves) + " are there");
    acknowledged_ = ring.moves;
  }

  std::array<Worker, kWorkers.size()> workers_{
      {{std::string{kWorkers[0]}}, {std::string{kWorkers[1]}}, {std::string{kWorkers[2]}}}};
  std::int64_t acknowledged_{0};
  std::uint64_t branches_{0};                            // begun so far
  std::map<std::string, std::int64_t> moves_of_branch_;  // by xid
  std::set<std::string> prepared_;                       // xids, acknowledged and not resolved by us
};

// One world, a transaction that moves `count` tokens, and the power that goes at the n-th call of its COMMIT.
class Cut {
 public:
  // What the power is cut in.
  enum class Where : std::uint8_t { commit, prepare, commit_prepared, roll_back_prepared, whole };

  Cut(std::uint64_t seed, std::size_t count, Where where, std::size_t logs)
      : random_(seed), world_(seed), where_(where), is_in_several_(logs > 1) {
    if (logs > 1 && random_() % 3 == 0) world_.log_options.sync_place = log::SyncPlace::on_thread;
    // A turn is written in many parts, as a large one is, and none of them may divide a transaction.
    world_.log_options.batch_bytes_max = 4096;
    build(world_, logs);
    expect(world_.start().ok(), "the first start was refused");
    fill_ring(world_);
    // Where the batch of the COMMIT lies in its segment is drawn as well.
    std::string const filler(random_() % 40'000, 'x');
    static_cast<void>(ask(world_, "look", "SET table=values;key=filler;value=" + filler));
    std::vector<Held> rows;
    for (Message const& row : ask(world_, "w", "NEXT table=ring0;count=" + std::to_string(count)))
      rows.push_back({.table = 0,
                      .token = std::string{row.text("name")},
                      .row = std::string{row.text("row")},
                      .epoch = std::string{row.text("epoch")}});
    expect(rows.size() == count, "rows were not handed out");
    count_ = static_cast<std::int64_t>(count);
    if (where == Where::whole) {
      command_ = lives::whole_transaction(moves_of(rows, "moves", random_));
      return;
    }
    bool const is_branch = where != Where::commit;
    static_cast<void>(ask(world_, "w", is_branch ? "XA_START xid=7:ab:" : "BEGIN"));
    for (std::string const& command : moves_of(rows, "moves", random_))
      expect(ask(world_, "w", command).front().command == "PROMISED", command + " was refused");
    if (is_branch) static_cast<void>(ask(world_, "w", "XA_END xid=7:ab:"));
    if (where == Where::commit_prepared || where == Where::roll_back_prepared)
      expect(ask(world_, "w", "XA_PREPARE xid=7:ab:").front().command == "PREPARED", "XA_PREPARE was refused");
    constexpr std::array<std::string_view, 4> kCommands{
        "COMMIT", "XA_PREPARE xid=7:ab:", "XA_COMMIT xid=7:ab:", "XA_ROLLBACK xid=7:ab:"};
    command_ = kCommands[static_cast<std::size_t>(where)];
  }

  // False: the COMMIT was over before. `done`: all of the transaction is there.
  bool cut_at(std::uint64_t call, bool& done) {
    world_.disk().stop_after(call);
    world_.send("w", command_);
    world_.settle();
    std::optional<std::string> const answer = world_.take_line("w");
    bool const is_over = !world_.disk().is_stopped();
    bool const acknowledged = answer && !answer->starts_with("ERROR");
    world_.power_cut();
    if (is_in_several_ && random_() % 2 == 0) {
      // And once more within the start that resolves it.
      world_.disk().stop_after(random_() % 24);
      static_cast<void>(world_.start());
      world_.power_cut();
    }
    expect(world_.start().ok(), "the start was refused");
    while (world_.take_line("look")) {
    }
    expect(left_in(world_).empty(), left_in(world_));
    Ring const ring = look(world_);
    expect(wrong_in(ring).empty(), wrong_in(ring));
    expect(ring.moves == 0 || ring.moves == count_, "half a transaction");
    done = ring.moves == count_;
    if (where_ == Where::commit || where_ == Where::whole) {
      expect(!acknowledged || done, "an acknowledged transaction is gone");
      return !is_over;
    }
    bool const in_doubt = ask(world_, "look", "XA_RECOVER").front().command == "BRANCH";
    expect(!in_doubt || !done, "a branch is in doubt, and was carried out");
    switch (where_) {
      case Where::commit:
      case Where::whole: break;
      case Where::prepare: expect(!done && (!acknowledged || in_doubt), "a prepared branch is gone"); break;
      case Where::commit_prepared: expect(in_doubt != done && (!acknowledged || done), "a commit is gone"); break;
      case Where::roll_back_prepared: expect(!done && (!acknowledged || !in_doubt), "a rollback is gone"); break;
    }
    if (in_doubt) {
      bool const commits = random_() % 2 == 0;
      std::string const ended =
          ask(world_, "look", commits ? "XA_COMMIT xid=7:ab:" : "XA_ROLLBACK xid=7:ab:").front().command == "ERROR"
              ? "no"
              : "";
      expect(ended.empty(), "a branch in doubt cannot be ended");
      world_.power_cut();
      expect(world_.start().ok(), "the start was refused");
      while (world_.take_line("look")) {
      }
      Ring const after = look(world_);
      expect(wrong_in(after).empty() && after.moves == (commits ? count_ : 0), "a branch ended as it was not told to");
      done = commits;
    }
    return !is_over;
  }

 private:
  std::mt19937_64 random_;
  World world_;
  Where where_;
  bool is_in_several_;
  std::int64_t count_{0};
  std::string command_;  // that is cut
};

}  // namespace

test::LifeResult live_with_transactions(std::uint64_t seed, std::uint64_t steps) {
  return test::live<TransactionsLife>(seed, steps);
}

namespace {

void lose_home(std::uint64_t seed) {
  World world{seed};
  world.log_options.sync_place = log::SyncPlace::on_thread;
  build(world, 3);
  expect(world.start().ok(), "the first start was refused");
  auto const copy = world.disk().image();
  fill_ring(world);
  std::mt19937_64 random{seed};
  std::vector<Held> rows;
  for (Message const& row : ask(world, "w", "NEXT table=ring0;count=3"))
    rows.push_back({.token = std::string{row.text("name")},
                    .row = std::string{row.text("row")},
                    .epoch = std::string{row.text("epoch")}});
  static_cast<void>(ask(world, "w", "BEGIN"));
  for (std::string const& command : moves_of(rows, "moves", random))
    expect(ask(world, "w", command).front().command == "PROMISED", command + " was refused");
  // The parts become durable, and what home writes is never told to be.
  world.hold_syncs(world.log("alone"), true);
  world.send("w", "COMMIT");
  world.settle();
  expect(!world.take_line("w"), "COMMIT was answered before its outcome was durable");
  world.hold_syncs(world.log("alone"), false);
  world.power_cut();
  auto image = world.disk().image();
  std::erase_if(image, [](auto const& file) { return file.first.starts_with("alone/"); });
  for (auto const& [name, bytes] : copy)
    if (name.starts_with("alone/")) image[name] = bytes;
  world.disk().restore(image);
  Message branch;
  for (int starts = 0; starts < 2; ++starts) {
    expect(world.start().ok(), "the start with an older home was refused");
    branch = std::move(ask(world, "admin", "XA_RECOVER").front());
    expect(branch.text("home") == "lost", "an older home was believed");
    expect(ask(world, "look", "GET table=values;key=moves").front().command == "NOTHING", "a part was carried out");
    // It grows beyond what it was, and does not know more by that.
    for (int i = 0; i < 100; ++i)
      static_cast<void>(ask(world, "look", "INSERT table=ring0;name=n" + std::to_string(i) + ";payload=0"));
    world.kill();
  }
  expect(world.start().ok(), "a start was refused");
  bool const commits = seed % 2 == 0;
  std::string const decide = "XA_DECIDE xid=" + std::string{branch.text("xid")} + ";outcome=";
  expect(ask(world, "admin", decide + (commits ? "commit" : "rollback")).front().command == "DECIDED",
         "it could not be decided");
  for (int starts = 0; starts < 2; ++starts) {
    expect(left_in(world).empty(), left_in(world));
    bool const is_there = ask(world, "look", "GET table=values;key=moves").front().command != "NOTHING";
    expect(is_there == commits, "a decision was not carried out");
    world.power_cut();
    expect(world.start().ok(), "a start was refused");
  }
}

}  // namespace

std::string lose_homes(std::uint64_t seed, std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) {
    try {
      lose_home(seed + i);
    } catch (std::exception const& error) {
      return "seed " + std::to_string(seed + i) + ": " + error.what();
    }
  }
  return {};
}

test::LifeResult cut_commits(std::uint64_t seed, std::uint64_t cuts) {
  test::LifeResult out;
  std::uint64_t& done_cuts = out.counts["steps"];
  for (std::uint64_t round = 0; done_cuts < cuts; ++round) {
    std::size_t const count = 1 + round % kTokens;
    std::size_t const logs = 3 - round / 5 % 3;
    for (std::uint64_t call = 0;; ++call) {
      try {
        Cut cut(seed * 1'000'003 + round * 101 + call, count, static_cast<Cut::Where>(round % 5), logs);
        bool done = false;
        bool const was_cut = cut.cut_at(call, done);
        ++done_cuts;
        ++out.counts[done ? "cuts that left all of the transaction" : "cuts that left nothing of it"];
        if (logs > 1) ++out.counts["cuts in several logs"];
        if (!was_cut) break;
      } catch (std::exception const& error) {
        out.wrong = "round " + std::to_string(round) + ", call " + std::to_string(call) + ": " + error.what();
        return out;
      }
    }
  }
  return out;
}

}  // namespace fastjournal::sim
