// Pages of programs, made of their declarations.
#pragma once

#include <vector>

#include "clients/programs/fastjournal/usage/usage.h"
#include "clients/programs/manual/page.h"

namespace fastjournal::manual {

struct ProgramWords {
  int section{1};
  std::vector<std::string> see_also;  // `fastjournal(1)`
};

// The page of the program, and one for each command: PROGRAM-COMMAND.
[[nodiscard]] std::vector<Page> program_pages(usage::Usage const& program, ProgramWords const& words);

}  // namespace fastjournal::manual
