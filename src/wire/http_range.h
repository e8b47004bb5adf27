// Which bytes of something a request wants, and whether it wants them at all: the fields If-Match, If-None-Match, Range
// and If-Range (RFC 9110, sections 13 and 14). Pure: the tag and the size of what there is are given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::protocol {

// "bytes=0-99", "bytes=100-", "bytes=-5".
struct HttpRange {
  std::optional<std::uint64_t> first{};  // none: of the last bytes, `last` many
  std::uint64_t last{UINT64_MAX};        // the last byte

  bool operator==(HttpRange const&) const = default;
};
// Empty for whatever is answered whole: another unit, several ranges, or no range at all.
[[nodiscard]] std::optional<HttpRange> parse_http_range(std::string_view field);

// The fields of a request that choose. Empty: it has none of this name.
struct HttpChoice {
  std::string if_match{};
  std::string if_none_match{};
  std::string range{};
  std::string if_range{};
};

struct HttpChosen {
  std::uint16_t status{200};  // 206, 304, 412, 416; of the last three no byte is sent
  std::uint64_t offset{0};
  std::uint64_t bytes{0};
};
// `etag` is a strong one. Dates are not compared: a tag says more.
[[nodiscard]] HttpChosen choose(HttpChoice const& choice, std::string_view etag, std::uint64_t bytes);

// "bytes 0-99/1000"; of 416: "bytes */1000".
[[nodiscard]] std::string content_range(HttpChosen const& chosen, std::uint64_t bytes);
// "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string http_date(std::uint64_t seconds_since_1970);

}  // namespace fastjournal::protocol
