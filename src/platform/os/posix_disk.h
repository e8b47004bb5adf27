// The kernel's files: env::Disk on a root folder. Any thread may use it; a File belongs to one thread at a time. A
// locked folder is kept open by a descriptor, and its files are opened, renamed and removed relative to it: a journal
// continues in the folder that it locked, or finds out that it was replaced. Other folders are not kept open: the
// folder of the flag files belongs to another program, which may recreate it. A folder may be a symbolic link, since a
// log on another disk is mounted or linked. A file may not: a link in place of one of our files is a mistake or an
// attack.
//
// sync() calls fdatasync once: after an error the state of the file is unknown, and only the caller can decide to stop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/disk.h"

namespace fastjournal::os {

class PosixDisk final : public env::Disk {
 public:
  struct LockedFolder;
  // The target of a call: a name, and the folder it is relative to.
  struct Place {
    std::shared_ptr<LockedFolder> locked{};  // null: the name is a complete path
    int folder;
    std::string name{};
  };

  // `root`: absolute or relative to the working folder; it need not exist before make_folder(""). `file_mode`: of new
  // files.
  explicit PosixDisk(std::string root, mode_t file_mode = 0640);

  [[nodiscard]] Result<std::unique_ptr<env::File>> open(std::string_view path, env::OpenMode mode) override;
  [[nodiscard]] Status make_folder(std::string_view path) override;
  [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) override;
  [[nodiscard]] Status rename(std::string_view from, std::string_view to) override;
  [[nodiscard]] Status exchange(std::string_view one, std::string_view other) override;
  [[nodiscard]] Status remove(std::string_view path) override;
  [[nodiscard]] Status point(std::string_view link, std::string_view target) override;
  [[nodiscard]] Status give(std::string_view path, env::Access const& access) override;
  [[nodiscard]] Status let_through(std::string_view folder) override;
  [[nodiscard]] Status sync_folder(std::string_view path) override;
  // Locks the folder itself, and a file `lock` in it with the process id of the holder and the notes.
  [[nodiscard]] Result<std::unique_ptr<env::FolderLock>> lock_folder(std::string_view path) override;
  [[nodiscard]] Result<std::unique_ptr<env::FolderLock>> lock_folder_to_read(std::string_view path) override;
  [[nodiscard]] Result<std::uint64_t> free_bytes() override;

 private:
  class LockedFolders;
  class Lock;

  [[nodiscard]] std::string full(std::string_view path) const;
  [[nodiscard]] Place place_of(std::string_view path) const;

  std::string root_;
  mode_t file_mode_;
  std::shared_ptr<LockedFolders> locked_;
};

}  // namespace fastjournal::os
