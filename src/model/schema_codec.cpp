// Format 1: byte 1, varint schema version, varint number of columns, then for each column: name, type, flags, merge
// rule, the limits whose flag is set, lengths, description; then varint number of key columns and their indexes.
// Strings: varint length, bytes. Format 2: the same for a table without row keys, with 0 key columns. A program that
// knows only format 1 would take such a schema for damage.
#include "model/schema_codec.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/bytes.h"
#include "model/varint.h"

namespace fastjournal::model {

namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::uint8_t kFormatWithoutKey = 2;
constexpr std::uint64_t kSchemaColumnsMax = 200;
constexpr std::uint64_t kKeyColumnsMax = 8;

enum Flag : std::uint8_t {
  kRequired = 1,
  kDefault = 2,
  kValueMin = 4,
  kValueMax = 8,
  kRealMin = 16,
  kRealMax = 32,
  kFlagsAll = 63,
};

void append_byte(std::string& out, std::uint8_t byte) { out.push_back(static_cast<char>(byte)); }

void append_string(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out.append(text);
}

void encode_column(Column const& column, std::string& out) {
  append_string(out, column.name);
  append_byte(out, static_cast<std::uint8_t>(column.type));
  unsigned flags = 0;
  if (column.required) flags |= kRequired;
  if (column.default_text) flags |= kDefault;
  if (column.value_min) flags |= kValueMin;
  if (column.value_max) flags |= kValueMax;
  if (column.real_min) flags |= kRealMin;
  if (column.real_max) flags |= kRealMax;
  append_byte(out, static_cast<std::uint8_t>(flags));
  append_byte(out, static_cast<std::uint8_t>(column.merge));
  if (column.default_text) append_string(out, *column.default_text);
  if (column.value_min) append_varint(out, zigzag(*column.value_min));
  if (column.value_max) append_varint(out, *column.value_max);
  if (column.real_min) append_little(out, std::bit_cast<std::uint64_t>(*column.real_min));
  if (column.real_max) append_little(out, std::bit_cast<std::uint64_t>(*column.real_max));
  append_varint(out, column.length_min);
  append_varint(out, column.length_max);
  append_string(out, column.description);
}

// Takes parts off the front. After the first missing or wrong part, all others are zero and ok() is false.
class Parts {
 public:
  explicit Parts(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number(std::uint64_t max = UINT64_MAX) {
    std::uint64_t value = 0;
    if (ok_ && take_varint(rest_, value) && value <= max) return value;
    ok_ = false;
    return 0;
  }
  std::uint8_t byte(std::uint8_t max) {
    std::string_view const taken = bytes(1);
    auto const value = taken.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(taken[0]);
    if (value <= max) return value;
    ok_ = false;
    return 0;
  }
  std::string string() { return std::string{bytes(number())}; }
  double real() {
    std::string_view const taken = bytes(sizeof(double));
    return taken.empty() ? 0.0 : std::bit_cast<double>(load_little<std::uint64_t>(taken.data()));
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }

 private:
  std::string_view bytes(std::uint64_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    std::string_view const out = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(out.size());
    return out;
  }

  std::string_view rest_;
  bool ok_{true};
};

Column decode_column(Parts& parts) {
  Column column;
  column.name = parts.string();
  column.type = static_cast<ColumnType>(parts.byte(static_cast<std::uint8_t>(ColumnType::time_us)));
  std::uint8_t const flags = parts.byte(kFlagsAll);
  column.required = (flags & kRequired) != 0;
  column.merge = static_cast<MergeRule>(parts.byte(static_cast<std::uint8_t>(MergeRule::append)));
  if ((flags & kDefault) != 0) column.default_text = parts.string();
  if ((flags & kValueMin) != 0) column.value_min = unzigzag(parts.number());
  if ((flags & kValueMax) != 0) column.value_max = parts.number();
  if ((flags & kRealMin) != 0) column.real_min = parts.real();
  if ((flags & kRealMax) != 0) column.real_max = parts.real();
  column.length_min = parts.number();
  column.length_max = parts.number();
  column.description = parts.string();
  return column;
}

}  // namespace

void encode_schema(Schema const& schema, std::string& out) {
  append_byte(out, schema.key.empty() ? kFormatWithoutKey : kFormat);
  append_varint(out, schema.version);
  append_varint(out, schema.columns.size());
  for (Column const& column : schema.columns) encode_column(column, out);
  append_varint(out, schema.key.size());
  for (std::uint16_t const index : schema.key) append_varint(out, index);
}

Result<Schema> decode_schema(std::string_view bytes) {
  if (!bytes.empty() && static_cast<std::uint8_t>(bytes[0]) > kFormatWithoutKey)
    return Status{Code::not_supported, "a schema of format " + std::to_string(static_cast<std::uint8_t>(bytes[0])) +
                                           ", this program reads up to format " + std::to_string(kFormatWithoutKey)};
  Parts parts{bytes};
  Schema schema;
  std::uint8_t const format = parts.byte(kFormatWithoutKey);
  bool sound = format != 0;
  schema.version = static_cast<std::uint16_t>(parts.number(UINT16_MAX));
  std::uint64_t const columns = parts.number(kSchemaColumnsMax);
  for (std::uint64_t i = 0; i < columns && parts.ok(); ++i) schema.columns.push_back(decode_column(parts));
  std::uint64_t const keys = parts.number(kKeyColumnsMax);
  for (std::uint64_t i = 0; i < keys && parts.ok(); ++i) {
    auto const index = static_cast<std::uint16_t>(parts.number(UINT16_MAX));
    sound = sound && index < columns && std::find(schema.key.begin(), schema.key.end(), index) == schema.key.end();
    schema.key.push_back(index);
  }
  if (!sound || !parts.finished() || schema.key.empty() != (format == kFormatWithoutKey))
    return Status{Code::damaged, "a schema of " + std::to_string(bytes.size()) + " bytes cannot be read"};
  return schema;
}

}  // namespace fastjournal::model
