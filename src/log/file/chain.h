// The containers that hold the stream of an open log, in its order. Which containers there are beside them, and when
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
#include "log/file/container.h"

namespace fastjournal::log::file {

// From the container of the base to the current one, the last; behind it those that are prepared. Owned by LogSpace.
// What must hold: generations increase, and each container begins where the one before it ends or was cut; a prepared one
// has a durable header, so that a batch may go on in it without waiting.
class Chain {
 public:
  using Containers = std::deque<Container>;
  enum class How : std::uint8_t { to_kernel, through };

  // The stream goes on in this one. Requires that none is prepared.
  void append(Container container);
  void prepare(Container container) { prepared_.push_back(std::move(container)); }
  // Those prepared, for other use: the stream goes on elsewhere.
  [[nodiscard]] Containers take_prepared();

  [[nodiscard]] bool is_empty() const { return used_.empty(); }
  // Without those that are prepared.
  [[nodiscard]] std::size_t size() const { return used_.size(); }
  [[nodiscard]] std::size_t prepared() const { return prepared_.size(); }
  [[nodiscard]] Containers::const_iterator begin() const { return used_.begin(); }
  [[nodiscard]] Containers::const_iterator end() const { return used_.end(); }
  [[nodiscard]] Container const& oldest() const { return used_.front(); }
  [[nodiscard]] Container& current() { return used_.back(); }
  [[nodiscard]] Container const& current() const { return used_.back(); }
  // The one whose header was written last.
  [[nodiscard]] Container& last() { return prepared_.empty() ? used_.back() : prepared_.back(); }
  // End of the stream in this container.
  [[nodiscard]] Lsn limit_of(Containers::const_iterator container) const;
  [[nodiscard]] bool has_generation(std::uint64_t generation) const;
  // The bytes of the stream from `base` to `end`.
  [[nodiscard]] std::uint64_t bytes_between(Lsn base, Lsn end) const;

  // The generation of the container that a batch begins in.
  [[nodiscard]] std::uint64_t enter(Lsn begin);
  [[nodiscard]] bool is_in_one(Lsn begin, std::uint64_t bytes) const;
  // At the end of what was written, in as many containers as it takes.
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
  [[nodiscard]] std::optional<Container> take_oldest_below(Lsn base);

 private:
  void enter_next();

  Containers used_;
  Containers prepared_;
};

}  // namespace fastjournal::log::file
