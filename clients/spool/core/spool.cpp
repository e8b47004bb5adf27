#include "clients/spool/core/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "clients/spool/core/disk.h"
#include "clients/spool/core/place.h"
#include "clients/spool/core/record.h"
#include "model/parameters.h"
#include "model/row_check.h"

namespace fastjournal::spool {
namespace {

constexpr int kOpenTriesMax = 64;
constexpr std::size_t kLeftMax = 4;                              // files that were left and not synced
constexpr std::size_t kBufferBytesMax = std::size_t{64} << 10U;  // kept by a thread between two rows
constexpr std::size_t kFileBytesMin = 64;

struct Clock {
  std::int64_t ms;
  [[nodiscard]] std::int64_t s() const { return ms / 1000; }
};

Clock clock_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return {static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000};
}

// A file of the folder that is written, under its shared lock.
struct File {
  File(int descriptor, std::string where, std::int64_t until) : fd(descriptor), path(std::move(where)), ends_s(until) {}
  File(File const&) = delete;
  File& operator=(File const&) = delete;
  ~File() { ::close(fd); }

  int const fd;
  std::string const path;
  std::int64_t const ends_s;
  Seed seed{};
};

using FilePtr = std::shared_ptr<File>;

// A file that is no longer written here, whatever its name is by now, for a sync. A lock is of an open file: this one has
// none.
class Left {
 public:
  explicit Left(File const& file)
      : fd_(::open(("/proc/self/fd/" + std::to_string(file.fd)).c_str(), O_RDONLY | O_CLOEXEC)),
        path_(file.path),
        seed_(file.seed) {}
  Left(Left const&) = delete;
  Left& operator=(Left const&) = delete;
  ~Left() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] bool is_of(File const& file) const { return path_ == file.path && seed_ == file.seed; }
  [[nodiscard]] Status sync() const { return ::fdatasync(fd_) == 0 ? Status{} : failure("fdatasync of", path_, errno); }

 private:
  int const fd_;
  std::string const path_;
  Seed const seed_;
};

// Of this process and those that it was forked from, since a Spool was first opened.
std::uint64_t g_forks{0};
void count_forks() {
  [[maybe_unused]] static int const registered = ::pthread_atfork(nullptr, nullptr, [] { ++g_forks; });
}

// What a look at the file says.
enum class Fate : std::uint8_t {
  goes_on,
  ended,  // by the forwarder, or it is as large as it may be
  gone,   // it was deleted: what was written last is lost with it
};

// Not the dates: Linux keeps a date that was looked at finer from then on, and the next write has to bring the inode to
// the journal of the file system, which costs as much as the write.
bool look_at(int fd, struct statx& look) {
  return ::statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_SIZE, &look) == 0;
}

Fate fate_of(struct statx const& look, std::size_t bytes_max) {
  if (look.stx_nlink == 0) return Fate::gone;
  bool const ended = (look.stx_mode & S_IWUSR) == 0 || look.stx_size >= bytes_max;
  return ended ? Fate::ended : Fate::goes_on;
}

Status check(Options const& options) {
  auto const wrong = [](std::string_view name, std::string text) {
    return Status{Code::bad_parameter, std::move(text)}.with("parameter", std::string{name});
  };
  if (options.folder.empty()) return wrong("folder", "a spool needs a folder");
  if (options.period < std::chrono::seconds{1} || options.period > std::chrono::hours{168})
    return wrong("period", "the period of a file is 1 s to 7 days");
  if (options.file_bytes_max < kFileBytesMin || options.file_bytes_max > std::size_t{1} << 40U)
    return wrong("file_bytes_max", "a file has 64 bytes to 1 TiB");
  if (options.sync == Sync::interval &&
      (options.interval < std::chrono::milliseconds{1} || options.interval > std::chrono::hours{1}))
    return wrong("interval", "the interval between two syncs is 1 ms to 1 h");
  bool const is_blind = ((options.file_mode & 0222U) << 1U & ~options.file_mode) != 0;
  if ((options.file_mode & 0600U) != 0600U || options.file_mode > 0777U || is_blind)
    return wrong("file_mode", "the mode of a file lets its owner read and write, and nobody write who may not read");
  return {};
}

