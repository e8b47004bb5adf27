// Files by system calls. Every errno becomes a Status at once.
#include "platform/os/posix_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::os {

namespace {

constexpr mode_t kFolderMode = 0750;
constexpr mode_t kModeBits = 07777;
constexpr mode_t kPermissions = 0777;
constexpr char kLockName[] = "lock";
// The process id and blanks, then a line feed: fixed size, so that rewriting it does not touch the notes after it.
constexpr std::size_t kPidBytes = 16;
constexpr off_t kNotesAt = kPidBytes;
constexpr std::size_t kNoteBytesMax = 1U << 20U;
// No open waits, whatever kind of file has the name, and no link is followed.
constexpr int kSafely = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

Status failure(std::string_view call, std::string_view path, int error) {
  Code code = Code::io_error;
  std::string_view advice;
  if (error == ENOSPC || error == EDQUOT) code = Code::no_space;
  if (error == ENOENT) code = Code::not_found;
  if (error == EEXIST || error == EWOULDBLOCK) code = Code::in_use;
  if (error == EACCES || error == EPERM) advice = "; give the user that the daemon runs as rights to write there";
  if (error == EROFS) advice = "; mount it for writing";
  if (!advice.empty()) code = Code::not_allowed;
  if (error == ELOOP) {
    code = Code::bad_configuration;
    advice = "; a symbolic link is not followed here: put the file itself there";
  }
  return {code, fmt::format("{} {}: {}{}", call, path, std::generic_category().message(error), advice)};
}

// Repeats the call while a signal interrupts it.
template <typename Call>
auto uninterrupted(Call call) {
  decltype(call()) result{};
  do {
    result = call();
  } while (result == -1 && errno == EINTR);
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    // Not repeated on EINTR: Linux has already closed it.
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  // The descriptor now has another owner.
  void release() { fd_ = -1; }

 private:
  int fd_;
};

// Regular files only: reads and writes on a device, a pipe or a socket mean something else.
Status check_is_file(int fd, std::string const& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return failure("fstat", path, errno);
  if (S_ISREG(info.st_mode)) return {};
  return {Code::bad_configuration, fmt::format("open {}: this is no file, and one is expected: remove it", path)};
}

bool same(struct stat const& one, struct stat const& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

class PosixFile final : public env::File {
 public:
  // `place`: where it was opened; its folder is -1 if its name does not matter.
  PosixFile(Descriptor descriptor, std::string path, PosixDisk::Place place)
      : fd_(std::move(descriptor)), path_(std::move(path)), place_(std::move(place)) {}

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      ssize_t const got = uninterrupted([&] {
        return ::pread(fd_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      });
      if (got < 0) return failure("read", path_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  void expect(std::uint64_t offset, std::uint64_t bytes) override {
    static_cast<void>(
        ::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED));
  }
  void forget_cached(std::uint64_t offset, std::uint64_t bytes) override {
    static_cast<void>(
        ::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED));
  }

  Status write(std::uint64_t offset, std::span<std::byte const> bytes) override {
    while (!bytes.empty()) {
      ssize_t const put =
          uninterrupted([&] { return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
      if (put < 0) return failure("write", path_, errno);
      // Nothing was written, without an error: retrying could go on for ever.
      if (put == 0) return failure("write", path_, EIO);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    }
    return {};
  }

  Status write_through(std::uint64_t offset, std::span<std::byte const> bytes) override {
    if (!direct_.is_open())
      if (Status status = open_direct(); !status.ok()) return status;
    for (bool first = true; !bytes.empty(); first = false) {
      // The kernel only reads the bytes.
      iovec const part{const_cast<std::byte*>(bytes.data()), bytes.size()};
      ssize_t const put =
          uninterrupted([&] { return ::pwritev2(direct_.get(), &part, 1, static_cast<off_t>(offset), RWF_DSYNC); });
      if (put < 0) return first ? not_direct(errno) : failure("write", path_, errno);
      if (put == 0) return failure("write", path_, EIO);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    }
    return {};
  }

  Status sync() override {
    // Not repeated after any error.
    if (::fdatasync(fd_.get()) != 0) return failure("sync", path_, errno);
    return {};
  }

  Result<std::uint64_t> size() override {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0) return failure("fstat", path_, errno);
    return static_cast<std::uint64_t>(info.st_size);
  }

  Status truncate(std::uint64_t size) override {
    if (uninterrupted([&] { return ::ftruncate(fd_.get(), static_cast<off_t>(size)); }) != 0)
      return failure("truncate", path_, errno);
    return {};
  }

  Status reserve(std::uint64_t offset, std::uint64_t bytes) override {
    if (bytes == 0) return {};
    auto const at = static_cast<off_t>(offset);
    auto const size = static_cast<off_t>(bytes);
    if (uninterrupted([&] { return ::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, at, size); }) == 0) return {};
    return failure_or_not_supported("reserve space in");
  }

  Status punch(std::uint64_t offset, std::uint64_t bytes) override {
    if (bytes == 0) return {};
    constexpr int kHow = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    auto const at = static_cast<off_t>(offset);
    auto const size = static_cast<off_t>(bytes);
    if (uninterrupted([&] { return ::fallocate(fd_.get(), kHow, at, size); }) == 0) return {};
    return failure_or_not_supported("give space back of");
  }

  Status look() override {
    struct stat mine {};
    struct stat named {};
    if (::fstat(fd_.get(), &mine) != 0) return failure("fstat", path_, errno);
    bool const has_name = ::fstatat(place_.folder, place_.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0;
    if (has_name ? same(mine, named) : mine.st_nlink > 0 && errno != ENOENT) return {};
    char const* const how = mine.st_nlink == 0 ? "was removed, or another file put in its place," : "was moved away";
    return {Code::damaged, fmt::format("{} {} while it was in use", path_, how)};
  }

  int descriptor() const override { return fd_.get(); }

  // Not dup(2): a duplicate can write if this one can, and both have one offset.
  Result<std::unique_ptr<env::File>> reopen_to_read() override {
    std::string const self = fmt::format("/proc/self/fd/{}", fd_.get());
    Descriptor reader{uninterrupted([&] { return ::open(self.c_str(), O_RDONLY | O_CLOEXEC); })};
    if (!reader.is_open()) return failure("open for reading", path_, errno);
    return std::unique_ptr<env::File>{
        std::make_unique<PosixFile>(std::move(reader), path_, PosixDisk::Place{.folder = -1, .name = "."})};
  }

 private:
  Status open_direct() {
    Descriptor direct{
        uninterrupted([&] { return ::openat(place_.folder, place_.name.c_str(), O_WRONLY | O_DIRECT | kSafely); })};
    if (!direct.is_open()) return not_direct(errno);
    struct stat mine {};
    struct stat named {};
    if (::fstat(fd_.get(), &mine) != 0 || ::fstat(direct.get(), &named) != 0) return failure("fstat", path_, errno);
    if (!same(mine, named))
      return {Code::damaged, fmt::format("{} is another file than a moment ago: somebody replaced it", path_)};
    direct_ = std::move(direct);
    return {};
  }
  [[nodiscard]] Status failure_or_not_supported(std::string_view call) const {
    int const error = errno;
    Status status = failure(call, path_, error);
    if (error == EOPNOTSUPP || error == ENOSYS || error == EINVAL) return {Code::not_supported, status.message()};
    return status;
  }
  [[nodiscard]] Status not_direct(int error) const {
    if (error == EINVAL || error == EOPNOTSUPP || error == ENOSYS)
      return {Code::not_supported, fmt::format("direct write {}: {}", path_, std::generic_category().message(error))};
    return failure("write", path_, error);
  }

  Descriptor fd_;
  Descriptor direct_{-1};
  std::string path_;
  PosixDisk::Place place_;
};

// Whole lines only: the last one may be incomplete.
std::string note_in(int fd) {
  struct stat info {};
  std::uint64_t const there =
      ::fstat(fd, &info) == 0 ? static_cast<std::uint64_t>(std::max<off_t>(0, info.st_size)) : 0;
  // A folder has one for as long as it is locked: not more memory than that.
  std::string out(std::min<std::uint64_t>(kNoteBytesMax, there), '\0');
  ssize_t const got = ::pread(fd, out.data(), out.size(), kNotesAt);
  out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  std::size_t const end = out.rfind('\n');
  out.resize(end == std::string::npos ? 0 : end + 1);
  return out;
}

std::string holder_of(int fd) {
  char text[32]{};
  ssize_t const got = ::pread(fd, text, sizeof text - 1, 0);
  std::string_view const pid(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  std::size_t const digits = std::min(pid.find_first_not_of("0123456789"), pid.size());
  return std::string(pid.substr(0, digits));
}

// The file names the last writer: a reader does not write, not even its process id.
Status locked_by_another(std::string const& name, int locked, int file) {
  if (uninterrupted([&] { return ::flock(locked, LOCK_SH | LOCK_NB); }) == 0)
    return {Code::in_use, fmt::format("lock {}: held by a program that reads the folder", name)};
  std::string const pid = file < 0 ? std::string{} : holder_of(file);
  return Status(Code::in_use, fmt::format("lock {}: held by process {}", name, pid.empty() ? "unknown" : pid))
      .with("holder", pid);
}

// Network file systems may not support locks of folders; then the lock of the file must suffice.
bool knows_no_lock(int error) {
  return error == EBADF || error == EINVAL || error == EOPNOTSUPP || error == ENOLCK || error == ENOSYS;
}

Descriptor open_folder(std::string const& name) {
  return Descriptor{uninterrupted([&] { return ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
}

// Syncs the folders above `path`, so that their names are durable. Not only the new ones: an earlier process may have
// ended before its names were durable. A folder without read permission cannot be synced alone: its file system is.
Status sync_above(std::string const& path) {
  bool all = true;
  for (std::string at = path; at != "." && at != "/";) {
    std::size_t const slash = at.rfind('/');
    at = slash == std::string::npos ? std::string{"."} : slash == 0 ? std::string{"/"} : at.substr(0, slash);
    Descriptor const folder = open_folder(at);
    all = all && folder.is_open();
    if (folder.is_open() && ::fsync(folder.get()) != 0 && errno != EINVAL && errno != EROFS)
      return failure("sync folder", at, errno);
  }
  if (all) return {};
  Descriptor const folder = open_folder(path);
  if (folder.is_open() && ::syncfs(folder.get()) != 0) return failure("sync file system of", path, errno);
  return {};
}

}  // namespace

struct PosixDisk::LockedFolder {
  Descriptor folder;
  std::string path;  // complete, for people, and to check what it refers to
};

// By path relative to the root.
class PosixDisk::LockedFolders {
 public:
  void add(std::string const& path, std::shared_ptr<LockedFolder> locked) {
    std::scoped_lock const lock{mutex_};
    folders_[path] = std::move(locked);
  }
  void remove(std::shared_ptr<LockedFolder> const& locked) {
    std::scoped_lock const lock{mutex_};
    std::erase_if(folders_, [&](auto const& one) { return one.second == locked; });
  }
  [[nodiscard]] std::shared_ptr<LockedFolder> find(std::string_view path) {
    std::scoped_lock const lock{mutex_};
    auto const found = folders_.find(path);
    return found == folders_.end() ? nullptr : found->second;
  }
  // Their names were exchanged.
  void exchange(std::string_view one, std::string_view other) {
    std::scoped_lock const lock{mutex_};
    std::map<std::string, std::shared_ptr<LockedFolder>, std::less<>> moved;
    for (auto& [path, locked] : folders_)
      moved[std::string{path == one ? other : path == other ? one : std::string_view{path}}] = std::move(locked);
    folders_ = std::move(moved);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<LockedFolder>, std::less<>> folders_;
};

class PosixDisk::Lock final : public env::FolderLock {
 public:
  Lock(std::shared_ptr<LockedFolders> all, std::shared_ptr<LockedFolder> locked, Descriptor file, std::string note)
      : all_(std::move(all)), locked_(std::move(locked)), file_(std::move(file)), note_(std::move(note)) {}
  ~Lock() override { all_->remove(locked_); }
  Lock(Lock const&) = delete;
  Lock& operator=(Lock const&) = delete;

  Status look() override {
    std::string const& path = locked_->path;
    struct stat mine {};
    struct stat named {};
    if (::fstat(locked_->folder.get(), &mine) != 0) return failure("fstat", path, errno);
    if (mine.st_nlink == 0) return lost(fmt::format("the folder {} was removed", path));
    if (::stat(path.c_str(), &named) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return lost(fmt::format("the folder {} was moved away", path));
      return failure("stat", path, errno);
    }
    if (!same(mine, named)) return lost(fmt::format("another folder was put in the place of {}", path));
    if (!file_.is_open()) return {};
    if (::fstat(file_.get(), &mine) != 0) return failure("fstat", path, errno);
    bool const is_there = ::fstatat(locked_->folder.get(), kLockName, &named, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && same(mine, named)) return {};
    return lost(fmt::format("the lock {}/{} was removed or replaced", path, kLockName));
  }

  std::string const& note() const override { return note_; }

  Status add_note(std::string_view line) override {
    std::string const text = std::string{line} + "\n";
    auto const at = static_cast<off_t>(kNotesAt + note_.size());
    if (uninterrupted([&] { return ::pwrite(file_.get(), text.data(), text.size(), at); }) !=
        static_cast<ssize_t>(text.size()))
      return failure("write", locked_->path + "/" + kLockName, errno);
    if (::ftruncate(file_.get(), at + static_cast<off_t>(text.size())) != 0 || ::fdatasync(file_.get()) != 0 ||
        ::fsync(locked_->folder.get()) != 0)
      return failure("sync", locked_->path + "/" + kLockName, errno);
    note_ += text;
    return {};
  }

 private:
  [[nodiscard]] static Status lost(std::string what) {
    return {Code::damaged, std::move(what) + " while it was in use"};
  }

  std::shared_ptr<LockedFolders> all_;
  std::shared_ptr<LockedFolder> locked_;
  // Closing it releases the lock. The file is not removed: otherwise a third opener could lock a new one.
  Descriptor file_;
  std::string note_;
};

PosixDisk::PosixDisk(std::string root, mode_t file_mode)
    : root_(std::move(root)), file_mode_(file_mode), locked_(std::make_shared<LockedFolders>()) {}

std::string PosixDisk::full(std::string_view path) const {
  if (path.empty()) return root_;
  return fmt::format("{}/{}", root_, path);
}

PosixDisk::Place PosixDisk::place_of(std::string_view path) const {
  if (auto locked = locked_->find(path)) return {locked, locked->folder.get(), "."};
  // The nearest locked folder.
  for (std::size_t slash = path.rfind('/');; slash = path.rfind('/', slash - 1)) {
    std::string_view const above = slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
    if (auto locked = path.empty() ? nullptr : locked_->find(above))
      return {locked, locked->folder.get(), std::string{above.empty() ? path : path.substr(slash + 1)}};
    if (slash == std::string_view::npos || slash == 0) break;
  }
  return {nullptr, AT_FDCWD, full(path)};
}

Result<std::unique_ptr<env::File>> PosixDisk::open(std::string_view path, env::OpenMode mode) {
  int flags = kSafely;
  if (mode == env::OpenMode::read_only) flags |= O_RDONLY;
  if (mode == env::OpenMode::read_write) flags |= O_RDWR;
  bool const is_closed = mode == env::OpenMode::create_closed;
  if (is_closed || mode == env::OpenMode::create_new) flags |= O_RDWR | O_CREAT | O_EXCL;
  mode_t const made_mode = is_closed ? mode_t{0600} : file_mode_;
  std::string name = full(path);
  Place place = place_of(path);
  Descriptor descriptor(uninterrupted([&] { return ::openat(place.folder, place.name.c_str(), flags, made_mode); }));
  if (!descriptor.is_open()) return failure("open", name, errno);
  if (Status status = check_is_file(descriptor.get(), name); !status.ok()) return status;
  return std::unique_ptr<env::File>(
      std::make_unique<PosixFile>(std::move(descriptor), std::move(name), std::move(place)));
}

Status PosixDisk::make_folder(std::string_view path) {
  std::string const name = full(path);
  Place const place = place_of(path);
  for (std::size_t slash = place.name.find('/', 1);; slash = place.name.find('/', slash + 1)) {
    std::string const part = place.name.substr(0, slash);
    if (::mkdirat(place.folder, part.c_str(), kFolderMode) != 0 && errno != EEXIST)
      return failure("make folder", place.locked == nullptr ? part : name, errno);
    if (slash == std::string::npos) break;
  }
  // EEXIST does not tell what kind of file it is.
  struct stat info {};
  if (::fstatat(place.folder, place.name.c_str(), &info, 0) != 0) return failure("stat", name, errno);
  if (!S_ISDIR(info.st_mode)) return failure("make folder", name, ENOTDIR);
  return place.locked == nullptr ? sync_above(root_) : Status{};
}

Result<std::vector<std::string>> PosixDisk::list(std::string_view path) {
  std::string const name = full(path);
  Place const place = place_of(path);
  Descriptor descriptor(
      uninterrupted([&] { return ::openat(place.folder, place.name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open()) return failure("list", name, errno);
  std::unique_ptr<DIR, int (*)(DIR*)> const folder(::fdopendir(descriptor.get()),
                                                   [](DIR* dir) { return ::closedir(dir); });
  if (folder == nullptr) return failure("list", name, errno);
  descriptor.release();
  std::vector<std::string> out;
  for (;;) {
    errno = 0;
    dirent const* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    std::string_view const found = entry->d_name;
    if (found != "." && found != "..") out.emplace_back(found);
  }
  if (errno != 0) return failure("list", name, errno);
  std::sort(out.begin(), out.end());
  return out;
}

Status PosixDisk::rename(std::string_view from, std::string_view to) {
  Place const before = place_of(from);
  Place const after = place_of(to);
  if (::renameat(before.folder, before.name.c_str(), after.folder, after.name.c_str()) != 0)
    return failure("rename", full(from), errno);
  return {};
}

Status PosixDisk::exchange(std::string_view one, std::string_view other) {
  std::string const name = full(one);
  // By path: the name of a locked folder is in the folder above it.
  if (::renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, full(other).c_str(), RENAME_EXCHANGE) == 0) {
    locked_->exchange(one, other);
    return {};
  }
  Status const status = failure("exchange names with", name, errno);
  // The error of old kernels, and of file systems without support for flags.
  if (errno == EINVAL || errno == ENOSYS) return {Code::not_supported, status.message()};
  return status;
}

Status PosixDisk::remove(std::string_view path) {
  Place const place = place_of(path);
  // The name of a locked folder is in the folder above it.
  bool const by_path = place.name == ".";
  int const folder = by_path ? AT_FDCWD : place.folder;
  std::string const name = by_path ? full(path) : place.name;
  if (::unlinkat(folder, name.c_str(), 0) == 0) return {};
  int const error = errno;
  if (error == EISDIR && ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0) return {};
  return failure("remove", full(path), error);
}

// Made under another name first, as a link is never changed in place.
Status PosixDisk::point(std::string_view link, std::string_view target) {
  Place const place = place_of(link);
  std::string const fresh = place.name + ".making";
  std::string const to{target};
  if (::unlinkat(place.folder, fresh.c_str(), 0) != 0 && errno != ENOENT) return failure("remove", full(link), errno);
  if (::symlinkat(to.c_str(), place.folder, fresh.c_str()) != 0) return failure("make link", full(link), errno);
  if (::renameat(place.folder, fresh.c_str(), place.folder, place.name.c_str()) != 0)
    return failure("make link", full(link), errno);
  return {};
}

// What is so already is left alone: then it may belong to another user, as root's.
Status PosixDisk::give(std::string_view path, env::Access const& access) {
  std::string const name = full(path);
  Place const place = place_of(path);
  Descriptor const descriptor(
      uninterrupted([&] { return ::openat(place.folder, place.name.c_str(), O_RDONLY | kSafely); }));
  if (!descriptor.is_open()) return failure("open", name, errno);
  struct stat info {};
  if (::fstat(descriptor.get(), &info) != 0) return failure("stat", name, errno);
  mode_t wanted = access.mode;
  // An account that may read a folder may enter it.
  if (S_ISDIR(info.st_mode)) wanted |= 0100U | ((wanted & 0444U) >> 2U);
  // First whom it is to be kept from, then who is let in.
  if ((info.st_mode & kPermissions & ~wanted) != 0 &&
      ::fchmod(descriptor.get(), (info.st_mode & ~kPermissions & kModeBits) | (info.st_mode & wanted)) != 0)
    return failure("change the mode of", name, errno);
  if (access.group && info.st_gid != *access.group &&
      ::fchown(descriptor.get(), static_cast<uid_t>(-1), *access.group) != 0)
    return failure("change the group of", name, errno);
  if ((info.st_mode & kPermissions) != wanted &&
      ::fchmod(descriptor.get(), (info.st_mode & ~kPermissions & kModeBits) | wanted) != 0)
    return failure("change the mode of", name, errno);
  return {};
}

Status PosixDisk::let_through(std::string_view folder) {
  std::string const name = full(folder);
  Place const place = place_of(folder);
  Descriptor const descriptor(
      uninterrupted([&] { return ::openat(place.folder, place.name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open()) return failure("open", name, errno);
  struct stat info {};
  if (::fstat(descriptor.get(), &info) != 0) return failure("stat", name, errno);
  if ((info.st_mode & 0001U) != 0) return {};
  if (::fchmod(descriptor.get(), (info.st_mode & kModeBits) | 0001U) != 0)
    return failure("change the mode of", name, errno);
  return {};
}

Status PosixDisk::sync_folder(std::string_view path) {
  std::string const name = full(path);
  Place const place = place_of(path);
  Descriptor const descriptor(
      uninterrupted([&] { return ::openat(place.folder, place.name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open()) return failure("open", name, errno);
  if (::fsync(descriptor.get()) != 0) return failure("sync folder", name, errno);
  return {};
}

Result<std::unique_ptr<env::FolderLock>> PosixDisk::lock_folder(std::string_view path) {
  auto locked = std::make_shared<LockedFolder>(LockedFolder{open_folder(full(path)), full(path)});
  int const folder = locked->folder.get();
  if (!locked->folder.is_open()) return failure("open", full(path), errno);
  std::string const name = fmt::format("{}/{}", full(path), kLockName);
  bool const got_folder = uninterrupted([&] { return ::flock(folder, LOCK_EX | LOCK_NB); }) == 0;
  if (!got_folder && !knows_no_lock(errno)) {
    if (errno != EWOULDBLOCK) return failure("lock", full(path), errno);
    Descriptor const file(uninterrupted([&] { return ::openat(folder, kLockName, O_RDONLY | kSafely); }));
    return locked_by_another(name, folder, file.get());
  }
  Descriptor file(uninterrupted([&] { return ::openat(folder, kLockName, O_RDWR | O_CREAT | kSafely, file_mode_); }));
  if (!file.is_open()) return failure("open", name, errno);
  if (Status status = check_is_file(file.get(), name); !status.ok()) return status;
  if (uninterrupted([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK) return failure("lock", name, errno);
    return locked_by_another(name, file.get(), file.get());
  }
  std::string note = note_in(file.get());
  std::string const pid = fmt::format("{:<{}}\n", ::getpid(), kPidBytes - 1);
  // For people only: a full disk must not prevent a start.
  static_cast<void>(uninterrupted([&] { return ::pwrite(file.get(), pid.data(), pid.size(), 0); }));
  locked_->add(std::string{path}, locked);
  return std::unique_ptr<env::FolderLock>(
      std::make_unique<Lock>(locked_, std::move(locked), std::move(file), std::move(note)));
}

Result<std::unique_ptr<env::FolderLock>> PosixDisk::lock_folder_to_read(std::string_view path) {
  auto locked = std::make_shared<LockedFolder>(LockedFolder{open_folder(full(path)), full(path)});
  int const folder = locked->folder.get();
  std::string const name = fmt::format("{}/{}", full(path), kLockName);
  if (!locked->folder.is_open()) return failure("open", full(path), errno);
  Descriptor file(uninterrupted([&] { return ::openat(folder, kLockName, O_RDONLY | kSafely); }));
  if (!file.is_open() && errno != ENOENT) return failure("open", name, errno);
  if (uninterrupted([&] { return ::flock(folder, LOCK_SH | LOCK_NB); }) != 0 && !knows_no_lock(errno)) {
    if (errno != EWOULDBLOCK) return failure("lock", full(path), errno);
    return locked_by_another(name, folder, file.get());
  }
  if (file.is_open() && uninterrupted([&] { return ::flock(file.get(), LOCK_SH | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK) return failure("lock", name, errno);
    return locked_by_another(name, file.get(), file.get());
  }
  locked_->add(std::string{path}, locked);
  return std::unique_ptr<env::FolderLock>(
      std::make_unique<Lock>(locked_, std::move(locked), std::move(file), std::string{}));
}

Result<std::uint64_t> PosixDisk::free_bytes() {
  struct statvfs info {};
  if (uninterrupted([&] { return ::statvfs(root_.c_str(), &info); }) != 0) return failure("statvfs", root_, errno);
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace fastjournal::os
