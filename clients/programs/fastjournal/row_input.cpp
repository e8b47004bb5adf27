#include "clients/programs/fastjournal/row_input.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "clients/programs/fastjournal/refused_rows.h"

namespace fastjournal::cli {
namespace {

std::optional<RowFormat> given_format(PutOptions const& given) {
  if (given.format == "json") return RowFormat::json;
  if (given.format == "csv") return RowFormat::csv;
  if (given.format == "lines") return RowFormat::lines;
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<RowInput>> RowInput::open(PutOptions const& given, std::istream& in) {
  Result<InputBytes> bytes = given.from == "-" ? Result<InputBytes>{InputBytes{in}} : InputBytes::open(given.from);
  if (!bytes.ok()) return bytes.status();
  RecordReader reader{std::move(bytes).value(), given_format(given)};
  if (Status status = reader.begin(); !status.ok()) return status;
  RowParser parser{reader.format()};
  if (!reader.header().empty())
    if (Status status = parser.set_header(reader.header()); !status.ok()) return status;
  return std::unique_ptr<RowInput>{new RowInput{std::move(reader), std::move(parser)}};
}

std::string RowInput::command_behind(PutOptions const& given, std::string const& table, std::uint64_t lines) const {
  std::string const file = given.from == "-" ? "INPUT" : given.from.str();
  std::string const rest = fmt::format("tail -n +{} {}", lines + 1, file);
  auto const header = std::count(reader.header().begin(), reader.header().end(), '\n');
  std::string const rows = header == 0 ? rest : fmt::format("(head -n {} {}; {})", header, file, rest);
  std::string const format = given.format.empty() ? "" : " --format " + given.format;
  return fmt::format("{} | fastjournal put {} --from -{}", rows, table, format);
}

Result<std::string> refused_file_of(PutOptions const& given, std::string const& table, std::string_view run,
                                    RowFormat format) {
  if (given.refused.empty()) return fmt::format("{}-{}-{}", table, run, ending_of(format));
  std::error_code ignored;
  if (given.from != "-" && std::filesystem::equivalent(given.from.str(), given.refused.str(), ignored))
    return Status{Code::bad_parameter, "the refused rows cannot go to the file that is read: --refused names another"};
  return given.refused;
}

}  // namespace fastjournal::cli
