// What is in a spool folder, as texts: TABLE NAME=VALUE..., in the order of the files.
#pragma once

#include <string>
#include <vector>

#include "clients/spool/core/folder_tools.h"

namespace fastjournal::producer::test {

inline std::string shown(Value const& value) {
  switch (value.kind) {
    case Value::Kind::text: return std::string{value.bytes};
    case Value::Kind::binary: return "(" + std::string{value.bytes} + ")";
    case Value::Kind::integer: return std::to_string(value.integer);
    case Value::Kind::unsigned_integer: return std::to_string(value.unsigned_integer);
    case Value::Kind::real: return std::to_string(value.real);
    case Value::Kind::boolean: return value.boolean ? "true" : "false";
  }
  return {};
}

inline std::vector<std::string> rows_of(std::string const& folder) {
  std::vector<std::string> out;
  Status const status = spool::list_rows(folder, {}, [&out](spool::RowInFolder const& row) {
    std::string text{row.table};
    for (Param const& param : row.row->params())
      if (param.name != "table" && param.name != "insertion_date")
        text += " " + std::string{param.name} + "=" + shown(param.value);
    out.push_back(text);
    return true;
  });
  if (!status.ok()) out.push_back(status.text());
  return out;
}

}  // namespace fastjournal::producer::test
