#include "clients/spool/core/posix_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "clients/spool/core/disk.h"
#include "clients/spool/core/reader.h"
#include "clients/spool/core/record.h"
#include "wire/msgpack.h"

namespace fastjournal::spool {
namespace {

constexpr ::time_t kLinesQuietS = 60;
// The limit of open files is 1,024 at least, for these and the rest of the process.
constexpr std::size_t kOpenMax = 256;
constexpr std::size_t kLockedMax = 256;
constexpr std::uint32_t kNamesTried = 100'000;

// Producers of a list system take no lock. The kernel gives a lease of a file only while no other process has it open,
// and this one has no name that a producer opens. Without leases (a file of another user, some network file systems) it
// must not have been written for a minute: no producer holds it open for longer than one line.
Result<bool> is_ours_alone(int fd, std::string const& path) {
  if (::fcntl(fd, F_SETLEASE, F_WRLCK) == 0) {
    if (::fcntl(fd, F_SETLEASE, F_UNLCK) == 0) return true;
    return failure("end of the lease of", path, errno);
  }
  if (errno == EAGAIN) return false;
  struct stat look {};
  if (::fstat(fd, &look) != 0) return failure("fstat of", path, errno);
  return look.st_mtime + kLinesQuietS <= ::time(nullptr);
}

// A file that was ended cannot be written except by root, and its rows must be erased. The producers that still
// have it may save one more row each meanwhile, as before.
int open_rows(files::Folder const& folder, std::string const& name, bool& is_read_only) {
  int const fd = folder.open_file(name, O_RDWR);
  is_read_only = fd < 0 && (errno == EACCES || errno == EPERM);
  if (!is_read_only) return fd;
  int const readable = folder.open_file(name, O_RDONLY);
  struct stat look {};
  if (readable < 0 || ::fstat(readable, &look) != 0 || look.st_uid != ::geteuid() ||
      ::fchmod(readable, (look.st_mode & 0777U) | S_IWUSR) != 0)
    return readable;
  int const writable = folder.open_file(name, O_RDWR);
  static_cast<void>(::fchmod(readable, look.st_mode & 0777U));
  if (writable < 0) return readable;
  ::close(readable);
  is_read_only = false;
  return writable;
}

}  // namespace

// A file of rows. Its name changes when it is ended. It is open while it is in use, and as long as its lock is held.
struct PosixFolder::File {
  File() = default;
  File(File const&) = delete;
  File& operator=(File const&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }

  files::Folder const* folder{nullptr};
  std::string name{};
  Place place{};
  Instance found{};            // as the system tells it; the forwarder may know it under another one
  std::optional<Seed> seed{};  // of rows, once the head is there
  Status doubt{};              // what was kept of it is wrong
  int fd{-1};
  bool is_read_only{false};
  bool is_locked{false};                // no producer has it
  std::list<Instance>::iterator use{};  // if it is open and has no lock

  [[nodiscard]] std::string path() const { return folder->path_of(name); }
};

PosixFolder::PosixFolder(Folders folders, bool with_lines)
    : folders_(std::move(folders)),
      with_lines_(with_lines),
      syncs_(folders_.own),
      aside_(folders_.aside, syncs_),
      progress_(folders_.spool, folders_.closing, folders_.own) {}

PosixFolder::~PosixFolder() = default;

Result<std::unique_ptr<PosixFolder>> PosixFolder::open(std::string path, bool with_lines) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  Result<files::Folder> spool = files::Folder::open(std::move(path));
  if (!spool.ok()) return spool.status();
  Result<files::Folder> closing = spool->own(std::string{kClosingFolder}, true);
  if (!closing.ok()) return closing.status();
  Result<files::Folder> own = spool->own(std::string{kOwnFolder}, true);
  if (!own.ok()) return own.status();
  Result<files::Folder> held = own->own(std::string{kHeldFolder}, true);
  if (!held.ok()) return held.status();
  Result<files::Folder> aside = own->own(std::string{kAsideFolder}, true);
  if (!aside.ok()) return aside.status();
  std::unique_ptr<PosixFolder> out{
      new PosixFolder{Folders{std::move(spool).value(), std::move(closing).value(), std::move(own).value(),
                              std::move(held).value(), std::move(aside).value()},
                      with_lines}};
  // Of an earlier forwarder that ended in between.
  if (Status status = out->folders_.held.sync(); !status.ok()) return status;
  if (Status status = out->aside_.open(); !status.ok()) return status;
  if (Status status = out->lock(); !status.ok()) return status;
  if (Status status = out->syncs_.open(); !status.ok()) return status;
  if (Status status = out->progress_.open(); !status.ok()) return status;
  // A file that is not there any more is forgotten: a later one may get its number.
  Result<std::vector<Listed>> listed = out->list();
  if (!listed.ok()) return listed.status();
  std::erase_if(out->progress_.kept(), [&](auto const& entry) {
    return !out->files_.contains(entry.first) && !out->is_skipped(entry.first.inode);
  });
  if (Status status = out->progress_.write_anew(); !status.ok()) return status;
  return out;
}

