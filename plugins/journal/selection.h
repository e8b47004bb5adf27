// The rows that a command means: one by its number, those of a key, or all that match a filter. The same for every
// command, so that LIST shows the rows that KICK and DELETE of many would change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/leased.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// A row must match all given fields. Views of the message and of Selection::key.
struct Filter {
  std::string_view status;  // empty: any
  bool by_domain{false};
  std::string_view domain;
  std::string_view key_prefix;  // encoded; empty: any
  bool by_error{false};
  std::string_view error;  // part of the row's last error; empty: any error

  [[nodiscard]] bool is_empty() const { return status.empty() && !by_domain && key_prefix.empty() && !by_error; }
};

// Of one journal, beside its parts, which outlive it.
class Selection {
 public:
  Selection(rows::RowTable const& rows, Settings const& settings, Pauses const& pauses)
      : rows_(rows.state()),
        names_(rows, settings.table(), {"row", "it is done, deleted, expired or was never there", "finish"}),
        settings_(settings),
        pauses_(pauses) {}

  [[nodiscard]] rows::NamedRows const& names() const { return names_; }

  // By the parameter `row`, or by the key columns: then `row` is none, and key() is the key.
  [[nodiscard]] Status read_target(Command const& command, std::int64_t now, ObjectId& row) const;
  // The command's key columns; refused where rows have no keys.
  [[nodiscard]] Status read_key(Command const& command) const;
  // Of the last command that was read.
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] Status read_filter(Command const& command, Filter& filter) const;
  [[nodiscard]] bool fits(std::uint32_t row, Filter const& filter, std::int64_t now) const;

  [[nodiscard]] Status unknown_key() const;
  // Whether rows can have this domain: ok, or the refusal.
  [[nodiscard]] Status check_domain(std::string_view domain) const;

 private:
  rows::State const& rows_;
  rows::NamedRows const names_;
  Settings const& settings_;
  Pauses const& pauses_;
  // Memory that is used again.
  mutable std::string key_;
};

}  // namespace fastjournal::journal
