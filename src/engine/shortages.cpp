#include "engine/shortages.h"

#include <algorithm>
#include <string>

namespace fastjournal::engine {
namespace {

constexpr std::string_view kDiskShort = "disk-short";
constexpr std::string_view kMemoryShort = "memory-short";
// Without a refusal for this long, a shortage is over.
constexpr DurationMs kShortageEnds{10'000};
// Room for an ordinary row and its other records.
constexpr std::size_t kProbeBytes = 64U << 10U;

std::string bytes_of_rows(Memory const& memory) {
  return "rows take " + std::to_string(memory.bytes()) + " bytes of memory, the limit is " +
         std::to_string(memory.bytes_max()) + ": ";
}

}  // namespace

void Shortages::note_disk(HostedLog& log, TimeMs now) {
  log.refused_at = now;
  if (alerting_.is_up(nullptr, kDiskShort)) return;
  std::string const why = log.log->shortage();
  alerting_.raise(nullptr, kDiskShort, 80,
                  why.empty() ? "log " + log.name + " has no room: what adds is refused. Free disk space"
                              : "what adds is refused: " + why,
                  "disk");
}

Status Shortages::refuse_disk(HostedLog& log, TimeMs now) {
  note_disk(log, now);
  std::string const why = log.log->shortage();
  return {Code::no_space,
          why.empty() ? "log " + log.name + " has no room for this: free disk space, or finish and delete rows" : why};
}

Status Shortages::refuse_memory(TimeMs now) {
  if (!memory_.is_over())
    return {Code::no_space,
            "the daemon's process has no more memory: what adds is refused until it has; finish and delete rows, give "
            "it more, or lower <limits memory-bytes=\"...\"> and client-memory"};
  memory_refused_at_ = now;
  if (!alerting_.is_up(nullptr, kMemoryShort))
    alerting_.raise(
        nullptr, kMemoryShort, 70,
        bytes_of_rows(memory_) + "what adds is refused. Finish and delete rows, or raise <limits memory-bytes>",
        "memory");
  return {Code::no_space, bytes_of_rows(memory_) + "finish and delete rows, or raise <limits memory-bytes=\"...\">"};
}

bool Shortages::check(TimeMs now) {
  if (alerting_.is_up(nullptr, kMemoryShort) && !memory_.is_over() && now - memory_refused_at_ >= kShortageEnds)
    alerting_.lower(nullptr, kMemoryShort);
  if (alerting_.is_up(nullptr, kDiskShort)) {
    bool const over = std::ranges::all_of(tables_.logs(), [&](auto const& log) {
      return !log->serves || (now - log->refused_at >= kShortageEnds && log->log->reserve(kProbeBytes, false));
    });
    if (over) alerting_.lower(nullptr, kDiskShort);
  }
  return alerting_.is_up(nullptr, kMemoryShort) || alerting_.is_up(nullptr, kDiskShort);
}

}  // namespace fastjournal::engine
