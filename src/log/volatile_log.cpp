#include "log/volatile_log.h"

#include <algorithm>

#include "base/check.h"

namespace fastjournal::log {
namespace {

// For the headers of records, as in other logs: bodies may be a little larger than was reserved.
constexpr std::size_t kSlackBytes = 4096;
constexpr std::size_t kSlackBytesMax = 1U << 20U;
// Grown for a rare large body, and freed with the next step.
constexpr std::size_t kBodiesKeptBytes = 256U << 10U;
// More than any step appends.
constexpr std::uint64_t kNumbersPerStep = 1U << 20U;

}  // namespace

VolatileLog::VolatileLog(std::uint32_t start, std::uint64_t store_id, Lsn first)
    : start_(start), store_id_(store_id), first_(first), numbers_below_(first), next_(first.value) {}

// The records of earlier steps were applied: their bodies are freed.
bool VolatileLog::reserve(std::size_t bytes, bool removing) {
  static_cast<void>(removing);
  if (numbers_below_.value - next_ < kNumbersPerStep) return false;
  std::size_t const need = bytes + std::min(bytes, kSlackBytesMax) + kSlackBytes;
  if (need > bodies_bytes_ || bodies_bytes_ > std::max(need, kBodiesKeptBytes)) {
    bodies_bytes_ = std::max(need, kBodiesKeptBytes);
    bodies_ = std::make_unique_for_overwrite<std::byte[]>(bodies_bytes_);
  }
  used_ = 0;
  return true;
}

Records::Place VolatileLog::append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                                   std::size_t body_bytes) {
  static_cast<void>(table), static_cast<void>(type), static_cast<void>(version), static_cast<void>(object);
  FJ_CHECK(used_ + body_bytes <= bodies_bytes_, "records stay within what was reserved");
  Records::Place const place{Lsn{next_}, {bodies_.get() + used_, body_bytes}};
  used_ += body_bytes;
  next_ += kLsnAlign;
  return place;
}

}  // namespace fastjournal::log
