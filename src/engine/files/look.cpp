// Whether the files are still those that their names mean: what is written to one that was removed or moved away would be
// acknowledged, and lost.
#include <set>
#include <utility>

#include "engine/files/byte_files.h"

namespace fastjournal::storage {

Status ByteFiles::look(bool all) {
  std::set<std::uint32_t> const written = std::exchange(written_to_, {});
  if (lock_ == nullptr || is_dropped_) return {};
  Status status = lock_->look();
  for (auto const& [number, file] : files_)
    if (status.ok() && !file.removing && (all || written.contains(number))) status = file.file->look();
  if (!status.ok()) fail(status);
  return status;
}

}  // namespace fastjournal::storage
