// Keys and hashes in messages.
//
// A key is named by `key` (text), `key_binary` (bytes; base64 in lines and JSON), or by `hash`: what is made of it, as 24
// hex digits. Only the hash is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "fastjournal/message.h"
#include "model/parameters.h"
#include "plugins/blob/entry.h"

namespace fastjournal::blob {

// `secret`: of the table, for keys that are given by their name.
[[nodiscard]] Key read_key(Message const& message, std::string_view secret, model::Parameters& parameters);
// 24 digits; none: the parameter is absent.
[[nodiscard]] std::optional<Key> read_hash(Message const& message, model::Parameters& parameters,
                                           std::string_view name);
// 32 digits, the high half first; none: the parameter is absent.
[[nodiscard]] std::optional<Hash128> read_content_hash(Message const& message, model::Parameters& parameters);
// The bytes of a parameter: as they are, or encoded in a line or JSON; `scratch` is their memory then. False: refused.
[[nodiscard]] bool read_bytes(Value const& value, std::string_view name, model::Parameters& parameters,
                              std::string& scratch, std::string_view& bytes);
// 16 digits.
[[nodiscard]] std::string digits_of(std::uint64_t number);

}  // namespace fastjournal::blob
