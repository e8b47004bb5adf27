// Opening a log for writing: everything up to its first write. The log is read, what was only written is made durable,
// and what the next segment has to know is collected. May be killed at any point and repeated.
#pragma once

#include <cstdint>
#include <string>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/log_options.h"
#include "log/file/log_reader.h"
#include "log/file/opened_log.h"

namespace fastjournal::log::file {

// Locks the folder, and hands every record to `handler`. On failure nothing that was there has changed: `damaged` names
// segment and offset, `in_use` who uses the folder; a Status of the handler is returned unchanged.
[[nodiscard]] Result<OpenedLog> open_for_writing(env::Disk& disk, std::string const& folder, LogOptions options,
                                                 RecordHandler& handler, RecoveryReport& report);

// When the log has a segment: a later start that finds none refuses to begin with an empty log.
[[nodiscard]] Status remember_store(env::FolderLock& lock, std::uint64_t store_id);

}  // namespace fastjournal::log::file
