// Table types from files: TYPE.so and TYPE.xml in one folder. The only use of dlopen. A loaded plugin stays until the
// process ends: tables use its code, and a type never changes in a running daemon.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"

namespace fastjournal::os {

struct LoadedType {
  PluginDescriptor const* plugin{nullptr};  // valid for the life of the process
  std::shared_ptr<TypeDeclaration const> declaration;
};

// not_found: a file is missing. bad_configuration: the plugin cannot be loaded, is not a plugin, was built for another
// ABI, or does not match its XML. Each message has the file and the remedy.
[[nodiscard]] Result<LoadedType> load_type(std::filesystem::path const& folder, std::string_view name);

// FOLDER/NAME.so, a part of this program (part.h), which is of this build: its functions, valid for the life of the
// process. not_found: it is not installed; bad_configuration: it cannot be loaded, or is of another build.
[[nodiscard]] Result<void const*> load_part(std::filesystem::path const& folder, std::string_view name,
                                            std::string_view build);

// Names of the types with a .so, sorted. not_found if there is no such folder.
[[nodiscard]] Result<std::vector<std::string>> list_types(std::filesystem::path const& folder);

}  // namespace fastjournal::os
