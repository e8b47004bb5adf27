#include "plugins/pipeline/options.h"

#include <array>

#include "model/plan/codec.h"

namespace fastjournal::pipeline {

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::into;
  using rows::LeaseTimes;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"plan",
       [](Options& to, OptionValue const& value) {
         to.plan_text = value.text;
         to.plan = plan::decode(value.text);
       }},
      {"processing-timeout", into<&Options::times, &LeaseTimes::usual>},
      {"processing-timeout-min", into<&Options::times, &LeaseTimes::min>},
      {"processing-timeout-max", into<&Options::times, &LeaseTimes::max>},
      {"grace", into<&Options::grace>},
      {"losses-max", into<&Options::losses_max>},
      {"failing", into<&Options::failing>},
      {"failing-for", into<&Options::failing_for>},
      {"probe-every", into<&Options::probe_every>},
      {"documents-max", into<&Options::documents_max>},
      {"memory-max", into<&Options::memory_max>},
      {"history", into<&Options::history>},
      {"ended-in-memory", into<&Options::ended_in_memory>},
      {"wake-timeout"},  // by the engine
  });
  return all;
}

Status Options::check(TableDeclaration const& declaration) const {
  // Tools that read a log know a table by its name and type only: then the plan is that of the log.
  if (!plan && !declaration.lines.empty())
    return declaration.refuse("plan",
                              "element <plan> is missing, expected the file of the table's plan, as in "
                              "<plan>plans/catalog.xml</plan>");
  return times.check(declaration);
}

}  // namespace fastjournal::pipeline
