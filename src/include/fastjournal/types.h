// The small value types of every layer: LSNs, dates, durations and ids. They are distinct types on purpose: a date in
// place of a duration, or a row id in place of an LSN, does not compile.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>

namespace fastjournal {

// A position in a log's logical stream of bytes. Never given twice, never reset; 0 means "none". Records start at
// multiples of kLsnAlign.
struct Lsn {
  std::uint64_t value{0};

  [[nodiscard]] constexpr bool is_none() const { return value == 0; }
  constexpr auto operator<=>(Lsn const&) const = default;
};
inline constexpr std::uint64_t kLsnAlign = 8;
inline constexpr Lsn kNoLsn{};
// The smallest of those that are not none.
[[nodiscard]] constexpr Lsn oldest_of(std::initializer_list<Lsn> all) {
  Lsn out{};
  for (Lsn const one : all)
    if (out.is_none() || (!one.is_none() && one < out)) out = one;
  return out;
}

// An object's identity: the LSN of its first record. It never changes, also when the object is compacted in the
// log.
struct ObjectId {
  std::uint64_t value{0};

  [[nodiscard]] constexpr bool is_none() const { return value == 0; }
  constexpr auto operator<=>(ObjectId const&) const = default;
};
[[nodiscard]] constexpr ObjectId object_of(Lsn lsn) { return ObjectId{lsn.value}; }

// A duration in milliseconds.
struct DurationMs {
  std::int64_t value{0};

  constexpr auto operator<=>(DurationMs const&) const = default;
};

// A date: milliseconds since 1970-01-01T00:00:00Z. 0 is "never" or "unset", depending on the parameter or column.
struct TimeMs {
  std::int64_t value{0};

  constexpr auto operator<=>(TimeMs const&) const = default;
  [[nodiscard]] static constexpr TimeMs max() { return TimeMs{std::numeric_limits<std::int64_t>::max()}; }
};
[[nodiscard]] constexpr TimeMs operator+(TimeMs date, DurationMs span) {
  // Saturates: the date may already be TimeMs::max(), "never".
  if (span.value > 0 && date.value > TimeMs::max().value - span.value) return TimeMs::max();
  return TimeMs{date.value + span.value};
}
[[nodiscard]] constexpr DurationMs operator-(TimeMs a, TimeMs b) { return DurationMs{a.value - b.value}; }

// A table's number in the catalogue. 0 is the catalogue itself.
enum class TableId : std::uint32_t { catalogue = 0 };

// A connection's number, unique within one start of the daemon; 0 = none.
enum class ConnectionId : std::uint64_t { none = 0 };

// A transaction's number, unique within one start of the daemon; 0 = none.
enum class TransactionId : std::uint64_t { none = 0 };

// Fences a worker: (number of the daemon's start, counter), never given twice. People and messages see it as one
// integer, start << 40 | counter: up to 2^40 leases in one start.
struct LeaseEpoch {
  std::uint64_t value{0};

  constexpr auto operator<=>(LeaseEpoch const&) const = default;
  [[nodiscard]] static constexpr LeaseEpoch of(std::uint32_t start, std::uint64_t counter) {
    return LeaseEpoch{(static_cast<std::uint64_t>(start) << 40) | counter};
  }
};

}  // namespace fastjournal

template <>
struct std::hash<fastjournal::ObjectId> {
  std::size_t operator()(fastjournal::ObjectId id) const noexcept { return std::hash<std::uint64_t>{}(id.value); }
};
