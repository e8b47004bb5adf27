// One random life of a spool folder, its producers, its forwarder and a daemon, in the simulator. Producers save rows of
// four tables with unique ids and keys that come again, are killed in the middle of a row, are slow, sync or do not.
// The forwarder is killed between any two calls of its folder, which also fail. The power of its computer is cut, its
// disk is full, bytes are damaged, its clock is set forward and back. The daemon is killed, loses power, is full, slow,
// away for an hour, drains its tables, and declares one of them late. Connections end anywhere. In half of the lives it is
// three nodes that share two of the tables and decide for them in turn (spool_site.h), and a node loses power. Everything
// is drawn from one seed. In the end all is well again, and the following is held against what the daemon has:
//
//   - a row whose save was acknowledged counts once: its id is once among those that merged into its key, and the sum
//     of its column is the number of these;
//   - or its bytes were damaged, or lost in a power cut: then it counts once or never. A row whose save was not
//     acknowledged, too;
//   - a row that no daemon takes is among those set aside, with the right code, and no other row is;
//   - of rows with a date of their own, the latest of a key counts;
//   - within two minutes all rows are there, and within two periods nothing is left in the folder;
//   - nothing is erased that is not kept, and no file is deleted that a producer has (sim_folder.h).
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "clients/spool/core/record.h"
#include "tests/support/spool/sim_producer.h"
#include "tests/world/lives.h"
#include "tests/world/spool_site.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

constexpr std::uint64_t kRoomy = 1ULL << 40U;
constexpr std::size_t kProducers = 4;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kSkewMs = 10'000;  // max-clock-skew of the tables
// Of rows whose dates are the same, so that none is stale.
constexpr std::int64_t kSameDateMs = 1'700'000'000'000;
constexpr std::int64_t kArrivedMs = 130'000;
constexpr char const* kSpoolTables[] = {"counts", "plain", "dated", "later"};

struct Row {
  std::string id;
  std::string table;
  std::string key;
  std::int64_t date_ms{0};
  // Of the daemon's clock: the lowest time since it was saved, and when it arrived without its date (to 0: never).
  std::int64_t lowest_ms{0};
  std::int64_t arrived_from_ms{INT64_MAX};
  std::int64_t arrived_to_ms{0};
  bool is_bad{false};
  bool is_acknowledged{false};
  bool may_be_lost{false};
  std::optional<SimProducer::Written> written{};
};

class SpoolLife {
 public:
  SpoolLife(std::uint64_t seed, std::uint64_t steps)
      : random_(seed), world_(seed), rules_{draw_rules()}, site_(world_, seed, rules_), steps_(steps) {
    ProducerRules const rules{rules_.period_s, rules_.file_bytes_max, false};
    for (std::size_t i = 0; i < kProducers; ++i) {
      producers_.push_back({SimProducer{site_.folder(), {rules.period_s, rules.file_bytes_max, draw(3) == 0}}, {}});
    }
  }

  test::LifeResult run() {
    site_.folder().slow_writes = true;
    site_.on_undated = [this](std::string const& id) { note_undated(id); };
    if (has_nodes_) site_.have_nodes({"counts", "dated"});
    // Producers go on while the forwarder works.
    site_.folder().before_call = [this] {
      if (!is_over_ && one_in(6)) act(producers_[draw(kProducers)]);
    };
    for (char const* const table : {"counts", "plain", "dated", "ballast"}) add_table(table);
    wrong_if(world_.start());
    while (is_right() && step_ < steps_) {
      ++step_;
      step();
      wrong(site_.wrong());
    }
    if (is_right()) end();
    if (!is_right()) result_.wrong = "step " + std::to_string(step_) + ": " + result_.wrong;
    counts_["answers"] = site_.answers();
    counts_["answers to rows that came again"] = site_.duplicates();
    counts_["answers of nodes that do not decide"] = site_.moves();
    counts_["forwarders ended"] = site_.restarts();
    counts_["steps"] = step_;
    return std::move(result_);
  }

 private:
  struct Producer {
    SimProducer spool;
    std::optional<std::size_t> row;  // that it saves
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool one_in(std::uint64_t n) { return draw(n) == 0; }
  void wrong(std::string text) {
    if (result_.wrong.empty()) result_.wrong = std::move(text);
  }
  void wrong_if(Status const& status) {
    if (!status.ok()) wrong(status.text());
  }
  [[nodiscard]] bool is_right() const { return result_.wrong.empty(); }
  [[nodiscard]] std::int64_t now_s() { return world_.clock().wall_us() / 1'000'000; }

