#include "engine/digest.h"

#include <fmt/format.h>

#include "engine/hosted.h"

namespace fastjournal::engine {

std::string digest_text(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

std::uint64_t digest_of(HostedLog const& log) {
  DigestSum catalogue{0};
  log.catalogue.digest(catalogue);
  std::uint64_t sum = catalogue.sum();
  for (auto const& [id, table] : log.tables)
    if (table != nullptr) sum += digest_of(*table->table, table->name);
  return sum;
}

std::uint64_t digest_of(std::vector<std::unique_ptr<HostedLog>> const& logs) {
  std::uint64_t sum = 0;
  for (auto const& log : logs)
    if (log->keeps) sum += hash64(log->name, digest_of(*log));
  return sum;
}

}  // namespace fastjournal::engine
