// Data folders that this installation has used, known outside of them: in its state folder (systemd's StateDirectory). A
// disk that is not mounted leaves an empty folder, or none, in which a daemon would begin an empty journal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/env/disk.h"
#include "fastjournal/status.h"

namespace fastjournal::os {

// In the state folder: one path a line.
inline constexpr std::string_view kKnownFoldersFile = "data-folders";

// Whether this path was used. `state`: the folder; it need not be there.
[[nodiscard]] Result<bool> is_known_folder(env::Disk& state, std::string_view path);
// From now on it is known; ok: durably.
[[nodiscard]] Status remember_folder(env::Disk& state, std::string_view path);

}  // namespace fastjournal::os
