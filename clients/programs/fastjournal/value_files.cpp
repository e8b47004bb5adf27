#include "clients/programs/fastjournal/value_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace fastjournal::cli {
namespace {

constexpr std::string_view kRowFolder = "fastjournal-row";

Status value_not_written(std::string const& path, int error) {
  return {error == ENOSPC || error == EDQUOT ? Code::no_space : Code::io_error,
          "write " + path + ": " + std::strerror(error)};
}

}  // namespace

void ValueFiles::remove_left() { WorkFolder::remove_left(kRowFolder); }

Result<std::string> ValueFiles::write(std::string_view value) {
  if (!folder_.is_there()) {
    Result<WorkFolder> made = WorkFolder::make(kRowFolder);
    if (!made.ok()) return made.status();
    folder_ = std::move(made).value();
  }
  std::string path = folder_.path() + "/" + std::to_string(++count_);
  int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  int error = fd < 0 ? errno : 0;
  while (error == 0 && !value.empty()) {
    ssize_t const took = ::write(fd, value.data(), value.size());
    if (took < 0 && errno != EINTR) error = errno;
    if (took > 0) value.remove_prefix(static_cast<std::size_t>(took));
  }
  if (fd >= 0) ::close(fd);
  if (error != 0) return value_not_written(path, error);
  return path;
}

}  // namespace fastjournal::cli
