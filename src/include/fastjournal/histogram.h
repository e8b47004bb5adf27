// Percentiles of latencies at the cost of a few additions per value; the values themselves are not kept. They are
// counted in buckets whose width grows with the value: at most 1/16 (6 %) of it. The memory grows to the bucket of the
// largest value: nothing while empty, 2.5 KiB for one hour in milliseconds, never above 8 KiB.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace fastjournal {

class Histogram {
 public:
  void add(std::uint64_t value) {
    std::size_t const bucket = bucket_of(value);
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    ++buckets_[bucket];
    ++count_;
    sum_ += value;
    max_ = std::max(max_, value);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t max() const { return max_; }
  [[nodiscard]] double mean() const {
    return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }

  // The smallest bucket end, at most max(), with more than `percent` of the values at or below it; 0 when empty.
  [[nodiscard]] std::uint64_t percentile(double percent) const {
    if (count_ == 0) return 0;
    auto const wanted = static_cast<std::uint64_t>(static_cast<double>(count_) * percent / 100.0);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen > wanted || seen == count_) return std::min(end_of(i), max_);
    }
    return max_;
  }

  // How many values have each width in bits: element n counts those below 2^n that are not below 2^(n-1).
  [[nodiscard]] std::array<std::uint64_t, 65> by_width() const {
    std::array<std::uint64_t, 65> counts{};
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      counts[static_cast<std::size_t>(std::bit_width(end_of(i)))] += buckets_[i];
    return counts;
  }

  [[nodiscard]] std::uint64_t memory_bytes() const { return buckets_.capacity() * sizeof(std::uint64_t); }

 private:
  static constexpr unsigned kSubBits = 4;  // 16 buckets per power of two

  static std::size_t bucket_of(std::uint64_t value) {
    if (value < (1U << kSubBits)) return static_cast<std::size_t>(value);
    unsigned const shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
    return (static_cast<std::size_t>(shift + 1) << kSubBits) +
           static_cast<std::size_t>((value >> shift) & ((1U << kSubBits) - 1));
  }
  static std::uint64_t end_of(std::size_t bucket) {
    if (bucket < (1U << kSubBits)) return bucket;
    unsigned const shift = static_cast<unsigned>(bucket >> kSubBits) - 1;
    std::uint64_t const base = (std::uint64_t{1} << kSubBits) + (bucket & ((1U << kSubBits) - 1));
    return ((base + 1) << shift) - 1;
  }

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_{0};
  std::uint64_t sum_{0};
  std::uint64_t max_{0};
};

}  // namespace fastjournal