Status PosixFolder::lock() {
  constexpr char kLockName[] = "lock";
  std::string const path = folders_.own.path_of(kLockName);
  lock_ = Descriptor{folders_.own.open_file(kLockName, O_RDWR | O_CREAT, 0640)};
  if (!lock_.is_open()) return failure("open of", path, errno);
  if (::flock(lock_.fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failure("flock of", path, errno);
    std::string process;
    static_cast<void>(read_at(lock_.fd, path, 0, 16, process));
    std::string const& spool = folders_.spool.path();
    return Status{Code::in_use, "another forwarder, process " + process + ", has " + spool}.with("path", spool);
  }
  std::string const process = std::to_string(::getpid());
  if (::ftruncate(lock_.fd, 0) != 0 || ::pwrite(lock_.fd, process.data(), process.size(), 0) < 0)
    return failure("write to", path, errno);
  return {};
}

// Opens the file if it is not open; of many the one that was not used for longest is closed.
Result<PosixFolder::File*> PosixFolder::opened(Instance const& instance) {
  auto const found = files_.find(instance);
  if (found == files_.end())
    return failure("open of", folders_.spool.path() + ": inode " + std::to_string(instance.inode), ENOENT);
  File& file = *found->second;
  if (file.is_locked) return &file;
  if (file.fd >= 0) {
    in_use_.splice(in_use_.begin(), in_use_, file.use);
    return &file;
  }
  int const fd = open_with_room(file);
  if (fd < 0) return failure("open of", file.path(), errno);
  file.fd = fd;
  file.use = in_use_.insert(in_use_.begin(), instance);
  // Another one may have got the name.
  struct stat look {};
  int error = ::fstat(fd, &look) == 0 ? 0 : errno;
  if (error == 0 && look.st_ino != file.found.inode) error = ENOENT;
  // Without a birth only the seed tells it from a later one with its number.
  if (error == 0 && file.seed && file.found.birth_ns == 0) {
    Result<std::optional<Seed>> const seed = read_seed(fd, file.path());
    if (!seed.ok() || seed.value() != file.seed) error = ENOENT;
  }
  if (error == 0) return &file;
  close(file);
  return failure("fstat of", file.path(), error);
}

int PosixFolder::open_with_room(File& file) {
  if (in_use_.size() >= kOpenMax) close(*files_.at(in_use_.back()));
  int fd = open_rows(*file.folder, file.name, file.is_read_only);
  if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
    while (!in_use_.empty()) close(*files_.at(in_use_.back()));
    fd = open_rows(*file.folder, file.name, file.is_read_only);
  }
  return fd;
}

void PosixFolder::close(File& file) {
  if (file.fd < 0 || file.is_locked) return;
  ::close(std::exchange(file.fd, -1));
  in_use_.erase(file.use);
}

void PosixFolder::forget(Instance const& instance) {
  auto const found = files_.find(instance);
  if (found == files_.end()) return;
  close(*found->second);
  locked_ -= found->second->is_locked ? 1 : 0;
  known_.erase(found->second->found);
  files_.erase(found);
}

// ---------------------------------------------------------------------------
// Files of rows

Result<std::vector<Listed>> PosixFolder::list() {
  std::vector<Listed> out;
  std::vector<Skipped> skipped_before = std::exchange(skipped_, {});
  Status status = list_in(folders_.spool, false, out);
  if (status.ok()) status = list_in(folders_.closing, true, out);
  if (!status.ok()) {
    skipped_ = std::move(skipped_before);
    return status;
  }
  std::set<Instance> there;
  std::set<std::int64_t> begins;
  for (Listed const& one : out) {
    there.insert(one.instance);
    begins.insert(one.place.begin_s);
  }
  std::vector<Instance> gone;
  for (auto const& [instance, file] : files_)
    if (!there.contains(instance)) gone.push_back(instance);
  for (Instance const& instance : gone) forget(instance);
  std::erase_if(free_numbers_, [&](auto const& entry) { return !begins.contains(entry.first); });
  return out;
}

