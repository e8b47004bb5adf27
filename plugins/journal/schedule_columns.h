// The columns of a schedule's rows: as the schedule has them, as a message for an INSERT at one of its dates, and as
// JSON. In the text of a string column {schedule} stands for the schedule's name and {date} for the date in ISO 8601; a
// column of another type whose text is {date} has the date in milliseconds.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::journal {

class ColumnsOfSchedule {
 public:
  // `columns`: the bytes of rows::ScheduleColumns, which outlive this.
  [[nodiscard]] Status fill(std::string_view columns, Schema const& schema, std::string_view schedule,
                            std::int64_t date);
  [[nodiscard]] Message const& message() const { return message_; }

 private:
  Message message_{"INSERT"};
  std::deque<std::string> kept_;
};

// Key and data of a row that a schedule makes, in bytes.
inline constexpr std::size_t kPlannedBytesMax = std::size_t{6} << 10U;
// Whether a message has the columns of a row, and not too much of them.
[[nodiscard]] Status check_row(Schema const& schema, Message const& message);
[[nodiscard]] std::string columns_json(std::string_view columns);

}  // namespace fastjournal::journal
