// Time zones: what the clocks on the walls of a place say. The core reads no files, so whoever hosts tables brings the
// zones (the daemon those of this computer, src/platform/os/zones.h). Nothing that is stored depends on them: records
// state dates.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal {

// A time without a change of the clocks: [begin_s, end_s) in seconds since 1970 in UTC, without leap seconds.
struct ZoneSpan {
  std::int64_t begin_s{std::numeric_limits<std::int64_t>::min()};
  std::int64_t end_s{std::numeric_limits<std::int64_t>::max()};
  std::int32_t offset_s{0};  // local time is UTC plus this
};

class Zone {
 public:
  // The span that this second is in. The spans of a zone lie side by side, from the smallest integer to the largest.
  [[nodiscard]] virtual ZoneSpan at(std::int64_t utc_s) const = 0;

 protected:
  ~Zone() = default;
};

class Utc final : public Zone {
 public:
  [[nodiscard]] ZoneSpan at(std::int64_t) const override { return {}; }
};
inline constexpr std::string_view kUtc = "UTC";
inline constexpr std::size_t kZoneNameBytesMax = 64;

// By names of the IANA: Europe/Berlin. Used on one thread.
class Zones {
 public:
  // Null: there is none of this name. The zone lives as long as this object.
  [[nodiscard]] virtual Zone const* find(std::string_view name) const = 0;
  // Where they come from, or why there are none: ends a sentence that says that one is unknown.
  [[nodiscard]] virtual std::string origin() const = 0;

 protected:
  ~Zones() = default;
};

// `zones` null: only UTC is known. Not ok: the name is unknown, with what to do.
[[nodiscard]] inline Result<Zone const*> find_zone(Zones const* zones, std::string_view name) {
  static Utc const utc;
  if (name.empty() || name == kUtc) return static_cast<Zone const*>(&utc);
  Zone const* const zone = zones == nullptr || name.size() > kZoneNameBytesMax ? nullptr : zones->find(name);
  if (zone != nullptr) return zone;
  return Status{Code::bad_parameter,
                "time zone '" + std::string{name.substr(0, kZoneNameBytesMax)} +
                    "' is unknown; expected UTC or a name like Europe/Berlin (timedatectl list-timezones shows all), " +
                    (zones == nullptr ? std::string{"and here only UTC is known"} : zones->origin())};
}

}  // namespace fastjournal
