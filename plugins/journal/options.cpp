#include "plugins/journal/options.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::journal {
namespace {

// Options of keys are a mistake where rows have none.
Status check_keys(TableDeclaration const& declaration) {
  if (!declaration.schema.key.empty()) return {};
  constexpr std::pair<std::string_view, std::string_view> kOfKeys[] = {
      {"unique-for", "no further row can have the key of one that is done"},
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
  if (std::string const& text = declaration.option("back-off").text; !rows::parse_back_off(text).ok())
    return declaration.refuse("back-off", "back-off: " + rows::parse_back_off(text).status().message());
  if (Status status = model::PriorityNames::check(declaration.option("priority-words").text); !status.ok())
    return declaration.refuse("priority-words", "priority-words: " + status.message());
  return times.check(declaration);
}

}  // namespace fastjournal::journal
