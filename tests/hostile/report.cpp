#include "tests/hostile/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fastjournal::hostile {

std::string as_table(std::vector<Figure> const& figures) {
  std::string out = fmt::format("{:<10} {:>9} {:>11} {:>8} {:>8}  {}\n", "attack", "peak MiB", "longest ms", "answers",
                                "start s", "what was done");
  for (Figure const& one : figures) {
    out += fmt::format("{:<10} {:>9} {:>11.1f} {:>8} {:>8.2f}  {}\n", one.attack,
                       one.peak_mib == 0 ? "ended" : fmt::format("{:.0f}", one.peak_mib), one.longest_ms, one.answers,
                       one.start_s, one.did);
    for (std::string const& wrong : one.wrong) out += fmt::format("{:<10} WRONG: {}\n", "", wrong);
  }
  return out;
}

std::string as_json(std::vector<Figure> const& figures) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (Figure const& one : figures)
    out.push_back({{"attack", one.attack},
                   {"what", one.what},
                   {"did", one.did},
                   {"peak_mib", one.peak_mib},
                   {"longest_ms", one.longest_ms},
                   {"answers", one.answers},
                   {"start_s", one.start_s},
                   {"wrong", one.wrong}});
  return out.dump(2) + "\n";
}

}  // namespace fastjournal::hostile