// What save must know of the parameters, in one pass.
struct Seen {
  std::string_view table{};
  bool has_table{false};
  bool has_date{false};
  bool may_expire{false};
  std::string_view of_forwarder{};  // a parameter that is not the producer's to set
};

Seen look_at(Message const& row) {
  Seen out;
  for (Param const& param : row.params()) switch (param.name.size()) {
      case 5:
        if (param.name != "table") break;
        out.table = param.value.bytes;
        out.has_table = true;
        break;
      case 14: out.has_date = out.has_date || param.name == "insertion_date"; break;
      case 15: out.may_expire = out.may_expire || param.name == "expiration_date"; break;
      case 6:
      case 7:
      case 8:
        if (param.name == "client" || param.name == "request" || param.name == "sequence")
          out.of_forwarder = param.name;
        break;
      default: break;
    }
  return out;
}

Status check_row(Message const& row, Seen const& seen) {
  if (row.command != "INSERT" || !seen.has_table)
    return Status{Code::missing_parameter, "a row is an INSERT with a table"}.with("parameter", "table");
  if (row.params().size() >= Message::kParamsMax)  // one is added
    return {Code::too_large,
            "a row has at most " + std::to_string(Message::kParamsMax - 1) + " parameters and columns"};
  if (!seen.of_forwarder.empty())
    return Status{Code::bad_parameter, "the forwarder sets " + std::string{seen.of_forwarder}}.with(
        "parameter", std::string{seen.of_forwarder});
  return {};
}

// Refuses a row that would never be handed out, whatever its table is; what else is wrong with it depends on that. A
// date that counts from when the daemon has the row is unknown so far.
Status check_dates(Message const& row, std::int64_t now_ms) {
  for (std::string_view const name : {"process_date", "expiration_date", "insertion_date"})
    if (Value const* const date = row.find(name); date != nullptr && date->bytes.starts_with('+')) return {};
  model::Parameters dates{row};
  model::InsertParameters const insert = model::read_insert(dates, now_ms);
  if (!dates.ok()) return {};
  return model::check_expiration(insert, now_ms);
}

// In the frame that the daemon will read, a text is bytes of a known length: for a column of type buffer it is not base64.
Message const& as_sent(Message const& row) {
  static thread_local Message out;
  out.clear();
  out.command = row.command;
  for (Param const& param : row.params()) {
    Value value = param.value;
    value.verbatim = value.kind == Value::Kind::text;
    out.set(param.name, value);
  }
  return out;
}

Status sync_file(File const& file) {
  // Once a sync has failed, the kernel may have dropped what was written: it is not tried again.
  if (::fdatasync(file.fd) == 0) return {};
  return failure("fdatasync of", file.path, errno);
}

}  // namespace

class Spool::Body {
 public:
  explicit Body(Options options) : options_(std::move(options)) {
    count_forks();
    forks_ = g_forks;
    if (options_.sync == Sync::interval)
      shared_->thread = std::jthread{[this](std::stop_token const& stop) { sync_often(stop); }};
  }
  ~Body() {
    enter();
    if (waker_ >= 0) ::close(waker_);
    if (!shared_->thread.joinable()) return;
    shared_->thread.request_stop();
    shared_->wakes.notify_all();
    shared_->thread.join();
    static_cast<void>(sync());
  }

  Status declare(TableDeclaration const& table, TypeDeclaration const& type) {
    if (table.type != type.name)
      return Status{Code::bad_parameter, "table " + table.name + " is of type " + table.type + ", not of " + type.name}
          .with("table", table.name);
    checks_.erase(table.name);
    checks_.try_emplace(table.name, table, type);
    return {};
  }

