#include "spool/posix_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "spool/record.h"

namespace fastjournal::spool {
namespace {

constexpr std::uint64_t kProgressBytesMax = std::uint64_t{1} << 20U;  // then it is written anew
constexpr std::uint64_t kAsideBytesMax = std::uint64_t{1} << 30U;
constexpr std::string_view kHeldEnding{".rows"};
constexpr std::uint32_t kNamesTried = 100'000;

Status failure(std::string_view call, std::string const& path, int error) {
  Code const code = error == ENOSPC || error == EDQUOT ? Code::no_space : Code::io_error;
  return Status{code, std::string{call} + " " + path + ": " + std::strerror(error)}.with("path", path);
}

struct Descriptor {
  explicit Descriptor(int number) : fd(number) {}
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int const fd;
};

Status make_folder(std::string const& path) {
  if (::mkdir(path.c_str(), 0750) == 0 || errno == EEXIST) return {};
  return failure("mkdir of", path, errno);
}

Status sync_folder(std::string const& path) {
  Descriptor const folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.fd < 0) return failure("open of", path, errno);
  return ::fsync(folder.fd) == 0 ? Status{} : failure("fsync of", path, errno);
}

Status read_at(int fd, std::string const& path, std::uint64_t offset, std::size_t bytes, std::string& to) {
  std::size_t const before = to.size();
  to.resize(before + bytes);
  std::size_t done = 0;
  while (done < bytes) {
    ssize_t const got = ::pread(fd, to.data() + before + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      int const error = errno;
      to.resize(before);
      return failure("read of", path, error);
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  to.resize(before + done);
  return {};
}

// Appends and makes durable. What a failure leaves behind is passed over by whoever reads it.
Status append(int fd, std::string const& path, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write to", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fdatasync(fd) == 0 ? Status{} : failure("fdatasync of", path, errno);
}

// Zeros without disk space, or at least zeros.
Status punch(int fd, std::string const& path, std::uint64_t from, std::uint64_t to) {
  if (from >= to) return {};
  if (::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                  static_cast<off_t>(to - from)) == 0)
    return {};
  if (errno != EOPNOTSUPP) return failure("fallocate of", path, errno);
  std::string const zeros(std::size_t{64} << 10U, '\0');
  while (from < to) {
    ssize_t const written =
        ::pwrite(fd, zeros.data(), std::min<std::uint64_t>(zeros.size(), to - from), static_cast<off_t>(from));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write to", path, errno);
    from += static_cast<std::uint64_t>(written);
  }
  return {};
}

// ---------------------------------------------------------------------------
// Progress

std::string line_of(Progress const& progress) {
  std::string line = fmt::format("{} {} {} {} {} {}", progress.instance.device, progress.instance.inode,
                                 progress.instance.birth_ns, progress.client, progress.offset, progress.ordinal);
  return line + fmt::format(" {:016x}\n", hash64(line));
}

// False: cut by the end of an earlier forwarder, or damaged.
bool read_line(std::string const& line, Progress& progress) {
  std::size_t const mark = line.rfind(' ');
  if (mark == std::string::npos || fmt::format("{:016x}", hash64(line.substr(0, mark))) != line.substr(mark + 1))
    return false;
  std::istringstream in{line.substr(0, mark)};
  in >> progress.instance.device >> progress.instance.inode >> progress.instance.birth_ns >> progress.client >>
      progress.offset >> progress.ordinal;
  return !in.fail();
}

}  // namespace

// A file of rows. Its name changes when it is ended.
struct PosixFolder::File {
  explicit File(int number) : descriptor(number) {}
  [[nodiscard]] int fd() const { return descriptor.fd; }

  Descriptor descriptor;
  std::string folder;
  Place place;
  bool is_read_only{false};

