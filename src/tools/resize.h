// A log with containers of another size: written anew beside the old one, read again, and put in its place by one
// exchange of two names. At any moment one whole log stands under the name, so whoever is interrupted begins again.
// Containers of two sizes in one log would concern every reader and every proof of the store, for something done once a
// year. Both folders stay locked until the exchange is durable, or a daemon could write what the exchange takes away.
// What an interrupted run left is refused, not removed: nobody can know who made that folder.
#pragma once

#include <cstdint>
#include <string>

#include "core/types.h"
#include "env/disk.h"
#include "tools/verify.h"

namespace fastjournal::tools {

// Behind the folder's name: the new log while it is written, the old one after the exchange, until it is removed.
inline constexpr char kResizeSuffix[] = ".resize";

struct Resized {
  std::uint64_t container_bytes_before{0};
  LogFacts log;  // as it is now
  // The old log could not be removed: what the disk said. It is no longer needed.
  Status left_behind;
  [[nodiscard]] bool changed() const { return container_bytes_before != log.container_bytes; }
};

// ok without a change: the containers have this size already.
// bad_configuration: no log can have this size (512 KiB to 4 GiB). bad_parameter: FOLDER.resize is there, which an interrupted resize left and
// nobody needs. in_use, not_found, and what a start would say of the log: as `verify`. no_space. not_supported: the file
// system cannot exchange names. After any of these the folder is as it was. io_error: see its text.
// `store_id`: chance, for the new log.
[[nodiscard]] Result<Resized> resize(env::Disk& disk, std::string const& folder, std::uint64_t container_bytes,
                                     core::TableTypes const& types, std::uint64_t store_id,
                                     Progress const& progress = {});

}  // namespace fastjournal::tools
