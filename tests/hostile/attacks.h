// The attacks on the daemon, by what they attack. Each attack has a daemon of its own, so that its figures are its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/hostile/honest.h"
#include "tests/hostile/victim.h"

namespace fastjournal::hostile {

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

struct Attack {
  std::string name;                        // one word, for --only
  std::string what;                        // description for people
  std::string configuration{};             // contents of <fastjournal>
  std::function<void(Victim&)> prepare{};  // before the start: tables
  std::function<Outcome(Victim&, Scale)> run{};
  std::uint64_t peak_mib_max{0};     // limit of resident memory for attacks on memory; 0: none
  Speaks witness{Speaks::messages};  // the honest client
};

// On messages, tables and files.
[[nodiscard]] std::vector<Attack> attacks_on_messages();
[[nodiscard]] std::vector<Attack> attacks_on_http();
[[nodiscard]] std::vector<Attack> attacks_on_tls();
[[nodiscard]] std::vector<Attack> attacks_on_fj();
[[nodiscard]] std::vector<Attack> attacks_on_blobs();
[[nodiscard]] std::vector<Attack> attacks_on_stomp();

}  // namespace fastjournal::hostile
