// The names of the files of a spool folder, and when a file is no longer written: for producers and the forwarder.
//
//   FOLDER/20261123T020000Z-0.rows   rows of the period that begins then, in UTC; the number tells files of one period
//                                    apart
//   FOLDER/7.msg                     lines of a list system, of the hour 7 UTC (lines.h); once ended
//                                    closing/20261123T070000Z-0.msg
//   FOLDER/closing/...               the same files once the forwarder has ended them, and rows that are sent again
//   FOLDER/forwarder/held/T.rows     rows of table T that no daemon takes now
//   FOLDER/forwarder/aside/T.rows    rows of table T that were refused for good, with the reason (aside.h); ~other.rows
//                                    has those of no proper table, and of more tables than have a file
//   FOLDER/forwarder/socket          a datagram there wakes the forwarder
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::spool {

inline constexpr std::string_view kClosingFolder{"closing"};
inline constexpr std::string_view kOwnFolder{"forwarder"};  // of the forwarder alone
inline constexpr std::string_view kHeldFolder{"held"};      // in that
inline constexpr std::string_view kAsideFolder{"aside"};    // likewise
inline constexpr std::string_view kWakeSocket{"forwarder/socket"};
inline constexpr std::string_view kOtherTable{"~other"};
inline constexpr std::uint32_t kFilesOfPeriodMax = 100'000;

// What a file has.
enum class Kind : std::uint8_t { rows, lines };

inline constexpr std::int64_t kLinesPeriodS = 3600;

// A file by its name.
struct Place {
  std::int64_t begin_s{0};  // of the period, seconds since 1970
  std::uint32_t number{0};
  Kind kind{Kind::rows};

  friend bool operator==(Place const&, Place const&) = default;
  friend auto operator<=>(Place const&, Place const&) = default;
};

// The period in which a moment lies. Periods are counted from 1970, so that all processes cut at the same moments.
[[nodiscard]] std::int64_t begin_of_period(std::int64_t now_s, std::int64_t period_s);

// Of years 1970 to 9999.
[[nodiscard]] std::string name_of(Place const& place);
// Nothing: no such name.
[[nodiscard]] std::optional<Place> place_of(std::string_view name);
// Of 0.msg to 23.msg: the last such hour that has begun.
[[nodiscard]] std::optional<Place> place_of_hour(std::string_view name, std::int64_t now_s);

// What a daemon may have a table of: 1 to 64 letters, digits, _ and -.
[[nodiscard]] bool is_table_name(std::string_view name);
// T.rows, of such a name or kOtherTable.
[[nodiscard]] std::string file_of_table(std::string_view table);
[[nodiscard]] std::optional<std::string> table_of_file(std::string_view name);

}  // namespace fastjournal::spool
