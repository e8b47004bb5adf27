#include "plugins/pipeline/options.h"

namespace fastjournal::pipeline {

Status Options::check(TableDeclaration const& declaration) const {
  // Tools that read a log know a table by its name and type only: then the plan is that of the log.
  if (!read_plan && !declaration.lines.empty())
    return declaration.refuse("plan",
                              "element <plan> is missing, expected the file of the table's plan, as in "
                              "<plan>plans/catalog.xml</plan>");
  return times.check(declaration);
}

}  // namespace fastjournal::pipeline