  Status save(Message const& row) {
    enter();
    Seen const seen = look_at(row);
    if (Status status = check_row(row, seen); !status.ok()) return status;
    Clock const now = clock_now();
    if (seen.may_expire)
      if (Status status = check_dates(row, now.ms); !status.ok()) return status;
    if (!checks_.empty())
      if (auto const found = checks_.find(seen.table); found != checks_.end())
        if (Status status = found->second.check(as_sent(row), now.ms); !status.ok()) return status;
    static thread_local std::string record;
    record.clear();
    static thread_local std::vector<Param> params;
    params.assign(row.params().begin(), row.params().end());
    if (!seen.has_date) params.push_back({"insertion_date", Value::of_integer(now.ms)});
    Status saved = write(params, record, now);
    if (record.capacity() > kBufferBytesMax) record = {};
    return saved;
  }

  Status sync() {
    enter();
    std::vector<FilePtr> files;
    std::vector<std::unique_ptr<Left>> left;
    {
      std::lock_guard const lock{shared_->mutex};
      if (!shared_->failed.ok()) return std::exchange(shared_->failed, Status{});
      files = {current_, shared_->syncing};
      left.swap(left_);
      is_dirty_ = false;
    }
    for (FilePtr const& file : files)
      if (Status status = file == nullptr ? Status{} : sync_file(*file); !status.ok()) return status;
    for (auto const& one : left)
      if (Status status = one->sync(); !status.ok()) return status;
    // The names of files that were made meanwhile; otherwise that was done then.
    return options_.sync == Sync::none ? sync_names() : Status{};
  }

