// Where a tool finds logs and table types on this computer: the files of the
// kernel, the daemon's configuration, the plugins.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "fastjournal/status.h"
#include "os/posix_disk.h"

namespace fastjournal::tools {

// A folder as a disk and a path on it, so that its own name can be exchanged too.
struct Place {
  std::unique_ptr<os::PosixDisk> disk;  // the folder above
  std::string name;                     // in it
  [[nodiscard]] std::string text() const;
  std::string above;
};

// `folder` need not exist.
[[nodiscard]] Place place_of(std::string const& folder);

// The folders of the logs that this configuration file of the daemon declares, with its folder of plugins.
struct Configured {
  std::vector<std::string> logs;
  std::string plugins;  // empty: where the program was installed
};
[[nodiscard]] Result<Configured> read_configured(std::string const& file);

// All that are in the folder; empty: where they were installed.
[[nodiscard]] Result<core::TableTypes> load_types(std::string const& plugins);

}  // namespace fastjournal::tools
