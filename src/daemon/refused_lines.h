// The files of messages that a table refused and answered with a yes (<alias refused="keep">): one for
// each table, beside the logs, for a person to mend and send again. Apart from the logs: nobody reads it back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "env/disk.h"
#include "fastjournal/status.h"

namespace fastjournal::daemon {

// No log can be called so.
inline constexpr std::string_view kRefusedFolder = "refused.messages";
// Of one file. What comes then is refused, until somebody has emptied or removed it.
inline constexpr std::uint64_t kRefusedBytesMax = 16U << 20U;

// `data/refused.messages/TABLE.txt`, where an administrator finds it.
[[nodiscard]] std::string refused_file(std::string_view table);
// Appends it; ok: it is durable. Called on any one thread at a time.
[[nodiscard]] Status append_refused(env::Disk& data, std::string_view table, std::string_view text);

}  // namespace fastjournal::daemon
