// State shared by the parts of one table's byte files: options, the table, what has failed, and whether something is to
// be done. Owned by ByteFiles (byte_files.h), on the loop's thread. A part may be told anything only by this, or by the
// parts that its constructor takes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/env/disk.h"
#include "engine/files/figures.h"
#include "engine/files/jobs.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::storage {

struct ByteFilesOptions {
  std::string folder;  // in the root of the disk: "bytes/NAME"
  TableId table{};
  std::uint64_t store_id{0};                  // of the log
  std::optional<env::Access> access{};        // of the folder and its data files; nothing: as the disk makes them
  std::optional<env::Access> usual{};         // what that is, where `access` may come and go; nothing: it never came
  bool keeps{true};                           // false: its records are not kept either, so nothing is found at a start
  std::uint64_t file_bytes{256U << 20U};      // of a file that it made itself; then another one is begun
  std::uint64_t reserve_bytes{16U << 20U};    // space is asked for in steps of
  std::uint64_t kept_free_bytes{32U << 20U};  // of the disk, for the logs
  std::int64_t sync_after_us{500'000};        // carried bytes are synced so long after the first of them was written
  std::int64_t scrub_every_us{86'400'000'000};
  std::uint64_t scrub_bytes_per_s{32U << 20U};
};

// Who looks at byte files in the turns in which they have something to do, and in no others. Told once a turn.
class ByteFilesOwner {
 public:
  virtual void touched() = 0;

 protected:
  ~ByteFilesOwner() = default;
};

struct Context {
  env::Disk& disk;
  ByteFilesOptions options;
  Stores* table;          // null: it was dropped
  ManagesFiles* manager;  // the same table; null: it does not name its files, or was dropped
  ByteFilesOwner* owner;  // null: they are looked at in every turn
  bool is_touched{false};
  bool is_serving{false};  // the start is over
  bool is_held{false};
  std::int64_t now_us{0};
  std::set<Lane> out{};  // lanes with a job
  Status failure{};
  std::vector<std::string> damage{};
  ByteFigures figures{};

  [[nodiscard]] bool is_dropped() const { return table == nullptr; }
  [[nodiscard]] bool manages_files() const { return manager != nullptr; }
  void touch() {
    if (!std::exchange(is_touched, true) && owner != nullptr) owner->touched();
  }
  // The first failure is the one that is told.
  void fail(Status status) {
    if (failure.ok()) failure = std::move(status);
  }
  void note_damage(Status const& status) {
    ++figures.damaged;
    damage.push_back(status.message());
  }
};

}  // namespace fastjournal::storage
