// The forwarder over a folder and a daemon in memory: rules one by one, then random lives with kills, power cuts,
// refusals and lost connections, after which each row counts once.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "protocol/msgpack.h"
#include "spool/forwarder.h"
#include "spool/record.h"
#include "tests/support/seed.h"

namespace fastjournal::spool {
namespace {

std::string record_of(std::string const& table, std::string const& id) {
  std::vector<Param> const params{{"table", Value::of_text(table)}, {"id", Value::of_text(id)}};
  std::string out;
  BOOST_REQUIRE(append_record(params, out).ok());
  return out;
}

Status full() { return {Code::no_space, "the disk is full"}; }

// Files, and what of them a power cut leaves.
class MemoryFolder final : public Folder {
 public:
  struct File {
    Place place;
    std::string bytes;
    std::string durable;
    bool is_ended{false};
    bool is_open{true};  // a producer has it
    Instance instance;
  };
  struct Rest {
    std::string bytes;
    std::uint64_t erased_to{0};
  };

  Instance make(Place place) {
    Instance const instance{1, ++inodes_ % 4 + 1, ++births_};  // inodes come again
    files_[instance] = {place, {}, {}, false, true, instance};
    return instance;
  }
  File& at(Instance const& instance) { return files_.at(instance); }
  [[nodiscard]] std::size_t count() const { return files_.size(); }
  std::map<Instance, File>& files() { return files_; }
  std::map<std::string, Rest>& held() { return held_; }
  std::vector<std::pair<std::string, Code>>& aside() { return aside_; }
  // One call of so many fails; 0: none.
  std::uint64_t fail_one_in{0};
  std::mt19937_64* chance{nullptr};

  void cut_power() {
    for (auto& [instance, file] : files_) file.bytes = file.durable;
  }

  Result<std::vector<Listed>> list() override {
    if (fails()) return full();
    std::vector<Listed> out;
    for (auto const& [instance, file] : files_) out.push_back({instance, file.place, file.bytes.size(), file.is_ended});
    return out;
  }
  Status read(Instance const& file, std::uint64_t offset, std::size_t bytes, std::string& to) override {
    if (fails()) return full();
    std::string const& all = files_.at(file).bytes;
    if (offset < all.size()) to += all.substr(offset, bytes);
    return {};
  }
  Status sync(Instance const& file) override {
    if (fails()) return full();
    files_.at(file).durable = files_.at(file).bytes;
    return {};
  }
  Status erase(Instance const& file, std::uint64_t from, std::uint64_t to) override {
    if (fails()) return full();
    BOOST_TEST(kept_.at(file).offset >= to);  // kept before
    for (std::string* bytes : {&files_.at(file).bytes, &files_.at(file).durable})
      for (std::uint64_t at = from; at < to; ++at) bytes->at(at) = '\0';
    return {};
  }
  Status end(Instance const& file) override {
    if (fails()) return full();
    files_.at(file).is_ended = true;
    return {};
  }
  Result<bool> is_left(Instance const& file) override {
    if (fails()) return full();
    return !files_.at(file).is_open;
  }
  Status remove(Instance const& file) override {
    if (fails()) return full();
    BOOST_TEST((files_.at(file).is_ended && !files_.at(file).is_open));
    files_.erase(file);
    kept_.erase(file);
    return {};
  }
  Result<std::vector<Progress>> kept() override {
    std::vector<Progress> out;
    for (auto const& [instance, progress] : kept_) out.push_back(progress);
    return out;
  }
  Status keep(std::vector<Progress> const& progress) override {
    if (fails()) return full();
    for (Progress const& one : progress) kept_[one.instance] = one;
    return {};
  }
  Result<std::vector<std::string>> held_tables() override {
    std::vector<std::string> out;
    for (auto const& [table, rest] : held_) out.push_back(table);
    return out;
  }
  Status read_held(std::string const& table, std::uint64_t offset, std::size_t bytes, std::string& to) override {
    if (fails()) return full();
    if (auto const found = held_.find(table); found != held_.end() && offset < found->second.bytes.size())
      to += found->second.bytes.substr(offset, bytes);
    return {};
  }
  Status hold(std::string const& table, std::string_view records) override {
    if (fails()) {
      // Half of it may be there.
      held_[table].bytes += records.substr(0, records.size() / 2);
      return full();
    }
    held_[table].bytes += records;
    return {};
  }
  Status erase_held(std::string const& table, std::uint64_t to) override {
    if (fails()) return full();
    std::string& bytes = held_.at(table).bytes;
    for (std::uint64_t at = 0; at < to; ++at) bytes.at(at) = '\0';
    return {};
  }
  Status remove_held(std::string const& table) override {
    if (fails()) return full();
    held_.erase(table);
    return {};
  }
  Status set_aside(std::string_view record, Status const& why) override {
    if (fails()) return full();
    aside_.emplace_back(record, why.code());
    return {};
  }

