// A folder that others may write: it is opened once, and what is in it is reached by its descriptor and a single name.
// Nothing is followed or waited for: a link, a FIFO, a socket or a device in place of a file is none of ours.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::files {

// no_space or io_error, with the call, the path and the reason. ELOOP stands for all that is no plain file or
// folder.
[[nodiscard]] Status failure(std::string_view call, std::string const& path, int error);

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : fd(number) {}
  Descriptor(Descriptor&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) close();
    fd = std::exchange(other.fd, fd);
    return *this;
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] bool is_open() const { return fd >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd, -1); }
  void close() {
    if (fd >= 0) ::close(std::exchange(fd, -1));
  }

  int fd;
};

// A regular file, by a path whose folders are the caller's: its last name is not followed. -1 with errno;
// ELOOP: it is no regular file. `flags` and `mode` as of open().
[[nodiscard]] int open_regular(std::string const& path, int flags, mode_t mode = 0);

class Folder {
 public:
  // Named by the caller: it may be a link.
  [[nodiscard]] static Result<Folder> open(std::string path);
  // One in it. Its owner is ours, the owner of this one, or root, and no other account may write it: not_allowed
  // otherwise. `make`: if it is not there, with mode 0750.
  [[nodiscard]] Result<Folder> own(std::string const& name, bool make) const;
  // One in it, of any owner.
  [[nodiscard]] Result<Folder> inner(std::string const& name) const;

  [[nodiscard]] std::string const& path() const { return path_; }
  [[nodiscard]] std::string path_of(std::string_view name) const { return path_ + "/" + std::string{name}; }
  [[nodiscard]] int fd() const { return descriptor_.fd; }
  // As open_regular().
  [[nodiscard]] int open_file(std::string const& name, int flags, mode_t mode = 0) const;
  // Of the name itself. False with errno.
  [[nodiscard]] bool look(std::string const& name, struct stat& out) const;
  [[nodiscard]] bool has(std::string const& name) const;
  // Does this name stand for the open file?
  [[nodiscard]] bool is_name_of(std::string const& name, int file) const;
  // All names in it, but . and .. . Fewer than all are a failure.
  [[nodiscard]] Result<std::vector<std::string>> names() const;
  // 0, or -1 with errno. A file of the new name stays: EEXIST.
  [[nodiscard]] int move(std::string const& name, Folder const& to, std::string const& new_name) const;
  [[nodiscard]] int remove(std::string const& name) const;
  // The names in it are durable.
  [[nodiscard]] Status sync() const;
  // For calls that take a path only, as those of sockets: not followed further than to this folder.
  [[nodiscard]] std::string path_here(std::string_view name) const;

 private:
  Folder(std::string path, Descriptor descriptor) : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  std::string path_;
  Descriptor descriptor_;
};

}  // namespace fastjournal::files
