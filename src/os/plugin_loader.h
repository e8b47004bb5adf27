// Table types from files: TYPE.so and TYPE.xml in one folder. The only place
// with dlopen. What is loaded stays loaded until the process ends: tables hold
// code of it, and a type never changes under a running daemon.
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
  PluginDescriptor const* plugin{nullptr};  // stays
  std::shared_ptr<TypeDeclaration const> declaration;
};

// not_found: a file is missing. bad_configuration: the plugin cannot be loaded, is no plugin,
// was built for another ABI, or does not agree with its XML. Each says which file and what to do.
[[nodiscard]] Result<LoadedType> load_type(std::filesystem::path const& folder, std::string_view name);

// Names of the types for which there is a .so, sorted. not_found if there is no such folder.
[[nodiscard]] Result<std::vector<std::string>> list_types(std::filesystem::path const& folder);

}  // namespace fastjournal::os
