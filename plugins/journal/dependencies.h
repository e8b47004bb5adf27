// What an INSERT says of other rows: those that its row waits for, and the group of jobs that it is of. Rows wait for rows
// that are there, so a new row closes no circle; a merge may, and a row that joins a group. Then those that wait for the
// row, step by step, are searched for one that it would wait for.
//
// A row that went on as another row of its key is waited for under that name (waits.h). So the rows of a key are one here,
// and are of one group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "model/given.h"
#include "plugins/journal/made.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/extras.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Dependencies {
 public:
  Dependencies(rows::RowTable const& table, Settings const& settings)
      : table_(table), rows_(table.state()), settings_(settings) {}

  // What was given. Views of the message.
  struct Wanted {
    model::Text after{};
    model::Text after_keys{};
    std::optional<made::InsertWhenFailed> when_failed{};
    model::Text group{};
    model::Text after_group{};
    std::optional<made::AfterGroupIsChoice> after_group_is{};
  };
  [[nodiscard]] static Wanted wanted_of(made::Insert const& given) {
    return {given.after, given.after_keys, given.when_failed, given.group, given.after_group, given.after_group_is};
  }

  // What follows from it.
  struct Found {
    rows::After after{};
    std::size_t waits_for{0};  // in all, of a row that waited before
    std::string_view group{};  // that it joins; empty: it is of none, or of it already
    ObjectId group_id{};       // none: it has to be made
    ObjectId replaces{};       // this group of the name has ended
  };
  // Of an insert of this key, into this row that waits; kNoRow: it makes one. Not ok: it is refused, which it is not in
  // Phase::keep.
  [[nodiscard]] Status look(Wanted const& wanted, std::string_view key, std::uint32_t row, Decision& decision,
                            Found& found) const;
  // The change of the extras of its row; a group is made by a record of its own.
  [[nodiscard]] static rows::Extras extras_of(Found const& found, Decision& decision);
  // What a promised insert must find unchanged.
  void hold(Wanted const& wanted, Hold& hold) const;

  // "row 812"
  [[nodiscard]] std::string name_of(std::uint32_t row) const;

 private:
  struct Search;

  [[nodiscard]] Status read_rows(std::string_view given, Found& found) const;
  [[nodiscard]] Status read_keys(std::string_view given, Found& found) const;
  [[nodiscard]] Status read_group(Wanted const& wanted, std::string_view key, std::uint32_t row, bool keeps,
                                  Found& found) const;
  [[nodiscard]] Status read_after_group(Wanted const& wanted, Found& found) const;
  // A row that is there is waited for.
  void add(std::uint32_t row, Found& found) const;
  [[nodiscard]] Status check_circle(std::string_view key, std::uint32_t row, Decision& decision,
                                    Found const& found) const;

  rows::RowTable const& table_;
  rows::State const& rows_;
  Settings const& settings_;
};

}  // namespace fastjournal::journal
