#include "plugins/journal/options.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

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
      return {Code::bad_configuration, declaration.at(name) + ": element <" + std::string{name} + "> in table " +
                                           declaration.name +
                                           ", made without a row-key, expected none: " + std::string{reason}};
  return {};
}

}  // namespace

Options Options::read(TableDeclaration const& declaration) {
  auto const number = [&](std::string_view name) { return declaration.option(name).integer; };
  Options out;
  out.processing_timeout = number("processing-timeout");
  out.processing_timeout_min = number("processing-timeout-min");
  out.processing_timeout_max = number("processing-timeout-max");
  out.processing_timeout_http = number("processing-timeout-http");
  out.lifetimes.grace = number("grace");
  out.attempts.max_timeouts = static_cast<std::uint8_t>(number("max-timeouts"));
  out.attempts.max_attempts = static_cast<std::uint8_t>(number("max-attempts"));
  out.attempts.max_lifetime = static_cast<std::uint8_t>(number("max-lifetime-timeouts"));
  out.attempts.delete_failed = declaration.option("when-failed").text == "delete";
  out.lifetimes.parked = number("keep-parked");
  out.attempts.back_off_first = number("back-off-first");
  out.attempts.back_off_factor = number("back-off-factor");
  out.attempts.back_off_max = number("back-off-max");
  out.attempts.back_off_jitter = number("back-off-jitter");
  out.max_postpone = number("max-postpone");
  out.clock_skew_max = number("max-clock-skew");
  out.rows_max = static_cast<std::uint64_t>(number("rows-max"));
  out.memory_max = static_cast<std::uint64_t>(number("memory-max"));
  out.spill = static_cast<std::uint64_t>(number("spill"));
  out.lifetimes.client = number("client-keep");
  out.clients_max = static_cast<std::size_t>(number("clients-max"));
  out.pause_after_failures = static_cast<std::uint32_t>(number("pause-after-failures"));
  return out;
}

Status Options::check(TableDeclaration const& declaration) const {
  if (Status status = check_keys(declaration); !status.ok()) return status;
  if (spill != 0 && spill < kSpillMin)
    return {Code::bad_configuration, declaration.at("spill") + ": spill (" + std::to_string(spill) +
                                         " bytes), expected 0 or at least " + std::to_string(kSpillMin) +
                                         ": a value in a file takes whole blocks of 4096 bytes, and a sync of its own"};
  if (spill != 0 && declaration.feed)
    return {Code::bad_configuration, declaration.at("spill") +
                                         ": spill in a table with a <feed>, expected one of them: "
                                         "followers do not get what is outside the log"};
  if (processing_timeout_min <= processing_timeout && processing_timeout <= processing_timeout_max) return {};
  constexpr std::string_view kThree[] = {"processing-timeout", "processing-timeout-min", "processing-timeout-max"};
  auto const given = std::find_if(std::begin(kThree), std::end(kThree),
                                  [&](std::string_view name) { return declaration.option(name).given; });
  std::string const where = declaration.at(given == std::end(kThree) ? kThree[0] : *given);
  return {Code::bad_configuration, where + ": processing-timeout (" + std::to_string(processing_timeout) +
                                       " ms) must lie between processing-timeout-min (" +
                                       std::to_string(processing_timeout_min) + " ms) and processing-timeout-max (" +
                                       std::to_string(processing_timeout_max) + " ms)"};
}

}  // namespace fastjournal::journal
