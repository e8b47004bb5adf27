// The files of refused messages that were answered positively (<alias refused="keep">): one per table, next to the
// logs, for an operator to correct and send again. Apart from the logs: the daemon never reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/env/disk.h"
#include "fastjournal/status.h"

namespace fastjournal::daemon {

// Not a possible name of a log.
inline constexpr std::string_view kRefusedFolder = "refused.messages";
// Per file. A full file refuses further messages, until an operator has emptied or removed it.
inline constexpr std::uint64_t kRefusedBytesMax = 16U << 20U;

// `data/refused.messages/TABLE.txt`, for the administrator.
[[nodiscard]] std::string refused_file(std::string_view table);
// Appends the text; ok: it is durable. Only one thread at a time.
[[nodiscard]] Status append_refused(env::Disk& data, std::string_view table, std::string_view text);

}  // namespace fastjournal::daemon
