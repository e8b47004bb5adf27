#include "platform/tls/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace fastjournal::tls {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Status system_problem(NamedFile const& file, int error) {
  char const* const words = ::strerrordesc_np(error);
  return file_problem(file, words == nullptr ? "it cannot be read" : words);
}

// `forbidden`: bits of the mode that the file may not have.
Result<std::string> read_bounded(NamedFile const& file, mode_t forbidden) {
  // Without O_NONBLOCK a pipe of this name would block the caller for ever.
  Descriptor const opened{::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (opened.get() < 0) return system_problem(file, errno);
  struct stat found {};
  if (::fstat(opened.get(), &found) != 0) return system_problem(file, errno);
  if (!S_ISREG(found.st_mode)) return file_problem(file, "is no file, expected one in PEM format");
  if ((found.st_mode & forbidden) != 0)
    return file_problem(file, fmt::format("everybody may use this key (mode {:04o}), expected a file for its owner and "
                                          "group alone: chmod o= {}",
                                          found.st_mode & 07777U, file.path));
  if (found.st_size > static_cast<off_t>(kFileBytesMax))
    return file_problem(file, fmt::format("has {} bytes, expected at most {}", found.st_size, kFileBytesMax));
  std::string out;
  while (out.size() <= kFileBytesMax) {
    char part[16U << 10U];
    ssize_t const got = ::read(opened.get(), part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_problem(file, errno);
    if (got == 0) return out;
    out.append(part, static_cast<std::size_t>(got));
  }
  return file_problem(file, fmt::format("grows beyond {} bytes", kFileBytesMax));
}

}  // namespace

Status file_problem(NamedFile const& file, std::string_view what) {
  return {Code::bad_configuration, fmt::format("{}: {}: {}", file.source, file.path, what)};
}

Result<std::string> read_file(NamedFile const& file) { return read_bounded(file, 0); }
Result<std::string> read_key_file(NamedFile const& file) { return read_bounded(file, 07); }

}  // namespace fastjournal::tls
