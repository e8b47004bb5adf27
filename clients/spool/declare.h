// Declares a table of a spool by its XML file, as the daemon reads it.
#pragma once

#include <string>

#include "clients/spool/core/spool.h"
#include "fastjournal/status.h"

namespace fastjournal::producer {

// `types_folder` has the table types, TYPE.xml; empty: that which was installed, or built, with the library or program
// that this code is part of. bad_configuration: the problems of the file, or of the types if the table's is among them.
[[nodiscard]] Status declare_file(spool::Spool& spool, std::string const& table_file, std::string types_folder);

}  // namespace fastjournal::producer
