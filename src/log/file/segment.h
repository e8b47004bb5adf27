// Segments as files: creation (zeros, sync, rename, folder sync), header, wiping, removal. Independent of the stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/format.h"
#include "log/log_store.h"

namespace fastjournal::log::file {

[[nodiscard]] std::string join_path(std::string const& folder, std::string const& name);

// A segment full of zeros with a header of generation 0, durable under its name when this returns ok.
// Zeros are written, not only allocated: a sync into space that was only allocated takes twice as long.
[[nodiscard]] Status make_segment(env::Disk& disk, std::string const& folder, SegmentHeader const& header);

// Writes both copies, `first_copy` first, with a sync after each: one of them is whole at any moment.
[[nodiscard]] Status write_header(env::File& file, SegmentHeader const& header, std::uint8_t first_copy);

// The bytes of a file that contain both copies of its header, for every block size.
inline constexpr std::uint64_t kHeaderBytesRead = 2 * kBlockBytesMax;
struct HeaderCopies {
  std::optional<SegmentHeader> first;
  std::optional<SegmentHeader> second;
};
// The copies that are valid and belong to a segment with this number.
[[nodiscard]] Result<HeaderCopies> read_header_copies(env::File& file, std::uint32_t index);

// Overwrites the payload with zeros, where it is not zero already, and syncs. The header stays: it has no data.
[[nodiscard]] Status wipe_segment(env::Disk& disk, std::string const& folder, SegmentHeader const& header);

// A segment of an open log, for whatever it is used.
struct Segment {
  SegmentHeader header{};
  std::shared_ptr<env::File> file{};  // open while it is written
  Lsn live_until{};                   // end of the last batch that touches it; none: no batch does
  std::uint8_t stale_copy{0};         // the header copy that may be overwritten first
  bool dirty{false};                  // has writes since its last sync began
  bool clean{false};                  // no record of an earlier use is in it (LogOptions::wipe)
};

// Work on a segment that the stream does not use. It needs nothing of the log, and may run on any thread.
class Chore final : public log::LogJob {
 public:
  enum class Kind : std::uint8_t { make, wipe, remove };

  // `wipe_first`: overwrites the file before its removal.
  Chore(env::Disk& disk, std::string folder, Kind kind, SegmentHeader header, bool wipe_first = false)
      : disk_(disk), folder_(std::move(folder)), kind_(kind), header_(header), wipe_first_(wipe_first) {}
  void run() override;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] SegmentHeader const& header() const { return header_; }
  // Valid after run().
  [[nodiscard]] Status const& status() const { return status_; }
  // A write or sync failed in a segment that was in use: nothing is known about it any more, and a second try
  // could succeed although bytes are lost.
  [[nodiscard]] bool is_fatal() const { return is_fatal_; }

 private:
  env::Disk& disk_;
  std::string folder_;
  Kind kind_;
  SegmentHeader header_;
  bool wipe_first_{false};
  Status status_;
  bool is_fatal_{false};
};

}  // namespace fastjournal::log::file
