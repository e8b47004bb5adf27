#include "clients/cli/blob_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ostream>

namespace fastjournal::cli {
BlobOutput::~BlobOutput() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

Status BlobOutput::failed(char const* call, std::string const& path) const {
  return {Code::io_error, std::string{call} + " " + path + ": " + std::strerror(errno)};
}

Status BlobOutput::open() {
  if (path_.empty()) return {};
  struct stat facts {};
  bool const is_there = ::stat(path_.c_str(), &facts) == 0;
  // A pipe or a device keeps its place.
  bool const is_plain = !is_there || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode);
  if (is_there && S_ISDIR(facts.st_mode)) return {Code::io_error, path_ + " is a folder; expected a file"};
  std::string const name = is_plain ? path_ + ".partial" : path_;
  int const flags = is_plain ? O_CREAT | O_TRUNC | O_NOFOLLOW : 0;
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (descriptor_ < 0) return failed("open", name);
  if (is_plain) partial_ = name;
  return {};
}

Status BlobOutput::write(std::string_view bytes) {
  size_ += bytes.size();
  if (path_.empty()) {
    if (console_.look.terminal)
      console_.out << printable_lines(bytes);
    else
      console_.out << bytes;
    return console_.out ? Status{} : Status{Code::io_error, "standard output takes no more"};
  }
  while (!bytes.empty()) {
    ssize_t const took = ::write(descriptor_, bytes.data(), bytes.size());
    if (took < 0 && errno == EINTR) continue;
    if (took < 0) return failed("write", partial_.empty() ? path_ : partial_);
    bytes.remove_prefix(static_cast<std::size_t>(took));
  }
  return {};
}

bool BlobOutput::begin_again() {
  if (size_ == 0) return true;
  if (partial_.empty() || ::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) return false;
  size_ = 0;
  return true;
}

Status BlobOutput::finish() {
  if (path_.empty()) return {};
  int const closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0) return failed("close", path_);
  if (partial_.empty()) return {};
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) return failed("rename", partial_);
  partial_.clear();
  return {};
}

}  // namespace fastjournal::cli
