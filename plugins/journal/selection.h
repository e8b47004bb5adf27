// The rows that a command means: one by its number, those of a key, or all that match a filter. The same for every
// command, so that LIST shows the rows that KICK and DELETE of many would change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/made.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/leased.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// A row must match all given fields. Views of the message and of Selection::key.
struct Filter {
  std::string_view status{};  // empty: any
  model::Text domain{};
  model::Text prefix{};           // of a key
  std::string_view key_prefix{};  // encoded; empty: any
  model::Text tag{};              // that the row has
  model::Text error{};            // part of the row's last error; empty: any error
  model::Text error_class{};      // that of the row's last error

  [[nodiscard]] bool is_empty() const {
    return status.empty() && !domain.is_given && key_prefix.empty() && !error.is_given && !tag.is_given &&
           !error_class.is_given;
  }
};
// What LIST, KICK and DELETE were given.
[[nodiscard]] Filter filter_of(auto const& given) {
  return {.status = given.status ? name_of(*given.status) : std::string_view{},
          .domain = given.domain,
          .prefix = given.prefix,
          .tag = given.tag,
          .error = given.error,
          .error_class = given.error_class};
}

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
  [[nodiscard]] Status read_target(Command const& command, std::optional<std::uint64_t> given, std::int64_t now,
                                   ObjectId& row) const;
  // The command's key columns; refused where rows have no keys.
  [[nodiscard]] Status read_key(Command const& command) const;
  // Of the last command that was read.
  [[nodiscard]] std::string_view key() const { return key_; }
  // Of a filter as it was given.
  [[nodiscard]] Status check_filter(Filter& filter) const;
  // The first row behind this one that may match, by number: of a tag only its rows, where they are indexed.
  [[nodiscard]] std::uint32_t next(Filter const& filter, ObjectId after) const {
    if (!filter.tag.is_given || rows_.tag_index() == nullptr) return rows_.ids().next(after);
    ObjectId const row = rows_.tag_index()->next(filter.tag, after);
    return row.is_none() ? rows::kNoRow : rows_.find(row);
  }
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
