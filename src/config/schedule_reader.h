// <schedules> of a table's file. A <schedule> has what the command SCHEDULE takes as attributes, with - in place of _,
// and the columns of its rows inside. What the values must be together is said by the table's type.
#pragma once

#include <vector>

#include "config/xml.h"
#include "fastjournal/declaration.h"

namespace fastjournal::config {

// The command that a type's schedules are made by; null: its tables have none.
[[nodiscard]] CommandDeclaration const* schedule_command(TypeDeclaration const& type);
[[nodiscard]] std::vector<ScheduleDeclaration> read_schedules(Element const& schedules,
                                                              CommandDeclaration const& command, Schema const& schema);

}  // namespace fastjournal::config
