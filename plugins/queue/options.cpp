#include "plugins/queue/options.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "model/connect_check.h"
#include "plugins/queue/message_body.h"
#include "plugins/queue/names.h"

namespace fastjournal::queue {
void Options::complete() {
  for (std::string_view const name : words_of(queues, " \t\r\n")) declared.emplace_back(name);
  std::ranges::sort(declared);
  declared.erase(std::unique(declared.begin(), declared.end()), declared.end());
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
  if (priorities != 8 && priorities != 32)
    return declaration.refuse("priorities", fmt::format("priorities is {}, expected 8 or 32", priorities));
  if (memory_per_message != 0 && memory_per_message < kSpillMin)
    return declaration.refuse("memory-per-message",
                              fmt::format("memory-per-message ({} bytes), expected 0 or at least {}: a body in a file "
                                          "takes whole blocks of 4096 bytes, and a sync of its own",
                                          memory_per_message, kSpillMin));
  if (Status status = times.check(declaration); !status.ok()) return status;
  return model::check_connect(declaration);
}

Status Options::check_priority(std::uint32_t priority) const {
  if (priority <= priority_max()) return {};
  return Status{
      Code::bad_parameter,
      fmt::format("priority is {}, expected 0 to {}: larger ones need a table with <priorities>32</priorities>",
                  priority, priority_max())}
      .with("parameter", "priority");
}

Status Options::check_lease(std::int64_t lease) const {
  if (times.min <= lease && lease <= times.max) return {};
  return Status{Code::bad_parameter,
                fmt::format("lease is {}, expected {} to {}, as processing-timeout-min and -max say", lease, times.min,
                            times.max)}
      .with("parameter", "lease");
}

Settings Options::of_made_queue() const {
  Settings out;
  out.is_made = queues_idle != 0;
  return out;
}

rows::Rules Options::rules() const {
  rows::Rules out;
  out.domain = queue_source();
  out.group = name_of(Part::group);
  out.by_number = order == made::OrderChoice::number;
  return out;
}

}  // namespace fastjournal::queue
