// A right for each command, and the set of rights of a sender. A sender's rights come from the listener of its
// connection.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal {

enum class Right : std::uint8_t {
  read,    // see rows, figures, alerts, the change feed
  add,     // hand in work
  work,    // lease rows and end them; be told of work
  manage,  // change other clients' work: pause a table, move and remove rows
  admin,   // the daemon itself: stop, configuration, copies
};

// Indexed by Right.
inline constexpr std::array<std::string_view, 5> kRightNames{"read", "add", "work", "manage", "admin"};

[[nodiscard]] constexpr std::string_view name_of(Right right) { return kRightNames[static_cast<std::size_t>(right)]; }

[[nodiscard]] constexpr std::optional<Right> right_named(std::string_view name) {
  for (std::size_t i = 0; i < kRightNames.size(); ++i)
    if (kRightNames[i] == name) return static_cast<Right>(i);
  return std::nullopt;
}

class Rights {
 public:
  constexpr Rights() = default;
  constexpr Rights(std::initializer_list<Right> rights) {
    for (Right const right : rights) add(right);
  }

  constexpr void add(Right right) { bits_ = static_cast<std::uint8_t>(bits_ | bit(right)); }
  [[nodiscard]] constexpr bool has(Right right) const { return (bits_ & bit(right)) != 0; }
  [[nodiscard]] constexpr bool is_empty() const { return bits_ == 0; }
  bool operator==(Rights const&) const = default;

  // "read add work"; "nothing" for the empty set.
  [[nodiscard]] std::string names() const {
    std::string out;
    for (std::size_t i = 0; i < kRightNames.size(); ++i)
      if (has(static_cast<Right>(i))) out.append(out.empty() ? "" : " ").append(kRightNames[i]);
    return out.empty() ? "nothing" : out;
  }

 private:
  static constexpr std::uint8_t bit(Right right) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(right));
  }

  std::uint8_t bits_{0};
};

inline constexpr Rights kAllRights{Right::read, Right::add, Right::work, Right::manage, Right::admin};
// Of TCP connections from this computer: a client able to connect there may lease work as well.
inline constexpr Rights kLoopbackRights{Right::read, Right::add, Right::work, Right::manage};

}  // namespace fastjournal
