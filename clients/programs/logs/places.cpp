#include "clients/programs/logs/places.h"

#include <filesystem>
#include <utility>

#include "config/daemon_reader.h"
#include "platform/os/installation.h"
#include "platform/os/table_types.h"

namespace fastjournal::tools {

std::string Place::text() const { return above == "/" ? above + name : above + "/" + name; }

Place place_of(std::string const& folder) {
  std::filesystem::path path = std::filesystem::path{folder.empty() ? "." : folder}.lexically_normal();
  std::error_code error;
  // The name of "." is found only in its absolute path.
  if (auto absolute = std::filesystem::absolute(path, error).lexically_normal(); !error) path = std::move(absolute);
  if (!path.has_filename()) path = path.parent_path();
  Place out;
  out.above = path.parent_path().string();
  out.name = path.filename().string();
  out.disk = std::make_unique<os::PosixDisk>(out.above);
  return out;
}

Result<Configured> read_configured(std::string const& file) {
  Result<config::DaemonDeclaration> const declared = config::read_daemon(file);
  if (!declared.ok()) return declared.status();
  Configured out;
  out.plugins = declared->plugins_folder;
  for (config::LogDeclaration const& log : declared->logs)
    if (!log.is_shared) out.logs.push_back(declared->folder_of(log));
  return out;
}

Result<engine::TableTypes> load_types(std::string const& plugins) {
  return os::load_table_types(plugins.empty() ? os::installed_plugins() : plugins);
}

}  // namespace fastjournal::tools
