#include "wire/http_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "wire/http_rules.h"

namespace fastjournal::protocol {
namespace {

constexpr std::string_view kUnit = "bytes=";

// Digits; of numbers that are too large the largest. Empty: something else.
std::optional<std::uint64_t> number_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t out = 0;
  for (char const c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    auto const digit = static_cast<std::uint64_t>(c - '0');
    out = out > (UINT64_MAX - digit) / 10 ? UINT64_MAX : out * 10 + digit;
  }
  return out;
}

}  // namespace

std::optional<HttpRange> parse_http_range(std::string_view field) {
  if (field.size() <= kUnit.size() || !same_letters(field.substr(0, kUnit.size()), kUnit)) return std::nullopt;
  field.remove_prefix(kUnit.size());
  std::size_t const dash = field.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::string_view const first = field.substr(0, dash);
  std::string_view const last = field.substr(dash + 1);
  HttpRange out;
  if (first.empty() || !last.empty()) {
    std::optional<std::uint64_t> const number = number_of(last);
    if (!number) return std::nullopt;
    out.last = *number;
  }
  if (first.empty()) return out;
  out.first = number_of(first);
  if (!out.first || *out.first > out.last) return std::nullopt;
  return out;
}

HttpChosen choose(HttpChoice const& choice, std::string_view etag, std::uint64_t bytes) {
  if (!choice.if_match.empty() && !names_same_etag(choice.if_match, etag)) return {.status = 412};
  if (!choice.if_none_match.empty() && names_etag(choice.if_none_match, etag)) return {.status = 304};
  HttpChosen const whole{.bytes = bytes};
  // A date, or a weak tag, does not say that the bytes are the same.
  if (!choice.if_range.empty() && choice.if_range != etag) return whole;
  std::optional<HttpRange> const range = parse_http_range(choice.range);
  if (!range) return whole;
  if (!range->first) {
    if (range->last == 0) return {.status = 416};
    // A part of nothing cannot be named.
    if (bytes == 0) return whole;
    std::uint64_t const part = std::min(range->last, bytes);
    return {.status = 206, .offset = bytes - part, .bytes = part};
  }
  if (*range->first >= bytes) return {.status = 416};
  return {.status = 206, .offset = *range->first, .bytes = std::min(range->last, bytes - 1) - *range->first + 1};
}

std::string content_range(HttpChosen const& chosen, std::uint64_t bytes) {
  if (chosen.status == 416) return fmt::format("bytes */{}", bytes);
  return fmt::format("bytes {}-{}/{}", chosen.offset, chosen.offset + chosen.bytes - 1, bytes);
}

std::string http_date(std::uint64_t seconds_since_1970) {
  static constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::uint64_t kDaySeconds = 86'400;
  std::chrono::sys_days const day{std::chrono::days{seconds_since_1970 / kDaySeconds}};
  std::chrono::year_month_day const date{day};
  std::uint64_t const second = seconds_since_1970 % kDaySeconds;
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[std::chrono::weekday{day}.c_encoding()],
                     static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()), second / 3600, second / 60 % 60, second % 60);
}

}  // namespace fastjournal::protocol
