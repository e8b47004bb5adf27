// A folder for contents of documents and rows, below TMPDIR (/tmp), only for this user, and gone with its object. What
// a process that was killed has left there goes when the next one starts: each folder is locked while it is in use,
// and a free lock says that no one does.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "platform/files/folder.h"

namespace fastjournal::cli {

class WorkFolder {
 public:
  // TMPDIR/NAME-PID-XXXXXX; io_error or no_space with the reason.
  [[nodiscard]] static Result<WorkFolder> make(std::string_view name);
  // Removes the folders of this user and this name that are unlocked, at most 100 at a time. Nothing is followed, and
  // what cannot be removed stays.
  static void remove_left(std::string_view name);

  WorkFolder() = default;  // none
  WorkFolder(WorkFolder&&) noexcept = default;
  WorkFolder& operator=(WorkFolder&&) noexcept;
  WorkFolder(WorkFolder const&) = delete;
  WorkFolder& operator=(WorkFolder const&) = delete;
  ~WorkFolder();

  [[nodiscard]] bool is_there() const { return lock_.is_open(); }
  [[nodiscard]] std::string const& path() const { return path_; }

 private:
  WorkFolder(std::string path, files::Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  void remove();

  std::string path_;
  files::Descriptor lock_;  // of the folder itself
};

}  // namespace fastjournal::cli
