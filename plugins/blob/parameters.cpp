#include "plugins/blob/parameters.h"

#include <charconv>

#include "base/base64.h"

namespace fastjournal::blob {
namespace {

constexpr std::size_t kDigits64 = 16;

std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t out = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
  bool const is_whole = error == std::errc{} && end == digits.data() + digits.size() && digits.size() == kDigits64;
  return is_whole ? std::optional{out} : std::nullopt;
}

}  // namespace

std::string digits_of(std::uint64_t number) {
  std::string out(kDigits64, '0');
  for (std::size_t at = kDigits64; at-- > 0; number >>= 4U) out[at] = "0123456789abcdef"[number & 15U];
  return out;
}

bool read_bytes(Value const& value, std::string_view name, model::Parameters& parameters, std::string& scratch,
                std::string_view& bytes) {
  if (value.kind == Value::Kind::binary || (value.kind == Value::Kind::text && value.verbatim)) {
    bytes = value.bytes;
    return true;
  }
  if (value.kind == Value::Kind::text && decode_base64(value.bytes, scratch)) {
    bytes = scratch;
    return true;
  }
  parameters.refuse(
      Code::bad_parameter, name,
      std::string{name} + (value.kind == Value::Kind::text ? " is not base64" : " is a number") + "; expected bytes");
  return false;
}

std::optional<Key> read_hash(Message const& message, model::Parameters& parameters, std::string_view name) {
  Value const* const value = message.find(name);
  if (value == nullptr) return std::nullopt;
  std::optional<Key> const key = bcdb::key_of_digits(value->bytes);
  if (!key.has_value())
    parameters.refuse(Code::bad_parameter, name,
                      std::string{name} +
                          " is no hash of a key; expected 24 hex digits: hash_value and hash_id as they "
                          "are packed");
  return key.value_or(Key{});
}

Key read_key(Message const& message, std::string_view secret, model::Parameters& parameters) {
  Value const* const plain = message.find("key");
  Value const* const encoded = message.find("key_binary");
  std::optional<Key> const hash = read_hash(message, parameters, "hash");
  int const given = (plain != nullptr ? 1 : 0) + (encoded != nullptr ? 1 : 0) + (hash.has_value() ? 1 : 0);
  if (given == 0)
    parameters.refuse(Code::missing_parameter, "key",
                      std::string{message.command} + " needs the parameter key, key_binary or hash");
  if (given > 1)
    parameters.refuse(Code::bad_parameter, "key", "of key, key_binary and hash several are given; expected one");
  if (given != 1 || !parameters.ok()) return {};
  if (hash.has_value()) return *hash;
  std::string scratch;
  std::string_view bytes;
  if (encoded != nullptr) {
    if (!read_bytes(*encoded, "key_binary", parameters, scratch, bytes)) return {};
  } else if (plain->kind == Value::Kind::text || plain->kind == Value::Kind::binary) {
    bytes = plain->bytes;
  } else {
    parameters.refuse(Code::bad_parameter, "key", "key is a number; expected text");
    return {};
  }
  return bcdb::make_key(bytes, secret);
}

std::optional<Hash128> read_content_hash(Message const& message, model::Parameters& parameters) {
  Value const* const value = message.find("content_hash");
  if (value == nullptr) return std::nullopt;
  auto const high = number_of(value->bytes.substr(0, kDigits64));
  auto const low = number_of(value->bytes.size() < kDigits64 ? std::string_view{} : value->bytes.substr(kDigits64));
  if (!high.has_value() || !low.has_value()) {
    parameters.refuse(Code::bad_parameter, "content_hash",
                      "content_hash is no XXH3-128; expected 32 hex digits, the high half first");
    return std::nullopt;
  }
  return Hash128{.low = *low, .high = *high};
}

}  // namespace fastjournal::blob
