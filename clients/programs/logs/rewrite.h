// Writes the records of one log into a new one: other segments, other LSNs, the same rows with the same numbers.
//
// The new log begins above every LSN of the old one, and each record names its object, like a compacted record. So
// all old numbers are below its base: a record about a row whose first record is missing is ignored and counted, as in
// every replay.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "log/file/file_log.h"

namespace fastjournal::tools {

// The facts about the old log that the new one needs.
struct Origin {
  Lsn beyond{};                 // above every LSN and object of the old log
  std::uint32_t last_start{0};  // lease epochs continue after it
};

class Rewriter {
 public:
  // False: leave the record out.
  using Keep = std::function<bool(RecordView const&)>;

  // `folder` must not exist. `options`: segment size, block size and store id of the new log.
  [[nodiscard]] static Result<std::unique_ptr<Rewriter>> open(env::Disk& disk, std::string folder,
                                                              log::file::LogOptions options, Origin const& origin);

  // The groups of one whole batch, from `base` on.
  [[nodiscard]] Status take(log::file::BatchHeader const& header, std::span<std::byte const> bytes, Lsn base,
                            Keep const& keep);
  // Makes the log durable, with a clean-shutdown marker; nothing may follow.
  [[nodiscard]] Status finish() { return log_->shut_down(); }
  [[nodiscard]] std::uint64_t records() const { return records_; }

 private:
  Status write_group(std::span<RecordView const> group);

  Status sync_now_and_then();

  std::unique_ptr<log::file::FileLog> log_;
  std::vector<RecordView> group_;
  std::uint64_t records_{0};
  std::uint64_t unsynced_bytes_max_{0};
};

// Calls `take` for each record of a whole batch from `base` on. Not ok: an error of `take`, or an unreadable record.
[[nodiscard]] Status for_each_record(log::file::BatchHeader const& header, std::span<std::byte const> bytes, Lsn base,
                                     std::function<Status(RecordView const&, bool last_of_group)> const& take);

}  // namespace fastjournal::tools
