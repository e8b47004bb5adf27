#include "plugins/rows/lease_times.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "fastjournal/limits.h"

namespace fastjournal::rows {

std::int64_t LeaseTimes::of(Command const& command) const {
  return command.holds ? usual : std::max(min, std::min(usual, http));
}

Status LeaseTimes::check(TableDeclaration const& declaration) const {
  if (min <= usual && usual <= max) return {};
  constexpr std::string_view kNames[] = {"processing-timeout", "processing-timeout-min", "processing-timeout-max"};
  auto const* const given = std::ranges::find_if(kNames, [&](auto name) { return declaration.option(name).given; });
  return declaration.refuse(given == std::end(kNames) ? kNames[0] : *given,
                            fmt::format("processing-timeout ({} ms) must lie between processing-timeout-min ({} ms) "
                                        "and processing-timeout-max ({} ms)",
                                        usual, min, max));
}

// Refused also if there is something: whether a command is accepted must not depend on the rows.
Status check_wait(Command const& command, std::int64_t wait_ms) {
  if (wait_ms == 0 || command.message->has("request")) return {};
  return model::refused(
      Code::missing_parameter, "request",
      fmt::format("{} with wait needs the parameter request: its answer may come after those of later commands",
                  command.message->command));
}

Verdict give_nothing(std::string_view table, std::int64_t wait_ms, TimeMs next_date, Decision& decision) {
  if (wait_ms > 0 && !decision.waited) {
    decision.wait_until = decision.now + DurationMs{wait_ms};
    return Verdict::wait;
  }
  decision.take = Take::nothing;
  Answer& answer = decision.answer.message("NOTHING").add("table", table);
  if (next_date != TimeMs::max()) answer.add("next_date", next_date.value);
  return Verdict::done;
}

Status check_worker(Command const& command) {
  if (command.worker.size() <= kWorkerBytesMax) return {};
  return model::refused(Code::too_large, "worker", fmt::format("worker has more than {} bytes", kWorkerBytesMax));
}

}  // namespace fastjournal::rows
