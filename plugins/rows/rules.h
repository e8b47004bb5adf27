// The rules for order, domains and limits of due rows, read once from the declaration. Separate from the other options,
// as a change of these reorders all rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/limits.h"
#include "fastjournal/status.h"

namespace fastjournal::rows {

// At most `count` leases in `span_ms`, possibly all at once.
struct Rate {
  std::uint64_t count{0};  // 0: no limit
  std::int64_t span_ms{1};

  [[nodiscard]] bool limits() const { return count != 0; }
  bool operator==(Rate const&) const = default;
};
inline constexpr std::uint64_t kRateCountMax = 100'000'000;
inline constexpr std::int64_t kRateSpanMax = 365LL * 86'400'000;
// A bucket counts in `count` x `span_ms`.
static_assert(kRateCountMax * static_cast<std::uint64_t>(kRateSpanMax) < UINT64_MAX / 4);

// The source of a row's domain.
struct DomainSource {
  enum class Part : std::uint8_t { whole, host, site };  // the column's text; the others use the URI in it

  std::string column;  // empty: the table has no domains
  Part part{Part::whole};

  [[nodiscard]] bool is_of_uri() const { return part != Part::whole; }

  [[nodiscard]] bool is_none() const { return column.empty(); }
  bool operator==(DomainSource const&) const = default;
};
inline constexpr std::uint32_t kWeightMax = 1000;
// No priority is slow.
inline constexpr unsigned kNotSlow = 256;

struct Rules {
  DomainSource domain;
  std::string group{};  // the column beside the key with the name of a row's group; empty: rows have none
  std::map<std::string, std::uint32_t, std::less<>> weights;  // 1 for domains not listed
  unsigned slow_from{kNotSlow};
  std::int64_t aging{0};         // ms that one step of priority is worth; 0: the smaller priority always goes first
  bool by_number{false};         // rows of one priority: by their number, in place of their date
  std::uint32_t concurrency{0};  // rows processed at once in the table; 0: no limit
  std::uint32_t concurrency_domain{0};  // in a domain; 0: no limit
  std::uint32_t concurrency_key{1};     // of a key; never 0
  Rate rate;
  Rate rate_domain;

  [[nodiscard]] bool limits_table() const { return concurrency != 0 || rate.limits(); }
  [[nodiscard]] bool limits_domains() const { return concurrency_domain != 0 || rate_domain.limits(); }
  // Whether the order of all rows is the same under both.
  [[nodiscard]] bool orders_like(Rules const& other) const {
    return domain == other.domain && slow_from == other.slow_from && aging == other.aging &&
           by_number == other.by_number;
  }
  [[nodiscard]] std::uint32_t weight_of(std::string_view name) const {
    auto const found = weights.find(name);
    return found == weights.end() ? 1 : found->second;
  }

  // From the options of these names; a type may lack any of them. bad_configuration names the file, the option, what was found and what was expected.
  [[nodiscard]] static Result<Rules> read(TableDeclaration const& declaration);
};

}  // namespace fastjournal::rows
