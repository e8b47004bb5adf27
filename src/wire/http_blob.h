// Blobs as resources of HTTP, /v1/blobs/TABLE/KEY: which command a path is, and what its answer says of the blob
// (doc/http.md, "Blobs"). The only file of this protocol that knows a table type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"

namespace fastjournal::protocol {

inline constexpr std::string_view kBlobsPath = "/v1/blobs/";

struct HttpBlobPath {
  std::string_view table;  // of the path
  std::string key;         // its bytes
};
// Of a path that begins with kBlobsPath. The key is all that follows the table, with its slashes, and %XX is a byte.
// Empty: there is no table or no key, or a '%' without two digits behind it.
[[nodiscard]] std::optional<HttpBlobPath> parse_blob_path(std::string_view path);

// The command that reads one, with its bytes or without; what it holds is copied.
void begin_blob_get(std::string_view table, std::string_view key, bool with_bytes, Message& message);

// The command that stores one; its bytes are the parameter kBlobContent.
void begin_blob_put(std::string_view table, std::string_view key, Message& message);
inline constexpr std::string_view kBlobContent = "data";
// Of its answer: there was none under this key.
[[nodiscard]] bool is_new_blob(Outgoing const& answer);

struct HttpBlob {
  bool is_there{false};
  std::uint64_t bytes{0};
  std::uint64_t stored_at_s{0};   // since 1970
  std::string etag{};             // strong, with its quotes
  Value const* content{nullptr};  // if it was asked for
};
// Empty: this is no answer about a blob.
[[nodiscard]] std::optional<HttpBlob> read_blob(Outgoing const& answer);

}  // namespace fastjournal::protocol
