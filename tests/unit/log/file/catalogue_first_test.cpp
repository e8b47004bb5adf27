// A start reads the catalogue first. Headers say where it lies, and only that part of a log is read twice.
#include <boost/test/unit_test.hpp>

#include "base/hash.h"
#include "tests/crash/scenario.h"

namespace fastjournal::log::file::test {
namespace {

constexpr int kFill = 1000;

// Writes the catalogue's statements, then many segments of other records. The steps in `between` are done ten times,
// spread over the log.
void fill(Scenario& scenario, std::string_view between) {
  scenario.world.options = small_options(512, 4096);
  BOOST_REQUIRE(scenario.open());
  BOOST_REQUIRE(scenario.step('h') && scenario.step('h'));
  for (int i = 0; i < kFill; ++i) {
    BOOST_REQUIRE(scenario.put(60'000, 1, Durability::synced));
    if (i % (kFill / 10) == kFill / 20)
      for (char const letter : between) BOOST_REQUIRE(scenario.step(letter));
  }
}

std::uint64_t log_bytes(Scenario const& scenario) {
  log::LogUsage const usage = scenario.world.log->usage();
  return std::uint64_t{usage.segments - usage.segments_free} * scenario.world.options.segment_bytes;
}

// Makes the next header say from where the catalogue is needed; for rows the whole log is.
void tell_headers(Scenario& scenario) {
  scenario.world.log->set_base(scenario.world.log->base_lsn(), scenario.catalogue());
  BOOST_REQUIRE(scenario.step('r'));
}

// Kills the daemon and starts it again; returns the bytes read per byte of the log. The scenario checks that the
// catalogue was complete.
double read_at_a_start(Scenario& scenario) {
  std::uint64_t const bytes = log_bytes(scenario);
  BOOST_REQUIRE_MESSAGE(scenario.step('k'), scenario.trouble());
  return static_cast<double>(scenario.world.report.bytes_scanned) / static_cast<double>(bytes);
}

// Turns a header into one of version 1, which did not say where the catalogue lies.
void make_old(std::byte* block) {
  store_little(block + 16, std::uint32_t{1});
  for (std::size_t at = 104; at < 120; ++at) block[at] = std::byte{0};
  store_little(block, hash64(as_text(std::span<std::byte const>(block + 8, 96))));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(catalogue_first)

BOOST_AUTO_TEST_CASE(what_was_stated_at_the_begin_is_found_without_reading_everything_twice) {
  Scenario scenario;
  fill(scenario, "");
  double const first = read_at_a_start(scenario);
  BOOST_TEST(first < 1.25);
  BOOST_TEST(scenario.world.found.entries.size() == kFill + 2U);
  // The same after a start that had only the headers of earlier starts.
  BOOST_TEST(read_at_a_start(scenario) < 1.25);
}

BOOST_AUTO_TEST_CASE(statements_that_were_compacted_are_found_where_they_are) {
  Scenario scenario;
  fill(scenario, "h");
  tell_headers(scenario);
  // A tenth of the log lies between the older and the newer statement.
  BOOST_TEST(read_at_a_start(scenario) < 1.5);
  BOOST_TEST(scenario.world.found.catalogue.size() <= 4U);
}

BOOST_AUTO_TEST_CASE(a_log_whose_headers_do_not_say_where_is_read_twice) {
  Scenario scenario;
  fill(scenario, "h");
  scenario.world.log.reset();
  auto image = scenario.world.disk.image();
  for (auto& [name, bytes] : image)
    if (name.find("container-") != std::string::npos)
      for (std::size_t const copy : {0U, 512U}) make_old(bytes.data() + copy);
  scenario.world.disk.restore(image);
  BOOST_REQUIRE_MESSAGE(scenario.open(), scenario.trouble());
  BOOST_TEST(scenario.world.found.catalogue.size() == 12U);
  std::uint64_t const bytes = log_bytes(scenario);
  BOOST_TEST(scenario.world.report.bytes_scanned > 2 * (bytes - scenario.world.options.segment_bytes));
  // The headers say it from the next start on.
  BOOST_TEST(read_at_a_start(scenario) < 2.2);
  BOOST_REQUIRE(scenario.step('h') && scenario.step('h'));
  tell_headers(scenario);
  BOOST_TEST(read_at_a_start(scenario) < 1.4);
}

BOOST_AUTO_TEST_CASE(a_header_of_a_version_to_come_is_no_header) {
  std::array<std::byte, 512> block{};
  SegmentHeader header;
  header.size = 8192;
  header.block = 512;
  header.catalogue = Lsn{4096};
  header.described = Lsn{4608};
  encode(header, block);
  auto const read = decode_segment(block);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((read->catalogue == header.catalogue && read->described == header.described));
  store_little(block.data() + 16, kFormatVersion + 1);
  store_little(block.data(), hash64(as_text(std::span<std::byte const>(block).subspan(8, kSegmentHeaderBytes - 8))));
  BOOST_TEST(!decode_segment(block).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
