// TYPE.xml: the declaration of a table type (commands, options), next to its plugin. The format is described in
// doc/table-reference.md and by xml-schemas/table-type.xsd.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// bad_configuration: every problem of the file, each as a line "FILE:LINE: what".
[[nodiscard]] Result<TypeDeclaration> read_type(std::filesystem::path const& path);

// The names of its records by their numbers, for people who read logs and feeds.
using RecordNames = std::map<std::uint8_t, std::string>;
// Of each TYPE.xml in a folder, by type. Files that cannot be read are passed over: a reader of a log that is
// damaged gets numbers then.
[[nodiscard]] std::map<std::string, RecordNames> read_record_names(std::filesystem::path const& folder);

}  // namespace fastjournal::config