  Status ping() {
    std::string const path = options_.folder + "/" + std::string{kWakeSocket};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
      return Status{Code::not_supported, path + " is too long for the name of a socket"}.with("path", path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    enter();
    std::lock_guard const lock{shared_->mutex};
    if (waker_ < 0) waker_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (waker_ < 0) return failure("socket for", path, errno);
    // Of a queue that is full the forwarder will read soon.
    if (::sendto(waker_, "PING", 4, MSG_NOSIGNAL, reinterpret_cast<sockaddr const*>(&address), sizeof address) >= 0 ||
        errno == EAGAIN)
      return {};
    if (errno == ENOENT || errno == ECONNREFUSED)
      return Status{Code::unavailable, "no forwarder runs on " + options_.folder + ": the rows wait for one"}.with(
          "path", path);
    return failure("sendto to", path, errno);
  }

 private:
  // What the thread that syncs shares with those who save.
  struct Shared {
    std::mutex mutex;
    FilePtr syncing;  // by the thread, now
    Status failed;    // of a sync that no save was waiting for: told once, by the next call
    std::condition_variable_any wakes;
    std::jthread thread;
  };

  Status sync_names() const {
    Result<files::Folder> const folder = files::Folder::open(options_.folder);
    return folder.ok() ? folder->sync() : folder.status();
  }

  // A forked child has no such thread, and what the thread was at work on is left alone: its mutex may be locked.
  void enter() {
    if (std::uint64_t const forks = g_forks; forks != forks_) {
      forks_ = forks;
      static_cast<void>(shared_.release());
      shared_ = std::make_unique<Shared>();
    }
  }

  // Twice, as one file may end, or be deleted, meanwhile.
  Status write(std::span<Param const> params, std::string& record, Clock now) {
    for (int tries = 0; tries < 2; ++tries) {
      Result<FilePtr> file = file_for(now);
      if (!file.ok()) return file.status();
      FilePtr const& to = file.value();
      if (!record.empty())
        seal_again(record, to->seed);
      else if (Status status = encode(params, to->seed, record); !status.ok())
        return status;
      if (Status status = append(*to, record); !status.ok()) return status;
      struct statx look {};
      if (!look_at(to->fd, look)) return failure("statx of", to->path, errno);
      Fate const fate = fate_of(look, options_.file_bytes_max);
      if (fate != Fate::goes_on) leave(to);
      if (fate == Fate::gone) continue;
      return settle(*to);
    }
    return Status{Code::io_error, "the files of " + options_.folder + " are deleted while they are written"}.with(
        "path", options_.folder);
  }

  Status encode(std::span<Param const> params, Seed seed, std::string& record) {
    Status status = append_record("INSERT", params, seed, record);
    if (!status.ok() || record.size() <= kRecordHeadBytes + kRowBytesMax) return status;
    return Status{Code::too_large, "a row has " + std::to_string(record.size() - kRecordHeadBytes) +
                                       " bytes: at most " + std::to_string(kRowBytesMax) + " are taken"};
  }

  // Half a record is damage between two records: readers pass over it. The rest could not follow it, as another
  // producer may have written behind it.
  static Status append(File const& file, std::string_view record) {
    for (int tries = 0; tries < 3; ++tries) {
      ssize_t const written = ::write(file.fd, record.data(), record.size());
      if (written == static_cast<ssize_t>(record.size())) return {};
      if (written < 0 && errno != EINTR) return failure("write to", file.path, errno);
    }
    return failure("write to", file.path, ENOSPC);
  }

  // The file may have been left, and synced, before the row was in it.
  Status settle(File const& file) {
    if (options_.sync == Sync::each) return sync_file(file);
    std::lock_guard const lock{shared_->mutex};
    if (!shared_->failed.ok()) return std::exchange(shared_->failed, Status{});
    if (current_.get() != &file) return options_.sync == Sync::none ? leave_for_sync(file) : sync_file(file);
    if (options_.sync == Sync::interval && !std::exchange(is_dirty_, true)) shared_->wakes.notify_one();
    return {};
  }

  Result<FilePtr> file_for(Clock now) {
    std::lock_guard const lock{shared_->mutex};
    if (current_ != nullptr && now.s() < current_->ends_s && now.s() >= current_->ends_s - options_.period.count())
      return current_;
    Status status = leave_locked();
    if (!status.ok()) return status;
    Result<FilePtr> opened = open_file(now);
    if (opened.ok()) current_ = opened.value();
    return opened;
  }

  void leave(FilePtr const& file) {
    std::lock_guard const lock{shared_->mutex};
    if (current_ != file) return;
    if (Status status = leave_locked(); !status.ok()) shared_->failed = std::move(status);
  }

  // What was promised to be synced in time is synced before the file is given up. What was not is remembered for sync(),
  // without the lock, as the forwarder waits for that; of many files the oldest is synced now.
  Status leave_locked() {
    FilePtr const file = std::exchange(current_, nullptr);
    if (file == nullptr || options_.sync == Sync::each) return {};
    if (options_.sync == Sync::interval) return std::exchange(is_dirty_, false) ? sync_file(*file) : Status{};
    return leave_for_sync(*file);
  }

  Status leave_for_sync(File const& file) {
    if (!left_.empty() && left_.back()->is_of(file)) return {};
    auto left = std::make_unique<Left>(file);
    if (!left->is_open()) return sync_file(file);
    left_.push_back(std::move(left));
    if (left_.size() <= kLeftMax) return {};
    Status status = left_.front()->sync();
    left_.erase(left_.begin());
    return status;
  }

  // The first file of the period that takes rows, from the one that this Spool had last.
  Result<FilePtr> open_file(Clock now) {
    std::int64_t const begin = begin_of_period(now.s(), options_.period.count());
    std::uint32_t const first = begin == opened_.begin_s ? opened_.number : 0;
    int tries = 0;
    for (std::uint32_t step = 0; step < kFilesOfPeriodMax;) {
      std::uint32_t const number = (first + step) % kFilesOfPeriodMax;
      std::string path = options_.folder + "/" + name_of({begin, number});
      int const fd = files::open_regular(path, O_RDWR | O_APPEND | O_CREAT, static_cast<mode_t>(options_.file_mode));
      // A file that the forwarder has ended may be there for a moment, before it is moved.
      if (fd < 0 && errno == EACCES && ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        ++step;
        continue;
      }
      if (fd < 0) return failure("open of", path, errno);
      auto file = std::make_shared<File>(fd, std::move(path), begin + options_.period.count());
      struct statx look {};
      if (::flock(fd, LOCK_SH | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return failure("flock of", file->path, errno);
        ++step;  // the forwarder is about to delete it
        continue;
      }
      if (!look_at(fd, look)) return failure("statx of", file->path, errno);
      Fate const fate = fate_of(look, options_.file_bytes_max);
      if (fate == Fate::ended) {
        ++step;
        continue;
      }
      if (fate == Fate::gone && ++tries < kOpenTriesMax) continue;  // deleted between open and lock
      if (fate == Fate::gone) break;
      if (look.stx_size == 0)
        if (Status status = begin_file(*file); !status.ok()) return status;
      Result<std::optional<Seed>> const seed = read_seed(fd, file->path);
      if (!seed.ok()) return seed.status();
      if (!seed.value()) {
        ++step;  // its first producer was killed while it wrote the head, or this is a file of other origin
        continue;
      }
      // The maker of the file may sync nothing.
      if (options_.sync != Sync::none)
        if (Status status = sync_names(); !status.ok()) return status;
      file->seed = *seed.value();
      opened_ = {begin, number};
      return file;
    }
    return Status{Code::over_limit, "no file of " + options_.folder + " takes rows of the period that began " +
                                        std::to_string(begin) + ": remove files, or let the forwarder run"}
        .with("path", options_.folder);
  }

  // Another producer may do the same: the first head counts.
  static Status begin_file(File const& file) { return append(file, head_of_file(draw_seed())); }

  void sync_often(std::stop_token const& stop) {
    while (!stop.stop_requested()) {
      FilePtr file;
      {
        std::unique_lock lock{shared_->mutex};
        if (!shared_->wakes.wait(lock, stop, [this] { return is_dirty_; })) return;
        shared_->wakes.wait_for(lock, stop, options_.interval, [] { return false; });
        if (!std::exchange(is_dirty_, false)) continue;
        file = shared_->syncing = current_;
      }
      Status status = file == nullptr ? Status{} : sync_file(*file);
      std::lock_guard const lock{shared_->mutex};
      shared_->syncing = nullptr;
      if (!status.ok()) shared_->failed = std::move(status);
    }
  }

  Options const options_;
  std::map<std::string, model::RowCheck, std::less<>> checks_;  // by table
  std::unique_ptr<Shared> shared_{std::make_unique<Shared>()};
  std::uint64_t forks_{0};
  FilePtr current_;
  Place opened_{};                           // of the last file that it had; the ones before it are full
  std::vector<std::unique_ptr<Left>> left_;  // of Sync::none, since the last sync()
  bool is_dirty_{false};                     // a row was written that no sync has begun for
  int waker_{-1};
};

Result<std::unique_ptr<Spool>> Spool::open(Options options) {
  if (Status status = check(options); !status.ok()) return status;
  while (options.folder.size() > 1 && options.folder.ends_with('/')) options.folder.pop_back();
  if (::mkdir(options.folder.c_str(), 0750) != 0 && errno != EEXIST) return failure("mkdir of", options.folder, errno);
  struct stat look {};
  if (::stat(options.folder.c_str(), &look) != 0) return failure("stat of", options.folder, errno);
  if (!S_ISDIR(look.st_mode)) return failure("open of", options.folder, ENOTDIR);
  if (::access(options.folder.c_str(), W_OK | X_OK) != 0) return failure("access to", options.folder, errno);
  return std::unique_ptr<Spool>{new Spool{std::make_unique<Body>(std::move(options))}};
}

Spool::Spool(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Spool::~Spool() = default;

Message Spool::row_of(std::string_view table) {
  Message out{"INSERT"};
  out.set("table", table);
  return out;
}

Status Spool::declare(TableDeclaration const& table, TypeDeclaration const& type) {
  return body_->declare(table, type);
}
Status Spool::save(Message const& row) { return body_->save(row); }
Status Spool::sync() { return body_->sync(); }
Status Spool::ping() { return body_->ping(); }

}  // namespace fastjournal::spool
