#include "plugins/queue/options.h"

#include <algorithm>
#include <array>
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

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::AttemptRules;
  using rows::into;
  using rows::LeaseTimes;
  using rows::Lifetimes;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"queues", [](Options& to, OptionValue const& value) { to.queues = words(value.text); }},
      {"create-queues", into<&Options::creates>},
      {"processing-timeout", into<&Options::times, &LeaseTimes::usual>},
      {"processing-timeout-min", into<&Options::times, &LeaseTimes::min>},
      {"processing-timeout-max", into<&Options::times, &LeaseTimes::max>},
      {"processing-timeout-http", into<&Options::times, &LeaseTimes::http>},
      {"grace", into<&Options::lifetimes, &Lifetimes::grace>},
      {"max-deliveries", into<&Options::max_deliveries>},
      {"keep-parked", into<&Options::lifetimes, &Lifetimes::parked>},
      {"back-off-first", into<&Options::attempts, &AttemptRules::back_off_first>},
      {"back-off-factor", into<&Options::attempts, &AttemptRules::back_off_factor>},
      {"back-off-max", into<&Options::attempts, &AttemptRules::back_off_max>},
      {"back-off-jitter", into<&Options::attempts, &AttemptRules::back_off_jitter>},
      {"queues-max", into<&Options::queues_max>},
      {"messages-max", into<&Options::messages_max>},
      {"message-size-max", into<&Options::message_bytes_max>},
      {"memory-max", into<&Options::memory_max>},
      {"memory-per-message", into<&Options::memory_per_message>},
      {"memory-per-queue", into<&Options::memory_per_queue>},
      {"client-keep", into<&Options::lifetimes, &Lifetimes::client>},
      {"clients-max", into<&Options::clients_max>},
      // By the server and the engine.
      {"connect"},
      {"catalog"},
      {"wake-timeout"},
  });
  return all;
}

bool Options::declares(std::string_view queue) const {
  return std::ranges::binary_search(queues, queue, std::less<>{});
}

Status Options::check(TableDeclaration const& declaration) const {
  for (std::string const& queue : queues)
    if (Status status = check_name("queue", queue); !status.ok())
      return declaration.refuse("queues", "element <queues>: " + status.message());
  if (queues.size() > queues_max)
    return declaration.refuse(
        "queues",
        fmt::format("element <queues> names {} queues, expected at most queues-max ({})", queues.size(), queues_max));
  if (memory_per_message != 0 && memory_per_message < kSpillMin)
    return declaration.refuse("memory-per-message",
                              fmt::format("memory-per-message ({} bytes), expected 0 or at least {}: a body in a file "
                                          "takes whole blocks of 4096 bytes, and a sync of its own",
                                          memory_per_message, kSpillMin));
  if (Status status = times.check(declaration); !status.ok()) return status;
  return model::check_connect(declaration);
}

}  // namespace fastjournal::queue
