// Syncs that succeed only if all of it is durable. The kernel tells of a write that failed once, takes the bytes for
// written, and the next sync succeeds: they would be lost by the end of the computer. So after a failure the bytes are
// written once more before the file is synced again.
//
// A file with such a failure has a mark, that the next forwarder may do the same: an empty file unsynced.INODE. It need
// not be durable: after a start of the computer the bytes are what the disk has.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "platform/files/folder.h"

namespace fastjournal::spool {

class Syncs {
 public:
  // `folder`: for the marks; it must outlive this.
  explicit Syncs(files::Folder const& folder) : folder_(folder) {}

  [[nodiscard]] Status open();
  // All that the file has from `from` on; `fd` can be read, and, after a failure, written.
  [[nodiscard]] Status sync(int fd, std::string const& path, std::uint64_t from);
  // The same behind all of `bytes`, which are written to the end of the file. What a failure leaves behind is passed
  // over by readers.
  [[nodiscard]] Status append(int fd, std::string const& path, std::string_view bytes, std::uint64_t from);

 private:
  [[nodiscard]] static std::string mark_of(std::uint64_t inode);

  files::Folder const& folder_;
  std::set<std::uint64_t> failed_;  // inodes
};

}  // namespace fastjournal::spool
