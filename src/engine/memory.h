// The memory that the rows of all tables take, as the tables last reported it, and its limit.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/hosted.h"

namespace fastjournal::engine {

class Memory {
 public:
  // Above it additions are refused.
  void limit(std::uint64_t bytes) { bytes_max_ = bytes; }
  // The process has run out of memory, or has memory again.
  void set_ended(bool ended) { ended_ = ended; }

  void changed(HostedTable& table) {
    std::uint64_t const bytes = table.table->memory_bytes();
    bytes_ += bytes - table.memory_bytes;
    table.memory_bytes = bytes;
  }
  void forget(HostedTable& table) { bytes_ -= std::exchange(table.memory_bytes, 0); }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t bytes_max() const { return bytes_max_; }
  [[nodiscard]] bool is_over() const { return bytes_ > bytes_max_; }
  [[nodiscard]] bool refuses_additions() const { return is_over() || ended_; }

 private:
  std::uint64_t bytes_{0};
  std::uint64_t bytes_max_{UINT64_MAX};
  bool ended_{false};
};

}  // namespace fastjournal::engine
