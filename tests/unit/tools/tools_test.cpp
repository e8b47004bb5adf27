// The tools for logs, in the simulator: a journal's real log is damaged in every block, truncated, or loses segments.
// The daemon must start on the result of a salvage, which has all that could be saved. And backups of a log in use,
// also on a full disk.
#include "clients/programs/logs/copy.h"
#include "clients/programs/logs/dump.h"
#include "clients/programs/logs/salvage.h"
#include "tests/unit/tools/used.h"

namespace fastjournal::tools {
namespace {

// Salvages into `target`; the damaged folder must not change.
Result<Salvaged> salvage_and_serve(Used& used, std::string const& target) {
  auto const before = used.world.disk().image();
  Result<Salvaged> out = salvage(used.world.disk(), "shared", used.world.disk(), target, used.world.types(), 99);
  auto after = used.world.disk().image();
  std::erase_if(after, [&](auto const& file) { return file.first.starts_with(target + "/"); });
  BOOST_CHECK(after == before);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(log_tools)

BOOST_AUTO_TEST_CASE(verify_has_the_digest_of_the_daemon_and_changes_nothing) {
  Used used;
  auto const before = used.world.disk().image();
  Result<LogFacts> const facts = verify(used.world.disk(), "shared", used.world.types());
  BOOST_REQUIRE_MESSAGE(facts.ok(), facts.status().text());
  BOOST_TEST(facts->digest == used.digest);
  BOOST_TEST(facts->report.clean);
  BOOST_CHECK(used.world.disk().image() == before);
}

BOOST_AUTO_TEST_CASE(a_sound_log_is_not_salvaged) {
  Used used;
  BOOST_CHECK(salvage_and_serve(used, "new").status().code() == Code::wrong_state);
}

BOOST_AUTO_TEST_CASE(any_block_may_be_damaged_and_the_daemon_starts_on_what_is_left) {
  Used used;
  auto const image = used.world.disk().image();
  int salvaged = 0;
  int sound = 0;
  int left_out = 0;
  for (auto const& [file, bytes] : image) {
    if (!log::file::index_of_segment(file.substr(file.rfind('/') + 1))) continue;
    // After the last batch there is nothing to damage.
    for (std::uint64_t at = 0; at < 110 * kBlock; at += kBlock) {
      used.world.disk().restore(image);
      used.world.disk().flip(file, at + 70, 0x10);
      BOOST_TEST_INFO(file << " offset " << at);
      Result<Salvaged> const out = salvage_and_serve(used, "new");
      if (out.status().code() == Code::wrong_state) {
        ++sound;
        continue;
      }
      BOOST_REQUIRE_MESSAGE(out.ok(), out.status().text());
      ++salvaged;
      for (auto const& left : out->left_out) left_out += static_cast<int>(left.records);
      // One batch of many was damaged, so nearly everything is there.
      BOOST_TEST(out->lost_bytes <= 4 * kBlock);
      if (salvaged % 16 == 0) check_serves(used, "new");
    }
  }
  BOOST_TEST(salvaged > 60);
  BOOST_TEST(sound > 10);
  BOOST_TEST_MESSAGE("salvaged " << salvaged << ", sound " << sound << ", left out " << left_out);
}

BOOST_AUTO_TEST_CASE(lost_headers_are_rebuilt_from_the_batches) {
  Used used;
  used.world.disk().wipe("shared/container-000001", 0, 2 * kBlock);
  Result<Salvaged> const out = salvage_and_serve(used, "new");
  BOOST_REQUIRE_MESSAGE(out.ok(), out.status().text());
  BOOST_TEST(out->result.digest == used.digest);
  BOOST_REQUIRE(out->odd_segments.size() == 1U);
  BOOST_TEST(out->odd_segments.front().find("rebuilt") != std::string::npos);
  check_serves(used, "new");
}

// Damages one byte in each of the last `batches` batches that have this kind of catalogue record.
void damage_catalogue(sim::World& world, std::string_view what, std::size_t batches) {
  std::vector<std::pair<std::string, std::uint64_t>> holding;
  std::pair<std::string, std::uint64_t> batch;
  Result<bool> const shown = dump(world.disk(), "shared", DumpRequest{}, [&](Message const& line) {
    if (line.command == "BATCH")
      batch = {std::string(line.text("container")), static_cast<std::uint64_t>(line.integer("offset").value())};
    if (line.command == "RECORD" && line.text("is") == what) holding.push_back(batch);
  });
  BOOST_REQUIRE(shown.ok());
  BOOST_REQUIRE(holding.size() == 2U);
  while (holding.size() > 2U - batches) {
    world.disk().flip("shared/" + holding.back().first, holding.back().second + 60, 1);
    holding.pop_back();
  }
}

BOOST_AUTO_TEST_CASE(a_table_whose_name_or_columns_are_lost_is_left_out_as_a_whole) {
  for (std::string_view const lost : {"table", "schema"}) {
    // The second start copied the catalogue forward, so the log has it twice.
    Used used{13, 12};
    damage_catalogue(used.world, lost, 2);
    Result<Salvaged> const out = salvage_and_serve(used, "new");
    BOOST_REQUIRE_MESSAGE(out.ok(), out.status().text());
    BOOST_TEST(out->result.tables.empty());
    BOOST_REQUIRE(!out->left_out.empty());
    BOOST_TEST(out->left_out.back().reason.find("lost") != std::string::npos);
    check_serves(used, "new");
  }
}

BOOST_AUTO_TEST_CASE(what_was_compacted_is_found_where_it_stood_before) {
  Used used{13, 12};
  damage_catalogue(used.world, "table", 1);
  Result<Salvaged> const out = salvage_and_serve(used, "new");
  BOOST_REQUIRE_MESSAGE(out.ok(), out.status().text());
  BOOST_TEST(out->lost.size() == 1U);
  BOOST_TEST(out->left_out.empty());
  BOOST_TEST(out->result.digest == used.digest);
  check_serves(used, "new");
}

BOOST_AUTO_TEST_CASE(a_lost_segment_takes_its_rows_with_it_and_no_others) {
  Used used{11, 30};
  // The second start writes to a segment of its own; the catalogue is in the first one.
  std::string last;
  {
    Result<Scan> const scan = Scan::open(used.world.disk(), "shared");
    BOOST_REQUIRE(scan.ok());
    std::uint64_t generation = 0;
    for (ScannedSegment const& one : scan->segments())
      if (one.in_stream && one.header->generation > generation) {
        generation = one.header->generation;
        last = one.name;
      }
  }
  // The records of the first start are lost, those of the second stay.
  BOOST_REQUIRE(last != "container-000001");
  BOOST_REQUIRE(used.world.disk().remove("shared/container-000001").ok());
  Result<Salvaged> const out = salvage_and_serve(used, "new");
  BOOST_REQUIRE_MESSAGE(out.ok(), out.status().text());
  BOOST_REQUIRE(!out->lost.empty());
  BOOST_TEST(out->lost.front().segment.empty());
  check_serves(used, "new");
}

BOOST_AUTO_TEST_CASE(a_folder_without_a_readable_header_or_without_a_log_is_refused) {
  Used used{5, 6};
  for (std::string const& file : used.world.disk().files())
    if (file.find("container-") != std::string::npos) used.world.disk().wipe(file, 0, 2 * kBlock);
  BOOST_CHECK(salvage_and_serve(used, "new").status().code() == Code::damaged);
  BOOST_CHECK(salvage(used.world.disk(), "nowhere", used.world.disk(), "new", used.world.types(), 1).status().code() ==
              Code::not_found);
}

BOOST_AUTO_TEST_CASE(a_full_disk_ends_a_salvage_with_no_space) {
  Used used;
  used.world.disk().flip("shared/container-000001", 12 * kBlock + 70, 1);
  used.world.disk().set_capacity(used.world.disk().used_bytes() + (600U << 10U));
  BOOST_CHECK(salvage_and_serve(used, "new").status().code() == Code::no_space);
}

BOOST_AUTO_TEST_CASE(dump_walks_over_damage_and_says_where_it_is) {
  Used used;
  used.world.disk().flip("shared/container-000001", 12 * kBlock + 70, 1);
  std::map<std::string, int> seen;
  DumpRequest const wish;
  Result<bool> const damaged =
      dump(used.world.disk(), "shared", wish, [&](Message const& line) { ++seen[std::string(line.command)]; });
  BOOST_REQUIRE_MESSAGE(damaged.ok(), damaged.status().text());
  BOOST_TEST(damaged.value());
  BOOST_TEST(seen["DAMAGE"] == 1);
  BOOST_TEST(seen["BATCH"] > 60);
  BOOST_TEST(seen["RECORD"] > 100);
}

BOOST_AUTO_TEST_CASE(what_a_crash_leaves_is_no_damage) {
  sim::World world{31};
  BOOST_REQUIRE(world.add_table(kTable).ok());
  BOOST_REQUIRE(world.start().ok());
  // The disk before each call that changes it, while the log goes through two segments.
  std::vector<std::unique_ptr<sim::SimDisk>> moments;
  world.disk().before_change([&] {
    moments.push_back(std::make_unique<sim::SimDisk>());
    moments.back()->copy_state(world.disk());
  });
  for (int i = 0; i < 20; ++i) {
    world.send("c", "INSERT table=jobs;name=x" + std::to_string(i) + ";payload=" + std::string(60'000, 'z'));
    world.settle();
  }
  world.disk().before_change({});
  int torn = 0;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    for (sim::Chooser const& kept : {sim::keep_all(), sim::keep_none(), sim::keep_some(i)}) {
      sim::SimDisk disk;
      disk.copy_state(*moments[i]);
      disk.crash(kept);
      Result<LogFacts> const facts = verify(disk, "shared", world.types());
      BOOST_REQUIRE_MESSAGE(facts.ok(), facts.status().text());
      DumpRequest const wish;
      Result<bool> const damaged = dump(disk, "shared", wish, [&](Message const& line) {
        if (line.command == "REST" && line.text("reason").starts_with("a torn tail")) ++torn;
      });
      BOOST_REQUIRE_MESSAGE(damaged.ok(), damaged.status().text());
      BOOST_TEST(!damaged.value(), "before call " << i);
    }
  }
  BOOST_TEST(moments.size() > 40U);
  BOOST_TEST(torn > 5);
  BOOST_TEST_MESSAGE(moments.size() << " moments, torn tails " << torn);
}

BOOST_AUTO_TEST_CASE(held_files_are_copied_while_the_log_goes_round) {
  sim::World world{21};
  BOOST_REQUIRE(world.add_table(kTable).ok());
  BOOST_REQUIRE(world.start().ok());
  auto const churn = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      world.send("c", "INSERT table=jobs;name=x;payload=" + std::string(60'000, 'z'));
      world.send("c", "DELETE table=jobs;name=x");
      world.settle();
    }
  };
  churn(30);
  world.send("admin", "BACKUP digest=1");
  world.settle();
  std::string const answer = world.take_line("admin").value_or("");
  log::LogSnapshot snapshot;
  snapshot.store_id = std::stoull(Used::value(answer, "store"));
  snapshot.base = Lsn{std::stoull(Used::value(answer, "base"))};
  snapshot.end = Lsn{std::stoull(Used::value(answer, "end"))};
  std::string segments = Used::value(answer, "containers");
  std::erase(segments, '"');
  for (std::size_t at = 0; at < segments.size();) {
    std::size_t used = 0;
    snapshot.segments.push_back(static_cast<std::uint32_t>(std::stoul(segments.substr(at), &used)));
    at += used + 1;
  }
  // The log goes round, and reuses every segment except those that the backup holds.
  churn(60);
  Result<Copied> const copied = copy_log(world.disk(), "shared", world.disk(), "copy", snapshot, [](std::uint64_t) {});
  BOOST_REQUIRE_MESSAGE(copied.ok(), copied.status().text());
  world.send("admin", "BACKUP_DONE");
  world.settle();
  BOOST_TEST(world.take_line("admin").value_or("").starts_with("BACKED_UP"));
  Result<LogFacts> const facts = verify(world.disk(), "copy", world.types());
  BOOST_REQUIRE_MESSAGE(facts.ok(), facts.status().text());
  BOOST_TEST(engine::digest_text(facts->digest) == Used::value(answer, "digest"));
  churn(30);
}

BOOST_AUTO_TEST_CASE(a_hold_is_given_up_before_a_removal_is_refused_and_the_copy_is_known_to_be_bad) {
  sim::World world{22};
  BOOST_REQUIRE(world.add_table(kTable).ok());
  BOOST_REQUIRE(world.start().ok());
  auto const ask = [&](std::string const& who, std::string const& line) {
    world.send(who, line);
    world.settle();
    return world.take_line(who).value_or("");
  };
  for (int i = 0; i < 30; ++i)
    ask("c", "INSERT table=jobs;name=x" + std::to_string(i) + ";payload=" + std::string(60'000, 'z'));
  BOOST_TEST(ask("admin", "BACKUP").starts_with("BACKUP"));
  world.disk().set_capacity(world.disk().used_bytes());
  for (int i = 0; i < 30; ++i)
    BOOST_TEST(ask("c", "DELETE table=jobs;name=x" + std::to_string(i)).starts_with("DELETED"));
  for (int i = 0; i < 60; ++i) {
    BOOST_TEST(ask("c", "INSERT table=jobs;name=y;payload=" + std::string(60'000, 'z')).starts_with("INSERTED"));
    BOOST_TEST(ask("c", "DELETE table=jobs;name=y").starts_with("DELETED"));
  }
  BOOST_TEST(ask("admin", "BACKUP_DONE").find("code=no_space") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::tools
