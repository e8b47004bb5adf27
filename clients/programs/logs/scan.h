// Reads a log's folder in any state: a start stops at the first damage, this continues after it. Finds the segments
// of the stream, their whole batches, and every range without a valid batch between them. `log dump` shows the result,
// and `log salvage` keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/disk.h"
#include "clients/programs/logs/progress.h"
#include "log/file/format.h"

namespace fastjournal::tools {

struct ScannedSegment {
  std::string name;
  std::uint64_t file_bytes{0};
  // Empty: no copy of the header is readable, and no batch in the segment tells its contents.
  std::optional<log::file::SegmentHeader> header;
  bool rebuilt{false};  // derived from the batches
  std::string problem;  // for people; empty: the header is sound
  bool in_stream{false};
  Lsn limit{};  // end of the valid part: the segment's end, or a later start's cut of the stream
  std::unique_ptr<env::File> file;
};

struct Gap {
  std::string segment;      // empty: a whole segment is missing
  std::uint64_t offset{0};  // in it
  Lsn begin{};
  Lsn end{};
  bool damage{false};  // acknowledged data may be lost here; false: the unwritten rest, or a torn tail
  std::string reason;
};

class ScanVisitor {
 public:
  // A segment of the stream, in the stream's order.
  virtual void on_segment(ScannedSegment const&) {}
  // A whole batch, in its right place. Not ok ends the walk.
  virtual Status on_batch(ScannedSegment const& segment, std::uint64_t offset, log::file::BatchHeader const& header,
                          std::span<std::byte const> bytes) = 0;
  // Not called in the first walk, which determines what was durable, and so what is damage.
  virtual void on_gap(Gap const&) {}

 protected:
  ~ScanVisitor() = default;
};

class Scan {
 public:
  // not_found: no segment. damaged: no segment tells the log's identity.
  [[nodiscard]] static Result<Scan> open(env::Disk& disk, std::string folder);

  // Reports the progress of walks from now on, as part of a caller's step. Both must outlive the walks.
  void tell(Progress const& progress, std::string_view step) {
    progress_ = &progress;
    step_ = step;
  }
  // May be repeated. Ends early only by an error of the disk.
  [[nodiscard]] Status walk(ScanVisitor& visitor);

  // By index, including those outside of the stream.
  [[nodiscard]] std::vector<ScannedSegment> const& segments() const { return segments_; }
  // The largest base in a sound header: nothing below it is needed.
  [[nodiscard]] Lsn base() const { return base_; }
  [[nodiscard]] std::uint64_t store_id() const { return store_id_; }
  // The highest start number found, and an LSN above every record and object of this log.
  [[nodiscard]] std::uint32_t last_start() const { return start_; }
  [[nodiscard]] Lsn beyond() const { return beyond_; }
  [[nodiscard]] std::uint64_t segment_bytes() const { return size_; }
  [[nodiscard]] std::uint32_t block_bytes() const { return block_; }

 private:
  Scan(env::Disk& disk, std::string folder) : disk_(&disk), folder_(std::move(folder)) {}
  Status read_segment(std::string const& name, std::uint32_t index);
  Status agree();
  Status rebuild(ScannedSegment& segment, std::uint32_t index);
  void look_at_newest();
  void order();
  ScannedSegment* before(ScannedSegment const& after);
  Status walk_segment(std::size_t at, Lsn& from, ScanVisitor& visitor);
  struct Found {
    bool plausible{false};
    bool intact{false};
    log::file::BatchHeader header;
  };
  Result<Found> batch_at(std::size_t number, Lsn lsn);
  Result<bool> read_stream(std::size_t number, Lsn lsn, std::span<std::byte> into);
  void tell_place(std::size_t number, Lsn at) const;
  [[nodiscard]] bool follows(std::size_t number) const;

  env::Disk* disk_;
  std::string folder_;
  std::vector<ScannedSegment> segments_;
  std::vector<ScannedSegment*> stream_;
  std::uint64_t store_id_{0};
  std::uint64_t size_{0};
  std::uint32_t block_{0};
  std::uint32_t start_{0};
  Lsn base_{};
  Lsn beyond_{};
  Lsn durable_{};  // everything below was durable, according to headers and the batches seen so far
  std::uint64_t generations_missing_{0};  // newer than the newest segment present
  bool know_durable_{false};              // all batches were read
  std::vector<std::byte> batch_;
  Progress const* progress_{nullptr};
  std::string_view step_;
};

}  // namespace fastjournal::tools
