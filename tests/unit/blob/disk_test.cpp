// Maintenance with its files on a disk that loses power: at each call of the disk in turn, and with the links of an
// exchange in every state that a power cut can leave. A start makes them right from the records alone.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "tests/unit/blob/disk_scene.h"

namespace fastjournal::blob::test {
namespace {

std::string const kModes[] = {"modern", "online", "offline"};

void require_right(DiskScene& scene) {
  std::string wrong = scene.check_links();
  BOOST_REQUIRE_MESSAGE(wrong.empty(), wrong);
  wrong = scene.check_blobs();
  BOOST_REQUIRE_MESSAGE(wrong.empty(), wrong);
}

void require_begin(DiskScene& scene) {
  Status const status = scene.begin();
  BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  require_right(scene);
}

std::string bytes_of(int i) {
  return std::string(static_cast<std::size_t>(100 + 37 * i % 900), 'x') + std::to_string(i);
}

bool put_some(DiskScene& scene, int from, int count) {
  for (int i = from; i < from + count; ++i) {
    scene.put("key " + std::to_string(i % 12), bytes_of(i), i % 3 == 0);
    if (i % 2 == 0 && !scene.turn()) return false;
  }
  return scene.settle();
}

// Until it has ended; blobs come meanwhile.
bool finish(DiskScene& scene, int from) {
  for (int i = 0; i < 8; ++i) {
    if (!scene.turn()) return false;
    scene.put("key " + std::to_string(i), bytes_of(from + i), i % 2 == 0);
  }
  if (!scene.settle() || !scene.turn(60'000) || !scene.settle()) return false;
  return scene.turn(60'000) && scene.settle();
}

// Three maintenances, the second is given up. False: the power was cut.
bool play(DiskScene& scene) {
  if (!put_some(scene, 0, 20)) return false;
  scene.omit("key 3");
  scene.run("GET", {{"key", "key 1"}, {"by_name", "1"}});
  scene.maintain();
  if (!finish(scene, 100)) return false;
  if (scene.maintain() != "begun" || !scene.turn() || !scene.turn()) return false;
  scene.maintain({{"cancel", "1"}});
  if (!scene.settle() || !scene.turn(60'000) || !scene.settle()) return false;
  scene.maintain();
  return finish(scene, 200);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_disk)

BOOST_AUTO_TEST_CASE(maintenances_on_a_disk_end_with_the_links_of_their_mode) {
  for (std::string const& mode : kModes) {
    DiskScene scene{mode};
    require_begin(scene);
    BOOST_TEST(play(scene));
    BOOST_TEST(!scene.table->state().is_building());
    // The second one had a number, too.
    BOOST_TEST(scene.table->file_for_new() == 4U);
    BOOST_TEST(scene.content("bcdb_data") == "data.000004");
    BOOST_TEST(scene.content("bcdb_data.new").empty());
    BOOST_TEST(scene.content("bcdb_data.old") == (mode == "modern" ? "" : "data.000002"));
    BOOST_TEST(scene.has("data.000002") == (mode != "modern"));
    BOOST_TEST(!scene.has("data.000001"));
    BOOST_TEST(!scene.has("data.000003"));
    require_right(scene);
  }
}

BOOST_AUTO_TEST_CASE(a_power_cut_at_any_call_of_a_maintenance_loses_nothing) {
  std::uint64_t cuts = 0;
  for (std::string const& mode : kModes) {
    for (int kept = 0; kept < 3; ++kept) {
      for (std::uint64_t call = 1;; ++call) {
        DiskScene scene{mode};
        require_begin(scene);
        scene.disk.stop_after(call);
        bool const is_cut = !play(scene);
        scene.power_cut(kept == 0 ? sim::keep_none() : kept == 1 ? sim::keep_all() : sim::keep_some(call * 7), call);
        BOOST_TEST_CONTEXT(mode << ", cut at call " << call << ", kept " << kept) {
          require_begin(scene);
          // It goes on.
          BOOST_REQUIRE(scene.turn(60'000) && scene.settle() && scene.turn(60'000) && scene.settle());
          BOOST_REQUIRE(scene.turn(60'000) && scene.settle());
          BOOST_TEST(!scene.table->state().is_building());
          require_right(scene);
          scene.kill();
          require_begin(scene);
        }
        if (!is_cut) break;
        ++cuts;
      }
    }
  }
  BOOST_TEST_MESSAGE(cuts << " cuts");
  BOOST_TEST(cuts > 500);
}

// An exchange in these modes is four changes of names: bcdb_data leads to the new file, bcdb_data.new is gone,
// bcdb_data.old leads to the former file, and the file that was .old before is gone. Any of them may be durable and any
// other not; or somebody else has been at the links.
BOOST_AUTO_TEST_CASE(a_start_makes_the_links_right_whatever_part_of_an_exchange_was_done) {
  std::uint64_t starts = 0;
  for (std::string const& mode : {std::string{"online"}, std::string{"offline"}}) {
    DiskScene scene{mode};
    require_begin(scene);
    BOOST_REQUIRE(put_some(scene, 0, 20));
    scene.maintain();
    BOOST_REQUIRE(finish(scene, 100));
    std::string const older = scene.content("data.000001");
    BOOST_TEST(scene.content("bcdb_data.old") == "data.000001");
    BOOST_TEST(scene.maintain() == "begun");
    scene.run("GET", {{"key", "key 1"}, {"by_name", "1"}});
    BOOST_REQUIRE(scene.settle());
    BOOST_TEST((scene.table->phase() == Maintenance::Phase::quiet));
    BOOST_TEST(scene.content("bcdb_data") == "data.000002");
    BOOST_TEST(scene.content("bcdb_data.new") == "data.000003");
    // The record is durable, and nothing is done so far.
    scene.pass_only(60'000);
    BOOST_TEST(!scene.table->state().is_building());
    scene.kill();
    sim::SimDisk before;
    before.copy_state(scene.disk);
    // Absent, as before, as behind it, dangling, wrong.
    std::vector<std::string> const data{"", "data.000002", "data.000003", "data.000099", "data.000001"};
    std::vector<std::string> const newer{"data.000003", "", "data.000099", "data.000002"};
    std::vector<std::string> const former{"", "data.000001", "data.000002", "data.000099", "data.000003"};
    for (std::string const& to : data)
      for (std::string const& to_newer : newer)
        for (std::string const& to_former : former)
          for (bool const is_older_there : {false, true}) {
            scene.disk.copy_state(before);
            auto const set = [&](std::string const& link, std::string const& target) {
              std::string const path = DiskScene::path(link);
              if (target.empty())
                static_cast<void>(scene.disk.remove(path));
              else
                BOOST_REQUIRE(scene.disk.point(path, target).ok());
            };
            set("bcdb_data", to);
            set("bcdb_data.new", to_newer);
            set("bcdb_data.old", to_former);
            if (is_older_there) {
              auto file = scene.disk.open(DiskScene::path("data.000001"), env::OpenMode::create_new);
              BOOST_REQUIRE(file.ok());
              BOOST_REQUIRE(file.value()->write(0, as_bytes(older)).ok());
              BOOST_REQUIRE(file.value()->sync().ok());
            }
            BOOST_REQUIRE(scene.disk.sync_folder(DiskScene::kFolder).ok());
            BOOST_TEST_CONTEXT(mode << ": " << to << ", " << to_newer << ", " << to_former << ", " << is_older_there) {
              require_begin(scene);
              BOOST_TEST(scene.content("bcdb_data") == "data.000003");
              BOOST_TEST(scene.content("bcdb_data.new").empty());
              BOOST_TEST(scene.content("bcdb_data.old") == "data.000002");
              BOOST_TEST(!scene.has("data.000001"));
              BOOST_REQUIRE(scene.settle());
              require_right(scene);
              // It was durable before anybody was answered.
              scene.stop();
              scene.disk.crash(sim::keep_none());
              require_begin(scene);
              scene.kill();
            }
            ++starts;
          }
  }
  BOOST_TEST(starts == 2 * 5 * 4 * 5 * 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
