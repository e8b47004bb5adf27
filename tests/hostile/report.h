// The figures of a run: a table for people, JSON for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fastjournal::hostile {

struct Figure {
  std::string attack{};
  std::string what{};
  std::string did{};
  double peak_mib{0};  // of its resident memory; 0: it had ended
  double longest_ms{0};
  std::uint64_t answers{0};
  double start_s{0};  // duration of the start after the attack
  std::vector<std::string> wrong{};
};

[[nodiscard]] std::string as_table(std::vector<Figure> const& figures);
[[nodiscard]] std::string as_json(std::vector<Figure> const& figures);

}  // namespace fastjournal::hostile
