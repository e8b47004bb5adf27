#include "clients/spool/core/aside.h"

#include <algorithm>
#include <array>

#include "fastjournal/limits.h"
#include "wire/msgpack.h"

namespace fastjournal::spool {

Status append_aside(Aside const& aside, Seed seed, std::string& out) {
  std::array const params{Param{"code", Value::of_text(aside.code)},
                          Param{"reason", Value::of_text(aside.reason.substr(0, kReasonBytesMax))},
                          Param{"date", Value::of_integer(aside.date_ms)},
                          Param{"client", Value::of_text(aside.client.substr(0, kClientBytesMax))},
                          Param{"sequence", Value::of_integer(aside.sequence)},
                          Param{"record", Value::of_binary(aside.row.substr(0, kRowBytesMax))}};
  return append_record("ASIDE", params, seed, out);
}

Status unwrap(std::string_view body, Message& row, Unwrapped& out, std::string_view of_lines) {
  out = {.row = body};
  Status status = protocol::parse_frame(body, row);
  if (status.ok() && row.command == "ASIDE") {
    out.is_aside = true;
    out.aside = {row.text("code"),
                 row.text("reason"),
                 row.integer("date").value_or(0),
                 row.text("client"),
                 row.integer("sequence").value_or(0),
                 row.text("record")};
    out.row = out.aside.row;
    status = protocol::parse_frame(out.row, row);
  }
  if (!status.ok()) return status;
  bool const is_line = out.is_aside && !of_lines.empty() && row.command == of_lines;
  if (!is_line && (row.command != "INSERT" || !row.has("table")))
    return Status{Code::invalid, "this is no INSERT with a table"};
  if (out.row.size() > kRowBytesMax)
    return Status{Code::too_large, "a row has " + std::to_string(out.row.size()) + " bytes: at most " +
                                       std::to_string(kRowBytesMax) + " are taken"};
  return {};
}

}  // namespace fastjournal::spool
