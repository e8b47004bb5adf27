// The names of the files of a spool folder, and when a file is no longer written: for producers and the forwarder.
//
//   FOLDER/20261123T020000Z-0.rows   rows of the period that begins then, in UTC; the number tells files of one period
//                                    apart
//   FOLDER/closing/...               the same files once the forwarder has ended them
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::spool {

inline constexpr std::string_view kClosingFolder{"closing"};
inline constexpr std::uint32_t kFilesOfPeriodMax = 100'000;

// A file by its name.
struct Place {
  std::int64_t begin_s{0};  // of the period, seconds since 1970
  std::uint32_t number{0};

  friend bool operator==(Place const&, Place const&) = default;
  friend auto operator<=>(Place const&, Place const&) = default;
};

// The period in which a moment lies. Periods are counted from 1970, so that all processes cut at the same moments.
[[nodiscard]] std::int64_t begin_of_period(std::int64_t now_s, std::int64_t period_s);

// Of years 1970 to 9999.
[[nodiscard]] std::string name_of(Place const& place);
// Nothing: a file of another kind.
[[nodiscard]] std::optional<Place> place_of(std::string_view name);

}  // namespace fastjournal::spool
