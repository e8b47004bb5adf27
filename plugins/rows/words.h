// Words that a table has for values of its rows.
#pragma once

#include "model/priority_names.h"

namespace fastjournal::rows {

struct Words {
  model::PriorityNames priorities{};
};

}  // namespace fastjournal::rows
