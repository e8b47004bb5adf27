// A file that gets its name when it is whole: another one of that name is replaced in one step, or stays as it was.
// Until then it is in the same folder without a name, or, where the file system knows no such files, under a name that
// no one else can have: ".fastjournal-" and 128 bits of chance, whatever the length of its own. It is made exclusively
// and removed unless it is finished.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"
#include "platform/files/folder.h"

namespace fastjournal::files {

class NewFile {
 public:
  // On its path links are followed, as the caller names its folder. `mode`: minus the umask. `flags`: more of
  // open()'s, as O_APPEND.
  [[nodiscard]] static Result<NewFile> make(std::string const& path, mode_t mode, int flags = 0);
  // In a folder that outlives it.
  [[nodiscard]] static Result<NewFile> make(Folder const& folder, std::string const& name, mode_t mode, int flags = 0);
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(NewFile const&) = delete;
  NewFile& operator=(NewFile const&) = delete;
  ~NewFile();

  [[nodiscard]] int fd() const { return file_.fd; }
  // All of it, at its end. Errors name the file's own path.
  [[nodiscard]] Status write(std::string_view bytes);
  // The remains of another file.
  [[nodiscard]] Status copy(int from);
  enum class Durable : std::uint8_t { no, yes };  // the bytes and the name, when finish() returns
  [[nodiscard]] Status finish(Durable durable);
  // Of a finished file.
  [[nodiscard]] int release() { return file_.release(); }

 private:
  NewFile(std::shared_ptr<Folder const> folder, std::string name)
      : folder_(std::move(folder)), name_(std::move(name)) {}
  [[nodiscard]] Status open(mode_t mode, int flags);
  [[nodiscard]] Status take_name();

  std::shared_ptr<Folder const> folder_;
  std::string name_;
  std::string unfinished_{};  // its name until then, if it has one
  Descriptor file_{};
};

// Whole and durable under its name.
[[nodiscard]] Status replace_file(std::string const& path, std::string_view bytes, mode_t mode);

}  // namespace fastjournal::files
