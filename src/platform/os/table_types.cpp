#include "platform/os/table_types.h"

#include <utility>

#include "platform/os/plugin_loader.h"

namespace fastjournal::os {

Result<engine::TableTypes> load_table_types(std::string const& folder) {
  Result<std::vector<std::string>> const names = list_types(folder);
  if (!names.ok()) return names.status();
  if (names->empty())
    return Status{Code::bad_configuration,
                  "no table type in " + folder + ": TYPE.so and TYPE.xml are expected there; see --plugins"};
  engine::TableTypes out;
  for (std::string const& name : names.value()) {
    Result<LoadedType> type = load_type(folder, name);
    if (!type.ok()) return type.status();
    out.emplace(name, std::make_unique<engine::TableType>(*type->plugin, type->declaration));
  }
  return out;
}

}  // namespace fastjournal::os
