// One random life of a journal table, compared with the reference (reference.h): every command and option, listeners,
// time, connections that end, reloads, kills and power cuts, all from one seed. After a power cut the table must be in
// one of the states since the last sync, which are kept for this (leases are written but not synced).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/model/subject.h"

namespace fastjournal::reference {

struct LifeResult {
  std::string wrong;       // empty, or the step, what was sent and what was expected
  std::uint64_t steps{0};  // commands, passing of time, blows
  std::uint64_t blows{0};
  std::uint64_t looks{0};                     // comparisons of all rows
  std::map<std::string, std::uint64_t> seen;  // how often each command had which answer
  void add(LifeResult const& other);
};

using MakeSubject =
    std::function<std::unique_ptr<Subject>(std::uint64_t seed, Options const&, std::vector<Column> const&)>;

[[nodiscard]] LifeResult live(std::uint64_t seed, std::uint64_t steps, MakeSubject const& make);

}  // namespace fastjournal::reference
