// Random lives: how one is played, and what came of it. Everything that a life draws comes from its seed, so the same
// seed plays the same life.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace fastjournal::test {

// How often each thing happened, by its name for people.
using Counts = std::map<std::string, std::uint64_t, std::less<>>;

inline void add(Counts& sum, Counts const& more) {
  for (auto const& [what, count] : more) sum[what] += count;
}

struct LifeResult {
  std::string wrong{};  // empty: no promise was broken; else the step, and what was expected
  Counts counts{};
};

inline void expect(bool holds, std::string const& otherwise) {
  if (!holds) throw std::runtime_error(otherwise);
}
// `wrong`: empty, or what is.
inline void expect_right(std::string const& wrong) { expect(wrong.empty(), wrong); }

// `Kind` is made of a seed and the counts; its step(n) plays the n-th step, its end() what follows the last one. What they
// throw is what is wrong.
template <typename Kind>
LifeResult live(std::uint64_t seed, std::uint64_t steps) {
  LifeResult out;
  std::uint64_t step = 0;
  try {
    Kind life{seed, out.counts};
    for (; step < steps; ++step) life.step(step);
    life.end();
  } catch (std::exception const& error) {
    out.wrong = "step " + std::to_string(step) + ": " + error.what();
  }
  out.counts["steps"] = step;
  return out;
}

}  // namespace fastjournal::test
