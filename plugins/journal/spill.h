// Columns of inserts that are kept outside the log and memory: of <spill> bytes and more. Keys, the column of the domain
// and columns whose merge rule looks at the old value stay where they are, as decisions read them.
#pragma once

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Spill {
 public:
  Spill(rows::State const& rows, Settings const& settings) : rows_(rows), settings_(settings) {}

  // As Stores::request_store, of an INSERT.
  [[nodiscard]] Status request(Message const& message, StoreRequest& request) const;

 private:
  [[nodiscard]] bool may_leave(std::size_t column) const;

  rows::State const& rows_;
  Settings const& settings_;
};

}  // namespace fastjournal::journal
