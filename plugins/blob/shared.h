// What all commands of a table look at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "fastjournal/declaration.h"
#include "fastjournal/table.h"
#include "plugins/blob/index.h"
#include "plugins/blob/options.h"
#include "plugins/blob/state.h"
#include "plugins/blob/statistics.h"
#include "plugins/blob/survey.h"
#include "rows/clients.h"

namespace fastjournal::blob {

struct Shared {
  Shared(std::shared_ptr<TableDeclaration const> table_declaration, std::uint64_t hash_seed)
      : declaration(std::move(table_declaration)), options(Options::read(*declaration)), clients(hash_seed) {}

  [[nodiscard]] std::string const& table() const { return declaration->name; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return index.memory_bytes() + survey.memory_bytes() + clients.windows().memory_bytes();
  }
  // Never 0, which stands for none.
  [[nodiscard]] static std::uint32_t seconds(TimeMs date) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(date.value / 1000, 1, UINT32_MAX));
  }
  void see(TimeMs now) const {
    if (start_s == 0) start_s = seconds(now);
  }

  std::shared_ptr<TableDeclaration const> declaration;
  Options options;
  Index index;
  State state;
  Lsn state_lsn{};          // of the record that states it; none: the table has not begun
  bool knows_files{false};  // a record named them
  rows::Clients clients;
  // Derived.
  Survey survey;
  TimeMs work_due{};                  // when pages are settled and entries surveyed, if any are to be
  std::uint32_t damaged{0};           // blobs of this maintenance
  mutable std::uint32_t start_s{0};   // reads are noted from then on; 0: nothing was decided so far
  mutable std::size_t one_by_one{0};  // copies to be asked for alone, to find the damaged one
  mutable Statistics statistics;
};

}  // namespace fastjournal::blob
