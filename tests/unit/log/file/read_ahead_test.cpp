// Reading ahead with workers: whatever their number and the order of their work, a reader gets the same records and
// finds the same damage. The workers here are simulated on one thread: they do the pieces in a seeded order, at once or
// as late as allowed. Real threads: tests/unit/os/workers_test.cpp.
#include <algorithm>
#include <random>

#include "tests/unit/log/file/log_world.h"

namespace fastjournal::log::file::test {

namespace {

// Bytes. More than three windows of the reader, with one batch that is larger than a window.
constexpr std::uint64_t kEntrySizes[] = {200, 40'000, 0, 700'000, 9U << 20U, 300, 2U << 20U, 1'000'000};

class LateWorkers final : public env::Workers {
 public:
  explicit LateWorkers(std::uint64_t seed) : random_(seed) {}
  void begin(std::size_t count, std::function<void(std::size_t)> piece) override {
    for (std::size_t i = 0; i < count; ++i) left_.push_back(i);
    std::shuffle(left_.begin(), left_.end(), random_);
    piece_ = std::move(piece);
    work(random_() % (count + 1));
  }
  void finish() override { work(left_.size()); }

 private:
  void work(std::size_t count) {
    for (; count > 0; --count, left_.pop_back()) piece_(left_.back());
  }
  std::mt19937_64 random_;
  std::vector<std::size_t> left_;
  std::function<void(std::size_t)> piece_;
};

struct Found {
  Collector records;
  RecoveryReport report;
  Status status;
};

Found read(World& world, env::Workers* workers) {
  Found found;
  auto reader = LogReader::open(world.disk, "data/log");
  FJ_REQUIRE_OK(reader.status());
  found.status = reader->read(found.records, found.report, workers);
  return found;
}

// Reads with and without workers, requires the same result, and returns it.
Found require_alike(World& world, std::uint64_t seed) {
  LateWorkers workers{seed};
  Found const alone = read(world, nullptr);
  Found const helped = read(world, &workers);
  BOOST_TEST_CONTEXT("seed " << seed) {
    BOOST_TEST(alone.status.text() == helped.status.text());
    BOOST_CHECK(alone.records.entries == helped.records.entries);
    BOOST_TEST(alone.report.cut_reason == helped.report.cut_reason);
    BOOST_TEST(alone.report.records == helped.report.records);
    BOOST_CHECK(alone.report.end == helped.report.end);
  }
  return helped;
}

void fill(World& world) {
  world.options.segment_bytes = 1U << 20U;
  FJ_REQUIRE_OK(world.open());
  for (std::uint64_t i = 0; i < 3 * std::size(kEntrySizes); ++i)
    BOOST_REQUIRE(world.put(pattern(kEntrySizes[i % std::size(kEntrySizes)], i), Durability::synced));
}

struct ReadAheadWaiting final : RecordHandler {
  bool wants_catalogue_first() const override { return true; }
  Status on_record(RecordView const&, Lsn) override {
    ++records;
    return {};
  }
  void on_progress(ReadProgress const& progress) override { told.push_back(progress); }
  std::vector<ReadProgress> told;
  std::uint64_t records{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(read_ahead)

BOOST_AUTO_TEST_CASE(records_come_in_order_whatever_the_hands_do) {
  World world;
  fill(world);
  FJ_REQUIRE_OK(world.log->shut_down());
  for (std::uint64_t seed = 0; seed < 4; ++seed) require_alike(world, seed);
  Found const found = read(world, nullptr);
  FJ_REQUIRE_OK(found.status);
  BOOST_REQUIRE(found.records.entries.size() == 3 * std::size(kEntrySizes));
  for (std::uint64_t i = 0; i < found.records.entries.size(); ++i)
    BOOST_CHECK(found.records.entries[i].body == pattern(kEntrySizes[i % std::size(kEntrySizes)], i));
}

BOOST_AUTO_TEST_CASE(damage_and_torn_tails_are_found_alike) {
  World world;
  fill(world);
  std::size_t const synced = 3 * std::size(kEntrySizes);
  std::size_t const unsynced = 6;
  for (std::uint64_t i = 0; i < unsynced; ++i)
    BOOST_REQUIRE(world.put(pattern(200'000, synced + i), Durability::written));
  Found const whole = read(world, nullptr);
  FJ_REQUIRE_OK(whole.status);
  std::vector<Entry> const& written = whole.records.entries;
  BOOST_REQUIRE(written.size() == synced + unsynced);
  std::vector<std::string> names = world.disk.list("data/log").value();
  std::erase_if(names, [](std::string const& name) { return !index_of_segment(name); });
  std::mt19937_64 random{7};
  int damaged = 0;
  int torn = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    World other;
    other.disk.copy_state(world.disk);
    // Half of the unsynced writes are lost; with every other seed, a synced byte is damaged.
    other.disk.crash(sim::keep_some(seed));
    if (seed % 2 == 0) {
      std::string const path = "data/log/" + names[random() % names.size()];
      other.disk.flip(path, 1024 + random() % ((1U << 20U) - 1024), 1);
    }
    Found const found = require_alike(other, seed);
    // Two readers that overlook the same damage agree with each other, so compare with what was written, too.
    std::vector<Entry> const& entries = found.records.entries;
    BOOST_REQUIRE(entries.size() <= written.size());
    BOOST_CHECK(std::equal(entries.begin(), entries.end(), written.begin()));
    if (!found.status.ok())
      ++damaged;
    else if (entries.size() < written.size())
      ++torn;
    BOOST_CHECK(!found.status.ok() || entries.size() >= synced);
  }
  BOOST_TEST(damaged >= 6);
  BOOST_TEST(torn >= 6);
}

BOOST_AUTO_TEST_CASE(a_read_that_fails_stops_the_reading_with_its_reason) {
  World world;
  fill(world);
  FJ_REQUIRE_OK(world.log->shut_down());
  for (std::uint64_t nth = 1; nth < 90; nth += 11) {
    LateWorkers workers{nth};
    auto reader = LogReader::open(world.disk, "data/log");
    FJ_REQUIRE_OK(reader.status());
    world.disk.fail_call(sim::Call::read, nth, sim::Failure::io_error);
    Collector records;
    RecoveryReport report;
    BOOST_CHECK(reader->read(records, report, &workers).code() == Code::io_error);
    world.disk.forget_failures();
  }
}

BOOST_AUTO_TEST_CASE(who_waits_is_told_how_far_it_is) {
  World world;
  fill(world);
  FJ_REQUIRE_OK(world.log->shut_down());
  auto reader = LogReader::open(world.disk, "data/log");
  FJ_REQUIRE_OK(reader.status());
  ReadAheadWaiting waiting;
  RecoveryReport report;
  FJ_REQUIRE_OK(reader->read(waiting, report));
  // The largest batches are a step each; the others are reported MiB by MiB. The end, about which no header says
  // anything yet, is read twice.
  BOOST_TEST(waiting.told.size() >= 8U);
  BOOST_TEST(waiting.told.front().catalogue);
  bool catalogue = true;
  std::uint64_t before = 0;
  for (ReadProgress const& progress : waiting.told) {
    if (catalogue && !progress.catalogue) before = 0;
    BOOST_TEST((catalogue || !progress.catalogue));
    catalogue = progress.catalogue;
    BOOST_TEST(progress.bytes > before);
    BOOST_TEST(progress.bytes <= progress.bytes_total);
    BOOST_TEST(progress.segments < progress.segments_total);
    before = progress.bytes;
  }
  BOOST_TEST(!catalogue);
  BOOST_TEST(waiting.told.back().records <= waiting.records);
  BOOST_TEST(waiting.told.back().bytes_total < 48U << 20U);
}

BOOST_AUTO_TEST_CASE(a_batch_that_begins_before_what_is_read_makes_no_more_of_it) {
  World world;
  world.options.segment_bytes = 1U << 20U;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.log->reserve(4U << 20U, false));
  world.append(pattern(3U << 20U, 1));
  Lsn const statement = world.append("statement", {}, TableId::catalogue, 1);
  world.log->end_group(Durability::synced);
  FJ_REQUIRE_OK(world.log->commit());
  BOOST_REQUIRE(world.put(pattern(2U << 20U, 2)));
  world.log->set_base(world.log->base_lsn(), statement);
  BOOST_REQUIRE(world.log->reserve(1U << 20U, false));  // the next header has it
  auto reader = LogReader::open(world.disk, "data/log");
  FJ_REQUIRE_OK(reader.status());
  ReadAheadWaiting waiting;
  RecoveryReport report;
  FJ_REQUIRE_OK(reader->read(waiting, report));
  BOOST_REQUIRE(!waiting.told.empty());
  for (ReadProgress const& progress : waiting.told) BOOST_TEST(progress.bytes <= progress.bytes_total);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
