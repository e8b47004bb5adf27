// The attacks on the daemon, by what they attack. Each attack has a daemon of its own, so that its figures are its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/hostile/honest.h"
#include "tests/hostile/victim.h"

namespace fastjournal::hostile {

// After this time without progress, waiting connections are held back or have been answered.
inline constexpr std::chrono::milliseconds kQuiet{1500};
inline constexpr std::uint64_t kMiB = 1U << 20U;
// Enough for one row of 256 MiB at most and what it needs besides.
inline constexpr std::uint64_t kSmallPeakMiB = 256;

// How much each attack does.
struct Scale {
  bool full{false};
  [[nodiscard]] std::uint64_t pick(std::uint64_t small, std::uint64_t whole) const { return full ? whole : small; }
};

// The result of one attack: what it did, and its own violations, besides those that are checked for every attack.
struct Outcome {
  std::string did{};
  std::string wrong{};
};

// What is wrong, or nothing.
inline std::string unless(bool ok, std::string const& wrong) { return ok ? std::string{} : wrong; }
inline std::string first_of(std::string const& one, std::string const& other) { return one.empty() ? other : one; }

struct Attack {
  std::string name;                        // one word, for --only
  std::string what;                        // description for people
  std::string configuration{};             // contents of <fastjournal>
  std::function<void(Victim&)> prepare{};  // before the start: tables
  std::function<Outcome(Victim&, Scale)> run{};
  std::uint64_t peak_mib_max{0};     // limit of resident memory for attacks on memory; 0: none
  Speaks witness{Speaks::messages};  // the honest client
};

// Prepares a journal.
inline void jobs(Victim& victim) { victim.declare("jobs"); }

// On messages, tables and files.
[[nodiscard]] std::vector<Attack> attacks_on_messages();
[[nodiscard]] std::vector<Attack> attacks_on_http();
[[nodiscard]] std::vector<Attack> attacks_on_tls();
[[nodiscard]] std::vector<Attack> attacks_on_fj();
[[nodiscard]] std::vector<Attack> attacks_on_blobs();
[[nodiscard]] std::vector<Attack> attacks_on_stomp();
[[nodiscard]] std::vector<Attack> attacks_on_beanstalkd();
[[nodiscard]] std::vector<Attack> attacks_on_sqs();

}  // namespace fastjournal::hostile
