// A plan as the file that it may be read of again: for people who have only the table. Descriptions are not kept.
#pragma once

#include <string>

#include "model/plan/plan.h"

namespace fastjournal::plan {

[[nodiscard]] std::string to_xml(Plan const& plan);

}  // namespace fastjournal::plan