  spool::ForwarderRules draw_rules() {
    spool::ForwarderRules out;
    out.period_s = static_cast<std::int64_t>(30 + draw(600));
    out.file_bytes_max = 500 + draw(one_in(2) ? 2'000 : 20'000);
    out.in_flight_max = 1 + draw(one_in(2) ? 4 : 64);
    if (one_in(2)) out.span_max = 4 + draw(60);
    out.keep_every_ms = static_cast<std::int64_t>(draw(200));
    return out;
  }

  void add_table(std::string const& name) {
    wrong_if(world_.add_table(FJ_SOURCE_DIR "/tests/world/tables/" + name + ".xml"));
  }

  void note_time() { latest_ms_ = std::max(latest_ms_, site_.now().value); }

  void step() {
    note_time();
    if (world_.is_running() && !world_.fatal_error().ok()) stop_daemon();
    if (!world_.is_running() && down_until_ms_ <= world_.clock().monotonic_us() / 1000) start_daemon();
    std::uint64_t const dice = draw(1000);
    if (dice < 430) return produce();
    if (dice < 750) return forward();
    if (dice < 850) return world_.advance(DurationMs{static_cast<std::int64_t>(draw(one_in(8) ? 20'000 : 300))});
    if (dice < 960) return disturb_spool(draw(110));
    return disturb_daemon(draw(40));
  }

  // ---------------------------------------------------------------------------
  // Producers

  void produce() {
    Producer& producer = producers_[draw(kProducers)];
    std::uint64_t rows = one_in(8) ? draw(12) : 1;
    if (!producer.spool.is_saving()) begin_save(producer);
    if (one_in(3)) return go_on(producer);
    while (producer.spool.is_saving()) go_on(producer);
    for (; rows > 1; --rows) {
      begin_save(producer);
      while (producer.spool.is_saving()) go_on(producer);
    }
  }

  void act(Producer& producer) {
    if (producer.spool.is_saving()) return go_on(producer);
    if (one_in(2)) return begin_save(producer);
    if (one_in(3)) producer.spool.leave();
  }

  void begin_save(Producer& producer) {
    Row row;
    row.id = "r" + std::to_string(rows_.size());
    row.table = kSpoolTables[draw(4)];
    row.key = "k" + std::to_string(draw(12));
    row.date_ms = row.table == "dated" ? site_.now().value : kSameDateMs;
    row.lowest_ms = site_.now().value;
    // A producer whose clock is fast: by less than the table's max-clock-skew, or by more.
    if (row.table == "dated" && one_in(6)) {
      row.date_ms += static_cast<std::int64_t>(draw(one_in(2) ? 2 * kSkewMs : 6 * kHourMs));
      ++counts_["rows dated ahead of the daemon's clock"];
    }
    row.is_bad = one_in(20);
    std::string const payload(draw(one_in(20) ? 400 : 40), 'p');
    std::int64_t const priority = row.is_bad ? 1000 : static_cast<std::int64_t>(draw(4));
    std::int64_t const process = site_.now().value + static_cast<std::int64_t>(draw(20'000));
    producer.row = rows_.size();
    producer.spool.save([row, priority, process, payload](spool::Seed seed) {
      std::string const ids = row.id + ".";
      std::vector<Param> const params{{"table", Value::of_text(row.table)},
                                      {"key", Value::of_text(row.key)},
                                      {"id", Value::of_text(row.id)},
                                      {"ids", Value::of_text(ids)},
                                      {"times", Value::of_integer(1)},
                                      {"payload", Value::of_text(payload)},
                                      {"priority", Value::of_integer(priority)},
                                      {"process_date", Value::of_integer(process)},
                                      {"insertion_date", Value::of_integer(row.date_ms)}};
      std::string out;
      static_cast<void>(spool::append_record("INSERT", params, seed, out));
      return out;
    });
    rows_.push_back(std::move(row));
  }

  void go_on(Producer& producer) {
    std::optional<Status> const over = producer.spool.step(now_s());
    note_written(producer);
    if (!over) return;
    Row& row = rows_[*producer.row];
    row.is_acknowledged = over->ok();
    ++counts_[over->ok() ? "rows saved" : "saves refused"];
    producer.row.reset();
  }

  void note_written(Producer& producer) {
    if (!producer.row || !producer.spool.written()) return;
    Row& row = rows_[*producer.row];
    if (!row.written) unread_.push_back(*producer.row);
    row.written = producer.spool.written();
  }

  void kill_producer(Producer& producer) {
    ++counts_["producers ended"];
    producer.spool.die(one_in(2) ? SIZE_MAX : draw(200));
    note_written(producer);
    producer.row.reset();
  }

  // ---------------------------------------------------------------------------
  // The forwarder

  void forward() {
    site_.connect();
    site_.run();
    unread_.clear();
    site_.carry(one_in(3) ? draw(500) : SIZE_MAX, one_in(3) ? draw(200) : SIZE_MAX);
  }

  void disturb_spool(std::uint64_t dice) {
    SimFolder& folder = site_.folder();
    Producer& producer = producers_[draw(kProducers)];
    if (dice < 15) return kill_producer(producer);
    if (dice < 25 && !producer.spool.is_saving()) return producer.spool.leave();
    if (dice < 40) return producer.spool.sync();
    if (dice < 55) return folder.stop_after(1 + draw(one_in(2) ? 10 : 60));
    if (dice < 60) return site_.restart();
    if (dice < 68) return cut_power();
    if (dice < 80) {
      ++counts_["connections lost"];
      return site_.disconnect(one_in(2));
    }
    if (dice < 81) {
      folder.fill(true);
      ++counts_["full disks"];
      return;
    }
    if (dice < 86) return folder.fill(false);
    if (dice < 90) {
      folder.fail_one_in = one_in(3) ? 2 + draw(20) : 0;
      return;
    }
    if (dice < 98) return damage();
    if (dice < 102) return set_clock();
    if (dice < 106) return folder.resend(now_s());
    if (dice < 108) return world_.advance(DurationMs{static_cast<std::int64_t>(draw(kHourMs))});
    hide_or_show();
  }

  // One file more that the forwarder may not read, or all of them again.
  void hide_or_show() {
    std::vector<spool::Instance> files;
    bool are_hidden = false;
    for (auto const& [instance, file] : folder().files()) {
      files.push_back(instance);
      are_hidden = are_hidden || file.is_hidden;
    }
    if (are_hidden && !one_in(3)) return show();
    if (!files.empty()) site_.folder().hide(files[draw(files.size())], true);
  }

  void show() {
    std::vector<spool::Instance> files;
    for (auto const& [instance, file] : folder().files()) files.push_back(instance);
    for (spool::Instance const& file : files) site_.folder().hide(file, false);
  }

  // A byte of a row that the forwarder has not read so far.
  void damage() {
    if (unread_.empty()) return;
    Row& row = rows_[unread_[draw(unread_.size())]];
    if (!is_whole(row)) return;
    ++counts_["damaged rows"];
    row.may_be_lost = true;
    site_.folder().flip(row.written->file, row.written->begin + draw(row.written->record.size()),
                        static_cast<std::uint8_t>(1U << draw(8)));
  }

  void set_clock() {
    ++counts_["steps of the clock"];
    auto const ms = static_cast<std::int64_t>(draw(one_in(4) ? 6 * kHourMs : 60'000));
    step_clock(one_in(2) ? ms : -ms);
  }

  void step_clock(std::int64_t ms) {
    note_time();
    world_.set_clock(DurationMs{ms});
    note_time();
    for (Row& row : rows_) row.lowest_ms = std::min(row.lowest_ms, site_.now().value);
  }

  [[nodiscard]] bool is_whole(Row const& row) const {
    if (!row.written) return false;
    SimFolder::File const* const file = folder().find(row.written->file);
    return file != nullptr && folder().seed_of(row.written->file) == row.written->seed &&
           file->bytes.size() >= row.written->begin + row.written->record.size() &&
           file->bytes.compare(row.written->begin, row.written->record.size(), row.written->record) == 0;
  }
  [[nodiscard]] SimFolder const& folder() const { return const_cast<SpoolLife*>(this)->site_.folder(); }

  // Producers and the forwarder are gone, and what no sync covered is lost, or some of it. Sometimes the daemon is on
  // this computer.
  void cut_power() {
    ++counts_["power cuts of the producers' computer"];
    std::vector<std::size_t> whole;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (is_whole(rows_[i])) whole.push_back(i);
    for (Producer& producer : producers_) {
      producer.spool.lose_power();
      producer.row.reset();
    }
    site_.folder().cut_power();
    for (std::size_t const i : whole)
      if (!is_whole(rows_[i])) rows_[i].may_be_lost = true;
    unread_.clear();
    site_.restart();
    if (one_in(3)) stop_daemon();
  }

  // ---------------------------------------------------------------------------
  // The daemon

  void disturb_daemon(std::uint64_t dice) {
    if (dice < 8) return stop_daemon();
    if (dice < 12) return start_daemon();
    if (!world_.is_running()) return;
    if (dice < 16) return fill_daemon();
    if (dice < 22) return world_.disk().set_capacity(kRoomy);
    if (dice < 26) return world_.hold_flushes(true);
    if (dice < 32) return world_.hold_flushes(false);
    if (dice < 35) return tell(std::string{one_in(2) ? "DRAIN" : "RESUME"} + " table=" + kSpoolTables[draw(3)]);
    if (dice < 36) return appear();
    if (has_nodes_ && dice < 39 && one_in(2)) return disturb_nodes();
    if (dice < 37) {
      world_.disk().fail_call(one_in(2) ? Call::write : Call::sync, 1 + draw(4), Failure::io_error);
      return;
    }
    look();
  }

  // Another node decides, or nobody; or one has no power, and decides no more.
  void disturb_nodes() {
    std::size_t const node = draw(SpoolSite::kNodes);
    bool const is_away = one_in(4);
    site_.set_away(node, is_away);
    site_.set_owner(is_away ? SpoolSite::kNobody : node);
  }

  // Rows of others fill its segments, in some lives.
  void fill_daemon() {
    ++counts_["full disks"];
    world_.disk().set_capacity(world_.disk().used_bytes() + draw(100'000));
    if (!fills_daemon_ || !world_.fatal_error().ok()) return;
    world_.hold_flushes(false);
    for (int row = 0; row < 60 && world_.fatal_error().ok(); ++row) {
      world_.send("judge", "INSERT table=ballast;key=" + std::to_string(row) + ";payload=" + std::string(60'000, 'b'));
      world_.settle();
      if (world_.take_line("judge").value_or("").starts_with("ERROR ")) return;
    }
  }

  void tell(std::string const& line) {
    world_.send("admin", line);
    world_.settle();
    world_.close("admin");
  }

  void appear() {
    if (std::exchange(has_appeared_, true)) return;
    add_table("later");
    tell("RELOAD");
  }

  void stop_daemon() {
    if (!world_.is_running()) return;
    ++counts_["daemons ended"];
    if (one_in(2)) {
      world_.power_cut();
    } else {
      world_.kill();
    }
    site_.disconnect(false);
    world_.disk().forget_failures();
    world_.disk().set_capacity(kRoomy);
    world_.hold_flushes(false);
    bool const is_long = one_in(5);
    if (is_long) ++counts_["daemons away for up to an hour"];
    down_until_ms_ = world_.clock().monotonic_us() / 1000 + static_cast<std::int64_t>(draw(is_long ? kHourMs : 3'000));
  }

  void start_daemon() {
    if (world_.is_running()) return;
    Status status = world_.start();
    if (status.code() == Code::wrong_state) {  // the clock is too far behind
      world_.clock().set_wall(world_.last_logged().value * 1000);
      status = world_.start();
    }
    wrong_if(status);
  }

  // ---------------------------------------------------------------------------
  // What counts

  struct Counted {
    std::map<std::string, int> ids;             // how often each id counts
    std::map<std::string, std::string> latest;  // table/key: the id that it has
  };

  // Of one table, page by page.
  void count(std::string const& table, Counted& out) {
    std::string after;
    for (;;) {
      world_.send("judge", "LIST table=" + table + ";count=1000" + after);
      world_.settle();
      after.clear();
      Message message;
      std::optional<std::string> line = world_.take_line("judge");
      if (!line) return wrong("LIST of " + table + " is not answered");
      for (; line; line = world_.take_line("judge")) {
        wrong_if(protocol::parse_line(*line, message));
        if (message.has("after")) after = ";after=" + std::string{message.text("after")};
        if (message.command == "ROW") count_row(table, message, out);
      }
      if (after.empty()) return;
    }
  }

  void count_row(std::string const& table, Message const& message, Counted& out) {
    std::string const ids{message.text("ids")};
    std::int64_t times = 0;
    for (std::size_t at = 0; at < ids.size(); ++times) {
      std::size_t const end = ids.find('.', at);
      ++out.ids[ids.substr(at, end - at)];
      at = end + 1;
    }
    out.latest[table + "/" + std::string{message.text("key")}] = message.text("id");
    if (message.integer("times").value_or(0) != times)
      wrong("of " + table + " " + ids + " merged, and the sum is " + std::string{message.text("times")});
  }

  // At any time: no row counts twice, and none that was not saved.
  void look() {
    if (!world_.is_running() || !world_.fatal_error().ok() || world_.disk().is_planned()) return;
    world_.hold_flushes(false);
    Counted counted;
    for (char const* const table : kSpoolTables)
      if (world_.declaration(table) != nullptr) count(table, counted);
    if (is_right()) check_counts(counted, false);
  }

  void check_counts(Counted const& counted, bool is_over) {
    note_time();
    std::map<std::string, int> left = counted.ids;
    for (Row& row : rows_) {
      auto const found = left.find(row.id);
      int const times = found == left.end() ? 0 : found->second;
      if (found != left.end()) left.erase(found);
      if (times > 1) return wrong(row.table + " " + row.id + " counts " + std::to_string(times) + " times");
      if (row.is_bad && times != 0) return wrong(row.id + " counts, and should have been refused");
      bool const is_sure = row.is_acknowledged && !row.may_be_lost;
      if (is_over && !row.is_bad) {
        if (!is_sure) ++counts_["rows that may count or not"];
        if (row.is_acknowledged && row.may_be_lost && times == 0) ++counts_["acknowledged rows that were lost"];
      }
      if (is_over && is_sure && !row.is_bad && times == 0 && row.table != "dated")
        return wrong(row.table + " " + row.id + " was acknowledged, and is lost");
    }
    if (!left.empty()) wrong(left.begin()->first + " counts, and was never saved");
  }

  // A row whose date was too far ahead is sent again without it, at once, and then counts before all that came before:
  // its date is that of its arrival, of which only bounds are known. It may count with its own date all the same, if it
  // is held, or its connection ends.
  void note_undated(std::string const& id) {
    note_time();
    Row& row = rows_.at(std::stoull(id.substr(1)));
    if (row.date_ms <= row.lowest_ms + kSkewMs) wrong(id + " lost its date, which was never too far ahead");
    row.arrived_from_ms = std::min(row.arrived_from_ms, site_.now().value);
    row.arrived_to_ms = latest_ms_;
  }

  // Of rows with one key, the latest; or one that is no older than the last that arrived without its date.
  void check_latest(Counted const& counted) {
    struct Latest {
      std::int64_t dated{0};
      std::int64_t undated{0};  // of those that arrived for certain
      bool has_undated{false};
    };
    std::map<std::string, Latest> latest;  // by key
    std::map<std::string, Row const*> by_id;
    for (Row const& row : rows_) {
      by_id[row.id] = &row;
      if (row.table != "dated" || row.is_bad) continue;
      bool const is_undated = row.arrived_to_ms != 0;
      if (is_undated) latest[row.key].has_undated = true;
      if (!row.is_acknowledged || row.may_be_lost) continue;
      Latest& one = latest[row.key];
      one.dated = std::max(one.dated, row.date_ms);
      if (is_undated) one.undated = std::max(one.undated, std::min(row.date_ms, row.arrived_from_ms));
    }
    for (auto const& [key, one] : latest) {
      auto const found = counted.latest.find("dated/" + key);
      if (found == counted.latest.end()) {
        if (one.dated != 0) return wrong("no row of dated/" + key + " arrived");
        continue;
      }
      Row const& counts = *by_id.at(found->second);
      if (std::max(counts.date_ms, counts.arrived_to_ms) < (one.has_undated ? one.undated : one.dated))
        return wrong("of dated/" + key + " " + counts.id + " counts, and a later one was saved");
    }
  }

  void check_aside() {
    std::map<std::string, int> aside;
    std::map<std::string, std::string> reasons;
    for (SimFolder::Refused const& one : site_.folder().aside()) {
      ++aside[one.id];
      reasons[one.id] = one.reason;
      if (one.code != "bad_parameter") return wrong(one.id + " was set aside as " + one.reason);
    }
    for (Row const& row : rows_) {
      int const times = aside.contains(row.id) ? aside[row.id] : 0;
      if (!row.is_bad && times != 0) return wrong(row.id + " was set aside: " + reasons[row.id]);
      if (times > 1) return wrong(row.id + " was set aside " + std::to_string(times) + " times");
      if (row.is_bad && row.is_acknowledged && !row.may_be_lost && times == 0)
        return wrong(row.id + " cannot be inserted, and was not set aside");
    }
  }

  void check_all() {
    Counted counted;
    for (char const* const table : kSpoolTables) count(table, counted);
    if (is_right()) check_counts(counted, true);
    if (is_right()) check_latest(counted);
    if (is_right()) check_aside();
  }

  void end() {
    is_over_ = true;
    SimFolder& folder = site_.folder();
    folder.fail_one_in = 0;
    folder.fill(false);
    show();
    if (folder.is_stopped() || one_in(2)) site_.restart();
    world_.disk().forget_failures();
    world_.disk().set_capacity(kRoomy);
    world_.hold_flushes(false);
    if (world_.is_running() && !world_.fatal_error().ok()) stop_daemon();
    start_daemon();
    appear();
    for (char const* const table : kSpoolTables) tell(std::string{"RESUME table="} + table);
    if (has_nodes_) {
      for (std::size_t node = 0; node < SpoolSite::kNodes; ++node) site_.set_away(node, false);
      site_.set_owner(draw(SpoolSite::kNodes));
    }
    for (Producer& producer : producers_) {
      while (producer.spool.is_saving()) go_on(producer);
      producer.spool.leave();
    }
    if (!is_right()) return;
    folder.stop_after(UINT64_MAX);
    note_time();  // the last step or the daemon's start may have set the clock forward
    // What waits for a date, waits no longer for a clock that is set back.
    if (one_in(4)) step_clock(-static_cast<std::int64_t>(draw(6 * kHourMs)));
    site_.pass(kArrivedMs);
    wrong(site_.wrong());
    // Files that look as if they were of the future.
    std::int64_t const behind = latest_ms_ - site_.now().value;
    if (behind > 0) step_clock(behind);
    if (is_right()) check_arrived();
    if (is_right() && !site_.drain(2'000 * rules_.period_s + kArrivedMs))
      wrong("not drained: " + std::to_string(folder.count()) + " files, " + std::to_string(folder.held().size()) +
            " held tables: " + site_.forwarder().problem().text());
    wrong(site_.wrong());
    if (is_right()) check_all();
    counts_["writes of held rows"] += folder.holds();
    counts_["rows set aside"] += folder.aside().size();
  }

  // Only what may be half a row waits, for the producers to leave the file. What was erased may be there again.
  void check_arrived() {
    for (auto const& [instance, file] : folder().files()) {
      std::optional<spool::Seed> const seed = folder().seed_of(instance);
      if (file.is_removed || !seed) continue;
      spool::Found const found = spool::find_record(file.bytes, folder().settled_to(instance), *seed, true);
      if (found.kind == spool::Found::Kind::record)
        return wrong("after two minutes a row is still in a file: " + site_.forwarder().problem().text());
    }
  }

  std::mt19937_64 random_;
  World world_;
  spool::ForwarderRules rules_;
  SpoolSite site_;
  test::LifeResult result_;
  test::Counts& counts_{result_.counts};
  std::vector<Producer> producers_;
  std::vector<Row> rows_;
  std::vector<std::size_t> unread_;  // rows written since the forwarder last looked
  std::uint64_t steps_;
  std::uint64_t step_{0};
  std::int64_t down_until_ms_{0};
  std::int64_t latest_ms_{0};
  bool has_appeared_{false};
  bool fills_daemon_{one_in(6)};
  bool has_nodes_{one_in(2)};
  bool is_over_{false};  // no producer acts any more
};

}  // namespace

test::LifeResult live_with_spool(std::uint64_t seed, std::uint64_t steps) { return SpoolLife{seed, steps}.run(); }

}  // namespace fastjournal::sim
