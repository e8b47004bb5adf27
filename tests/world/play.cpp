// One random life of a daemon: what must hold is said at play() in lives.h.
#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "log/file/log_reader.h"
#include "log/file/segment_run.h"
#include "tests/world/client_oracle.h"
#include "tests/world/follower.h"
#include "tests/world/lives.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

using test::Counts;

constexpr std::uint64_t kRoomy = 1ULL << 40U;
// Added to the seed, for the random numbers of clock changes.
constexpr std::uint64_t kClocks = 1ULL << 63U;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kTenYearsMs = 3652 * 24 * kHourMs;
// Limits of the memory that clients cause and of one message, in bytes.
constexpr std::uint64_t kClientMemory = 8U << 20U;
constexpr std::size_t kFrameMax = 1U << 20U;
constexpr char kReader[] = "reader@192.0.2.77";
constexpr char kCommunicator[] = "unix:/run/communicatord.sock";
// In lives with scrubbing: several rounds a life, so that crashes interrupt some.
constexpr std::int64_t kScrubRoundMs = 60'000;
// Damage must be found and repaired within three rounds, counted in parts of a round: the round under way, a whole one,
// and time to write everything again.
constexpr int kRoundParts = 8;
constexpr int kMendingParts = 3 * kRoundParts;
// In one of this many lives the rows of the first table have no keys.
constexpr std::uint64_t kLivesToOneWithoutKey = 5;
// Few enough for a crowd to fill them.
constexpr std::size_t kPlaces = 64;
constexpr std::size_t kPlacesOfPeer = 32;
constexpr std::int64_t kFirstMessageUs = 30'000'000;

class Player {
 public:
  Player(std::uint64_t seed, std::uint64_t steps, bool lying_disk)
      : seed_(seed),
        random_(seed),
        following_(~seed),
        clocks_(seed + kClocks),
        hostile_(seed * 3 + 1),
        life_(seed),
        steps_(steps),
        lying_disk_(lying_disk) {
    if (seed % 3 == 0) world_.log_options.sync_place = log::SyncPlace::on_thread;
    // Both with syncs on a thread and with syncs on the loop.
    if (seed % 4 >= 2) world_.log_options.scrub_ms = kScrubRoundMs;
    world_.limits.connections = {
        .most = kPlaces, .reserved = 1, .per_peer = kPlacesOfPeer, .first_message_us = kFirstMessageUs, .idle_us = 0};
    world_.disk().ignore_syncs(lying_disk);
    world_.limits.client_memory_bytes = kClientMemory;
    world_.limits.frames.frame_bytes_max = kFrameMax;
  }