Status PosixFolder::list_in(files::Folder const& folder, bool is_ended, std::vector<Listed>& out) {
  Result<std::vector<std::string>> const names = folder.names();
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value()) {
    std::optional<Place> place = place_of(name);
    if (!place && with_lines_ && !is_ended) place = place_of_hour(name, ::time(nullptr));
    if (!place || (place->kind == Kind::lines && !with_lines_)) continue;
    struct statx look {};
    unsigned const wanted = STATX_TYPE | STATX_INO | STATX_SIZE | STATX_BTIME;
    if (::statx(folder.fd(), name.c_str(), AT_SYMLINK_NOFOLLOW, wanted, &look) != 0) {
      if (errno == ENOENT) continue;  // moved or deleted meanwhile
      return failure("statx of", folder.path_of(name), errno);
    }
    if (!S_ISREG(look.stx_mode)) continue;
    bool const has_birth = (look.stx_mask & STATX_BTIME) != 0;
    Instance const found{gnu_dev_makedev(look.stx_dev_major, look.stx_dev_minor), look.stx_ino,
                         has_birth ? look.stx_btime.tv_sec * 1'000'000'000 + look.stx_btime.tv_nsec : 0};
    std::optional<Instance> const instance = instance_of(found, folder, name, *place, look.stx_size);
    if (instance) out.push_back({*instance, *place, look.stx_size, is_ended});
  }
  return {};
}

// Nothing: it is skipped. A file that cannot be opened does not keep the others from being sent.
std::optional<Instance> PosixFolder::instance_of(Instance const& found, files::Folder const& folder,
                                                 std::string const& name, Place const& place, std::uint64_t size) {
  Instance free = found;
  if (auto const known = known_.find(found); known != known_.end()) {
    Instance const instance = known->second;
    File& file = *files_.at(instance);
    file.folder = &folder;
    file.name = name;
    file.place = place;
    if (is_same(instance, file, size)) return instance;
    forget(instance);
    // The forwarder knows another file under this one.
    free = instance;
    ++free.birth_ns;
  }
  auto file = std::make_unique<File>();
  file->folder = &folder;
  file->name = name;
  file->place = place;
  file->found = found;
  Result<int> const fd = open_new(*file);
  if (!fd.ok()) return std::nullopt;
  Instance const instance = kept_of(*file, size, free);
  file->fd = fd.value();
  file->use = in_use_.insert(in_use_.begin(), instance);
  known_[found] = instance;
  files_[instance] = std::move(file);
  return instance;
}

// False: another one has its number, or it was cut.
bool PosixFolder::is_same(Instance const& instance, File& file, std::uint64_t size) {
  auto const kept = progress_.kept().find(instance);
  if (kept != progress_.kept().end() && kept->second.progress.offset > size) return false;
  bool const may_be_another = file.found.birth_ns == 0 && file.fd < 0;
  if (may_be_another && !opened(instance).ok()) return false;
  if (file.place.kind != Kind::rows || file.seed) return true;
  if (Result<File*> const open = opened(instance); open.ok())
    if (Result<std::optional<Seed>> const seed = read_seed(file.fd, file.path()); seed.ok()) file.seed = seed.value();
  return true;
}

// A file that was not listed before, with its seed.
Result<int> PosixFolder::open_new(File& file) {
  int const fd = open_with_room(file);
  Status status = fd < 0 ? failure("open of", file.path(), errno) : Status{};
  // Another one may have got the name, or it was moved or deleted meanwhile: that is told by the next listing.
  struct stat look {};
  bool const is_there = file.folder->look(file.name, look) && look.st_ino == file.found.inode;
  bool const is_it = fd < 0 || (::fstat(fd, &look) == 0 && look.st_ino == file.found.inode);
  if (status.ok() && !is_it) status = failure("fstat of", file.path(), ENOENT);
  if (status.ok() && file.place.kind == Kind::rows) {
    Result<std::optional<Seed>> const seed = read_seed(fd, file.path());
    if (seed.ok())
      file.seed = seed.value();
    else
      status = seed.status();
  }
  if (status.ok()) return fd;
  if (fd >= 0) ::close(fd);
  if (is_there && is_it)
    skipped_.push_back(
        {file.found.inode,
         Status{status.code(), status.message() + ": its rows wait until the forwarder may read the file and, to free "
                                                  "its space, write to it (mode 0660, and the group of the folder)"}
             .with("path", file.path())});
  return status;
}

