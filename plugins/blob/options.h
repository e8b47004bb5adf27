// The options of a blob table, and what follows from them.
#pragma once

#include "fastjournal/declaration.h"
#include "plugins/blob/made.h"
#include "plugins/blob/state.h"

namespace fastjournal::blob {

struct Options : made::Options {
  [[nodiscard]] Mode mode() const { return static_cast<Mode>(maintenance); }
  // Rules across several options.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;
};

}  // namespace fastjournal::blob