  test::LifeResult run() {
    wrong_if(world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml"));
    wrong_if(world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/scratch.xml"));
    if (seed_ % kLivesToOneWithoutKey == 4) {
      world_.drop_key("jobs");
      jobs_.expect_no_merges();
    }
    // Some feeds keep little, so that followers that were away have to start anew.
    world_.set_feed("jobs", feed_that_keeps(following_() % 2 == 0 ? 8'000U : 1U << 20U));
    if (seed_ % 2 == 1) tell_communicator();
    world_.network().set_weather({.lost = 50, .doubled = 50, .late = 50, .refused = 10}, following_());
    if (is_right()) wrong_if(world_.start());
    while (is_right() && step_ < steps_) {
      ++step_;
      step();
    }
    end_of_full_disk();
    if (is_right()) compare_everything();
    if (is_right() && !lying_disk_) end_badly();
    counts_["steps"] = step_;
    if (!is_right()) life_.result.wrong = "step " + std::to_string(step_) + ": " + life_.result.wrong;
    return std::move(life_.result);
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  void wrong_if(Status const& status) { life_.wrong_if(status); }
  void wrong(std::string text) { life_.wrong(std::move(text)); }
  [[nodiscard]] bool is_right() const { return life_.is_right(); }
  [[nodiscard]] bool is_scrubbed() const { return world_.log_options.scrub_ms != 0; }

  void step() {
    if (life_.is_full && step_ >= full_until_) end_of_full_disk();
    if (clocks_() % 50 == 0) disturb_clock();
    // Most commands go to the table that is kept.
    ClientOracle& oracle = draw(6) == 0 ? scratch_ : jobs_;
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
    } else if (dice < 13 && is_scrubbed()) {
      rot_and_mend();
    } else if (dice < 14) {
      lose_folder();
    } else if (dice < 60) {
      pass_time(static_cast<std::int64_t>(draw(draw(4) == 0 ? 120'000 : 800)));
    } else if (dice < 70) {
      std::string const name = client(oracle);
      world_.close(name);
      oracle.closed(name);
    } else if (dice < 80) {
      listen(oracle, client(oracle));
    } else {
      command(oracle, dice);
    }
    if (hostile_() % 16 == 0) harass();
    for (ClientOracle* const one : both_) one->hear_pushes();
    if (is_right()) hear_wakes();
    if (is_right()) follow();
    if (is_right()) disturb();
    if (is_right() && following_() % 100 == 0) send_stranger();
    if (is_right()) be_silent();
    if (is_right() && following_() % 200 == 0) crowd();
    if (is_right() && following_() % 50 == 0) overstep();
    if (is_right() && following_() % 100 == 0) watch();
    if (is_right() && draw(64) == 0) look();
    if (is_right() && draw(8) == 0) oracle.nobody_waits_in_vain();
  }

  // A hostile client at an address of its own sends endless frames, never reads its answers, or sends requests that no
  // answer can repeat. No other client may notice. It has random numbers of its own, too.
  void harass() {
    if (!world_.is_running() || !world_.fatal_error().ok()) return;
    std::string const name = "hostile" + std::to_string(hostile_() % 6) + "@192.0.2.66";
    SimNetwork::Connection& one = world_.connection(name);
    if (one.closed_by_server || hostile_() % 40 == 0) return world_.close(name);
    switch (hostile_() % 5) {
      case 0: one.to_server.append("FJM\x01").append("\0\x10\0\0", 4).append(hostile_() % (kFrameMax - 1), 'x'); break;
      case 1: one.to_server.append(hostile_() % 300'000, 'y'); break;
      case 2: one.room = 0; break;
      case 3: world_.send(name, "LIST table=jobs;count=1000;request=" + std::string(hostile_() % 512, 'r')); break;
      default:
        world_.send(name, R"({"command":"INSERT","parameters":{"table":"jobs","name":"never","request":"a\u0000b"}})");
    }
    world_.settle();
    server::ClientMemory const& memory = world_.server().client_memory();
    if (memory.total() > kClientMemory + 4 * kFrameMax)
      wrong("clients take " + std::to_string(memory.total()) + " bytes of memory");
  }

  void pass_time(std::int64_t ms) {
    for (ClientOracle* const oracle : both_) oracle->time_begins();
    world_.advance(DurationMs{ms});
    for (ClientOracle* const oracle : both_) oracle->time_ends();
    hear_wakes();
  }

  // Mostly seconds, sometimes hours, rarely as far as a clock can be wrong (ten years).
  std::int64_t draw_clock_ms() {
    std::uint64_t const dice = clocks_() % 40;
    std::int64_t const most = dice == 0 ? kTenYearsMs : dice < 10 ? 12 * kHourMs : 30'000;
    return static_cast<std::int64_t>(clocks_() % static_cast<std::uint64_t>(most));
  }

  // The computer sleeps, or its clock is set forward or back. The time lost is added to leases.
  void disturb_clock() {
    for (ClientOracle* const oracle : both_) oracle->time_begins();
    std::int64_t const before = world_.now().value;
    std::int64_t const ms = draw_clock_ms();
    if (clocks_() % 3 == 0) {
      ++counts_["sleeps"];
      // A shorter sleep would only be reported with the next one.
      world_.suspend(DurationMs{ms + 1001});
    } else {
      ++counts_["steps of the clock"];
      world_.set_clock(DurationMs{clocks_() % 2 == 0 ? ms : -ms});
    }
    std::int64_t const lost = world_.now().value - before;
    if (lost < 0) wrong("time went back");
    for (ClientOracle* const oracle : both_) {
      // Less than a second is not a step.
      if (lost > 1000) oracle->time_is_lost(lost);
      oracle->time_ends();
    }
    hear_wakes();
  }

  // The clock may have been set while the daemon was down. A start is refused, without changes, if the clock is too far
  // behind; then the clock is corrected, or accepted.
  Status start_with_any_clock(bool& accepted) {
    if (clocks_() % 3 == 0) world_.set_clock(DurationMs{(clocks_() % 2 == 0 ? 1 : -1) * draw_clock_ms()});
    accepted = false;
    Status status = world_.start();
    if (status.code() != Code::wrong_state) return status;
    ++counts_["starts refused for a clock that was behind"];
    TimeMs const last = world_.last_logged();
    if (last.value * 1000 <= world_.clock().wall_us() + kHourMs * 1000) return status;
    accepted = clocks_() % 2 == 0;
    if (!accepted) world_.clock().set_wall(last.value * 1000 + static_cast<std::int64_t>(clocks_() % 1'000'000));
    world_.clock_rules.accept = accepted;
    status = world_.start();
    world_.clock_rules.accept = false;
    if (accepted) ++counts_["clocks accepted"];
    if (accepted && status.ok() && world_.now().value * 1000 > world_.clock().wall_us() + 1000)
      wrong("a clock was accepted, and time is another");
    return status;
  }

  // A follower starts now and then, or goes on with what arrived. It has random numbers of its own, so that the life is
  // the same without followers.
  void follow() {
    if (follower_ == nullptr || following_() % 500 == 0)
      follower_ = std::make_unique<Follower>(world_, "jobs", following_());
    if (following_() % 4 == 0) wrong_if(follower_->step());
  }

  // A browser is made to send commands, in pieces of random size: it gets an error, and no command is carried out.
  void send_stranger() {
    static constexpr char const* kBegins[] = {"POST / HTTP/1.1\r\nHost: x\r\n\r\n", "PAUSE table=jobs HTTP/1.1\r\n",
                                              "\x16\x03\x01\n", "x =\n", "\r\n{\n"};
    std::string said = kBegins[following_() % 5];
    said += following_() % 2 == 0 ? "PAUSE table=jobs\n" : "NEXT table=jobs;count=4\nINSERT table=jobs;name=stranger\n";
    ConnectionId const id = world_.network().connect("sim:stranger");
    while (!said.empty()) {
      std::size_t const bytes = 1 + following_() % said.size();
      world_.network().at(id).to_server += said.substr(0, bytes);
      said.erase(0, bytes);
      world_.settle();
    }
    SimNetwork::Connection const& heard = world_.network().at(id);
    if (!heard.closed_by_server || !heard.to_client.starts_with("INVALID ") ||
        heard.to_client.find('\n') + 1 != heard.to_client.size())
      wrong("a stranger was not turned away: " + heard.to_client);
  }

  // A connection without a whole first message is closed when its time is over, and not before.
  void be_silent() {
    std::int64_t const now_us = world_.clock().monotonic_us();
    if (silent_ != ConnectionId::none) {
      SimNetwork::Connection& one = world_.network().at(silent_);
      std::int64_t const silent_us = now_us - silent_since_us_;
      if (one.closed_by_server && silent_us < kFirstMessageUs) return wrong("a newcomer was shown out too early");
      if (!one.closed_by_server && silent_us > kFirstMessageUs + 2'000'000)
        return wrong("whoever says nothing was not shown out");
      if (following_() % 4 == 0 && !one.closed_by_server) one.to_server += 'A';
      if (one.closed_by_server || following_() % 500 == 0) leave_silent();
    } else if (following_() % 50 == 0) {
      silent_ = world_.network().connect("sim:silent", "ip:192.0.2.9");
      silent_since_us_ = now_us;
    }
  }
  void leave_silent() {
    world_.network().drop(silent_);
    silent_ = ConnectionId::none;
  }

  // A client with one right tries commands that need another one: they are refused and change nothing.
  void overstep() {
    struct Try {
      Right right;
      char const* line;
    };
    static constexpr Try kTries[] = {
        {Right::read, "PEEK table=jobs;name=k1"},     {Right::add, "INSERT table=jobs;name=overstep"},
        {Right::work, "NEXT table=jobs;count=4"},     {Right::manage, "PAUSE table=jobs"},
        {Right::manage, "DELETE table=jobs;name=k1"}, {Right::admin, "STOP"}};
    Try const& one = kTries[following_() % std::size(kTries)];
    Right const has = static_cast<Right>(following_() % kRightNames.size());
    if (has == one.right) return;
    world_.give_rights("limited", {has});
    world_.send("limited", one.line);
    world_.settle();
    std::string const heard = world_.take_line("limited").value_or("");
    if (heard.find("code=not_allowed;") == std::string::npos)
      wrong(std::string{one.line} + " with the right " + std::string{name_of(has)} + ": " + heard);
  }

  // A client watches the figures, now and then anew: its rounds are whole, whatever happens to the others.
  void watch() {
    world_.send("watcher", "WATCH every=5s");
    world_.settle();
    std::int64_t tables = 0;
    while (std::optional<std::string> const line = world_.take_line("watcher")) {
      Message message;
      wrong_if(protocol::parse_line(*line, message));
      if (message.command == "STATS") {
        tables += message.has("table") ? 1 : 0;
      } else if (message.command == "FIGURES") {
        if (tables != message.integer("tables").value_or(0) - message.integer("unchanged").value_or(0))
          wrong("a round tells " + std::to_string(tables) + " tables, and then " + *line);
        tables = 0;
      } else if (message.command != "WATCHING" || tables != 0) {
        wrong("in the rounds of figures: " + *line);
      }
    }
  }

  // More connections than places, from one address or many: the administrator must still be served.
  void crowd() {
    bool const many = following_() % 2 == 0;
    std::vector<ConnectionId> all;
    bool refused = false;
    for (std::size_t i = 0; i < 2 * kPlaces && !refused; ++i) {
      all.push_back(world_.network().connect("sim:crowd", "ip:198.51.100." + std::to_string(many ? i % 8 : 0)));
      refused = world_.network().at(all.back()).closed_by_server;
    }
    if (!refused || all.size() > kPlaces + 1 || (!many && all.size() != kPlacesOfPeer + 1))
      wrong("a crowd of " + std::to_string(all.size()) + " was let in");
    ConnectionId const admin = world_.network().connect("unix:admin");
    world_.network().at(admin).to_server = "ALIVE\n";
    world_.settle();
    if (!world_.network().at(admin).to_client.starts_with("ABSOLUTELY "))
      wrong("a crowd keeps the administrator out: " + world_.network().at(admin).to_client);
    all.push_back(admin);
    for (ConnectionId const id : all) world_.network().drop(id);
    world_.settle();
  }

  // A client asks for far more than fits in a turn, and tables are added and removed by reloads: no other client may
  // notice.
  void disturb() {
    if (life_.is_failing || life_.is_full) return;
    world_.close(kReader);
    std::uint64_t const dice = following_() % 400;
    if (dice == 0) {
      std::string lists;
      for (int line = 0; line < 2000; ++line) lists += "LIST table=jobs;status=behind\n";
      world_.send(kReader, lists + "ALIVE");
    } else if (dice == 1) {
      is_passing_there_ = !is_passing_there_;
      if (is_passing_there_)
        wrong_if(world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/passing.xml"));
      else
        world_.remove_table("passing");
      world_.send("admin", "RELOAD");
      world_.settle();
      world_.close("admin");
    }
  }

  // Wakes are also sent as messages, to a communicatord that is always there.
  void tell_communicator() {
    life_.tells_wakes = true;
    world_.configure = [](server::Server& server) {
      server.links().join({.communicator = kCommunicator,
                           .service = "fastjournal",
                           .alert_service = "watcher",
                           .alert_address = {},
                           .origin = {"box", "0.1.0"}});
    };
    world_.network().serve(kCommunicator);
    world_.set_wake_message("jobs", {.service = "backend", .command = "WORK", .parameters = {{"table", "jobs"}}});
  }

  void hear_wakes() {
    ConnectionId const made = life_.tells_wakes ? world_.network().made() : ConnectionId::none;
    if (made == ConnectionId::none) return;
    std::string const heard = std::exchange(world_.network().at(made).to_client, {});
    if (heard.find("backend/WORK table=jobs") == std::string::npos) return;
    ++counts_["wakes by message"];
    jobs_.told_of_work();
    if (jobs_.standing() == "PAUSED") wrong("a message tells of work while the table is paused");
  }

  // A write or sync fails soon. This is fatal, unless it was the making of a segment.
  void fail_a_call() {
    constexpr Failure kFailures[] = {Failure::io_error, Failure::no_space, Failure::short_write};
    world_.disk().fail_call(draw(2) == 0 ? Call::write : Call::sync, 1 + draw(4), kFailures[draw(3)]);
    life_.is_failing = true;
    for (int left = 20; left > 0 && is_right() && world_.fatal_error().ok(); --left) command(jobs_, 70 + draw(930));
    if (!world_.disk().failed_callers().empty()) ++counts_["failed calls"];
    world_.disk().forget_failures();
    life_.is_failing = false;
    if (!world_.fatal_error().ok()) crash_now(draw(2) == 0);
  }

  // The log's folder is moved away, and back later. Answers more than 100 ms after that could be about files that
  // nobody finds: the daemon must have ended before.
  void lose_folder() {
    end_of_full_disk();
    world_.disk().move_away("shared");
    ++counts_["folders moved away"];
    life_.is_failing = true;
    if (draw(2) == 0) command(jobs_, 70 + draw(930));
    if (world_.fatal_error().ok()) world_.clock().advance(100'000);
    if (world_.fatal_error().ok()) insert(jobs_, jobs_.client_name(0));
    life_.is_failing = false;
    if (world_.fatal_error().ok()) return wrong("the log's folder is gone, and the daemon goes on");
    world_.disk().put_back();
    crash_now(false);
  }

  void fill_disk() {
    if (life_.is_full) return;
    ++counts_["full disks"];
    world_.disk().set_capacity(world_.disk().used_bytes() + draw(world_.log_options.segment_bytes));
    life_.is_full = true;
    full_until_ = step_ + 50;
  }
  void end_of_full_disk() {
    world_.disk().set_capacity(kRoomy);
    life_.is_full = false;
  }

  std::vector<log::file::FoundSegment> segments(bool in_use) {
    Result<log::file::LogReader> reader = log::file::LogReader::open(world_.disk(), "shared");
    if (!reader.ok()) {
      wrong_if(reader.status());
      return {};
    }
    std::vector<log::file::FoundSegment> out = std::move(reader->segments());
    std::erase_if(out, [&](auto const& one) { return (one.header.generation != 0) != in_use; });
    return out;
  }

  // A bit rots in a segment with nothing that is needed.
  void rot() {
    std::vector<log::file::FoundSegment> const unused = segments(false);
    if (unused.empty()) return;
    ++counts_["rotten bits"];
    std::uint64_t const head = 2 * world_.log_options.block_bytes;
    world_.disk().flip(unused[draw(unused.size())].path, head + draw(world_.log_options.segment_bytes - head), 1);
  }

  // A bit rots in durable data that is needed; false if there is none.
  bool rot_what_is_needed() {
    std::vector<log::file::FoundSegment> const used = segments(true);
    log::file::FileLog const& log = world_.log();
    if (used.empty()) return false;
    log::file::FoundSegment const& one = used[draw(used.size())];
    Lsn const from = std::max(one.header.first, log.base_lsn());
    Lsn const end = std::min(one.header.end(), log.durable_lsn());
    if (from >= end) return false;
    Lsn const place{from.value + draw(end.value - from.value)};
    world_.disk().flip(one.path, log::file::offset_in(one.header, place), static_cast<std::uint8_t>(1U << draw(8)));
    is_rotten_ = true;
    return true;
  }

  // Whether a start would fail, or find another state than the running daemon's.
  bool is_log_damaged() {
    Result<std::uint64_t> const replayed = world_.replayed_digest();
    return !replayed.ok() || replayed.value() != world_.engine().digest();
  }

  // Bits rot in needed data. Scrubbing must find them, and the log must write the rows again from memory while the
  // daemon goes on, until nothing needs the damaged place.
  void rot_and_mend() {
    end_of_full_disk();
    // Enough long-lived rows that the log would not otherwise be copied.
    if (jobs_.standing() != "RESUMED") jobs_.exchange(jobs_.client_name(0), jobs_.command("RESUME"));
    for (int rows = 0; rows < 20 && is_right(); ++rows) insert_lasting();
    // Data must be synced first: scrubbing reads only what is durable.
    pass_time(1000);
    std::uint64_t const found = world_.log().describe().scrubbed->damaged;
    for (std::uint64_t left = 1 + draw(3); left > 0; --left) rot_what_is_needed();
    // Damage of the very last batch cannot be told from a torn tail until another one follows.
    insert(jobs_, jobs_.client_name(0));
    pass_time(1000);
    if (!is_right() || !is_log_damaged()) return;
    // Also with so few commands that nothing else moves the data.
    std::uint64_t const commands = draw(2) == 0 ? 1 : 8;
    bool needed = true;
    for (int part = 0; is_right() && needed && part < kMendingParts; ++part) {
      for (std::uint64_t left = draw(commands); left > 0 && is_right(); --left) {
        command(jobs_, 80 + draw(920));
        hear_wakes();
      }
      pass_time(kScrubRoundMs / kRoundParts);
      needed = world_.log().describe().is_mending || is_log_damaged();
    }
    if (!is_right()) return;
    log::ScrubReport const& report = *world_.log().describe().scrubbed;
    if (needed)
      return wrong(report.damaged == found ? "rotten bits of what is needed were not found"
                                           : "rotten bits were not mended: " + report.last_damage);
    if (report.damaged != found) ++counts_["logs rotten and mended"];
    compare_digest();
    if (is_right() && draw(2) == 0) crash(draw(2) == 0);
  }

  // A write goes astray, or bits rot, and everything after it is acknowledged in good faith. The next start must
  // refuse, or find everything.
  void end_badly() {
    if (is_scrubbed() && draw(2) == 0) {
      // The end comes before, during or after the repair.
      if (rot_what_is_needed()) ++counts_["rotten bits"];
      for (std::uint64_t left = draw(6); left > 0 && is_right(); --left) pass_time(kScrubRoundMs / 4);
    } else {
      stray();
    }
    if (!is_right()) return;
    // Time for the durable marker, which says what is durable.
    pass_time(1000);
    world_.kill();
    follower_.reset();
    bool accepted = false;
    Status const status = start_with_any_clock(accepted);
    if (status.ok()) {
      begin_again(accepted);
      return compare_everything();
    }
    ++counts_["starts refused"];
    if (status.code() != Code::damaged) wrong("a log that is damaged is refused as " + status.text());
  }

  void stray() {
    if (draw(2) == 0) {
      world_.disk().lose_write();
    } else {
      world_.disk().misdirect_write(draw(2) == 0 ? 4096 : 8192);
    }
    for (int i = 0; i < 5 && is_right(); ++i) insert(jobs_, jobs_.client_name(0));
    if (!world_.disk().is_planned()) ++counts_["writes astray"];
    world_.disk().forget_failures();
  }

  std::string client(ClientOracle const& oracle) { return oracle.client_name(draw(ClientOracle::kClients)); }

  void command(ClientOracle& oracle, std::uint64_t dice) {
    std::string const name = client(oracle);
    // Not while calls may fail: if a PAUSE gets no answer, nobody knows whether it took effect.
    if (draw(200) == 0 && !life_.is_failing) {
      stand(oracle, name);
    } else if (dice < 450) {
      insert(oracle, name);
    } else if (dice < 650) {
      oracle.exchange(name, oracle.command("NEXT", ";count=" + std::to_string(1 + draw(4))));
    } else {
      end_one(oracle, name, dice);
    }
  }

  // Pauses, drains or resumes the table. The last state survives every crash, if the table is kept.
  void stand(ClientOracle& oracle, std::string const& name) {
    std::string const word = oracle.standing() != "RESUMED" || draw(3) == 0 ? "RESUME"
                             : draw(2) == 0                                 ? "PAUSE"
                                                                            : "DRAIN";
    oracle.exchange(name, oracle.command(word, ";reason=drawn"));
  }

  void insert(ClientOracle& oracle, std::string const& name) {
    std::string line = oracle.command("INSERT", ";name=k" + std::to_string(draw(200)) +
                                                    ";payload=" + std::string(draw(draw(8) == 0 ? 5000 : 200), 'x') +
                                                    ";priority=" + std::to_string(draw(3)));
    if (draw(2) == 0) line += ";process_date=+" + std::to_string(draw(60'000));
    if (draw(16) == 0) line += ";expiration_date=+" + std::to_string(1 + draw(90'000));
    oracle.exchange(name, line);
  }

  // Its date is never reached in a life, so no client takes it.
  void insert_lasting() {
    jobs_.exchange(jobs_.client_name(0), jobs_.command("INSERT", ";name=lasting" + std::to_string(draw(60)) +
                                                                     ";payload=" + std::string(draw(40'000), 'l') +
                                                                     ";process_date=+1000000000"));
  }

  void listen(ClientOracle& oracle, std::string const& name) {
    static constexpr char const* kModes[] = {"wake", "row", "deliver"};
    std::string const mode = kModes[draw(3)];
    if (draw(4) == 0 && oracle.is_listening(name)) return oracle.exchange(name, oracle.command("UNLISTEN"));
    std::uint64_t const credit = 1 + draw(6);
    oracle.listens(name, mode, credit);
    std::string const more = mode == "deliver" ? ";credit=" + std::to_string(credit) : std::string{};
    oracle.exchange(name, oracle.command("LISTEN", ";mode=" + mode + more));
  }

  // A command about a row that a client has or had a lease of.
  void end_one(ClientOracle& oracle, std::string const& name, std::uint64_t dice) {
    if (oracle.held().empty()) return;
    auto at = oracle.held().begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw(oracle.held().size())));
    std::string const row = ";row=" + at->first;
    std::string const both = row + ";epoch=" + at->second.epoch;
    if (dice < 850) {
      oracle.exchange(name, oracle.command("DONE", both));
    } else if (dice < 890) {
      oracle.exchange(name, oracle.command("TOUCH", both));
    } else if (dice < 930) {
      std::string const date = std::to_string(draw(5000));
      oracle.exchange(name, oracle.command("RELEASE", both + (dice < 910 ? ";process_date=+" + date : ";error=drawn")));
    } else if (dice < 950) {
      oracle.exchange(name, oracle.command("FAIL", both + ";error=drawn"));
    } else if (dice < 970) {
      oracle.exchange(name, oracle.command("DELETE", row));
    } else if (dice < 990) {
      oracle.exchange(name, oracle.command("KICK", row));
    } else {
      static constexpr char const* kLooks[] = {"PEEK", "WHY", "TIMELINE", "DOMAINS", "WAITERS"};
      std::uint64_t const look = draw(5);
      oracle.exchange(name, oracle.command(kLooks[look], look < 2 ? row : ""));
    }
  }

  void crash(bool power) {
    // Commands are under way when it happens.
    world_.send(jobs_.client_name(0), "INSERT table=jobs;name=unheard;payload=y");
    world_.send(jobs_.client_name(0), "NEXT table=jobs");
    if (draw(2) == 0) world_.settle();
    crash_now(power);
  }

  void crash_now(bool power) {
    ++counts_["kills and power cuts"];
    end_of_full_disk();
    if (power) {
      world_.power_cut();
    } else {
      world_.kill();
    }
    start_again(power);
  }

  void start_again(bool leases_may_be_lost) {
    world_.hash_seed = following_();  // a new one, as each process draws
    bool accepted = false;
    wrong_if(start_with_any_clock(accepted));
    if (!is_right()) return;
    begin_again(leases_may_be_lost || accepted);
    if (is_right()) compare_everything();
  }

  void begin_again(bool leases_may_be_lost) {
    is_rotten_ = false;
    silent_ = ConnectionId::none;
    for (ClientOracle* const oracle : both_) oracle->begin_again(leases_may_be_lost);
  }

  // Checks in the middle of a life; a start checks everything.
  void look() {
    compare_digest();
    if (is_right()) scratch_.compare_rows();
    if (is_right() && !is_rotten_ && world_.log().describe().scrubbed->damaged != 0)
      wrong("scrubbing takes for damaged what is not: " + world_.log().describe().scrubbed->last_damage);
  }

  void compare_digest() {
    ++counts_["comparisons with a replay"];
    Result<std::uint64_t> const replayed = world_.replayed_digest();
    if (!replayed.ok()) return wrong("the log cannot be replayed: " + replayed.status().text());
    if (replayed.value() != world_.engine().digest()) wrong("digest(live) differs from digest(replayed)");
    if (follower_ != nullptr) wrong(follower_->compare());
  }

  void compare_everything() {
    compare_digest();
    for (ClientOracle* const oracle : both_)
      if (is_right()) oracle->compare_rows();
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::mt19937_64 following_;
  std::mt19937_64 clocks_;
  std::mt19937_64 hostile_;
  Life life_;
  World& world_{life_.world};
  Counts& counts_{life_.result.counts};
  ClientOracle jobs_{life_, "jobs", 'c', true};
  ClientOracle scratch_{life_, "scratch", 's', false};
  ClientOracle* both_[2]{&jobs_, &scratch_};
  std::uint64_t steps_;
  std::uint64_t step_{0};
  bool lying_disk_;
  std::uint64_t full_until_{0};  // the step at which the disk has space again
  bool is_rotten_{false};        // needed data was damaged since the last start
  bool is_passing_there_{false};
  std::unique_ptr<Follower> follower_;
  ConnectionId silent_{ConnectionId::none};
  std::int64_t silent_since_us_{0};
};

}  // namespace

test::LifeResult play(std::uint64_t seed, std::uint64_t steps, bool lying_disk) {
  return Player{seed, steps, lying_disk}.run();
}

}  // namespace fastjournal::sim
