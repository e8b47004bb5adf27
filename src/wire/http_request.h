// The parser of requests: Boost.Beast's, given one whole request at a time. It is made for each request and kept for
// none, so a connection that waits costs nothing. The one door to Boost.Beast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::protocol {

// The contents of a head; copied out of it. Fields that were not sent are empty optionals.
struct HttpRequest {
  std::string method;
  std::string target;
  bool is_http11{true};
  bool keeps_alive{false};
  bool is_chunked{false};
  std::uint64_t length{0};  // of the body, if it is not chunked
  bool has_length{false};
  std::optional<std::string> host;
  std::optional<std::string> origin;
  std::optional<std::string> authorization;
  std::optional<std::string> content_type;
  std::optional<std::string> content_encoding;
  std::optional<std::string> content_range;
  std::optional<std::string> expect;
  std::optional<std::string> if_match;
  std::optional<std::string> if_none_match;
  std::optional<std::string> range;
  std::optional<std::string> if_range;
  std::optional<std::string> fetch_site;
  std::optional<std::string> fetch_mode;
  std::optional<std::string> accept;  // of several, one list

  [[nodiscard]] bool has_body() const { return is_chunked || length > 0; }
};

inline constexpr std::string_view kBadVersion = "only HTTP/1.1 and HTTP/1.0 are spoken here";

// A request line with its line end. The reason why it is none; empty if it is one.
[[nodiscard]] std::string check_request_line(std::string_view line);
// A whole head, with the empty line. The reason why it is refused: it is no request of HTTP, or servers and proxies
// could disagree about where it ends. Then `into` has what was read before. Empty if it is good.
[[nodiscard]] std::string parse_http_head(std::string_view head, HttpRequest& into);
// A whole request with a body in chunks: replaces `body` by what they hold. False: this is no such request.
[[nodiscard]] bool join_chunks(std::string_view request, std::string& body);

}  // namespace fastjournal::protocol
