#include "plugins/queue/options.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "model/connect_check.h"
#include "plugins/queue/names.h"

namespace fastjournal::queue {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find_first_of(" \t\r\n"), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

void Options::complete() {
  declared = words(queues);
  attempts.keeps_place = true;
}

bool Options::declares(std::string_view queue) const {
  return std::ranges::binary_search(declared, queue, std::less<>{});
}

Status Options::check(TableDeclaration const& declaration) const {
  for (std::string const& queue : declared)
    if (Status status = check_name("queue", queue); !status.ok())
      return declaration.refuse("queues", "element <queues>: " + status.message());
  if (declared.size() > queues_max)
    return declaration.refuse(
        "queues",
        fmt::format("element <queues> names {} queues, expected at most queues-max ({})", declared.size(), queues_max));
  if (memory_per_message != 0 && memory_per_message < kSpillMin)
    return declaration.refuse("memory-per-message",
                              fmt::format("memory-per-message ({} bytes), expected 0 or at least {}: a body in a file "
                                          "takes whole blocks of 4096 bytes, and a sync of its own",
                                          memory_per_message, kSpillMin));
  if (Status status = times.check(declaration); !status.ok()) return status;
  return model::check_connect(declaration);
}

}  // namespace fastjournal::queue