// Under which instance its progress was kept; otherwise a new one, `free` or near it. The seed tells it whatever number
// its disk has after a start of the computer.
Instance PosixFolder::kept_of(File& file, std::uint64_t size, Instance free) {
  std::map<Instance, Kept>& all = progress_.kept();
  Instance const& found = file.found;
  auto const is_of_file = [&](auto const& entry) {
    auto const& [instance, kept] = entry;
    if (instance.inode != found.inode || files_.contains(instance)) return false;
    if (kept.seed) return kept.seed == file.seed;
    return instance.device == found.device && (instance.birth_ns == found.birth_ns || found.birth_ns == 0);
  };
  auto const kept = std::find_if(all.begin(), all.end(), is_of_file);
  if (kept != all.end() && kept->second.progress.offset <= size) {
    if (!kept->second.seed) kept->second.seed = file.seed;
    return kept->first;
  }
  if (kept != all.end()) {
    file.doubt = Status{Code::damaged,
                        fmt::format("{} has {} bytes, and {} were read of it before: it was cut, or it is another file "
                                    "with the same number. It is read from its beginning, and rows of it that were "
                                    "confirmed may count again",
                                    file.path(), size, kept->second.progress.offset)}
                     .with("path", file.path());
    all.erase(kept);
    progress_.write_anew_soon();
  }
  while (files_.contains(free) || all.contains(free)) ++free.birth_ns;
  return free;
}

bool PosixFolder::is_skipped(std::uint64_t inode) const {
  return std::any_of(skipped_.begin(), skipped_.end(), [inode](Skipped const& one) { return one.inode == inode; });
}

std::vector<Status> PosixFolder::skipped() const {
  std::vector<Status> out;
  for (Skipped const& one : skipped_) out.push_back(one.why);
  return out;
}

std::vector<Status> PosixFolder::doubtful() const {
  std::vector<Status> out;
  for (auto const& [instance, file] : files_)
    if (!file->doubt.ok()) out.push_back(file->doubt);
  return out;
}

Status PosixFolder::read(Instance const& file, std::uint64_t offset, std::size_t bytes, std::string& to) {
  Result<File*> const from = opened(file);
  return from.ok() ? read_at(from.value()->fd, from.value()->path(), offset, bytes, to) : from.status();
}

Status PosixFolder::sync(Instance const& file) {
  Result<File*> const what = opened(file);
  if (!what.ok()) return what.status();
  auto const kept = progress_.kept().find(file);
  std::uint64_t const from = kept == progress_.kept().end() ? 0 : kept->second.progress.offset;
  return syncs_.sync(what.value()->fd, what.value()->path(), from);
}

Status PosixFolder::erase(Instance const& file, std::uint64_t from, std::uint64_t to) {
  Result<File*> const found = opened(file);
  if (!found.ok()) return found.status();
  File const& what = *found.value();
  if (what.is_read_only) return {};
  return what.place.kind == Kind::rows ? punch(what.fd, what.path(), from, to)
                                       : fill(what.fd, what.path(), from, to, '\n');
}

Status PosixFolder::end(Instance const& file) {
  Result<File*> const found = opened(file);
  if (!found.ok()) return found.status();
  File& what = *found.value();
  struct stat look {};
  if (::fstat(what.fd, &look) != 0) return failure("fstat of", what.path(), errno);
  // Producers of a list system know no write bit; they open the file by its name for each line. Of a file of somebody
  // else it cannot be cleared: its producers leave at the end of the period, or when it is full. Who has left is said by
  // the lock alone.
  if (what.place.kind == Kind::rows && ::fchmod(what.fd, look.st_mode & 0555U) != 0 && errno != EPERM)
    return failure("fchmod of", what.path(), errno);
  std::string const before = what.path();
  // An earlier file of this name may still be there, and hundreds behind it.
  Place place = what.place;
  std::uint32_t& free = free_numbers_[place.begin_s];
  place.number = std::max(place.number, free);
  for (std::uint32_t tries = 0; tries < kNamesTried; ++tries, ++place.number) {
    if (what.folder->move(what.name, folders_.closing, name_of(place)) == 0) {
      what.folder = &folders_.closing;
      what.place = place;
      what.name = name_of(place);
      free = place.number + 1;
      return {};
    }
    if (errno != EEXIST) return failure("rename of", before, errno);
  }
  return failure("rename of", before, EEXIST);
}

