// The heads of responses, and which status each code has. No byte that a client chose reaches a head: whatever varies
// is a number, one of the words here, or a type of content that was checked when the daemon began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::protocol {

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kProblemType = "application/problem+json";
inline constexpr std::string_view kEventsType = "text/event-stream";

// The status of a command's refusal.
[[nodiscard]] std::uint16_t http_status_of(Code code);
// "Not Found". For the statuses that are used here.
[[nodiscard]] std::string_view http_reason_of(std::uint16_t status);

enum class HttpLength : std::uint8_t { known, chunked, until_close, none };
// The challenge of a 401.
enum class HttpChallenge : std::uint8_t { none, token, other_token };

struct HttpHead {
  std::uint16_t status{200};
  std::string_view content_type{};
  HttpLength length{HttpLength::known};
  std::uint64_t bytes{0};  // of the body, if the length is known
  bool is_http11{true};
  bool keeps_alive{true};
  std::string_view cache{"no-store"};
  std::string_view etag{};
  std::string_view last_modified{};
  bool accepts_ranges{false};
  std::string_view content_range{};
  std::string_view allow{};
  unsigned retry_after_s{1};  // of 429 and 503
  HttpChallenge challenge{HttpChallenge::none};
  std::string_view further{};  // fields with their line ends, made of words and numbers of ours
};

void append_http_head(HttpHead const& head, std::string& out);
// One chunk of a body; none for no bytes, since that would be the last.
void append_chunk(std::string_view bytes, std::string& out);
void append_last_chunk(std::string& out);

// Whether a type of content, or a tag, can stand in a head.
[[nodiscard]] bool is_field_value(std::string_view text);

}  // namespace fastjournal::protocol
