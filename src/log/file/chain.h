// The segments that hold the stream of an open log, in its order. Which segments there are beside them, and when
// another one is needed, is in log_space.h.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "log/file/segment.h"

namespace fastjournal::log::file {

// From the segment of the base to the current one, the last; behind it those that are prepared. Owned by LogSpace.
// Invariant: generations increase, and each segment begins where the one before it ends or was cut; a prepared one
// has a durable header, so that a batch may go on in it without waiting.
class Chain {
 public:
  using Segments = std::deque<Segment>;
  enum class How : std::uint8_t { to_kernel, through };

  // The stream goes on in this one. Requires that none is prepared.
  void append(Segment segment);
  void prepare(Segment segment) { prepared_.push_back(std::move(segment)); }
  // Those prepared, for other use: the stream goes on elsewhere.
  [[nodiscard]] Segments take_prepared();

  [[nodiscard]] bool is_empty() const { return used_.empty(); }
  // Without those that are prepared.
  [[nodiscard]] std::size_t size() const { return used_.size(); }
  [[nodiscard]] std::size_t prepared() const { return prepared_.size(); }
  [[nodiscard]] Segments::const_iterator begin() const { return used_.begin(); }
  [[nodiscard]] Segments::const_iterator end() const { return used_.end(); }
  [[nodiscard]] Segment const& oldest() const { return used_.front(); }
  [[nodiscard]] Segment& current() { return used_.back(); }
  [[nodiscard]] Segment const& current() const { return used_.back(); }
  // The one whose header was written last.
  [[nodiscard]] Segment& last() { return prepared_.empty() ? used_.back() : prepared_.back(); }
  // End of the stream in this segment.
  [[nodiscard]] Lsn limit_of(Segments::const_iterator segment) const;
  [[nodiscard]] bool has_generation(std::uint64_t generation) const;
  // The bytes of the stream from `base` to `end`.
  [[nodiscard]] std::uint64_t bytes_between(Lsn base, Lsn end) const;

  // The generation of the segment that a batch begins in.
  [[nodiscard]] std::uint64_t enter(Lsn begin);
  [[nodiscard]] bool is_in_one(Lsn begin, std::uint64_t bytes) const;
  // At the end of what was written, in as many segments as it takes.
  [[nodiscard]] Status write(Lsn at, std::span<std::byte const> bytes, How how);
  // A batch with this range was written.
  void keep_until(Lsn begin, Lsn end);

  // The files with writes that a sync must cover; they count as covered from here on. `durable`: no writes are below.
  [[nodiscard]] std::vector<std::shared_ptr<env::File>> take_unsynced(Lsn durable);
  // Closes the files above `durable` whose sync has ended.
  void close_synced(Lsn durable);
  // Whether the open files still have their names.
  [[nodiscard]] Status look() const;

  // The oldest, if nothing at or above `base` is in it.
  [[nodiscard]] std::optional<Segment> take_oldest_below(Lsn base);

 private:
  void enter_next();

  Segments used_;
  Segments prepared_;
};

}  // namespace fastjournal::log::file
