#include "wire/http_blob.h"

#include <fmt/format.h>

#include <algorithm>

namespace fastjournal::protocol {
namespace {

std::optional<unsigned> digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

bool is_hash(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return digit_of(c).has_value(); });
}

Value const* find(Outgoing const& message, std::string_view name) {
  for (Param const& param : message.params)
    if (param.name == name) return &param.value;
  return nullptr;
}

std::uint64_t number_of(Outgoing const& message, std::string_view name) {
  Value const* const value = find(message, name);
  return value == nullptr ? 0 : value->as_unsigned().value_or(0);
}

std::string_view param_text(Outgoing const& message, std::string_view name) {
  Value const* const value = find(message, name);
  return value == nullptr ? std::string_view{} : value->bytes;
}

}  // namespace

std::optional<HttpBlobPath> parse_blob_path(std::string_view path) {
  path.remove_prefix(kBlobsPath.size());
  std::size_t const slash = path.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == path.size()) return std::nullopt;
  HttpBlobPath out{.table = path.substr(0, slash), .key = {}};
  for (std::size_t at = slash + 1; at < path.size(); ++at) {
    if (path[at] != '%') {
      out.key += path[at];
      continue;
    }
    if (path.size() - at < 3) return std::nullopt;
    std::optional<unsigned> const high = digit_of(path[at + 1]);
    std::optional<unsigned> const low = digit_of(path[at + 2]);
    if (!high || !low) return std::nullopt;
    out.key += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return out;
}

// No other type has a GET with a place: it refuses the command, before it has any effect.
void begin_blob_get(std::string_view table, std::string_view key, bool with_bytes, Message& message) {
  message.set("table", message.arena().copy(table));
  message.set("key_binary", Value::of_binary(message.arena().copy(key)));
  message.set_integer("data", with_bytes ? 1 : 0);
  message.set_integer("place", 0);
}

void begin_blob_put(std::string_view table, std::string_view key, Message& message) {
  message.set("table", message.arena().copy(table));
  message.set("key_binary", Value::of_binary(message.arena().copy(key)));
}

bool is_new_blob(Outgoing const& answer) {
  return answer.command == "STORED" && param_text(answer, "result") == "stored";
}

std::optional<HttpBlob> read_blob(Outgoing const& answer) {
  if (answer.command != "BLOB") return std::nullopt;
  HttpBlob out;
  std::string_view const hash = param_text(answer, "content_hash");
  if (param_text(answer, "result") != "found") return out;
  if (!is_hash(hash)) return std::nullopt;
  out.is_there = true;
  out.bytes = number_of(answer, "length");
  out.stored_at_s = number_of(answer, "entry_time");
  // Both together: a hash of 64 bits alone says less than its length does.
  out.etag = fmt::format("\"{}-{:x}\"", hash, out.bytes);
  out.content = find(answer, "data");
  return out;
}

}  // namespace fastjournal::protocol
