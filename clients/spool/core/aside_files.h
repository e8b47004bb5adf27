// The files of rows that were set aside, a file for each table, as the forwarder writes them. Each append is made under
// the file's exclusive lock, without waiting for it, and only if the file still has its name: an operator may resend or
// purge it meanwhile (folder_tools.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "clients/spool/core/aside.h"
#include "clients/spool/core/forwarding.h"
#include "clients/spool/core/syncs.h"
#include "fastjournal/status.h"
#include "platform/files/folder.h"

namespace fastjournal::spool {

inline constexpr std::size_t kAsideFilesMax = 1'000;
inline constexpr std::uint64_t kAsideBytesMax = std::uint64_t{1} << 30U;  // of all of them

class AsideFiles {
 public:
  // `folder`: of these files. All outlive it.
  AsideFiles(files::Folder const& folder, Syncs& syncs) : folder_(folder), syncs_(syncs) {}

  [[nodiscard]] Status open();  // the names in the folder are durable
  // Durable. in_use: somebody resends or purges the table's rows. over_limit: there are 1 GiB of them.
  [[nodiscard]] Status append(std::string_view table, Aside const& aside);
  // Adds those of all files, which are durable.
  [[nodiscard]] Status collect(Identities& out);

 private:
  [[nodiscard]] Status append_to(std::string const& name, Aside const& aside, bool& again);
  [[nodiscard]] Status count();

  files::Folder const& folder_;
  Syncs& syncs_;
  std::size_t files_{0};
  std::uint64_t bytes_{0};
};

// Adds the identities of the rows in the file that were set aside, if its first row is one of these; they are durable.
[[nodiscard]] Status collect_aside(int fd, std::string const& path, Syncs& syncs, Identities& out);

}  // namespace fastjournal::spool
