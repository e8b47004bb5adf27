// A set of numbers from 0 on, a bit each: of documents most of which are in it, or hardly any. To find the next one costs
// a 64th of those that are passed.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace fastjournal::pipeline {

class NumberSet {
 public:
  void insert(std::uint32_t number) {
    std::size_t const word = number / 64;
    if (word >= words_.size()) words_.resize(word + 1);
    std::uint64_t const bit = std::uint64_t{1} << number % 64U;
    size_ += (words_[word] & bit) == 0 ? 1 : 0;
    words_[word] |= bit;
  }
  void erase(std::uint32_t number) {
    std::size_t const word = number / 64;
    std::uint64_t const bit = std::uint64_t{1} << number % 64U;
    if (word >= words_.size() || (words_[word] & bit) == 0) return;
    words_[word] &= ~bit;
    --size_;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // The first one from this on; kEnd: there is none.
  [[nodiscard]] std::uint32_t next(std::uint64_t from) const {
    std::uint64_t word = from / 64;
    if (word >= words_.size()) return kEnd;
    std::uint64_t bits = words_[word] & ~std::uint64_t{0} << from % 64U;
    while (bits == 0) {
      if (++word == words_.size()) return kEnd;
      bits = words_[word];
    }
    return static_cast<std::uint32_t>(word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits)));
  }
  [[nodiscard]] std::uint64_t memory_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

  static constexpr std::uint32_t kEnd = UINT32_MAX;

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t size_{0};
};

}  // namespace fastjournal::pipeline
