#include "tests/world/play.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "storage/log_reader.h"
#include "tests/world/follower.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

constexpr std::uint64_t kRoomy = 1ULL << 40U;
constexpr char kCommunicator[] = "unix:/run/communicatord.sock";
// Twice the wake-timeout: whoever was told and took something is waited for once more.
constexpr std::int64_t kTellAgainMs = 10'000;

class Player {
 public:
  Player(std::uint64_t seed, std::uint64_t steps, bool lying_disk)
      : seed_(seed), random_(seed), following_(~seed), world_(seed), steps_(steps), lying_disk_(lying_disk) {
    if (seed % 3 == 0) world_.log_options.sync_place = storage::SyncPlace::on_thread;
    world_.disk().ignore_syncs(lying_disk);
  }

  PlayResult run() {
    wrong_if(world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml"));
    // Little is kept, so that followers that were away have to begin anew.
    world_.set_feed("jobs", feed_that_keeps(following_() % 2 == 0 ? 8'000U : 1U << 20U));
    if (seed_ % 2 == 1) tell_communicator();
    world_.network().set_weather({.lost = 50, .doubled = 50, .late = 50, .refused = 10}, following_());
    if (result_.wrong.empty()) wrong_if(world_.start());
    while (result_.wrong.empty() && result_.steps < steps_) {
      ++result_.steps;
      step();
    }
    world_.disk().set_capacity(kRoomy);
    if (result_.wrong.empty()) compare_everything();
    if (result_.wrong.empty() && !lying_disk_) stray();
    if (!result_.wrong.empty()) result_.wrong = "step " + std::to_string(result_.steps) + ": " + result_.wrong;
    return std::move(result_);
  }

 private:
  struct Held {
    std::string epoch;
    std::int64_t end;  // ms
  };
  struct Known {
    std::string key;
    std::uint64_t highest_epoch{0};
    std::int64_t leased_until{0};  // by somebody who has not given it up
    bool told{false};              // its INSERT was acknowledged
    bool may_be_gone{false};       // somebody may have ended it: an answer was lost, or time did
    bool gone{false};              // its end was acknowledged
  };

  // What a client listens to, and what it heard.
  struct Listening {
    std::string mode;
    std::uint64_t credit{0};
    std::map<std::string, std::int64_t> delivered;  // deliver: rows and the ends of their leases
    std::set<std::string> told;                     // row
    bool idle{true};                                // wake: it asked and got nothing
    bool woken{false};                              // wake: and took nothing since
    bool passed_over{false};                        // wake: perhaps, as time passed since then
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  void wrong_if(Status const& status) {
    if (!status.ok() && result_.wrong.empty()) result_.wrong = status.text();
  }
  void wrong(std::string text) {
    if (result_.wrong.empty() && !text.empty()) result_.wrong = std::move(text);
  }

  void step() {
    if (full_until_ != 0 && result_.steps >= full_until_) end_of_full_disk();
    std::uint64_t const dice = draw(1000);
    if (dice < 3) {
      crash(true);
    } else if (dice < 5) {
      crash(false);
    } else if (dice < 6) {
      end_of_full_disk();
      wrong_if(world_.stop());
      start_again(false);
    } else if (dice < 8) {
      fail_a_call();
    } else if (dice < 9) {
      fill_disk();
    } else if (dice < 11) {
      rot();
    } else if (dice < 60) {
      for (auto& [name, listening] : listening_) listening.passed_over = listening.woken;
      time_passes_ = true;
      world_.advance(DurationMs{static_cast<std::int64_t>(draw(draw(4) == 0 ? 120'000 : 800))});
      hear_pushes();
      time_passes_ = false;
      time_passed();
    } else if (dice < 70) {
      std::string const name = client();
      world_.close(name);
      listening_.erase(name);
      close_client_in_books();
      hear_pushes();
    } else if (dice < 80) {
      listen(client());
    } else {
      command(dice);
    }
    if (result_.wrong.empty()) hear_wakes();
    if (result_.wrong.empty()) follow();
    if (result_.wrong.empty() && draw(64) == 0) compare_digest();
    if (result_.wrong.empty() && draw(8) == 0) nobody_waits_in_vain();
  }

  // Now and then somebody begins to follow, or goes on with what came; chance of its own, so that the life is
  // the same without followers.
  void follow() {
    if (follower_ == nullptr || following_() % 500 == 0)
      follower_ = std::make_unique<Follower>(world_, "jobs", following_());
    if (following_() % 4 == 0) wrong_if(follower_->step());
  }

  // Wakes leave as messages too, to a communicatord that is always there.
  void tell_communicator() {
    tells_wakes_ = true;
    world_.configure = [](server::Server& server) {
      server.join({.communicator = kCommunicator,
                   .service = "fastjournal",
                   .alert_service = "watcher",
                   .alert_address = {},
                   .origin = {"box", "0.1.0"}});
    };
    world_.network().serve(kCommunicator);
    world_.set_wake_message("jobs", {.service = "backend", .command = "WORK", .parameters = {{"table", "jobs"}}});
  }

  void hear_wakes() {
    ConnectionId const made = tells_wakes_ ? world_.network().made() : ConnectionId::none;
    if (made == ConnectionId::none) return;
    std::string const heard = std::exchange(world_.network().at(made).to_client, {});
    if (heard.find("backend/WORK table=jobs") == std::string::npos) return;
    ++result_.wakes;
    stirred_ = world_.now().value;
    if (standing_ == "PAUSED") wrong("a message tells of work while the table is paused");
  }

  // The next write or sync fails, or one a little later. Fatal, but for a container
  // that could not be made.
  void fail_a_call() {
    constexpr Failure kFailures[] = {Failure::io_error, Failure::no_space, Failure::short_write};
    world_.disk().fail_call(draw(2) == 0 ? Call::write : Call::sync, 1 + draw(4), kFailures[draw(3)]);
    is_failing_ = true;
    for (int left = 20; left > 0 && result_.wrong.empty() && world_.fatal_error().ok(); --left) command(70 + draw(930));
    if (!world_.disk().failed_callers().empty()) ++result_.failed_calls;
    world_.disk().forget_failures();
    is_failing_ = false;
    if (!world_.fatal_error().ok()) crash_now(draw(2) == 0);
  }

  void fill_disk() {
    if (full_until_ != 0) return;
    ++result_.full_disks;
    world_.disk().set_capacity(world_.disk().used_bytes() + draw(world_.log_options.container_bytes));
    full_until_ = result_.steps + 50;
  }
  void end_of_full_disk() {
    world_.disk().set_capacity(kRoomy);
    full_until_ = 0;
  }

  // In a container that holds nothing that is needed.
  void rot() {
    Result<storage::LogReader> reader = storage::LogReader::open(world_.disk(), "shared");
    if (!reader.ok()) return wrong_if(reader.status());
    std::vector<std::string> unused;
    for (auto const& container : reader->containers())
      if (container.header.lap == 0) unused.push_back(container.path);
    if (unused.empty()) return;
    ++result_.rotten_bits;
    std::uint64_t const head = 2 * world_.log_options.block_bytes;
    world_.disk().flip(unused[draw(unused.size())], head + draw(world_.log_options.container_bytes - head), 1);
  }

  // One write goes astray and everything after it is acknowledged in good faith. The next
  // start refuses, or everything is there.
  void stray() {
    if (draw(2) == 0) {
      world_.disk().lose_write();
    } else {
      world_.disk().misdirect_write(draw(2) == 0 ? 4096 : 8192);
    }
    for (int i = 0; i < 5 && result_.wrong.empty(); ++i) insert("c0");
    if (!world_.disk().is_planned()) ++result_.strayed_writes;
    world_.disk().forget_failures();
    // Time for the stamp that tells what is durable.
    world_.advance(DurationMs{1000});
    time_passed();
    world_.kill();
    follower_.reset();
    Status const status = world_.start();
    if (status.ok()) {
      note_unheard_leases();
      return compare_everything();
    }
    ++result_.refused_starts;
    if (status.code() != Code::damaged) wrong("a log with a strayed write is refused as " + status.text());
  }

  std::string client() { return "c" + std::to_string(draw(4)); }

  void command(std::uint64_t dice) {
    std::string const name = client();
    // Not while a call may fail: whether a PAUSE without an answer holds, nobody knows.
    if (draw(200) == 0 && !is_failing_) {
      stand(name);
    } else if (dice < 450) {
      insert(name);
    } else if (dice < 650) {
      exchange(name, "NEXT table=jobs;count=" + std::to_string(1 + draw(4)));
    } else {
      end_one(name, dice);
    }
  }

  // Paused, draining or open; what the last word was holds over every crash.
  void stand(std::string const& name) {
    std::string const word = standing_ != "RESUMED" || draw(3) == 0 ? "RESUME" : draw(2) == 0 ? "PAUSE" : "DRAIN";
    exchange(name, word + " table=jobs;reason=drawn");
  }

  void insert(std::string const& name) {
    std::string line = "INSERT table=jobs;name=k" + std::to_string(draw(200)) +
                       ";payload=" + std::string(draw(draw(8) == 0 ? 5000 : 200), 'x') +
                       ";priority=" + std::to_string(draw(3));
    if (draw(2) == 0) line += ";process_date=+" + std::to_string(draw(60'000));
    if (draw(16) == 0) line += ";expiration_date=+" + std::to_string(1 + draw(90'000));
    exchange(name, line);
  }

  void listen(std::string const& name) {
    static constexpr char const* kModes[] = {"wake", "row", "deliver"};
    std::string const mode = kModes[draw(3)];
    if (draw(4) == 0 && listening_.contains(name)) {
      exchange(name, "UNLISTEN table=jobs");
    } else {
      // Before the command: what is due already comes with its answer. Less credit takes nothing away.
      Listening next{.mode = mode, .credit = 1 + draw(6), .delivered = {}, .told = {}};
      if (mode == "deliver" && listening_[name].mode == "deliver") next.delivered = listening_[name].delivered;
      listening_[name] = next;
      exchange(name, "LISTEN table=jobs;mode=" + mode +
                         (mode == "deliver" ? ";credit=" + std::to_string(next.credit) : std::string{}));
    }
  }

  // Something with a row that somebody holds, or held.
  void end_one(std::string const& name, std::uint64_t dice) {
    if (held_.empty()) return;
    auto at = held_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw(held_.size())));
    std::string const row = at->first;
    std::string const tail = " table=jobs;row=" + row + ";epoch=" + at->second.epoch;
    if (dice < 850) {
      exchange(name, "DONE" + tail);
    } else if (dice < 890) {
      exchange(name, "TOUCH" + tail);
    } else if (dice < 930) {
      exchange(name, "RELEASE" + tail + ";process_date=+" + std::to_string(draw(5000)));
    } else if (dice < 950) {
      exchange(name, "FAIL" + tail + ";error=drawn");
    } else if (dice < 970) {
      exchange(name, "DELETE table=jobs;row=" + row);
    } else if (dice < 990) {
      exchange(name, "KICK table=jobs;row=" + row);
    } else {
      exchange(name, std::string{draw(2) == 0 ? "PEEK" : "WHY"} + " table=jobs;row=" + row);
    }
  }

  // One command and all of its answers.
  void exchange(std::string const& name, std::string const& line) {
    world_.send(name, line);
    world_.settle();
    asker_ = name;
    bool answered = false;
    std::vector<Push> pushes;
    while (std::optional<std::string> const answer = world_.take_line(name)) {
      Message message;
      if (!wire::parse_line(*answer, message).ok()) return wrong("an answer cannot be read: " + *answer);
      if (is_push(message)) {
        pushes.push_back({name, *answer});
      } else {
        if (!pushes.empty()) return wrong("a push before the end of the answer to " + line + ": " + pushes[0].line);
        answered = true;
        note(line, message);
      }
    }
    if (world_.fatal_error().ok() && !world_.log().error().ok())
      return wrong("the daemon goes on though its log failed: " + world_.log().error().text());
    if (!world_.fatal_error().ok()) return note_end(line);
    if (!answered) wrong("no answer to " + line);
    hear_pushes(std::move(pushes));
    if (result_.wrong.empty()) check_told();
  }

  // The daemon ended while it did this: whether it was done only the log knows.
  void note_end(std::string const& line) {
    new_row_.clear();
    std::size_t const row = line.find("row=");
    if (row == std::string::npos) return;
    Known& known = rows_[line.substr(row + 4, line.find(';', row) - row - 4)];
    known.may_be_gone = true;
    known.leased_until = 0;
  }

  struct Push {
    std::string client;
    std::string line;
  };
  // Of the rows pushed, those leased first come first, whoever got them.
  static bool is_push(Message const& message) {
    return message.command == "LISTEN" || (message.command == "ROW" && !message.has("left"));
  }

  void hear_pushes(std::vector<Push> pushes = {}) {
    for (int i = 0; i < 4; ++i) {
      std::string const name = "c" + std::to_string(i);
      while (std::optional<std::string> line = world_.take_line(name)) pushes.push_back({name, *std::move(line)});
    }
    std::map<std::int64_t, Push> rows;
    for (Push& push : pushes) {
      Message message;
      if (!wire::parse_line(push.line, message).ok()) return wrong("a push cannot be read: " + push.line);
      if (!is_push(message)) return wrong("nobody asked for " + push.line);
      if (!listening_.contains(push.client)) return wrong(push.client + " does not listen and got " + push.line);
      Listening& listening = listening_[push.client];
      if (message.command == "ROW") {
        rows[message.integer("epoch").value_or(0)] = std::move(push);
      } else if (message.has("row")) {
        listening.told.insert(std::string{message.text("row")});
      } else {
        if (listening.mode != "wake" || !(listening.idle || listening.passed_over))
          wrong(push.client + " was woken while it was not idle");
        listening.idle = false;
        listening.woken = true;
        listening.passed_over = time_passes_;
      }
    }
    for (auto const& [epoch, push] : rows) note_delivery(push);
  }

  void note_delivery(Push const& push) {
    Message message;
    static_cast<void>(wire::parse_line(push.line, message));
    std::string const row{message.text("row")};
    Listening& listening = listening_[push.client];
    if (standing_ == "PAUSED") wrong("row " + row + " is delivered while the table is paused");
    if (listening.mode != "deliver") wrong("row " + row + " is delivered to " + push.client + ", which did not ask");
    note_lease(row, message);
    listening.delivered[row] = rows_[row].leased_until;
    if (live(listening) > listening.credit) wrong(push.client + " got more rows than its credit");
  }

  [[nodiscard]] std::uint64_t live(Listening const& listening) {
    return static_cast<std::uint64_t>(std::count_if(listening.delivered.begin(), listening.delivered.end(),
                                                    [&](auto const& one) { return one.second > world_.now().value; }));
  }

  // A new row that is due was told to every row listener.
  void check_told() {
    std::string const row = std::exchange(new_row_, {});
    if (row.empty()) return;
    for (auto const& [name, listening] : listening_)
      if (listening.mode == "row" && !listening.told.contains(row)) wrong(name + " was not told of row " + row);
  }

  // While a row is due no listener has credit, and somebody was woken if anybody is idle.
  void nobody_waits_in_vain() {
    // A lease needs room in the log.
    if (standing_ == "PAUSED" || full_until_ != 0) return;
    bool credit = false;
    bool idle = false;
    bool woken = false;
    for (auto const& [name, listening] : listening_) {
      if (listening.mode == "deliver") credit = credit || live(listening) < listening.credit;
      if (listening.mode != "wake") continue;
      idle = idle || listening.idle;
      woken = woken || listening.woken;
    }
    world_.send("judge", "STATS table=jobs");
    world_.settle();
    Message stats;
    std::string const line = world_.take_line("judge").value_or("");
    if (!wire::parse_line(line, stats).ok()) return wrong("STATS cannot be read");
    if (stats.integer("rows_due").value_or(0) == 0) return;
    if (tells_wakes_ && world_.now().value - stirred_ > kTellAgainMs)
      wrong("a row is due, nobody took any, and no message told of it");
    if (credit) wrong("a row is due and a listener has credit");
    if (idle && !woken) wrong("a row is due, a listener is idle and nobody was woken");
  }

  void note(std::string const& line, Message const& message) {
    std::string const row{message.text("row")};
    ++result_.acknowledged;
    if (message.command == "INSERTED") {
      Known& known = rows_[row];
      if (known.gone) return wrong("row " + row + " was ended and is back: " + line);
      known.told = true;
      known.key = line;
      // An expiry date may end it without a word.
      known.may_be_gone = known.may_be_gone || line.find("expiration_date") != std::string::npos;
      if (standing_ == "DRAINING" && message.text("result") != "duplicate") wrong("an insert while the table drains");
      if (message.text("result") == "inserted" && message.integer("process_date") <= world_.now().value) new_row_ = row;
    } else if (message.command == "ROW" && line.starts_with("NEXT")) {
      if (standing_ == "PAUSED") wrong("row " + row + " is handed out while the table is paused");
      note_lease(row, message);
      note_take(false);
    } else if (message.command == "NOTHING" && line.starts_with("NEXT")) {
      note_take(true);
    } else if (message.command == "UNLISTENED") {
      listening_.erase(asker_);
    } else if (message.command == "TOUCHED") {
      rows_[row].leased_until = held_[row].end = *message.integer("lease_end");
      for (auto& [name, listening] : listening_) {
        if (!listening.delivered.contains(row)) continue;
        listening.delivered[row] = rows_[row].leased_until;
        if (name != asker_) listening.delivered.erase(row);  // adopted
      }
    } else if (message.command == "COMPLETED" || message.command == "DELETED") {
      rows_[row].gone = true;
      held_.erase(row);
      end_delivery(row);
    } else if (message.command == "RELEASED" || message.command == "PARKED" || message.command == "KICKED") {
      rows_[row].leased_until = 0;
      end_delivery(row);
      // Back at waiting it may fold into its twin, or the other way round.
      rows_[row].may_be_gone = true;
    } else if (message.command == "PAUSED" || message.command == "DRAINING" || message.command == "RESUMED") {
      standing_ = message.command;
      stirred_ = world_.now().value;
    } else if (message.command == "ERROR") {
      note_refusal(line, row, message);
    }
  }

  void end_delivery(std::string const& row) {
    for (auto& [name, listening] : listening_) listening.delivered.erase(row);
  }

  // A NEXT of the asker: a wake listener is at work, or idle again.
  void note_take(bool nothing) {
    auto const found = listening_.find(asker_);
    if (found == listening_.end()) return;
    found->second.idle = nothing;
    found->second.woken = found->second.passed_over = false;
  }

  void note_refusal(std::string const& line, std::string const&, Message const& message) {
    std::string_view const code = message.text("code");
    std::string_view const refused = standing_ == "PAUSED" ? "NEXT" : standing_ == "DRAINING" ? "INSERT" : "nothing";
    // It asked and got nothing: RESUME wakes it.
    if (code == "paused" && line.starts_with("NEXT")) note_take(true);
    if (code == "paused" && line.starts_with(refused)) return;
    if (code != "unknown_row" && code != "stale_epoch" && code != "not_leased" && code != "expired" &&
        code != "wrong_state" && !(code == "no_space" && may_lack_space(line)))
      wrong("refused for no reason: " + line + ": " + std::string{code} + " " + std::string{message.text("message")});
  }

  [[nodiscard]] bool may_lack_space(std::string const& line) const {
    if (is_failing_) return true;
    return full_until_ != 0 && !line.starts_with("DONE") && !line.starts_with("DELETE");
  }

  void note_lease(std::string const& row, Message const& message) {
    stirred_ = world_.now().value;
    Known& known = rows_[row];
    std::uint64_t const epoch = static_cast<std::uint64_t>(message.integer("epoch").value_or(0));
    if (known.gone) wrong("row " + row + " was ended and is handed out again");
    if (epoch <= known.highest_epoch)
      wrong("row " + row + ": lease epoch " + std::to_string(epoch) + " after " + std::to_string(known.highest_epoch));
    if (known.leased_until > world_.now().value)
      wrong("row " + row + " is handed out while it is leased until " + std::to_string(known.leased_until));
    end_delivery(row);
    known.highest_epoch = epoch;
    known.leased_until = *message.integer("lease_end");
    held_[row] = {std::string{message.text("epoch")}, known.leased_until};
  }

  // After a time-out a row may have folded into its twin or expired.
  void time_passed() {
    for (auto& [row, known] : rows_)
      if (known.highest_epoch != 0 && known.leased_until <= world_.now().value) known.may_be_gone = true;
  }

  // Its leases end with the grace at the latest; 10 s in jobs.xml.
  void close_client_in_books() {
    for (auto& [row, known] : rows_)
      if (known.leased_until > world_.now().value + 10'000) known.leased_until = world_.now().value;
  }

  void crash(bool power) {
    // Something is under way when it happens.
    world_.send("c0", "INSERT table=jobs;name=unheard;payload=y");
    world_.send("c0", "NEXT table=jobs");
    if (draw(2) == 0) world_.settle();
    crash_now(power);
  }

  void crash_now(bool power) {
    ++result_.crashes;
    end_of_full_disk();
    if (power) {
      world_.power_cut();
    } else {
      world_.kill();
    }
    start_again(power);
  }

  void start_again(bool leases_may_be_lost) {
    listening_.clear();
    for (auto& [row, known] : rows_) {
      if (leases_may_be_lost) known.leased_until = 0;
      if (!known.gone) known.may_be_gone = known.may_be_gone || known.highest_epoch != 0;
    }
    wrong_if(world_.start());
    if (result_.wrong.empty()) stirred_ = world_.now().value;
    if (result_.wrong.empty()) note_unheard_leases();
    if (result_.wrong.empty()) compare_everything();
  }

  // A NEXT whose answer nobody heard leased a row all the same: once it is over, the row may fold into its twin.
  void note_unheard_leases() {
    world_.send("judge", "LIST table=jobs;status=processing;count=1000");
    world_.settle();
    while (std::optional<std::string> const line = world_.take_line("judge")) {
      Message message;
      wrong_if(wire::parse_line(*line, message));
      if (message.command == "ROW") rows_[std::string{message.text("row")}].may_be_gone = true;
    }
  }

  void compare_digest() {
    ++result_.looks;
    Result<std::uint64_t> const replayed = world_.replayed_digest();
    if (!replayed.ok()) return wrong("the log cannot be replayed: " + replayed.status().text());
    if (replayed.value() != world_.engine().digest()) wrong("digest(live) differs from digest(replayed)");
    if (follower_ != nullptr) wrong(follower_->compare());
  }

  // Every row that must be there is, and none that must not.
  void compare_everything() {
    compare_digest();
    for (auto const& [row, known] : rows_) {
      if (!known.gone && (known.may_be_gone || !known.told)) continue;
      world_.send("judge", "PEEK table=jobs;row=" + row);
      world_.settle();
      std::string const answer = world_.take_line("judge").value_or("(no answer)");
      bool const there = answer.starts_with("ROW ");
      if (known.gone && there) return wrong("row " + row + " was ended and is there again");
      if (!known.gone && !there)
        return wrong("row " + row + " was acknowledged (" + known.key.substr(0, 80) + ") and is lost: " + answer);
    }
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::mt19937_64 following_;
  World world_;
  std::uint64_t steps_;
  bool lying_disk_;
  bool is_failing_{false};       // a call may fail now: also one that makes a container
  std::uint64_t full_until_{0};  // step at which the disk has space again
  std::map<std::string, Known> rows_;
  std::map<std::string, Held> held_;
  std::string standing_{"RESUMED"};
  std::map<std::string, Listening> listening_;  // by client
  bool time_passes_{false};
  bool tells_wakes_{false};  // to a service of a communicatord
  std::int64_t stirred_{0};  // when it was told of work last, or something was leased, or it began to tell
  std::string asker_;        // whose command is answered
  std::string new_row_;      // due, and inserted by it
  std::unique_ptr<Follower> follower_;
  PlayResult result_;
};

}  // namespace

PlayResult play(std::uint64_t seed, std::uint64_t steps, bool lying_disk) {
  return Player{seed, steps, lying_disk}.run();
}

}  // namespace fastjournal::sim
