// Lives in which data files of blob tables are exchanged while values come: in each way (exchange_ways.h), in each mode of
// maintenance and at each moment of it, with connections that end in between, kills and power cuts. Every command is
// answered, what was acknowledged reads back in each way of reading, readers by name are ended, and no maintenance stays.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/world/exchange_ways.h"

namespace fastjournal::sim {

// What a value on its way saw of the maintenance of its table.
enum class Moment : std::uint8_t {
  before,     // it began to come before the maintenance did
  copying,    // all of it came and was answered before files were exchanged
  exchange,   // files were exchanged before it was answered
  after,      // it began to come while the older file had its minute
  cancelled,  // the maintenance was cancelled before it was answered
};
inline constexpr std::array<std::string_view, 5> kMomentNames{"before", "copying", "exchange", "after", "cancelled"};
inline constexpr std::array<std::string_view, 3> kExchangeModes{"modern", "online", "offline"};

// How often a value came in each way, in each mode, at each moment.
using ExchangeCounts =
    std::array<std::array<std::array<std::uint64_t, kMomentNames.size()>, kExchangeModes.size()>, kWayNames.size()>;

struct ExchangeLifeResult {
  std::string wrong{};  // empty: no promise was broken
  std::uint64_t steps{0};
  std::uint64_t values{0};               // that came
  std::uint64_t exchanges{0};            // of data files
  std::uint64_t exchanges_in_flight{0};  // ... while a blob of the table was on its way
  std::uint64_t crashes{0};
  std::uint64_t broken_off{0};     // connections
  std::uint64_t ended_readers{0};  // by name
  ExchangeCounts counts{};

  void add(ExchangeLifeResult const& other);
  // Lines for people; and the first combination that no value saw, empty: there is none.
  [[nodiscard]] std::string table() const;
  [[nodiscard]] std::string not_seen() const;
};

// A round is one maintenance of all tables.
[[nodiscard]] ExchangeLifeResult live_with_exchanges(std::uint64_t seed, std::uint64_t rounds);

}  // namespace fastjournal::sim
