#include "plugins/journal/options.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::journal {
namespace {

// Options of keys are a mistake where rows have none.
Status check_keys(TableDeclaration const& declaration) {
  if (!declaration.schema.key.empty()) return {};
  constexpr std::pair<std::string_view, std::string_view> kOfKeys[] = {
      {"max-postpone", "an insert never meets a row that waits"},
      {"one-at-a-time", "no row waits for another"},
      {"concurrency-key", "no row waits for another"},
  };
  for (auto const& [name, reason] : kOfKeys)
    if (declaration.option(name).given)
      return declaration.refuse(name, fmt::format("element <{}> in table {}, made without a row-key, expected none: {}",
                                                  name, declaration.name, reason));
  return {};
}

}  // namespace

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::AttemptRules;
  using rows::into;
  using rows::LeaseTimes;
  using rows::Lifetimes;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"processing-timeout", into<&Options::times, &LeaseTimes::usual>},
      {"processing-timeout-min", into<&Options::times, &LeaseTimes::min>},
      {"processing-timeout-max", into<&Options::times, &LeaseTimes::max>},
      {"processing-timeout-http", into<&Options::times, &LeaseTimes::http>},
      {"grace", into<&Options::lifetimes, &Lifetimes::grace>},
      {"max-timeouts", into<&Options::attempts, &AttemptRules::max_timeouts>},
      {"max-attempts", into<&Options::attempts, &AttemptRules::max_attempts>},
      {"max-lifetime-timeouts", into<&Options::attempts, &AttemptRules::max_lifetime>},
      {"when-failed",
       [](Options& to, OptionValue const& value) { to.attempts.delete_failed = value.text == "delete"; }},
      {"keep-parked", into<&Options::lifetimes, &Lifetimes::parked>},
      {"back-off-first", into<&Options::attempts, &AttemptRules::back_off_first>},
      {"back-off-factor", into<&Options::attempts, &AttemptRules::back_off_factor>},
      {"back-off-max", into<&Options::attempts, &AttemptRules::back_off_max>},
      {"back-off-jitter", into<&Options::attempts, &AttemptRules::back_off_jitter>},
      {"max-postpone", into<&Options::max_postpone>},
      {"max-clock-skew", into<&Options::clock_skew_max>},
      {"rows-max", into<&Options::rows_max>},
      {"memory-max", into<&Options::memory_max>},
      {"spill", into<&Options::spill>},
      {"client-keep", into<&Options::lifetimes, &Lifetimes::client>},
      {"clients-max", into<&Options::clients_max>},
      {"pause-after-failures", into<&Options::pause_after_failures>},
      // By rows::Rules.
      {"one-at-a-time"},
      {"domain"},
      {"domain-weights"},
      {"slow-from"},
      {"aging"},
      {"concurrency"},
      {"concurrency-domain"},
      {"concurrency-key"},
      {"rate"},
      {"rate-domain"},
  });
  return all;
}

Status Options::check(TableDeclaration const& declaration) const {
  if (Status status = check_keys(declaration); !status.ok()) return status;
  if (spill != 0 && spill < kSpillMin)
    return declaration.refuse(
        "spill",
        fmt::format("spill ({} bytes), expected 0 or at least {}: a value in a file takes whole blocks of 4096 "
                    "bytes, and a sync of its own",
                    spill, kSpillMin));
  if (spill != 0 && declaration.feed)
    return declaration.refuse("spill",
                              "spill in a table with a <feed>, expected one of them: followers do not get what is "
                              "outside the log");
  return times.check(declaration);
}

}  // namespace fastjournal::journal
