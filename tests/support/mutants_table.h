// Planted faults and what saw them, as a table: what the programs behind ./mk mutants print.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace fastjournal::test {

struct Seen {
  std::string by{};  // empty: it was not noticed
  std::string what{};
};

// The first name is that of no fault. Returns how many faults were not noticed; and one more if a proof failed without.
inline int show_mutants(std::span<std::string_view const> names, std::string_view only,
                        std::function<Seen(std::size_t)> const& run) {
  int missed = 0;
  fmt::print("{:<38}{:<22}{:>8}  what it said\n", "fault", "seen by", "s");
  for (std::size_t number = 0; number < names.size(); ++number) {
    if (!only.empty() && only != names[number]) continue;
    auto const begin = std::chrono::steady_clock::now();
    Seen const seen = run(number);
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    bool const right = seen.by.empty() == (number == 0);
    missed += right ? 0 : 1;
    fmt::print("{:<38}{:<22}{:>8.2f}  {}\n", names[number],
               !seen.by.empty() ? seen.by
               : right          ? "nothing to see"
                                : "NOT SEEN",
               seconds, seen.what.substr(0, std::min<std::size_t>(100, seen.what.find('\n'))));
    std::fflush(stdout);
  }
  fmt::print("{} faults, {} not seen\n", names.size() - 1, missed);
  return missed;
}

}  // namespace fastjournal::test