Result<bool> PosixFolder::is_left(Instance const& file) {
  // Most of very many files need not be opened for that.
  if (auto const known = files_.find(file);
      known != files_.end() && known->second->place.kind == Kind::rows && locked_ >= kLockedMax)
    return known->second->is_locked;
  Result<File*> const found = opened(file);
  if (!found.ok()) return found.status();
  File& what = *found.value();
  if (what.place.kind == Kind::lines) return is_ours_alone(what.fd, what.path());
  // It stays open with its lock; others have their turn once such files are deleted.
  if (what.is_locked) return true;
  if (::flock(what.fd, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? Result<bool>{false} : failure("flock of", what.path(), errno);
  in_use_.erase(what.use);
  what.is_locked = true;
  ++locked_;
  return true;
}

Status PosixFolder::remove(Instance const& file) {
  auto const found = files_.find(file);
  if (found == files_.end()) return {};
  File const& what = *found->second;
  if (what.folder->remove(what.name) != 0 && errno != ENOENT) return failure("unlink of", what.path(), errno);
  return forgotten(file);
}

Status PosixFolder::put_apart(Instance const& file) {
  auto const found = files_.find(file);
  if (found == files_.end()) return {};
  if (Status status = rename_damaged(*found->second->folder, found->second->name); !status.ok()) return status;
  return forgotten(file);
}

Status PosixFolder::forgotten(Instance const& file) {
  forget(file);
  progress_.kept().erase(file);
  return {};
}

// ---------------------------------------------------------------------------
// What is kept

Result<std::vector<Progress>> PosixFolder::kept() {
  std::vector<Progress> out;
  for (auto const& [instance, kept] : progress_.kept()) out.push_back(kept.progress);
  return out;
}

Status PosixFolder::keep(std::vector<Progress> const& progress) {
  std::vector<Kept> kept;
  for (Progress const& one : progress) {
    Kept& next = kept.emplace_back(Kept{one, {}});
    auto const found = files_.find(one.instance);
    if (found == files_.end() || found->second->place.kind != Kind::rows) continue;
    File& file = *found->second;
    if (!file.seed) {
      Result<File*> const open = opened(one.instance);
      if (!open.ok()) return open.status();
      Result<std::optional<Seed>> const seed = read_seed(file.fd, file.path());
      if (!seed.ok()) return seed.status();
      file.seed = seed.value();
    }
    next.seed = file.seed;
  }
  return progress_.keep(kept);
}

// ---------------------------------------------------------------------------
// Rows that wait, and rows that were refused

Result<std::vector<std::string>> PosixFolder::held_tables() {
  Result<std::vector<std::string>> const names = folders_.held.names();
  if (!names.ok()) return names.status();
  std::vector<std::string> out;
  for (std::string const& name : names.value())
    if (std::optional<std::string> table = table_of_file(name); table && is_table_name(*table))
      out.push_back(std::move(*table));
  return out;
}

std::string PosixFolder::held_path(std::string const& table) const {
  FJ_CHECK(is_table_name(table), "the forwarder holds tables with a proper name");
  return folders_.held.path_of(file_of_table(table));
}

int PosixFolder::open_held(std::string const& table, int flags) const {
  return folders_.held.open_file(file_of_table(table), flags);
}

Result<Seed> PosixFolder::held_seed(std::string const& table) {
  std::string const path = held_path(table);
  Descriptor const there{open_held(table, O_RDONLY)};
  if (there.fd < 0 && errno != ENOENT) return failure("open of", path, errno);
  if (there.fd >= 0) {
    Result<std::optional<Seed>> const seed = read_seed(there.fd, path);
    if (!seed.ok()) return seed.status();
    if (seed.value()) return *seed.value();
    // Damaged, as it gets its name with a whole head. For people; the rows that come now need another one.
    if (Status status = rename_damaged(folders_.held, file_of_table(table)); !status.ok()) return status;
  }
  Seed const seed = draw_seed();
  if (Status status = make_file(folders_.held, file_of_table(table), head_of_file(seed)); !status.ok()) return status;
  return seed;
}

Status PosixFolder::read_held(std::string const& table, std::uint64_t offset, std::size_t bytes, std::string& to) {
  std::string const path = held_path(table);
  Descriptor const file{open_held(table, O_RDONLY)};
  if (file.fd < 0) return errno == ENOENT ? Status{} : failure("open of", path, errno);
  return read_at(file.fd, path, offset, bytes, to);
}

Status PosixFolder::hold(std::string const& table, std::string_view records) {
  std::string const path = held_path(table);
  Descriptor const file{open_held(table, O_RDWR | O_APPEND)};
  if (file.fd < 0) return failure("open of", path, errno);
  return syncs_.append(file.fd, path, records, kFileHeadBytes);
}

Status PosixFolder::erase_held(std::string const& table, std::uint64_t to) {
  std::string const path = held_path(table);
  Descriptor const file{open_held(table, O_RDWR)};
  if (file.fd < 0) return errno == ENOENT ? Status{} : failure("open of", path, errno);
  if (Status status = punch(file.fd, path, kFileHeadBytes, to); !status.ok()) return status;
  return syncs_.sync(file.fd, path, kFileHeadBytes);
}

Status PosixFolder::remove_held(std::string const& table) {
  std::string const path = held_path(table);
  return folders_.held.remove(file_of_table(table)) == 0 || errno == ENOENT ? Status{}
                                                                            : failure("unlink of", path, errno);
}

Status PosixFolder::set_aside(std::string_view table, Aside const& aside) { return aside_.append(table, aside); }

Result<Identities> PosixFolder::settled_before() {
  Identities out;
  if (Status status = aside_.collect(out); !status.ok()) return status;
  for (auto const& [instance, file] : files_) {
    Result<File*> const open = opened(instance);
    if (!open.ok() && !file->folder->has(file->name)) continue;  // it was deleted
    if (!open.ok()) return open.status();
    if (Status status = collect_aside(file->fd, file->path(), syncs_, out); !status.ok()) return status;
  }
  for (auto& [client, sequences] : out) std::sort(sequences.begin(), sequences.end());
  Result<std::vector<std::string>> const tables = held_tables();
  if (!tables.ok()) return tables.status();
  Identities held;
  for (std::string const& table : tables.value())
    if (Status status = look_at_held(table, out, held); !status.ok()) return status;
  // Only what may come again.
  std::map<std::string, std::int64_t, std::less<>> ordinals;
  for (auto const& [instance, kept] : progress_.kept())
    ordinals[kept.progress.client] = static_cast<std::int64_t>(kept.progress.ordinal);
  std::erase_if(out, [&](auto const& entry) { return !ordinals.contains(entry.first); });
  for (auto& [client, ordinal] : ordinals) {
    std::vector<std::int64_t>& sequences = out[client];
    std::vector<std::int64_t> const& more = held[client];
    sequences.insert(sequences.end(), more.begin(), more.end());
    std::erase_if(sequences, [least = ordinal](std::int64_t sequence) { return sequence < least; });
    std::sort(sequences.begin(), sequences.end());
  }
  return out;
}

// Erases the rows of the table that were set aside already, and adds those of files whose progress was kept.
Status PosixFolder::look_at_held(std::string const& table, Identities const& aside, Identities& held) {
  std::string const path = held_path(table);
  Descriptor const file{open_held(table, O_RDWR)};
  if (file.fd < 0) return errno == ENOENT ? Status{} : failure("open of", path, errno);
  // Rows count as held only once they are durable: their sources are erased behind that.
  if (Status status = syncs_.sync(file.fd, path, kFileHeadBytes); !status.ok()) return status;
  RecordReader reader{file.fd, path};
  Message row;
  bool is_erased = false;
  for (;;) {
    Result<std::optional<RecordReader::Record>> const next = reader.next();
    if (!next.ok()) return next.status();
    if (!next.value()) break;
    if (!protocol::parse_frame(next.value()->body, row).ok()) continue;
    std::string_view const client = row.text("client");
    std::int64_t const sequence = row.integer("sequence").value_or(0);
    std::map<Instance, Kept> const& all = progress_.kept();
    auto const kept = std::find_if(all.begin(), all.end(),
                                   [client](auto const& one) { return one.second.progress.client == client; });
    if (kept != all.end() && sequence >= static_cast<std::int64_t>(kept->second.progress.ordinal))
      held[std::string{client}].push_back(sequence);
    auto const found = aside.find(client);
    if (found == aside.end() || !std::binary_search(found->second.begin(), found->second.end(), sequence)) continue;
    if (Status status = punch(file.fd, path, next.value()->begin, next.value()->end); !status.ok()) return status;
    is_erased = true;
  }
  return is_erased ? syncs_.sync(file.fd, path, kFileHeadBytes) : Status{};
}

}  // namespace fastjournal::spool
