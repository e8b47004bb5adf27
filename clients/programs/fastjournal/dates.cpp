#include "clients/programs/fastjournal/dates.h"

#include <time.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "clients/programs/fastjournal/values.h"
#include "model/date.h"

namespace fastjournal::cli {
namespace {

// Digits stand for digits.
constexpr std::string_view kInUtc = "0000-00-00T00:00:00.000Z";

bool is_date_here(std::string_view text) {
  if (text.size() < kInUtc.size()) return false;
  for (std::size_t at = 0; at < kInUtc.size(); ++at)
    if (kInUtc[at] == '0' ? text[at] < '0' || text[at] > '9' : text[at] != kInUtc[at]) return false;
  return true;
}

}  // namespace

std::string date_text(std::int64_t ms, Look const& look) {
  tm local{};
  time_t const seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::milliseconds{ms}).count();
  // Of a zone that is UTC the shorter spelling says as much.
  if (look.utc || ::localtime_r(&seconds, &local) == nullptr || local.tm_gmtoff == 0) return model::format_date(ms);
  // The same clock as in UTC, so long later.
  std::string out = model::format_date(ms + local.tm_gmtoff * 1000);
  long const minutes = std::labs(local.tm_gmtoff) / 60;
  out.back() = local.tm_gmtoff < 0 ? '-' : '+';
  return out + fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

std::string with_dates(std::string_view sentence, Look const& look) {
  std::string out;
  for (std::size_t at = 0; at < sentence.size();) {
    if (!look.utc && is_date_here(sentence.substr(at))) {
      Result<client::Date> const date = parse_date(sentence.substr(at, kInUtc.size()));
      out += date.ok() ? date_text(date->ms, look) : std::string{sentence.substr(at, kInUtc.size())};
      at += kInUtc.size();
    } else {
      out += sentence[at++];
    }
  }
  return out;
}

}  // namespace fastjournal::cli
