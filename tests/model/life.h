// One random life of a journal table, compared with the reference (reference.h): every command and option, listeners,
// time, connections that end, reloads, kills and power cuts, all from one seed. After a power cut the table must be in
// one of the states since the last sync, which are kept for this (leases are written but not synced).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/model/subject.h"
#include "tests/support/life.h"

namespace fastjournal::reference {

using MakeSubject =
    std::function<std::unique_ptr<Subject>(std::uint64_t seed, Options const&, std::vector<Column> const&)>;

// It counts "comparisons of all rows", and how often each command had which answer.
[[nodiscard]] test::LifeResult live(std::uint64_t seed, std::uint64_t steps, MakeSubject const& make);

}  // namespace fastjournal::reference
