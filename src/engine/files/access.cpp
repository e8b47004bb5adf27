// Who may open the folder and the files of a table by their path: given to what is made, and to what is there when it is
// declared anew.
#include <optional>
#include <utility>

#include "engine/files/byte_files.h"

namespace fastjournal::storage {

Status ByteFiles::set_access(std::optional<env::Access> const& access) {
  std::optional<env::Access> const before = std::exchange(options_.access, access);
  Status status = give_access();
  // The next RELOAD tries again, and says again what is wrong.
  if (!status.ok()) options_.access = before;
  return status;
}

Status ByteFiles::give_access() {
  std::optional<env::Access> const& declared = options_.access;
  if (!has_folder_ || (!declared && !options_.usual)) return {};
  env::Access access = declared ? *declared : *options_.usual;
  // Who is let in has to come there. He is in none of the groups of what is above.
  bool const is_for_others = declared && ((access.mode & 0004U) != 0 || (access.group && (access.mode & 0040U) != 0));
  // They may have had another one, when it was declared.
  if (!access.group && options_.usual) access.group = options_.usual->group;
  for (std::size_t slash = options_.folder.rfind('/'); is_for_others; slash = options_.folder.rfind('/', slash - 1)) {
    std::string const above = slash == std::string::npos ? std::string{} : options_.folder.substr(0, slash);
    if (Status status = disk_.let_through(above); !status.ok()) return status;
    if (slash == std::string::npos || slash == 0) break;
  }
  if (Status status = disk_.give(options_.folder, access); !status.ok()) return status;
  for (auto const& [number, file] : files_)
    if (Status status = disk_.give(path_of(number), access); !status.ok()) return status;
  return {};
}

}  // namespace fastjournal::storage