 private:
  bool fails() { return fail_one_in != 0 && (*chance)() % fail_one_in == 0; }

  std::map<Instance, File> files_;
  std::map<Instance, Progress> kept_;
  std::map<std::string, Rest> held_;
  std::vector<std::pair<std::string, Code>> aside_;
  std::uint64_t inodes_{0};
  std::int64_t births_{0};
};

// Keeps rows by their identity. Answers are taken when the test wants them.
class MemoryDaemon final : public Link {
 public:
  bool up{true};
  std::set<std::string> tables{"pages"};
  std::map<std::string, int> rows;  // by id
  std::optional<Code> refuses{};

  struct Answer {
    std::uint64_t number;
    Status status;
  };
  std::vector<Answer> answers;

  [[nodiscard]] bool is_up() const override { return up; }
  void send(Message const& insert, std::uint64_t number) override {
    if (!up) return;
    answers.push_back({number, take(insert)});
  }

 private:
  Status take(Message const& insert) {
    std::string const table{insert.text("table")};
    if (refuses) return {*refuses, "not now"};
    if (!tables.contains(table)) return {Code::unknown_table, "no table " + table};
    if (insert.text("id").starts_with("bad")) return {Code::bad_parameter, "a bad row"};
    auto const identity = std::tuple{table, std::string{insert.text("client")}, insert.integer("sequence").value_or(0)};
    BOOST_TEST(!std::get<1>(identity).empty());
    auto const [place, is_new] = known_.try_emplace(identity, insert.text("id"));
    // The same identity for another row would be a lost row.
    BOOST_TEST(place->second == insert.text("id"));
    if (is_new) ++rows[std::string{insert.text("id")}];
    return {};
  }

