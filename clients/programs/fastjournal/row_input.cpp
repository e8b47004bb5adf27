#include "clients/programs/fastjournal/row_input.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "clients/programs/fastjournal/refused_rows.h"

namespace fastjournal::cli {
namespace {

std::optional<RowFormat> given_format(Invocation const& invocation) {
  if (invocation.format == "json") return RowFormat::json;
  if (invocation.format == "csv") return RowFormat::csv;
  if (invocation.format == "lines") return RowFormat::lines;
  return std::nullopt;
}

Result<InputBytes> open_bytes(Invocation const& invocation, Console& console) {
  if (invocation.from == "-") return InputBytes{console.in};
  return InputBytes::open(invocation.from);
}

}  // namespace

Result<std::unique_ptr<RowInput>> RowInput::open(Invocation const& invocation, Console& console) {
  Result<InputBytes> bytes = open_bytes(invocation, console);
  if (!bytes.ok()) return bytes.status();
  RecordReader reader{std::move(bytes).value(), given_format(invocation)};
  if (Status status = reader.begin(); !status.ok()) return status;
  RowParser parser{reader.format()};
  if (!reader.header().empty())
    if (Status status = parser.set_header(reader.header()); !status.ok()) return status;
  return std::unique_ptr<RowInput>{new RowInput{std::move(reader), std::move(parser)}};
}

std::string RowInput::command_behind(Invocation const& invocation, std::uint64_t lines) const {
  std::string const file = invocation.from == "-" ? "INPUT" : invocation.from;
  std::string const rest = fmt::format("tail -n +{} {}", lines + 1, file);
  auto const header = std::count(reader.header().begin(), reader.header().end(), '\n');
  std::string const rows = header == 0 ? rest : fmt::format("(head -n {} {}; {})", header, file, rest);
  std::string const format = invocation.format.empty() ? "" : " --format " + invocation.format;
  return fmt::format("{} | fastjournal put {} --from -{}", rows, invocation.table, format);
}

Result<std::string> refused_file_of(Invocation const& invocation, std::string_view run, RowFormat format) {
  if (invocation.refused.empty()) return fmt::format("{}-{}-{}", invocation.table, run, ending_of(format));
  std::error_code ignored;
  if (invocation.from != "-" && std::filesystem::equivalent(invocation.from, invocation.refused, ignored))
    return Status{Code::bad_parameter, "the refused rows cannot go to the file that is read: --refused names another"};
  return invocation.refused;
}

}  // namespace fastjournal::cli
