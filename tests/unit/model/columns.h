// Short ways to write schemas, messages and answers in the tests of this folder.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "fastjournal/declaration.h"
#include "fastjournal/message.h"

namespace fastjournal::model {

inline Column column(std::string name, ColumnType type, MergeRule merge = MergeRule::replace) {
  Column out;
  out.name = std::move(name);
  out.type = type;
  out.merge = merge;
  return out;
}

inline Schema schema(std::initializer_list<Column> columns, std::initializer_list<std::uint16_t> key) {
  Schema out;
  out.columns = columns;
  out.key = key;
  return out;
}

inline Message message(std::initializer_list<std::pair<std::string_view, Value>> params) {
  Message out{"INSERT"};
  for (auto const& [name, value] : params) out.set(name, value);
  return out;
}

// An answer's parameters as "name=value;..."; values that are not text have their kind before them: "size=u5;".
inline std::string shown_params(Answer const& answer) {
  std::string out;
  for (Param const& param : answer.params()) {
    out.append(param.name).append("=");
    switch (param.value.kind) {
      case Value::Kind::text: out.append(param.value.bytes); break;
      case Value::Kind::binary: out.append("b:").append(param.value.bytes); break;
      case Value::Kind::integer: out.append("i").append(std::to_string(param.value.integer)); break;
      case Value::Kind::unsigned_integer: out.append("u").append(std::to_string(param.value.unsigned_integer)); break;
      case Value::Kind::real: out.append("r").append(std::to_string(param.value.real)); break;
      case Value::Kind::boolean: out.append(param.value.boolean ? "true" : "false"); break;
    }
    out.append(";");
  }
  return out;
}

}  // namespace fastjournal::model
