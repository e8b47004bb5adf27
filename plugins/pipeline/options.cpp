#include "plugins/pipeline/options.h"

#include "model/plan/codec.h"

namespace fastjournal::pipeline {

Options Options::read(TableDeclaration const& declaration) {
  auto const number = [&](std::string_view name) { return declaration.option(name).integer; };
  Options out;
  out.plan_text = declaration.option("plan").text;
  out.plan = plan::decode(out.plan_text);
  out.processing_timeout = number("processing-timeout");
  out.processing_timeout_min = number("processing-timeout-min");
  out.processing_timeout_max = number("processing-timeout-max");
  out.grace = number("grace");
  out.losses_max = static_cast<std::uint32_t>(number("losses-max"));
  out.failing = static_cast<std::uint32_t>(number("failing"));
  out.failing_for = number("failing-for");
  out.probe_every = number("probe-every");
  out.documents_max = static_cast<std::uint64_t>(number("documents-max"));
  out.memory_max = static_cast<std::uint64_t>(number("memory-max"));
  out.history = static_cast<std::uint64_t>(number("history"));
  out.ended_in_memory = static_cast<std::uint64_t>(number("ended-in-memory"));
  return out;
}

Status Options::check(TableDeclaration const& declaration) const {
  // Tools that read a log know a table by its name and type only: then the plan is that of the log.
  if (!plan && !declaration.lines.empty())
    return {Code::bad_configuration, declaration.at("plan") +
                                         ": element <plan> is missing, expected the file of the table's plan, as in "
                                         "<plan>plans/catalog.xml</plan>"};
  if (processing_timeout < processing_timeout_min || processing_timeout > processing_timeout_max)
    return {Code::bad_configuration,
            declaration.at("processing-timeout") + ": processing-timeout (" + std::to_string(processing_timeout) +
                " ms) must lie between processing-timeout-min (" + std::to_string(processing_timeout_min) +
                " ms) and processing-timeout-max (" + std::to_string(processing_timeout_max) + " ms)"};
  return {};
}

}  // namespace fastjournal::pipeline
