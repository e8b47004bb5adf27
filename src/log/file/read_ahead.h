// The batches of a run in order, read and checked ahead of their use. There are three windows of the stream, in
// rotation: the batches of one are handed out, those of the next are checked, and the third is read; workers do the
// last two. The calls are those of a single thread, so the result does not depend on the number of workers.
//
// The begin of a batch follows only from the lengths before it. So one thread follows the lengths, reading 56 bytes a
// batch, and everything else is divided among the workers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/env/workers.h"
#include "base/large_memory.h"
#include "log/file/segment_run.h"

namespace fastjournal::log::file {

class ReadAhead {
 public:
  struct Batch {
    BatchHeader header;
    std::span<std::byte const> bytes;  // valid until the next call
  };

  // From the batch that begins at `from`; little is read of those that begin at `until` or later. The run must not
  // move.
  ReadAhead(env::Workers& workers, SegmentRun const& run, Lsn from, Lsn until);
  ~ReadAhead();
  ReadAhead(ReadAhead const&) = delete;
  ReadAhead& operator=(ReadAhead const&) = delete;

  // Nothing: no intact batch begins at at(), or that is the run's limit.
  [[nodiscard]] Result<std::optional<Batch>> next();
  [[nodiscard]] Lsn at() const { return at_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  struct Window {
    Lsn at{};
    std::uint64_t bytes{0};
    LargeMemory memory;
    std::vector<Status> read;          // of each piece
    std::vector<BatchHeader> batches;  // that look like batches, in their order
    std::vector<std::uint8_t> intact;  // for each: it is one
    std::vector<std::size_t> pieces;   // the first batch of each piece to check
    Lsn end{};                         // of the last one of them
    std::uint64_t next_bytes{0};       // the batch that begins there has so many
    bool is_last{false};               // the stream ends in this window

    [[nodiscard]] std::span<std::byte const> batch(BatchHeader const& header) const {
      return {memory.data() + (header.lsn.value - at.value), header.length};
    }
  };

  void prepare(Window& window, Lsn at, std::uint64_t bytes_least);
  void read_piece(Window& window, std::size_t number) const;
  void check_piece(Window& window, std::size_t number) const;
  void find_batches(Window& window);
  // Begins to check one window and to read the next one.
  void begin(Window& check, Window& read);
  void turn();

  env::Workers& workers_;
  SegmentRun const& run_;
  std::uint64_t store_id_;
  Lsn until_;
  std::array<Window, 3> windows_;
  std::size_t current_{0};
  std::size_t taken_{0};  // of the current window's batches
  Lsn at_;
  std::uint64_t bytes_read_{0};
};

}  // namespace fastjournal::log::file
