#include "platform/files/new_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <vector>

namespace fastjournal::files {
namespace {

constexpr int kTriesMax = 8;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10U;

// Empty: the system has no chance so far.
std::string drawn_name() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string out = ".fastjournal-";
  for (unsigned const byte : bytes) {
    out += "0123456789abcdef"[byte >> 4U];
    out += "0123456789abcdef"[byte & 15U];
  }
  return out;
}

std::string path_to(Descriptor const& file) { return "/proc/self/fd/" + std::to_string(file.fd); }

}  // namespace

Result<NewFile> NewFile::make(std::string const& path, mode_t mode, int flags) {
  std::size_t const slash = path.rfind('/');
  std::string const above = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  Result<Folder> folder = Folder::open(above);
  if (!folder.ok()) return folder.status();
  NewFile out{std::make_shared<Folder const>(std::move(folder).value()), path.substr(slash + 1)};
  if (Status status = out.open(mode, flags); !status.ok()) return status;
  return out;
}

Result<NewFile> NewFile::make(Folder const& folder, std::string const& name, mode_t mode, int flags) {
  NewFile out{std::shared_ptr<Folder const>{std::shared_ptr<void>{}, &folder}, name};
  if (Status status = out.open(mode, flags); !status.ok()) return status;
  return out;
}

NewFile::~NewFile() {
  if (!unfinished_.empty()) static_cast<void>(folder_->remove(unfinished_));
}

Status NewFile::open(mode_t mode, int flags) {
  if (name_.empty() || name_ == "." || name_ == "..") return failure("open of", folder_->path_of(name_), EISDIR);
  file_ = Descriptor{::openat(folder_->fd(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC | flags, mode)};
  // It gets its name by way of /proc.
  if (file_.is_open() && ::access(path_to(file_).c_str(), F_OK) == 0) return {};
  file_.close();
  for (int tries = 0; tries < kTriesMax; ++tries) {
    std::string name = drawn_name();
    if (name.empty()) return failure("getrandom for", folder_->path_of(name_), errno);
    file_ = Descriptor{folder_->open_file(name, O_RDWR | O_CREAT | O_EXCL | flags, mode)};
    if (file_.is_open()) {
      unfinished_ = std::move(name);
      return {};
    }
    if (errno != EEXIST) break;
  }
  return failure("make a file in", folder_->path(), errno);
}

Status NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(file_.fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write to", folder_->path_of(name_), errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status NewFile::copy(int from) {
  std::vector<char> buffer(kPieceBytes);
  for (;;) {
    ssize_t const got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read for", folder_->path_of(name_), errno);
    if (got == 0) return {};
    if (Status status = write({buffer.data(), static_cast<std::size_t>(got)}); !status.ok()) return status;
  }
}

// A link never replaces a file: where there is one already, it gets a name for the moment until the other is replaced.
Status NewFile::take_name() {
  int error = 0;
  for (int tries = 0; unfinished_.empty() && tries < kTriesMax; ++tries) {
    std::string name = tries == 0 ? name_ : drawn_name();
    if (!name.empty() &&
        ::linkat(AT_FDCWD, path_to(file_).c_str(), folder_->fd(), name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      if (tries == 0) return {};
      unfinished_ = std::move(name);
    }
    error = errno;
    if (unfinished_.empty() && error != EEXIST) break;
  }
  if (unfinished_.empty()) return failure("link of", folder_->path_of(name_), error);
  if (::renameat(folder_->fd(), unfinished_.c_str(), folder_->fd(), name_.c_str()) != 0)
    return failure("rename to", folder_->path_of(name_), errno);
  unfinished_.clear();
  return {};
}

Status NewFile::finish(Durable durable) {
  if (durable == Durable::yes && ::fsync(file_.fd) != 0) return failure("fsync of", folder_->path_of(name_), errno);
  if (Status status = take_name(); !status.ok()) return status;
  return durable == Durable::yes ? folder_->sync() : Status{};
}

Status replace_file(std::string const& path, std::string_view bytes, mode_t mode) {
  Result<NewFile> file = NewFile::make(path, mode);
  if (!file.ok()) return file.status();
  if (Status status = file->write(bytes); !status.ok()) return status;
  return file->finish(NewFile::Durable::yes);
}

}  // namespace fastjournal::files
