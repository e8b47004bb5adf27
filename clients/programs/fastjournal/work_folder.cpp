#include "clients/programs/fastjournal/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace fastjournal::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kLeftMax = 100;
constexpr int kMakeTriesMax = 10;
constexpr std::string_view kDrawn = "XXXXXX";

std::string temporary_folder() {
  char const* const given = std::getenv("TMPDIR");
  return given == nullptr || *given == '\0' ? "/tmp" : given;
}

// NAME-PID-XXXXXX. Folders of versions without a lock have no number.
bool is_work_folder(std::string_view entry, std::string_view name) {
  if (!entry.starts_with(name) || !entry.substr(name.size()).starts_with('-')) return false;
  entry.remove_prefix(name.size() + 1);
  std::size_t const digits = std::min(entry.find_first_not_of("0123456789"), entry.size());
  entry.remove_prefix(digits);
  return digits > 0 && entry.starts_with('-') && entry.size() == 1 + kDrawn.size();
}

// Whether it was there, of this user, and unlocked.
bool remove_one_left(files::Folder const& above, std::string const& name) {
  Result<files::Folder> const folder = above.inner(name);
  struct stat found {};
  if (!folder.ok() || ::fstat(folder->fd(), &found) != 0 || found.st_uid != ::geteuid()) return false;
  if (::flock(folder->fd(), LOCK_EX | LOCK_NB) != 0) return false;
  Result<std::vector<std::string>> const names = folder->names();
  if (!names.ok()) return false;
  std::error_code ignored;
  for (std::string const& one : names.value()) fs::remove_all(folder->path_here(one), ignored);
  // Only an empty folder goes, and links are none.
  return above.is_name_of(name, folder->fd()) && ::unlinkat(above.fd(), name.c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace

Result<WorkFolder> WorkFolder::make(std::string_view name) {
  std::string const pattern =
      temporary_folder() + "/" + std::string{name} + "-" + std::to_string(::getpid()) + "-" + std::string{kDrawn};
  for (int tries = 0; tries < kMakeTriesMax; ++tries) {
    std::string path = pattern;
    if (::mkdtemp(path.data()) == nullptr) return files::failure("mkdtemp of", pattern, errno);
    files::Descriptor lock{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    // Until it was locked it looked like one that was left.
    if (!lock.is_open() && errno == ENOENT) continue;
    if (!lock.is_open()) return files::failure("open of", path, errno);
    // Where a file system cannot lock folders, they are not removed either.
    bool const is_taken = ::flock(lock.fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat opened {};
    struct stat named {};
    bool const is_there = ::fstat(lock.fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
                          opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    if (!is_taken && is_there) return WorkFolder{std::move(path), std::move(lock)};
  }
  return files::failure("flock of", pattern, EWOULDBLOCK);
}

void WorkFolder::remove_left(std::string_view name) {
  Result<files::Folder> const above = files::Folder::open(temporary_folder());
  if (!above.ok()) return;
  Result<std::vector<std::string>> const names = above->names();
  if (!names.ok()) return;
  int removed = 0;
  for (std::string const& one : names.value())
    if (removed < kLeftMax && is_work_folder(one, name) && remove_one_left(above.value(), one)) ++removed;
}

WorkFolder& WorkFolder::operator=(WorkFolder&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, {});
  lock_ = std::move(other.lock_);
  return *this;
}

WorkFolder::~WorkFolder() { remove(); }

// Its lock goes last.
void WorkFolder::remove() {
  std::error_code ignored;
  if (lock_.is_open()) fs::remove_all(path_, ignored);
  lock_.close();
}

}  // namespace fastjournal::cli
