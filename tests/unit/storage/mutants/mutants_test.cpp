// Each known fault of files of bytes (storage/mutants.h) is seen by random lives (life.h) or by what tests ask of one
// life, and without one nothing is seen. Most of them are seen by the crash campaign as well.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "storage/mutants.h"
#include "tests/crash/campaign.h"
#include "tests/support/in_child.h"
#include "tests/unit/storage/exchange.h"
#include "tests/unit/storage/life.h"

namespace fastjournal::storage::test {
namespace {

constexpr std::uint64_t kLivesMax = 60;

// A start that must succeed, after which everything named is there.
std::string start(Life& life) {
  Status const status = life.start();
  return status.ok() ? life.check() : status.text();
}

std::string random_life(std::uint64_t seed) {
  Life life{seed};
  for (int round = 0; round < 10; ++round) {
    if (std::string wrong = start(life); !wrong.empty()) return wrong;
    for (int step = 0; step < 150; ++step)
      if (std::string wrong = life.step(); !wrong.empty()) return wrong;
    if (life.chance()() % 3 == 0)
      life.kill();
    else
      life.power_cut(sim::keep_some(life.chance()()));
  }
  return start(life);
}

std::string random_lives() {
  for (std::uint64_t seed = 1; seed <= kLivesMax; ++seed)
    if (std::string wrong = random_life(seed); !wrong.empty()) return "life " + std::to_string(seed) + ": " + wrong;
  return {};
}

// What a crash left is given back by the next start.
std::string space() {
  Life life{4};
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  for (int step = 0; step < 300; ++step)
    if (std::string wrong = life.step(); !wrong.empty()) return wrong;
  life.sync_log();
  life.kill();
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  life.free_all();
  life.sync_log();
  life.kill();
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  if (std::string wrong = life.settle(); !wrong.empty()) return wrong;
  return life.disk().used_bytes() > 68U << 10U ? std::to_string(life.disk().used_bytes()) + " bytes are used" : "";
}

// The same in a file where something is named still.
std::string space_in_file() {
  Life life{5};
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  for (int i = 0; i < 20; ++i)
    if (std::string wrong = life.carry(life.bytes(8000), true); !wrong.empty()) return wrong;
  if (std::string wrong = life.settle(); !wrong.empty()) return wrong;
  life.free_all(1);
  life.sync_log();
  life.kill();
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  if (std::string wrong = life.settle(); !wrong.empty()) return wrong;
  return life.disk().used_bytes() > 100U << 10U ? std::to_string(life.disk().used_bytes()) + " bytes are used" : "";
}

// A file is empty, and others follow, while old records of values in it are replayed still.
std::string numbers() {
  Life life{6};
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  if (std::string wrong = life.store_one(100); !wrong.empty()) return wrong;
  if (std::string wrong = life.carry(life.bytes(8000), true); !wrong.empty()) return wrong;
  life.free_all();
  life.mark_durable();
  for (int i = 0; i < 5; ++i)
    if (std::string wrong = life.turn(true); !wrong.empty()) return wrong;
  life.kill();
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  for (int i = 0; i < 4; ++i)
    if (std::string wrong = life.store_one(5000); !wrong.empty()) return wrong;
  life.mark_durable();
  life.kill();
  return start(life);
}

// One value of 9,000 bytes in a file that is synced, after a kill.
std::string keep_one(Life& life) {
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  if (std::string wrong = life.carry(life.bytes(9000), true); !wrong.empty()) return wrong;
  if (std::string wrong = life.settle(); !wrong.empty()) return wrong;
  life.kill();
  return {};
}

std::string cut_file() {
  Life life{8};
  if (std::string wrong = keep_one(life); !wrong.empty()) return wrong;
  auto file = life.disk().open("bytes/blobs/data.000001", env::OpenMode::read_write);
  if (!file.ok() || !file.value()->truncate(6000).ok()) return "no file";
  return life.start().ok() ? "a cut file is served" : "";
}

std::string changed_file() {
  Life life{9};
  if (std::string wrong = keep_one(life); !wrong.empty()) return wrong;
  life.disk().flip("bytes/blobs/data.000001", 4096 + 77, 1);
  if (!life.start().ok()) return "a start refused what it does not read";
  return life.check().find("not those that were stored") == std::string::npos ? "changed bytes are read" : "";
}

std::string changed_stranger() {
  Life life{10};
  if (std::string wrong = keep_one(life); !wrong.empty()) return wrong;
  life.options().store_id = 100;
  life.disk().flip("bytes/blobs/data.000001", 4096 + 77, 1);
  return life.start().ok() ? "the file of another log is taken" : "";
}

std::string failed_sync() {
  Life life{11};
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  if (std::string wrong = life.carry(life.bytes(5000), true); !wrong.empty()) return wrong;
  life.disk().fail_call(sim::Call::sync, 1, sim::Failure::io_error);
  return life.settle().starts_with("failed:") ? "" : "a failed sync is passed over";
}

std::string short_value() {
  Life life{12};
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  Result<ByteFiles::StageId> const stage = life.files().begin_value(100, 100);
  if (!stage.ok() || !life.files().add(stage.value(), "few").ok()) return "no stage";
  return life.files().end_value(stage.value()).ok() ? "a value that is not whole is stored" : "";
}

// A table that says its file, and is told how much of it is taken.
class SaidFile final : public Stores {
 public:
  [[nodiscard]] Status wish_to_store(Command const&, TimeMs, StoreWish&) const override { return {}; }
  [[nodiscard]] Result<std::uint64_t> accept_content(Command const&, TimeMs, std::uint64_t bytes) const override {
    return bytes;
  }
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t, std::uint32_t, std::vector<Extent>&) const override {
    return 0;
  }
  [[nodiscard]] std::uint32_t file_for_new() const override { return 1; }
  void list_files(std::vector<FileWish>& files) const override { files.push_back({.number = 1, .link = {}}); }
  void file_has(std::uint32_t file, std::uint64_t end, std::uint64_t hollow) override {
    if (file == 1) taken = end - hollow;
  }
  std::uint64_t taken{0};
};

// Announced values count as long as they may come, and no longer.
std::string taken() {
  sim::SimDisk disk;
  SaidFile table;
  ByteFilesOptions options;
  options.folder = "bytes/blobs";
  options.table = TableId{7};
  options.store_id = 99;
  options.kept_free_bytes = 0;
  ByteFiles files{disk, options, table};
  if (!files.open().ok() || !files.begin(Lsn{8}).ok()) return "no start";
  std::uint64_t const empty = table.taken;
  for (int i = 0; i < 3; ++i) {
    Result<ByteFiles::StageId> const stage = files.begin_value(100'000, 100'000);
    if (!stage.ok()) return "no stage";
    if (table.taken < empty + 100'000) return "what was announced is not told";
    files.drop(stage.value());
    // Parts of blocks that are shared stay.
    if (table.taken > empty + 8192 * (static_cast<unsigned>(i) + 1)) return "what was given back is still taken";
  }
  return {};
}

// What a transaction had takes no space when that is rolled back.
std::string promised_space() {
  Life life{13};
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  for (int i = 0; i < 5; ++i)
    if (std::string wrong = life.store_one(100'000, Life::Becomes::promised); !wrong.empty()) return wrong;
  if (std::string wrong = life.settle(); !wrong.empty()) return wrong;
  return life.disk().used_bytes() > 256U << 10U ? std::to_string(life.disk().used_bytes()) + " bytes are used" : "";
}

// A file or a folder that is not where a start will look for it is seen by a look.
std::string lost_file() {
  for (bool const is_folder : {false, true}) {
    Life life{17};
    if (std::string wrong = start(life); !wrong.empty()) return wrong;
    if (std::string wrong = life.store_one(5'000); !wrong.empty()) return wrong;
    if (std::string wrong = life.settle(); !wrong.empty()) return wrong;
    if (Status const status = life.files().look(true); !status.ok()) return status.text();
    if (is_folder)
      life.disk().move_away("bytes/blobs");
    else
      life.disk().drop("bytes/blobs/data.000001");
    if (life.files().look(true).ok()) return "what is gone is not seen";
  }
  return {};
}

// The first thing that shows it; empty: nothing does.
std::string seen() {
  for (auto const look : {random_lives, space, space_in_file, numbers, cut_file, changed_file, changed_stranger,
                          failed_sync, short_value, taken, exchange_with_a_promise, promised_space,
                          exchanges_on_the_way, changes_before_a_move, empty_beside_others, lost_file})
    if (std::string wrong = look(); !wrong.empty()) return wrong;
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(storage_mutants)

BOOST_AUTO_TEST_CASE(lives_see_each_known_fault) {
  active_mutant = Mutant::none;
  BOOST_TEST(seen() == "");
  for (std::size_t number = 1; number < kMutantNames.size(); ++number) {
    active_mutant = static_cast<Mutant>(number);
    // In a child, as a check may end it.
    std::string how;
    constexpr rlim_t kCpuSecondsMax = 3'600;
    if (fastjournal::test::run_in_child(seen, kCpuSecondsMax, how) != 0) how = "its end: " + how;
    BOOST_TEST_MESSAGE(kMutantNames[number] << ": " << (how.empty() ? "NOT SEEN" : how));
    BOOST_TEST(!how.empty(), kMutantNames[number] << " was not seen");
  }
  active_mutant = Mutant::none;
}

// A part of `./mk crash`. It damages no file and ends no value early, which the faults left out here need; a number that
// is given again takes a history that chance does not make.
BOOST_AUTO_TEST_CASE(the_crash_campaign_sees_faults_of_crashes_and_failing_calls) {
  constexpr std::array kLeftOut{
      Mutant::number_given_again,   Mutant::cut_file_accepted,     Mutant::hash_not_compared,
      Mutant::short_value_accepted, Mutant::stranger_not_compared, Mutant::given_back_stays_taken,
      Mutant::promised_not_copied,  Mutant::start_copies_nothing,  Mutant::let_go_is_not_given_back,
      Mutant::moved_twice,          Mutant::moved_not_compared,    Mutant::empty_value_has_place,
      Mutant::lost_file_not_seen};
  for (std::size_t number = 0; number < kMutantNames.size(); ++number) {
    auto const mutant = static_cast<Mutant>(number);
    if (std::ranges::find(kLeftOut, mutant) != kLeftOut.end()) continue;
    log::file::test::Plan plan;
    plan.log = false;
    plan.byte_crashes = mutant == Mutant::none ? 500 : 10'000;
    plan.threads = 1;
    active_mutant = mutant;
    auto const outcome = log::file::test::run_campaign(plan, [] { return 0.0; }, {});
    active_mutant = Mutant::none;
    std::string const how = outcome.failure ? outcome.failure->what : "not seen";
    BOOST_TEST_MESSAGE(kMutantNames[number] << ", " << outcome.sum.tries() << " tries: " << how);
    BOOST_TEST(outcome.failure.has_value() == (mutant != Mutant::none), kMutantNames[number] << ": " << how);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::storage::test
