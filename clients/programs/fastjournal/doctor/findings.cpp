#include "clients/programs/fastjournal/doctor/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fastjournal::doctor {

std::string_view name_of(Severity severity) {
  constexpr std::array<std::string_view, 5> kNames{"ok", "unseen", "advice", "warning", "error"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::vector<Finding> judge(Facts const& facts) {
  Findings out;
  judge_configuration(facts, out);
  judge_paths(facts, out);
  judge_certificates(facts, out);
  judge_disks(facts, out);
  judge_clock(facts, out);
  judge_limits(facts, out);
  judge_kernel(facts, out);
  judge_versions(facts, out);
  judge_daemon(facts, out);
  return out;
}

Severity worst_of(std::vector<Finding> const& findings) {
  Severity worst = Severity::ok;
  for (Finding const& one : findings) worst = std::max(worst, one.severity);
  return worst;
}

bool was_started(Facts const& facts) {
  return std::any_of(facts.paths.begin(), facts.paths.end(), [](PathFacts const& one) {
    return (one.role == Role::data || one.role == Role::log) && one.error == 0 && one.entries > 0;
  });
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  bool const is_whole = value >= 10 || value == static_cast<double>(static_cast<std::uint64_t>(value));
  return is_whole ? fmt::format("{:.0f} {}", value, kUnits[unit]) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace fastjournal::doctor
