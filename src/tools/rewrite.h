// The records of one log written into a new one: other containers, other
// places, the same rows with the same numbers.
//
// The new log begins beyond every LSN of the old one, and each record names
// its object, as one that was copied forward does. So all old numbers are
// below its base: a record about a row whose own record is missing is ignored
// and counted, as in every replay.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/file_log.h"

namespace fastjournal::tools {

// What the new log must know of the old one.
struct Origin {
  Lsn beyond{};                 // above every LSN and object of the old log
  std::uint32_t last_start{0};  // lease epochs go on from here
};

class Rewriter {
 public:
  // False: this record is left out.
  using Keep = std::function<bool(RecordView const&)>;

  // `folder` must not be there. `options`: container size, block size and store id of the new log.
  [[nodiscard]] static Result<std::unique_ptr<Rewriter>> open(env::Disk& disk, std::string folder,
                                                              storage::LogOptions options, Origin const& origin);

  // The groups of one whole batch, from `base` on.
  [[nodiscard]] Status take(storage::BatchHeader const& header, std::span<std::byte const> bytes, Lsn base,
                            Keep const& keep);
  // Durable and sealed; nothing may follow.
  [[nodiscard]] Status finish() { return log_->seal(); }
  [[nodiscard]] std::uint64_t records() const { return records_; }

 private:
  Status write_group(std::span<RecordView const> group);

  Status sync_now_and_then();

  std::unique_ptr<storage::FileLog> log_;
  std::vector<RecordView> group_;
  std::uint64_t records_{0};
  std::uint64_t unsynced_bytes_max_{0};
};

// Calls `take` for each record of a whole batch from `base` on. Not ok: of `take`, or a record that cannot be read.
[[nodiscard]] Status for_each_record(storage::BatchHeader const& header, std::span<std::byte const> bytes, Lsn base,
                                     std::function<Status(RecordView const&, bool last_of_group)> const& take);

}  // namespace fastjournal::tools
