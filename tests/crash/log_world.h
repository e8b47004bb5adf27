// Shared by the tests in tests/unit/log/file and the proofs in this folder: a small log on a simulated disk, and a
// handler that remembers records.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "log/file/file_log.h"
#include "log/file/log_reader.h"
#include "log/file/newest.h"
#include "tests/sim/sim_disk.h"
#include "tests/support/seed.h"

namespace fastjournal::log::file::test {

struct Entry {
  Lsn lsn;
  ObjectId object;
  TableId table{};
  std::uint8_t type{0};
  std::uint8_t version{0};
  std::string body;

  bool operator==(Entry const&) const = default;
};

class Collector final : public RecordHandler {
 public:
  // More than any small log has: a reader that gets here is in a loop.
  static constexpr std::size_t kEntriesMax = 100'000;

  [[nodiscard]] bool wants_catalogue_first() const override { return true; }
  Status on_catalogue(RecordView const& record) override { return remember(catalogue, record); }
  Status on_record(RecordView const& record, Lsn base) override {
    base_given = base;
    return remember(entries, record);
  }
  void on_batch(BatchView const& batch) override { batches.push_back(batch); }

  std::vector<Entry> catalogue;  // what was read before the rows
  std::vector<Entry> entries;
  std::vector<BatchView> batches;
  Lsn base_given{};

 private:
  static Status remember(std::vector<Entry>& into, RecordView const& record) {
    if (into.size() == kEntriesMax) return {Code::io_error, "the reader does not come to an end"};
    into.push_back(
        {record.lsn, record.object, record.table, record.type, record.version, std::string(as_text(record.body))});
    return {};
  }
};

// Options of a small log: segments of a few blocks.
inline LogOptions small_options(std::size_t block = 512, std::uint64_t blocks = 16) {
  LogOptions options;
  options.name = "test";
  options.block_bytes = block;
  options.segment_bytes = block * blocks;
  options.segment_bytes_min = block * 4;
  options.batch_bytes_max = 64U << 10U;
  options.store_id_seed = 0x5EED;
  return options;
}

struct World {
  sim::SimDisk disk;
  LogOptions options{small_options()};
  std::unique_ptr<FileLog> log;
  Collector found;
  RecoveryReport report;

  World() = default;
  explicit World(sim::SimDisk::Options disk_options) : disk(disk_options) {}

  Status open() {
    log.reset();
    found = {};
    report = {};
    auto opened = FileLog::open(disk, "data/log", options, found, report);
    if (!opened.ok()) return opened.status();
    log = std::move(opened.value());
    return {};
  }
  void crash(sim::Chooser const& survives) {
    disk.crash(survives);
    log.reset();
  }
  Lsn append(std::string_view body, ObjectId object = {}, TableId table = TableId{7}, std::uint8_t type = 3) {
    auto const place = log->append(table, type, 1, object, body.size());
    if (!body.empty()) std::memcpy(place.body.data(), body.data(), body.size());
    return place.lsn;
  }
  // What an idle log does after a while. Unsynced writes are synced first.
  Status durable_marker() {
    if (!log->why().ok()) return log->why();
    for (int parts = log->writer().has_unsynced() ? 2 : 1; parts > 0; --parts) {
      if (Status status = log->committer().write_durable_marker(); !status.ok()) return status;
      if (Status status = log->committer().sync(); !status.ok()) return status;
    }
    return {};
  }
  // Appends one record as a group and commits. False if there was no room, or the commit failed.
  bool put(std::string_view body, Durability durability = Durability::synced) {
    if (!log->reserve(body.size(), false)) return false;
    append(body);
    log->end_group(durability);
    return log->commit().ok();
  }
};

// Turns the log into one of version 2: without `newest`, and with that number in its headers.
inline void become_old(sim::SimDisk& disk, std::size_t block) {
  disk.crash(sim::keep_all());
  for (std::string const& name : disk.files()) {
    if (name.ends_with(kNewestName)) {
      disk.drop(name);
      continue;
    }
    for (std::size_t copy = 0; copy < kHeaderBlocks; ++copy) {
      std::vector<std::byte> const bytes = disk.content(name);
      if (bytes.size() < (copy + 1) * block) continue;
      auto const at = bytes.begin() + static_cast<std::ptrdiff_t>(copy * block);
      std::vector<std::byte> head(at, at + kSegmentHeaderBytes);
      if (!decode_segment(head)) continue;
      store_little(head.data() + 2 * sizeof(std::uint64_t), std::uint32_t{2});
      store_little(head.data(), hash64(as_text(std::span<std::byte const>(head).subspan(sizeof(std::uint64_t)))));
      disk.overwrite(name, copy * block, head);
    }
  }
}

inline std::string pattern(std::size_t bytes, std::uint64_t seed) {
  std::string out(bytes, '\0');
  for (std::size_t at = 0; at < bytes; ++at) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    out[at] = static_cast<char>(seed >> 56U);
  }
  return out;
}

}  // namespace fastjournal::log::file::test
