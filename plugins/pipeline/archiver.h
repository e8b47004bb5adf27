// Moves documents out of memory: ended ones beyond `ended-in-memory` are written to pages of the table's files, and
// then the records that say so are decided. In between they may change: a document whose record is not what its page
// has stays.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include "fastjournal/table.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

class Archiver {
 public:
  explicit Archiver(TableState const& shared) : shared_(shared) {}

  // As Offloads.
  [[nodiscard]] bool request_offload(std::vector<std::string>& values);
  [[nodiscard]] bool decide_offloaded(std::span<StoredValue const> values, Decision& decision) const;
  void offload_failed();

 private:
  struct Page {
    std::vector<ObjectId> documents{};
    std::vector<ArchivedBody::Pattern> patterns{};
    std::string bytes{};
  };

  void take(std::uint32_t document);
  [[nodiscard]] bool is_full(Page const& page) const;

  TableState const& shared_;
  std::vector<Page> pages_;  // the last one may not be full
  absl::flat_hash_set<std::uint64_t> names_;
  bool is_given_{false};
  std::uint32_t cursor_{0};    // number of the next document to be looked at
  std::uint32_t looked_{0};    // since these pages were begun
  std::uint64_t rests_at_{0};  // nothing is looked at while no more have ended
  std::string written_;        // memory that is used again
};

}  // namespace fastjournal::pipeline
