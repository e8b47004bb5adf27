// The files of the logs and of everything beside them. Two implementations: the kernel's (platform/os/posix_disk.h) and the
// simulator's (tests/sim/), which loses, tears and corrupts. Paths are relative to the root of the Disk and use '/'.
// Every failure is a Status that names path and call.
//
// A power cut preserves the bytes of a file after its sync() returned ok, and a name (created, renamed, exchanged,
// removed) after sync_folder() of its folder returned ok.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::env {

// Required alignment of memory for write_through.
inline constexpr std::size_t kDirectAlignment = 4096;

// Required alignment of offset and size for punch.
inline constexpr std::uint64_t kPunchAlignment = 4096;

class File {
 public:
  virtual ~File() = default;
  // Fills `into` from `offset`; returns the bytes read, fewer only at the end of the file.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) = 0;
  // A hint that these bytes are read soon: the medium may begin.
  virtual void expect(std::uint64_t offset, std::uint64_t bytes) = 0;
  // A hint that the next read shall come from the medium, not from a cache. Bytes that are not durable stay cached.
  virtual void forget_cached(std::uint64_t offset, std::uint64_t bytes) = 0;
  // All of `bytes`, or an error; grows the file if necessary.
  [[nodiscard]] virtual Status write(std::uint64_t offset, std::span<std::byte const> bytes) = 0;
  // The same, past the kernel's cache: durable when this returns ok; other writes are not affected. Faster than write
  // and sync, and a failure is reported by the call it concerns. not_supported: not on this file system, or not for
  // this address, offset or length (whole blocks, kDirectAlignment); nothing was written.
  [[nodiscard]] virtual Status write_through(std::uint64_t offset, std::span<std::byte const> bytes) = 0;
  // Every earlier write is durable when this returns ok. After an error the state of every byte written since the last
  // ok is unknown. Never retry: a second call may return ok although the kernel has dropped the bytes.
  [[nodiscard]] virtual Status sync() = 0;
  [[nodiscard]] virtual Result<std::uint64_t> size() = 0;
  [[nodiscard]] virtual Status truncate(std::uint64_t size) = 0;
  // Space for these bytes, also beyond the end of the file, whose size stays: no_space is told here, and a later write
  // to them finds its space. not_supported: not on this file system.
  [[nodiscard]] virtual Status reserve(std::uint64_t offset, std::uint64_t bytes) = 0;
  // These bytes read as zeros from then on, and the space of whole blocks of kPunchAlignment is given back. The size of
  // the file stays. Not durable before a sync, and harmless if it is lost. not_supported: not on this file system.
  [[nodiscard]] virtual Status punch(std::uint64_t offset, std::uint64_t bytes) = 0;
  // Whether its name still means this file. damaged: it was removed, moved or replaced, and who opens the name does not
  // find what is written here.
  [[nodiscard]] virtual Status look() = 0;
  // For calls of the kernel that take a descriptor, as sendfile(2); the file's own. -1: it has none, and its bytes come
  // by read alone.
  [[nodiscard]] virtual int descriptor() const = 0;
  // Another opening of this very file, whatever has its name by now, that can only read.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> reopen_to_read() = 0;
};

// An exclusive lock on a folder, until destroyed or the process ends. Meanwhile every operation on files of that folder
// applies to the very folder that was locked, whatever its name refers to by then.
class FolderLock {
 public:
  virtual ~FolderLock() = default;
  // Whether the folder and the lock in it are still where they were. damaged: one of them was removed, moved or
  // replaced, and files written there will not be found. Takes a few microseconds.
  [[nodiscard]] virtual Status look() = 0;
  // The notes of this and earlier holders: whole lines. Empty: none, or a lock for reading.
  [[nodiscard]] virtual std::string const& note() const = 0;
  // Adds a line, durable when this returns ok. A line that is incomplete after a power cut does not count.
  [[nodiscard]] virtual Status add_note(std::string_view line) = 0;
};

enum class OpenMode : std::uint8_t {
  read_only,
  read_write,
  create_new,
  create_closed,  // the same, and only its owner may open the file until it is given
};

// The accounts that may open a file beside its owner; a folder, those that may read it.
struct Access {
  std::uint32_t mode{0640};
  std::optional<std::uint32_t> group{};  // nothing: the one that it has
  bool operator==(Access const&) const = default;
};

class Disk {
 public:
  virtual ~Disk() = default;
  // not_found if it does not exist; create_new and create_closed: in_use if it exists. Only regular files: anything
  // else, including a link to a file, is bad_configuration, without waiting. not_allowed, for all calls: no permission,
  // or a read-only file system.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) = 0;
  // Makes the folder and its parents; ok if it exists. Names above the root are durable when this returns ok; names
  // below it need sync_folder.
  [[nodiscard]] virtual Status make_folder(std::string_view path) = 0;
  // Names of files and folders in it, sorted; not_found if it does not exist.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(std::string_view path) = 0;
  [[nodiscard]] virtual Status rename(std::string_view from, std::string_view to) = 0;
  // Exchanges the names of two files or folders of one folder, atomically: at any moment, also after a power cut,
  // either both are as before or both are exchanged. not_supported: not on this file system.
  [[nodiscard]] virtual Status exchange(std::string_view one, std::string_view other) = 0;
  [[nodiscard]] virtual Status remove(std::string_view path) = 0;
  // From now on `link` is a symbolic link to `target`, a name in the same folder; at any moment it leads to the old
  // target or to the new one. For readers outside: open() follows none. A file of this name is replaced.
  [[nodiscard]] virtual Status point(std::string_view link, std::string_view target) = 0;
  // Gives a file or a folder this mode and group; durable as a name is. not_allowed: also a group that is none of this
  // process's.
  [[nodiscard]] virtual Status give(std::string_view path, Access const& access) = 0;
  // All users may go through this folder from now on, and sees no more of it than before.
  [[nodiscard]] virtual Status let_through(std::string_view folder) = 0;
  [[nodiscard]] virtual Status sync_folder(std::string_view path) = 0;
  // in_use, with the holder if known.
  [[nodiscard]] virtual Result<std::unique_ptr<FolderLock>> lock_folder(std::string_view path) = 0;
  // Excludes writers during a read, and changes nothing on the disk. Where a file system cannot lock folders, a folder
  // without a lock file (a copy that was never locked) excludes no process.
  [[nodiscard]] virtual Result<std::unique_ptr<FolderLock>> lock_folder_to_read(std::string_view path) = 0;
  // Bytes that an ordinary user can still write.
  [[nodiscard]] virtual Result<std::uint64_t> free_bytes() = 0;
};

}  // namespace fastjournal::env
