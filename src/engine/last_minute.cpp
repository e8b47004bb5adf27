#include "engine/last_minute.h"

#include <algorithm>
#include <array>

namespace fastjournal::engine {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kStepMs = 20'000;  // so three of them stand

using Widths = std::array<std::uint64_t, 65>;

// Of values of these widths in bits, of which none is above `most`.
std::optional<std::uint64_t> p99_of(Widths const& by_width, std::uint64_t most) {
  std::uint64_t count = 0;
  for (std::uint64_t const one : by_width) count += one;
  if (count == 0) return std::nullopt;
  std::uint64_t const wanted = count - count / 100;  // so many are at or below it
  std::uint64_t seen = 0;
  for (std::size_t width = 0; width < by_width.size(); ++width) {
    seen += by_width[width];
    if (seen < wanted) continue;
    if (width == 0) return 0;
    std::uint64_t const low = std::uint64_t{1} << (width - 1);
    double const share = static_cast<double>(by_width[width] - (seen - wanted)) / static_cast<double>(by_width[width]);
    return std::min(low + static_cast<std::uint64_t>(static_cast<double>(low - 1) * share), most);
  }
  return most;
}

// Of a histogram that has begun anew.
bool has_fewer(Widths const& now, std::vector<std::uint64_t> const& then) {
  for (std::size_t width = 0; width < then.size(); ++width)
    if (now[width] < then[width]) return true;
  return false;
}

}  // namespace

std::string last_minute_name(std::string_view histogram) {
  return histogram.ends_with("_ms") ? std::string{histogram} + "_p99_minute" : std::string{};
}

std::optional<std::uint64_t> LastMinute::p99(std::string_view name, Histogram const& values, TimeMs now) {
  auto found = stands_.find(name);
  if (found == stands_.end()) found = stands_.emplace(std::string{name}, std::vector<Stand>{}).first;
  std::vector<Stand>& stands = found->second;
  // Also those of a time to come, if the clock was set back.
  while (!stands.empty() && (stands.front().at + kMinuteMs < now.value || stands.back().at > now.value))
    stands.erase(stands.begin());
  Widths const by_width = values.by_width();
  // The table has moved to another log.
  if (!stands.empty() && has_fewer(by_width, stands.back().by_width)) stands.clear();
  std::optional<std::uint64_t> out;
  if (!stands.empty()) {
    Widths more = by_width;
    std::vector<std::uint64_t> const& then = stands.front().by_width;
    for (std::size_t width = 0; width < then.size(); ++width) more[width] -= then[width];
    out = p99_of(more, values.max());
  }
  if (!stands.empty() && stands.back().at + kStepMs > now.value) return out;
  auto const end = std::find_if(by_width.rbegin(), by_width.rend(), [](std::uint64_t one) { return one != 0; }).base();
  stands.push_back({now.value, {by_width.begin(), end}});
  return out;
}

}  // namespace fastjournal::engine
