#include "log/file/open_batch.h"

#include <cstring>

#include "base/env/disk.h"

namespace fastjournal::log::file {
namespace {

constexpr std::uint64_t kBufferBytesMin = 256U << 10U;

}  // namespace

void FreeAligned::operator()(std::byte* bytes) const {
  ::operator delete (bytes, std::align_val_t{env::kDirectAlignment});
}

AlignedBytes aligned_bytes(std::uint64_t bytes) {
  return AlignedBytes{static_cast<std::byte*>(::operator new (bytes, std::align_val_t{env::kDirectAlignment}))};
}

void OpenBatch::grow(std::uint64_t bytes) {
  std::uint64_t const size = std::max({bytes, kBufferBytesMin, std::min(buffer_bytes_ * 2, bytes_usual_)});
  AlignedBytes larger = aligned_bytes(size);
  if (!is_empty()) std::memcpy(larger.get(), buffer_.get(), used_);
  buffer_ = std::move(larger);
  buffer_bytes_ = size;
}

std::span<std::byte const> OpenBatch::close(BatchHeader& header, std::uint64_t store_id, std::uint64_t block) {
  FJ_CHECK(!group_open_, "a group is whole in one batch");
  header.length = static_cast<std::uint32_t>(round_up(used_, block));
  header.used = static_cast<std::uint32_t>(used_);
  header.lsn = at_;
  std::span<std::byte> const batch(buffer_.get(), header.length);
  std::memset(batch.data() + used_, 0, header.length - used_);
  close_batch(header, store_id, batch);
  return batch;
}

void OpenBatch::begin(Lsn at) {
  at_ = at;
  used_ = reserved_ = kBatchHeaderBytes;
  describes_ = false;
  if (buffer_bytes_ <= 2 * std::max(bytes_usual_, kBufferBytesMin)) return;
  buffer_.reset();
  buffer_bytes_ = 0;
}

}  // namespace fastjournal::log::file