  std::map<std::tuple<std::string, std::string, std::int64_t>, std::string> known_;
};

struct Play {
  MemoryFolder folder;
  MemoryDaemon daemon;
  std::unique_ptr<Forwarder> forwarder;
  TimeMs now{1'000'000'000};
  int names{0};

  Play() { begin(); }
  void begin() {
    daemon.answers.clear();
    forwarder = std::make_unique<Forwarder>(folder, daemon, ForwarderRules{.in_flight_max = 8},
                                            [this] { return "client-" + std::to_string(++names); });
    BOOST_REQUIRE(forwarder->start().ok());
  }
  Instance file(std::uint32_t number = 0) { return folder.make({begin_of_period(now.value / 1000, 3600), number}); }
  void save(Instance const& to, std::string const& id, std::string const& table = "pages") {
    folder.at(to).bytes += record_of(table, id);
  }
  void answer() {
    auto const answers = std::exchange(daemon.answers, {});
    for (auto const& [number, status] : answers) forwarder->answered(number, status, now);
  }
  // Until nothing changes.
  void settle() {
    for (int turn = 0; turn < 200; ++turn) {
      now.value += 100;
      forwarder->run(now);
      answer();
    }
  }
  [[nodiscard]] int count(std::string const& id) const {
    auto const found = daemon.rows.find(id);
    return found == daemon.rows.end() ? 0 : found->second;
  }
};

BOOST_AUTO_TEST_SUITE(spool_forwarder)

BOOST_AUTO_TEST_CASE(rows_arrive_and_are_erased) {
  Play play;
  Instance const file = play.file();
  for (int row = 0; row < 30; ++row) play.save(file, std::to_string(row));
  play.settle();
  BOOST_TEST(play.daemon.rows.size() == 30U);
  BOOST_TEST(play.forwarder->figures().confirmed == 30U);
  BOOST_TEST(play.folder.at(file).bytes.find_first_not_of('\0') == std::string::npos);
}

// Its period is over: ended, left by its producer, deleted. A row that came late counts.
BOOST_AUTO_TEST_CASE(an_old_file_goes_once_its_producer_left) {
  Play play;
  Instance const file = play.file();
  play.save(file, "first");
  play.settle();
  BOOST_TEST(!play.folder.at(file).is_ended);
  play.now.value += 3'600'000;
  play.settle();
  BOOST_TEST(play.folder.at(file).is_ended);
  play.save(file, "late");
  play.folder.at(file).is_open = false;
  play.settle();
  BOOST_TEST(play.folder.count() == 0U);
  BOOST_TEST(play.count("first") == 1);
  BOOST_TEST(play.count("late") == 1);
}

BOOST_AUTO_TEST_CASE(half_a_row_is_waited_for_until_the_file_is_left) {
  Play play;
  Instance const file = play.file();
  std::string const record = record_of("pages", "slow");
  play.folder.at(file).bytes += record.substr(0, 20);
  play.settle();
  BOOST_TEST(play.forwarder->figures().damaged_bytes == 0U);
  play.folder.at(file).bytes += record.substr(20);
  play.settle();
  BOOST_TEST(play.count("slow") == 1);
  play.folder.at(file).bytes += record.substr(0, 20);
  play.now.value += 3'600'000;
  play.folder.at(file).is_open = false;
  play.settle();
  BOOST_TEST(play.folder.count() == 0U);
  BOOST_TEST(play.forwarder->figures().damaged_bytes > 0U);
}

BOOST_AUTO_TEST_CASE(a_table_that_is_not_there_holds_up_nobody) {
  Play play;
  Instance const file = play.file();
  for (int row = 0; row < 20; ++row) {
    play.save(file, "later-" + std::to_string(row), "later");
    play.save(file, std::to_string(row));
  }
  play.settle();
  BOOST_TEST(play.daemon.rows.size() == 20U);
  BOOST_TEST(play.forwarder->figures().tables_held == 1U);
  play.begin();  // killed, and started again
  play.settle();
  BOOST_TEST(play.daemon.rows.size() == 20U);
  play.daemon.tables.insert("later");
  play.now.value += 60'000;
  play.settle();
  BOOST_TEST(play.daemon.rows.size() == 40U);
  BOOST_TEST(play.forwarder->figures().tables_held == 0U);
  BOOST_TEST(play.folder.held().empty());
  // From now on straight.
  play.save(file, "straight", "later");
  play.settle();
  BOOST_TEST(play.count("straight") == 1);
}

BOOST_AUTO_TEST_CASE(a_row_that_never_fits_is_set_aside) {
  Play play;
  Instance const file = play.file();
  play.save(file, "bad-1");
  play.save(file, "good");
  play.settle();
  BOOST_TEST(play.count("good") == 1);
  BOOST_REQUIRE(play.folder.aside().size() == 1U);
  BOOST_TEST((play.folder.aside()[0].second == Code::bad_parameter));
  BOOST_TEST(play.folder.aside()[0].first == record_of("pages", "bad-1"));
}

BOOST_AUTO_TEST_CASE(a_daemon_without_space_is_asked_again_later) {
  Play play;
  Instance const file = play.file();
  play.daemon.refuses = Code::no_space;
  for (int row = 0; row < 20; ++row) play.save(file, std::to_string(row));
  play.settle();
  std::uint64_t const sent = play.forwarder->figures().sent;
  BOOST_TEST(sent < 100U);  // not all of the time
  BOOST_TEST(play.forwarder->figures().set_aside == 0U);
  play.daemon.refuses.reset();
  play.now.value += 60'000;
  play.settle();
  BOOST_TEST(play.daemon.rows.size() == 20U);
}

BOOST_AUTO_TEST_CASE(no_more_than_so_many_are_in_flight) {
  Play play;
  Instance const file = play.file();
  for (int row = 0; row < 50; ++row) play.save(file, std::to_string(row));
  play.forwarder->run(play.now);
  BOOST_TEST(play.daemon.answers.size() == 8U);
  BOOST_TEST(play.forwarder->figures().in_flight == 8U);
}

// While a table is held its rows stay in order: none overtakes.
BOOST_AUTO_TEST_CASE(rows_of_a_held_table_wait_behind_those_before_them) {
  Play play;
  Instance const file = play.file();
  play.save(file, "later-1", "later");
  play.forwarder->run(play.now);
  play.answer();
  std::uint64_t const sent = play.forwarder->figures().sent;
  play.save(file, "later-2", "later");
  play.forwarder->run(play.now);
  BOOST_TEST(play.forwarder->figures().sent == sent);
  BOOST_TEST(play.forwarder->figures().held == 2U);
}

BOOST_AUTO_TEST_CASE(names_that_no_table_has_are_set_aside) {
  Play play;
  Instance const file = play.file();
  for (std::string const table : {"", "../../etc/passwd", "a/b", "a b", std::string(65, 'x').c_str()})
    play.save(file, "row", table);
  play.settle();
  BOOST_TEST(play.folder.aside().size() == 5U);
  BOOST_TEST(play.folder.held().empty());
}

BOOST_AUTO_TEST_CASE(no_more_than_so_many_tables_are_held) {
  Play play;
  Instance const file = play.file();
  for (int table = 0; table < 1'003; ++table) play.save(file, "row", "t" + std::to_string(table));
  for (int turn = 0; turn < 10; ++turn) play.settle();
  BOOST_TEST(play.forwarder->figures().tables_held == 1'000U);
  BOOST_TEST(play.folder.aside().size() == 3U);
}

// ---------------------------------------------------------------------------
// Random lives

class Life {
 public:
  explicit Life(std::uint64_t seed) : chance_(seed) { play_.folder.chance = &chance_; }

  void live(int steps) {
    for (int step = 0; step < steps; ++step) do_something();
    end();
  }

 private:
  bool one_in(std::uint64_t n) { return chance_() % n == 0; }

  void do_something() {
    switch (chance_() % 16) {
      case 0:
      case 1:
      case 2:
      case 3: return save();
      case 4: return save_half();
      case 5: play_.now.value += static_cast<std::int64_t>(chance_() % 2'000); return;
      case 6:
        if (one_in(6)) play_.now.value += 1'800'000;
        return;
      case 7: return kill();
      case 8: return lose_connection();
      case 9: return leave_file();
      case 10:
        play_.daemon.refuses.reset();
        if (one_in(4)) play_.daemon.refuses = one_in(2) ? Code::no_space : Code::paused;
        return;
      case 11:
        play_.folder.fail_one_in = one_in(3) ? 1 + chance_() % 20 : 0;
        if (one_in(8)) play_.daemon.tables.insert("later");
        return;
      default: return turn();
    }
  }

  Instance some_file() {
    std::int64_t const begin = begin_of_period(play_.now.value / 1000, 3600);
    std::vector<Instance> open;
    for (auto const& [instance, file] : play_.folder.files())
      if (file.is_open && !file.is_ended && file.place.begin_s == begin) open.push_back(instance);
    if (open.empty() || (open.size() < 3 && one_in(20))) return play_.file(static_cast<std::uint32_t>(open.size()));
    return open[chance_() % open.size()];
  }

  void save() {
    // A file that has been ended meanwhile takes one more row; then its producer has noticed, and leaves.
    for (auto& [instance, file] : play_.folder.files())
      if (file.is_ended && file.is_open && one_in(4)) {
        append(instance);
        play_.folder.at(instance).is_open = false;
        return;
      }
    append(some_file());
  }
  void append(Instance const& file) {
    std::string const id = (one_in(12) ? "bad-" : "row-") + std::to_string(++ids_);
    play_.save(file, id, one_in(3) ? "later" : "pages");
    saved_.insert(id);
    unsynced_[file].insert(id);
    if (one_in(4)) sync_by_producer(file);
  }
  void sync_by_producer(Instance const& file) {
    play_.folder.at(file).durable = play_.folder.at(file).bytes;
    unsynced_.erase(file);
  }
  void save_half() {
    std::string const record = record_of("pages", "half");
    play_.folder.at(some_file()).bytes += record.substr(0, 1 + chance_() % (record.size() - 1));
  }
  void leave_file() {
    for (auto& [instance, file] : play_.folder.files())
      if (one_in(2)) file.is_open = file.is_open && !file.is_ended;
  }

  void turn() {
    play_.forwarder->run(play_.now);
    if (one_in(2)) return;
    // Some of the answers, in their order.
    std::size_t const most = chance_() % (play_.daemon.answers.size() + 1);
    for (std::size_t i = 0; i < most && !play_.daemon.answers.empty(); ++i) {
      auto const answer = play_.daemon.answers.front();
      play_.daemon.answers.erase(play_.daemon.answers.begin());
      play_.forwarder->answered(answer.number, answer.status, play_.now);
    }
  }
  void kill() {
    if (one_in(3)) {
      // What a producer did not sync, and nothing of the forwarder rests on, may be lost.
      for (auto& [instance, file] : play_.folder.files())
        if (file.bytes != file.durable) may_be_lost_.insert(unsynced_[instance].begin(), unsynced_[instance].end());
      play_.folder.cut_power();
    }
    play_.begin();
  }
  void lose_connection() {
    play_.daemon.answers.clear();
    play_.forwarder->lost();
    play_.daemon.up = !one_in(3);
  }

  // Everything is well again: whatever was saved arrives.
  void end() {
    play_.folder.fail_one_in = 0;
    play_.daemon.up = true;
    play_.daemon.refuses.reset();
    play_.daemon.tables.insert("later");
    play_.daemon.answers.clear();
    play_.forwarder->lost();
    for (int hour = 0; hour < 4; ++hour) {
      play_.now.value += 3'600'000;
      for (auto& [instance, file] : play_.folder.files()) file.is_open = false;
      play_.settle();
    }
    BOOST_TEST(play_.folder.count() == 0U);
    BOOST_TEST(play_.folder.held().empty());
    std::set<std::string> aside;
    for (auto const& [record, code] : play_.folder.aside()) {
      Message message;
      BOOST_REQUIRE(protocol::parse_frame(find_record(record, 0, true).body, message).ok());
      BOOST_TEST((code == Code::bad_parameter));
      aside.insert(std::string{message.text("id")});
    }
    for (std::string const& id : saved_) {
      int const count = id.starts_with("bad") ? static_cast<int>(aside.count(id)) : play_.count(id);
      BOOST_TEST(count <= 1, id);
      BOOST_TEST((count == 1 || may_be_lost_.contains(id)), id << " is lost");
    }
    for (auto const& [id, count] : play_.daemon.rows) BOOST_TEST((count == 1 && saved_.contains(id)), id);
  }

  std::mt19937_64 chance_;
  Play play_;
  std::uint64_t ids_{0};
  std::set<std::string> saved_;
  std::set<std::string> may_be_lost_;
  std::map<Instance, std::set<std::string>> unsynced_;
};

BOOST_AUTO_TEST_CASE(random_lives) {
  std::uint64_t const lives = test::number_from("FJ_LIVES", 300);
  std::uint64_t const first = test::seed_or(1);
  for (std::uint64_t seed = first; seed < first + lives; ++seed) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed) { Life{seed}.live(600); }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool
