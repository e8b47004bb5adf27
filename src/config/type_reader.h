// TYPE.xml: the declaration of a table type (commands, options), next to its plugin. The format is described in
// doc/table-reference.md and by xml-schemas/table-type.xsd.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "config/own_declaration.h"
#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// bad_configuration: every problem of the file, each as a line "FILE:LINE: what".
[[nodiscard]] Result<TypeDeclaration> read_type(std::filesystem::path const& path);

// The same of the daemon itself, from the text of daemon.xml.
[[nodiscard]] Result<OwnDeclarations> read_own(std::string_view text);

using TypesByName = std::map<std::string, std::shared_ptr<TypeDeclaration const>, std::less<>>;
// Those of a folder, from each NAME.xml in it. Not ok: one of them is wrong, or there is none.
[[nodiscard]] Result<TypesByName> read_types(std::filesystem::path const& folder);

// The names of its records by their numbers, for people who read logs and feeds.
using RecordNames = std::map<std::uint8_t, std::string>;
// Of each TYPE.xml in a folder, by type. Files that cannot be read are passed over: a reader of a log that is
// damaged gets numbers then.
[[nodiscard]] std::map<std::string, RecordNames> read_record_names(std::filesystem::path const& folder);

}  // namespace fastjournal::config
