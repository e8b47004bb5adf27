// The locations of logs and table types for tools: the kernel's files, the daemon's configuration, the plugins.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/types.h"
#include "fastjournal/status.h"
#include "platform/os/posix_disk.h"

namespace fastjournal::tools {

// A folder as a disk and a path on it, so that the folder's own name can be exchanged too.
struct Place {
  std::unique_ptr<os::PosixDisk> disk;  // the folder above
  std::string name;                     // on `disk`
  [[nodiscard]] std::string text() const;
  std::string above;
};

// `folder` need not exist.
[[nodiscard]] Place place_of(std::string const& folder);

// The folders of logs declared in a daemon's configuration file, and its folder of plugins.
struct Configured {
  std::vector<std::string> logs;
  std::string plugins;  // empty: the plugins of this installation
};
[[nodiscard]] Result<Configured> read_configured(std::string const& file);

// All types in the folder; empty: those of this installation.
[[nodiscard]] Result<engine::TableTypes> load_types(std::string const& plugins);

}  // namespace fastjournal::tools
