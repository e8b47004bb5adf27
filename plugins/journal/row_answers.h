// What answers tell of a row.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/settings.h"
#include "rows/attempts.h"
#include "rows/state.h"

namespace fastjournal::journal {

// Its columns, and what belongs to every row that is shown. `view`: the row's.
void add_row_columns(rows::State const& rows, std::uint32_t row, rows::PayloadView const& view, Answer& answer);
// A message ROW with all of it.
void describe_row(rows::State const& rows, Settings const& settings, std::uint32_t row, Answer& answer);
// What became of a row that was leased or parked: `waiting` is the answer's command if it waits.
void answer_ended(Settings const& settings, ObjectId row, std::string_view waiting, rows::Ended const& ended,
                  Decision& decision);

}  // namespace fastjournal::journal
