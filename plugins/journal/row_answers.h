// The fields of a row in answers.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/schedules.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// The most bytes outside the log that one answer brings; of more, the places are told.
inline constexpr std::uint64_t kOutsideBytesMax = 16U << 20U;

// Its columns, and what belongs to every row that is shown. `view`: the row's. `as`: what is told of columns outside the
// log; returns their bytes.
std::uint64_t add_row_columns(rows::State const& rows, std::uint32_t row, rows::PayloadView const& view, Answer& answer,
                              StoredValue::As as);
// A message ROW with all of it that `command` may see.
std::uint64_t describe_row(rows::State const& rows, Settings const& settings, Command const& command, std::uint32_t row,
                           Answer& answer, StoredValue::As as);
// How far its worker is, if it said so.
void add_progress(rows::State const& rows, std::uint32_t row, Answer& answer);
// The schedule that made it, if one did; its name if it is still there.
void add_schedule(rows::State const& rows, rows::Schedules const& schedules, std::uint32_t row, Answer& answer);
// The outcome for a row that was leased or parked: `waiting` is the answer's command if it waits.
void answer_ended(Settings const& settings, ObjectId row, std::string_view waiting, rows::Ended const& ended,
                  Decision& decision);

}  // namespace fastjournal::journal
