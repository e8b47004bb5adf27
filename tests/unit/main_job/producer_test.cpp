// The producer without any daemon: what it records as saved is in the spool, with dates that do not move.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clients/demo/main_job/event.h"
#include "clients/demo/main_job/producer.h"
#include "clients/demo/process/line_reader.h"
#include "clients/spool/core/record.h"
#include "tests/support/temporary_folder.h"
#include "wire/msgpack.h"

namespace fastjournal::main_job {
namespace {

// Of a plan that takes no longer than a moment, with several changes of its page.
std::uint64_t short_seed() {
  for (std::uint64_t seed = 1;; ++seed)
    if (auto const plan = plan_touches(1, seed); plan.size() > 1 && plan.back().at_ms < 300) return seed;
}

// In the order of the saves: a period may end in between.
std::vector<std::string> bodies_of(std::filesystem::path const& folder) {
  std::set<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".rows") files.insert(entry.path());
  std::vector<std::string> bodies;
  for (auto const& path : files) {
    std::ifstream file(path, std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(file), {}};
    std::optional<spool::Seed> const seed = spool::seed_of_file(bytes);
    BOOST_REQUIRE(seed.has_value());
    for (spool::Found found = spool::find_record(bytes, 0, *seed, true); found.kind == spool::Found::Kind::record;
         found = spool::find_record(bytes, found.end, *seed, true))
      bodies.emplace_back(found.body);
  }
  return bodies;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(main_job_producer)

BOOST_AUTO_TEST_CASE(what_it_records_is_in_the_spool_with_its_date) {
  test::TemporaryFolder const folder;
  std::string const uri = "file:///no/such/page";
  std::ofstream(folder.path() / "pages") << uri << "\n";
  auto const spool = folder.path() / "spool";
  std::uint64_t const seed = short_seed();
  auto const plan = plan_touches(1, seed);
  std::int64_t const before_ms = wall_us() / 1000;
  Status const produced =
      produce({.pages = folder.path() / "pages", .spool = spool, .events = folder.path() / "events", .seed = seed});
  BOOST_REQUIRE_MESSAGE(produced.ok(), produced.message());
  std::int64_t const after_ms = wall_us() / 1000;

  std::vector<Event> saved;
  process::LineReader reader(folder.path() / "events");
  BOOST_REQUIRE(reader.read([&](std::string_view line) { saved.push_back(event_of(line).value()); }).ok());
  BOOST_TEST(saved.size() == plan.size());
  for (Event const& event : saved) {
    BOOST_TEST((event.kind == EventKind::saved));
    BOOST_TEST(event.text == uri);
    BOOST_TEST(event.number >= 0);
  }

  std::vector<std::string> const bodies = bodies_of(spool);
  BOOST_REQUIRE(bodies.size() == plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    Touch const& touch = plan[i];
    Message row;
    BOOST_REQUIRE(protocol::parse_frame(bodies[i], row).ok());
    BOOST_TEST(row.text("table") == "pages");
    BOOST_TEST(row.text("uri") == uri);
    BOOST_TEST(row.integer("priority").value() == touch.priority);
    std::int64_t const date_ms = row.integer("process_date").value() - touch.delay_ms;
    BOOST_TEST(date_ms >= before_ms);
    BOOST_TEST(date_ms <= after_ms);
  }
}

BOOST_AUTO_TEST_CASE(a_spool_that_cannot_be_written_is_told) {
  test::TemporaryFolder const folder;
  std::ofstream(folder.path() / "pages") << "file:///a\n";
  std::ofstream(folder.path() / "spool") << "no folder";
  Status const refused =
      produce({.pages = folder.path() / "pages", .spool = folder.path() / "spool", .events = folder.path() / "events"});
  BOOST_TEST((refused.code() == Code::io_error));
  BOOST_TEST(refused.message().find((folder.path() / "spool").string()) != std::string::npos, refused.message());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
