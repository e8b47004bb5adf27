#include "plugins/queue/options.h"

#include <algorithm>
#include <string_view>

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

Options Options::read(TableDeclaration const& declaration) {
  auto const number = [&](std::string_view name) { return declaration.option(name).integer; };
  auto const size = [&](std::string_view name) { return static_cast<std::uint64_t>(number(name)); };
  Options out;
  out.queues = words(declaration.option("queues").text);
  out.creates = number("create-queues") != 0;
  out.processing_timeout = number("processing-timeout");
  out.processing_timeout_min = number("processing-timeout-min");
  out.processing_timeout_max = number("processing-timeout-max");
  out.processing_timeout_http = number("processing-timeout-http");
  out.attempts.keeps_place = true;
  out.attempts.back_off_first = number("back-off-first");
  out.attempts.back_off_factor = number("back-off-factor");
  out.attempts.back_off_max = number("back-off-max");
  out.attempts.back_off_jitter = number("back-off-jitter");
  out.lifetimes.grace = number("grace");
  out.lifetimes.parked = number("keep-parked");
  out.lifetimes.client = number("client-keep");
  out.max_deliveries = static_cast<std::uint32_t>(number("max-deliveries"));
  out.queues_max = size("queues-max");
  out.messages_max = size("messages-max");
  out.message_bytes_max = size("message-size-max");
  out.memory_max = size("memory-max");
  out.memory_per_message = size("memory-per-message");
  out.memory_per_queue = size("memory-per-queue");
  out.clients_max = size("clients-max");
  return out;
}

bool Options::declares(std::string_view queue) const {
  return std::ranges::binary_search(queues, queue, std::less<>{});
}

Status Options::check(TableDeclaration const& declaration) const {
  for (std::string const& queue : queues)
    if (Status status = check_name("queue", queue); !status.ok())
      return {Code::bad_configuration, declaration.at("queues") + ": element <queues>: " + status.message()};
  if (queues.size() > queues_max)
    return {Code::bad_configuration, declaration.at("queues") + ": element <queues> names " +
                                         std::to_string(queues.size()) + " queues, expected at most queues-max (" +
                                         std::to_string(queues_max) + ")"};
  if (memory_per_message != 0 && memory_per_message < kSpillMin)
    return {Code::bad_configuration, declaration.at("memory-per-message") + ": memory-per-message (" +
                                         std::to_string(memory_per_message) + " bytes), expected 0 or at least " +
                                         std::to_string(kSpillMin) +
                                         ": a body in a file takes whole blocks of 4096 bytes, and a sync of its own"};
  if (processing_timeout < processing_timeout_min || processing_timeout > processing_timeout_max)
    return {Code::bad_configuration,
            declaration.at("processing-timeout") + ": processing-timeout (" + std::to_string(processing_timeout) +
                " ms) must lie between processing-timeout-min (" + std::to_string(processing_timeout_min) +
                " ms) and processing-timeout-max (" + std::to_string(processing_timeout_max) + " ms)"};
  return model::check_connect(declaration);
}

}  // namespace fastjournal::queue