  [[nodiscard]] std::string path() const { return folder + "/" + name_of(place); }
};

PosixFolder::PosixFolder(std::string folder) : folder_(std::move(folder)), own_(folder_ + "/forwarder") {}

PosixFolder::~PosixFolder() {
  for (auto const& [table, fd] : held_) ::close(fd);
  for (int const fd : {aside_, progress_, lock_})
    if (fd >= 0) ::close(fd);
}

Result<std::unique_ptr<PosixFolder>> PosixFolder::open(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  struct stat look {};
  if (::stat(folder.c_str(), &look) != 0) return failure("stat of", folder, errno);
  std::unique_ptr<PosixFolder> out{new PosixFolder{std::move(folder)}};
  for (std::string const& path : {out->folder_ + "/" + std::string{kClosingFolder}, out->own_, out->own_ + "/held"})
    if (Status status = make_folder(path); !status.ok()) return status;

  std::string const lock = out->own_ + "/lock";
  out->lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (out->lock_ < 0) return failure("open of", lock, errno);
  if (::flock(out->lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failure("flock of", lock, errno);
    std::string process;
    static_cast<void>(read_at(out->lock_, lock, 0, 16, process));
    return Status{Code::in_use, "another forwarder, process " + process + ", has " + out->folder_}.with("path",
                                                                                                        out->folder_);
  }
  std::string const process = std::to_string(::getpid());
  if (::ftruncate(out->lock_, 0) != 0 || ::pwrite(out->lock_, process.data(), process.size(), 0) < 0)
    return failure("write to", lock, errno);

  std::string const progress = out->own_ + "/progress";
  out->progress_ = ::open(progress.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (out->progress_ < 0) return failure("open of", progress, errno);
  if (::fstat(out->progress_, &look) != 0) return failure("fstat of", progress, errno);
  std::string text;
  if (Status status = read_at(out->progress_, progress, 0, static_cast<std::size_t>(look.st_size), text); !status.ok())
    return status;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (Progress read; read_line(line, read)) out->kept_[read.instance] = read;
  // A file that is not there any more is forgotten: a later one may get its number.
  Result<std::vector<Listed>> listed = out->list();
  if (!listed.ok()) return listed.status();
  std::erase_if(out->kept_, [&](auto const& entry) { return !out->files_.contains(entry.first); });
  if (Status status = out->write_progress(); !status.ok()) return status;
  return out;
}

PosixFolder::File& PosixFolder::at(Instance const& file) {
  auto const found = files_.find(file);
  FJ_CHECK(found != files_.end(), "the forwarder names files that were listed");
  return *found->second;
}

// ---------------------------------------------------------------------------
// Files of rows

Result<std::vector<Listed>> PosixFolder::list() {
  std::vector<Listed> out;
  if (Status status = list_in(folder_, false, out); !status.ok()) return status;
  if (Status status = list_in(folder_ + "/" + std::string{kClosingFolder}, true, out); !status.ok()) return status;
  std::set<Instance> there;
  for (Listed const& one : out) there.insert(one.instance);
  std::erase_if(files_, [&](auto const& entry) { return !there.contains(entry.first); });
  return out;
}

Status PosixFolder::list_in(std::string const& folder, bool is_ended, std::vector<Listed>& out) {
  std::unique_ptr<DIR, int (*)(DIR*)> const listing{::opendir(folder.c_str()), ::closedir};
  if (listing == nullptr) return failure("opendir of", folder, errno);
  while (dirent const* const entry = ::readdir(listing.get())) {
    std::optional<Place> const place = place_of(entry->d_name);
    if (!place) continue;
    struct statx look {};
    unsigned const wanted = STATX_TYPE | STATX_INO | STATX_SIZE | STATX_BTIME;
    if (::statx(::dirfd(listing.get()), entry->d_name, AT_SYMLINK_NOFOLLOW, wanted, &look) != 0) {
      if (errno == ENOENT) continue;  // moved or deleted meanwhile
      return failure("statx of", folder + "/" + entry->d_name, errno);
    }
    if (!S_ISREG(look.stx_mode)) continue;
    Instance const instance{gnu_dev_makedev(look.stx_dev_major, look.stx_dev_minor), look.stx_ino,
                            look.stx_btime.tv_sec * 1'000'000'000 + look.stx_btime.tv_nsec};
    std::unique_ptr<File>& file = files_[instance];
    if (file == nullptr) {
      bool is_read_only = false;
      int fd = ::openat(::dirfd(listing.get()), entry->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
      if (fd < 0 && (errno == EACCES || errno == EPERM)) {
        is_read_only = true;
        fd = ::openat(::dirfd(listing.get()), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
      }
      if (fd < 0) {
        int const error = errno;
        files_.erase(instance);
        if (error == ENOENT) continue;
        return failure("open of", folder + "/" + entry->d_name, error);
      }
      file = std::make_unique<File>(fd);
      file->is_read_only = is_read_only;
      // Between statx and open another file may have got the name.
      struct stat opened {};
      if (::fstat(fd, &opened) != 0 || opened.st_ino != instance.inode) {
        files_.erase(instance);
        continue;
      }
    }
    file->folder = folder;
    file->place = *place;
    out.push_back({instance, *place, look.stx_size, is_ended});
  }
  return {};
}

Status PosixFolder::read(Instance const& file, std::uint64_t offset, std::size_t bytes, std::string& to) {
  File const& from = at(file);
  return read_at(from.fd(), from.path(), offset, bytes, to);
}

Status PosixFolder::sync(Instance const& file) {
  File const& what = at(file);
  return ::fdatasync(what.fd()) == 0 ? Status{} : failure("fdatasync of", what.path(), errno);
}

Status PosixFolder::erase(Instance const& file, std::uint64_t from, std::uint64_t to) {
  File const& what = at(file);
  return what.is_read_only ? Status{} : punch(what.fd(), what.path(), from, to);
}

Status PosixFolder::end(Instance const& file) {
  File& what = at(file);
  struct stat look {};
  if (::fstat(what.fd(), &look) != 0) return failure("fstat of", what.path(), errno);
  if (::fchmod(what.fd(), look.st_mode & 0555U) != 0) return failure("fchmod of", what.path(), errno);
  std::string const before = what.path();
  std::string const closing = folder_ + "/" + std::string{kClosingFolder};
  // An earlier file of this name may still be there.
  Place place = what.place;
  for (std::uint32_t tries = 0; tries < kNamesTried; ++tries, ++place.number) {
    std::string const next = closing + "/" + name_of(place);
    if (::renameat2(AT_FDCWD, before.c_str(), AT_FDCWD, next.c_str(), RENAME_NOREPLACE) == 0) {
      what.folder = closing;
      what.place = place;
      return {};
    }
    if (errno != EEXIST) return failure("rename of", before, errno);
  }
  return failure("rename of", before, EEXIST);
}

Result<bool> PosixFolder::is_left(Instance const& file) {
  File const& what = at(file);
  if (::flock(what.fd(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  return failure("flock of", what.path(), errno);
}

Status PosixFolder::remove(Instance const& file) {
  std::string const path = at(file).path();
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failure("unlink of", path, errno);
  files_.erase(file);
  kept_.erase(file);
  return {};
}

// ---------------------------------------------------------------------------
// What is kept

Result<std::vector<Progress>> PosixFolder::kept() {
  std::vector<Progress> out;
  for (auto const& [instance, progress] : kept_) out.push_back(progress);
  return out;
}

Status PosixFolder::keep(std::vector<Progress> const& progress) {
  std::string lines;
  for (Progress const& one : progress) lines += line_of(one);
  if (progress_bytes_ + lines.size() > kProgressBytesMax) {
    std::map<Instance, Progress> before = kept_;
    for (Progress const& one : progress) kept_[one.instance] = one;
    Status status = write_progress();
    if (!status.ok()) kept_ = std::move(before);
    return status;
  }
  if (Status status = append(progress_, own_ + "/progress", lines); !status.ok()) {
    // A line that was cut must not be the beginning of the next one.
    static_cast<void>(append(progress_, own_ + "/progress", "\n"));
    return status;
  }
  progress_bytes_ += lines.size();
  for (Progress const& one : progress) kept_[one.instance] = one;
  return {};
}

// Anew, and in place of the old one at once.
Status PosixFolder::write_progress() {
  std::string const path = own_ + "/progress";
  std::string const next = path + ".new";
  std::string lines;
  for (auto const& [instance, progress] : kept_) lines += line_of(progress);
  int const fd = ::open(next.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd < 0) return failure("open of", next, errno);
  Status status = append(fd, next, lines);
  if (status.ok() && ::rename(next.c_str(), path.c_str()) != 0) status = failure("rename of", next, errno);
  if (status.ok()) status = sync_folder(own_);
  if (!status.ok()) {
    ::close(fd);
    return status;
  }
  ::close(progress_);
  progress_ = fd;
  progress_bytes_ = lines.size();
  return {};
}

// ---------------------------------------------------------------------------
// Rows that wait, and rows that were refused

Result<std::vector<std::string>> PosixFolder::held_tables() {
  std::string const folder = own_ + "/held";
  std::unique_ptr<DIR, int (*)(DIR*)> const listing{::opendir(folder.c_str()), ::closedir};
  if (listing == nullptr) return failure("opendir of", folder, errno);
  std::vector<std::string> out;
  while (dirent const* const entry = ::readdir(listing.get())) {
    std::string const name = entry->d_name;
    if (name.size() > kHeldEnding.size() && name.ends_with(kHeldEnding))
      out.push_back(name.substr(0, name.size() - kHeldEnding.size()));
  }
  return out;
}

Result<int> PosixFolder::open_held(std::string const& table, bool create) {
  if (auto const found = held_.find(table); found != held_.end()) return found->second;
  FJ_CHECK(table.find('/') == std::string::npos, "the forwarder holds tables with a proper name");
  std::string const path = own_ + "/held/" + table + std::string{kHeldEnding};
  int const fd = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0), 0640);
  if (fd < 0) return errno == ENOENT && !create ? Result<int>{-1} : failure("open of", path, errno);
  if (create)
    if (Status status = sync_folder(own_ + "/held"); !status.ok()) {
      ::close(fd);
      return status;
    }
  return held_[table] = fd;
}

Status PosixFolder::read_held(std::string const& table, std::uint64_t offset, std::size_t bytes, std::string& to) {
  Result<int> const fd = open_held(table, false);
  if (!fd.ok()) return fd.status();
  return fd.value() < 0 ? Status{} : read_at(fd.value(), own_ + "/held/" + table, offset, bytes, to);
}

Status PosixFolder::hold(std::string const& table, std::string_view records) {
  Result<int> const fd = open_held(table, true);
  return fd.ok() ? append(fd.value(), own_ + "/held/" + table, records) : fd.status();
}

Status PosixFolder::erase_held(std::string const& table, std::uint64_t to) {
  Result<int> const fd = open_held(table, false);
  if (!fd.ok()) return fd.status();
  if (fd.value() < 0) return {};
  std::string const path = own_ + "/held/" + table;
  if (Status status = punch(fd.value(), path, 0, to); !status.ok()) return status;
  return ::fdatasync(fd.value()) == 0 ? Status{} : failure("fdatasync of", path, errno);
}

Status PosixFolder::remove_held(std::string const& table) {
  std::string const path = own_ + "/held/" + table + std::string{kHeldEnding};
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failure("unlink of", path, errno);
  if (auto const found = held_.find(table); found != held_.end()) {
    ::close(found->second);
    held_.erase(found);
  }
  return {};
}

Status PosixFolder::set_aside(std::string_view record, Status const& why) {
  std::string const path = own_ + "/aside.rows";
  if (aside_ < 0) {
    aside_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (aside_ < 0) return failure("open of", path, errno);
    if (Status status = sync_folder(own_); !status.ok()) return status;
  }
  struct stat look {};
  if (::fstat(aside_, &look) != 0) return failure("fstat of", path, errno);
  if (static_cast<std::uint64_t>(look.st_size) + record.size() > kAsideBytesMax)
    return Status{Code::over_limit, path + " has 1 GiB of rows that were set aside: look at them and remove it"}.with(
        "path", path);
  std::vector<Param> const params{{"code", Value::of_text(row_of(why.code()).wire_name)},
                                  {"reason", Value::of_text(why.message())},
                                  {"date", Value::of_integer(static_cast<std::int64_t>(::time(nullptr)) * 1000)},
                                  {"record", Value::of_binary(record)}};
  std::string out;
  if (Status status = append_record(params, out); !status.ok()) return status;
  return append(aside_, path, out);
}

}  // namespace fastjournal::spool
