// What help says of an option, and what is taken for it: as the declaration of a command's parameter has it
// (made_parameters.h), or in words of the verb alone.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal::cli {

struct Help {
  constexpr Help(std::convertible_to<std::string_view> auto const& said)  // NOLINT(google-explicit-constructor)
      : sentence(said) {}
  constexpr Help(std::string_view name, std::string_view said, std::string_view one_of = {},
                 std::string_view shown = {}, std::uint64_t min = 0, std::uint64_t max = UINT64_MAX,
                 std::uint64_t otherwise = 0)
      : parameter(name), sentence(said), choices(one_of), limits(shown), least(min), most(max), absent(otherwise) {}

  // The same parameter, with a sentence about what the verb does with it.
  [[nodiscard]] constexpr Help as(std::string_view other) const {
    return {parameter, other, choices, limits, least, most, absent};
  }
  [[nodiscard]] std::string text() const {
    return std::string{sentence} + (limits.empty() ? "" : " (" + std::string{limits} + ")");
  }

  std::string_view parameter{};  // that the option sets; empty: the verb does something else with it
  std::string_view sentence;
  std::string_view choices{};  // between blanks; empty: any text
  std::string_view limits{};   // for people
  std::uint64_t least{0};
  std::uint64_t most{UINT64_MAX};
  std::uint64_t absent{0};  // the default
};

}  // namespace fastjournal::cli
