// The meaning of the facts of an installation, and remedies: pure, a sentence for each thing that was looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/doctor/facts.h"

namespace fastjournal::doctor {

// In ascending order; the worst one is the result.
enum class Severity : std::uint8_t {
  ok,
  unseen,   // could not be looked at
  advice,   // works, and could work better
  warning,  // works today
  error,    // does not work, loses data at a power cut, or lets others in
};
[[nodiscard]] std::string_view name_of(Severity severity);

struct Finding {
  Severity severity{Severity::ok};
  std::string check{};     // stable names, for programs: doc/operations.md lists them
  std::string found{};     // what was looked at, and what it is
  std::string expected{};  // empty if `found` says it
  std::string advice{};    // what to do; empty if there is nothing to do
};

// In the order of the checks.
[[nodiscard]] std::vector<Finding> judge(Facts const& facts);
// ok for none.
[[nodiscard]] Severity worst_of(std::vector<Finding> const& findings);

// The parts of judge().
using Findings = std::vector<Finding>;
void judge_configuration(Facts const& facts, Findings& out);
void judge_paths(Facts const& facts, Findings& out);
void judge_certificates(Facts const& facts, Findings& out);
void judge_disks(Facts const& facts, Findings& out);
void judge_clock(Facts const& facts, Findings& out);
void judge_limits(Facts const& facts, Findings& out);
void judge_kernel(Facts const& facts, Findings& out);
void judge_versions(Facts const& facts, Findings& out);
void judge_daemon(Facts const& facts, Findings& out);

// Whether a daemon was started here once: its data folder, or a log's, is not empty.
[[nodiscard]] bool was_started(Facts const& facts);
// "64 MiB", "1.5 GiB".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace fastjournal::doctor
