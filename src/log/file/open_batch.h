// The open batch: records get their LSNs and their places in it, until it is closed and written as a whole. Memory
// only, so that what it promises is tested without files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "base/check.h"
#include "fastjournal/record.h"
#include "fastjournal/types.h"
#include "log/file/format.h"
#include "log/log.h"

namespace fastjournal::log::file {

struct FreeAligned {
  void operator()(std::byte* bytes) const;
};
// As env::File::write_through wants it. Not initialized.
using AlignedBytes = std::unique_ptr<std::byte, FreeAligned>;
[[nodiscard]] AlignedBytes aligned_bytes(std::uint64_t bytes);

// Owned by the log's writer. Invariant: the batch begins on a block, records lie within what was reserved for
// them, and a group is whole in it, so it is closed between two groups only.
class OpenBatch {
 public:
  // `bytes_usual`: the memory of a batch of more than twice that size is freed behind it.
  explicit OpenBatch(std::uint64_t bytes_usual) : bytes_usual_(bytes_usual) {}

  // The place of its header,
  [[nodiscard]] Lsn begin_lsn() const { return at_; }
  // and of the next record.
  [[nodiscard]] Lsn end_lsn() const { return Lsn{at_.value + used_}; }
  // Where the records end that were appended so far, here or in batches before.
  [[nodiscard]] Lsn end_of_records() const { return is_empty() ? at_ : end_lsn(); }
  // The first record behind `end`, which is where a batch ends.
  [[nodiscard]] Lsn record_after(Lsn end) const { return end == at_ ? Lsn{end.value + kBatchHeaderBytes} : end; }
  [[nodiscard]] bool is_empty() const { return used_ == kBatchHeaderBytes; }
  [[nodiscard]] bool is_group_open() const { return group_open_; }
  // It has records of table 0, clocks apart.
  [[nodiscard]] bool describes() const { return describes_; }
  // With the header, and with `more` bytes.
  [[nodiscard]] std::uint64_t bytes_with(std::uint64_t more) const { return used_ + more; }

  // Memory for `more` bytes of records. `padded`: all of the batch with them, in blocks.
  void reserve(std::uint64_t more, std::uint64_t padded) {
    if (padded > buffer_bytes_) grow(padded);
    reserved_ = std::max(reserved_, used_ + more);
  }
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) {
    std::size_t const size = record_bytes(!object.is_none(), body_bytes);
    FJ_CHECK(used_ + size <= reserved_, "records stay within what was reserved");
    std::span<std::byte> const at(buffer_.get() + used_, size);
    Lsn const lsn = end_lsn();
    last_record_ = used_;
    used_ += size;
    if (table == TableId::catalogue && type != log::kClockRecord) describes_ = true;
    group_open_ = true;
    return {lsn, begin_record(at, table, type, version, object, body_bytes)};
  }
  // False: no record was appended since the last one.
  bool end_group() {
    if (!group_open_) return false;
    mark_last_of_group(buffer_.get() + last_record_);
    group_open_ = false;
    return true;
  }

  // The bytes to write, padded, with header and checksum; fills in length, LSN and used bytes of `header`. They are
  // valid, and nothing may be appended, until begin(). Requires memory: reserve() was called.
  [[nodiscard]] std::span<std::byte const> close(BatchHeader& header, std::uint64_t store_id, std::uint64_t block);
  // The next batch, empty.
  void begin(Lsn at);

 private:
  void grow(std::uint64_t bytes);

  std::uint64_t bytes_usual_;
  AlignedBytes buffer_;
  std::uint64_t buffer_bytes_{0};
  std::uint64_t reserved_{kBatchHeaderBytes};
  Lsn at_{};
  std::uint64_t used_{kBatchHeaderBytes};
  std::uint64_t last_record_{0};  // offset in the buffer; 0: none
  bool describes_{false};
  bool group_open_{false};
};

}  // namespace fastjournal::log::file
