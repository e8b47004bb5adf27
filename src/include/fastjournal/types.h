// The small value types that every layer speaks in: places in the log, dates,
// durations and identities. They are distinct types on purpose: a date passed
// where a duration is wanted, or a row id where a place in the log is wanted,
// does not compile.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace fastjournal {

// A place in a log's logical stream of bytes. Never given twice, never starts
// again; 0 means "none". Records start at multiples of kLsnAlign.
struct Lsn {
  std::uint64_t value{0};

  [[nodiscard]] constexpr bool is_none() const { return value == 0; }
  constexpr auto operator<=>(Lsn const&) const = default;
};
inline constexpr std::uint64_t kLsnAlign = 8;
inline constexpr Lsn kNoLsn{};

// An object's identity: the LSN of the record that began it, kept for life,
// also when the object is copied forward in the log.
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

// A date: milliseconds since 1970-01-01T00:00:00Z. 0 is "never" or "unset",
// as the parameter or column says.
struct TimeMs {
  std::int64_t value{0};

  constexpr auto operator<=>(TimeMs const&) const = default;
  [[nodiscard]] static constexpr TimeMs max() { return TimeMs{std::numeric_limits<std::int64_t>::max()}; }
};
[[nodiscard]] constexpr TimeMs operator+(TimeMs date, DurationMs span) {
  // Saturates: a date may be "never ends" plus something.
  if (span.value > 0 && date.value > TimeMs::max().value - span.value) return TimeMs::max();
  return TimeMs{date.value + span.value};
}
[[nodiscard]] constexpr DurationMs operator-(TimeMs a, TimeMs b) { return DurationMs{a.value - b.value}; }

// A table's number in the catalogue. 0 is the catalogue itself.
enum class TableId : std::uint32_t { catalogue = 0 };

// A connection's number, unique within one start of the daemon; 0 = none.
enum class ConnectionId : std::uint64_t { none = 0 };

// What fences a worker: (number of the daemon's start, counter), never given
// twice. Written for people and messages as one integer,
// start << 40 | counter: a start may give 2^40 leases.
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
