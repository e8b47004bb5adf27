#include "plugins/journal/schedule_columns.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "model/date.h"
#include "model/key_codec.h"
#include "model/row_codec.h"
#include "plugins/rows/schedule_records.h"

namespace fastjournal::journal {
namespace {

constexpr std::string_view kDatePlace = "{date}";
constexpr std::string_view kNamePlace = "{schedule}";

std::string filled(std::string_view text, std::string_view name, std::string_view date) {
  std::string out;
  while (!text.empty()) {
    bool const is_date = text.starts_with(kDatePlace);
    if (is_date || text.starts_with(kNamePlace)) {
      out += is_date ? date : name;
      text.remove_prefix(is_date ? kDatePlace.size() : kNamePlace.size());
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace

Status ColumnsOfSchedule::fill(std::string_view columns, Schema const& schema, std::string_view schedule,
                               std::int64_t date) {
  rows::ScheduleColumns body;
  if (!model::read_body(columns, 1, body)) return {Code::damaged, "the columns of the schedule cannot be read"};
  std::string const date_text = model::format_date(date);
  for (rows::ScheduleColumn const& one : body.all) {
    auto const column = std::ranges::find(schema.columns, one.name, &Column::name);
    if (column == schema.columns.end())
      return {Code::unknown_parameter, "the table has no column " + std::string{one.name} + " any more"};
    Value value = one.value;
    if (value.kind == Value::Kind::text && value.bytes.find('{') != std::string_view::npos) {
      if (column->type == ColumnType::string)
        value.bytes = kept_.emplace_back(filled(value.bytes, schedule, date_text));
      else if (value.bytes == kDatePlace)
        value = Value::of_integer(date);
    }
    message_.add(one.name, value);
  }
  return {};
}

Status check_row(Schema const& schema, Message const& message) {
  std::string bytes;
  if (Status status = model::encode_key(schema, message, bytes); !status.ok()) return status;
  if (Status status = model::encode_data(schema, message, bytes); !status.ok()) return status;
  if (bytes.size() <= kPlannedBytesMax) return {};
  return {Code::too_large, "a row of a schedule has " + std::to_string(bytes.size()) + " bytes, expected " +
                               std::to_string(kPlannedBytesMax) + " at most"};
}

std::string columns_json(std::string_view columns) {
  rows::ScheduleColumns body;
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (model::read_body(columns, 1, body))
    for (rows::ScheduleColumn const& one : body.all) {
      auto& to = out[std::string{one.name}];
      switch (one.value.kind) {
        case Value::Kind::text: to = std::string{one.value.bytes}; break;
        case Value::Kind::binary: {
          std::string text;
          append_base64(one.value.bytes, text);
          to = text;
          break;
        }
        case Value::Kind::integer: to = one.value.integer; break;
        case Value::Kind::unsigned_integer: to = one.value.unsigned_integer; break;
        case Value::Kind::real: to = one.value.real; break;
        case Value::Kind::boolean: to = one.value.boolean; break;
      }
    }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace fastjournal::journal
