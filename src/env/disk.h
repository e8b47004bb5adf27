// The files that the log and the plugins may touch. Two implementations: the
// kernel's (os/posix_disk.h) and the simulator's (tests/sim/), which loses,
// tears and corrupts. Paths are relative to the root the Disk was made for and
// use '/'. Every failure is a Status that names path and call.
//
// What survives a power cut: bytes of a file, once its sync() returned ok; a
// name (created, renamed, exchanged, removed), once sync_folder() of its folder did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::env {

// What memory must be aligned to for write_through.
inline constexpr std::size_t kDirectAlignment = 4096;

class File {
 public:
  virtual ~File() = default;
  // Fills `into` from `offset`; returns the bytes read, fewer only at the end of the file.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) = 0;
  // These bytes are read soon: the medium may begin. A hint.
  virtual void expect(std::uint64_t offset, std::uint64_t bytes) = 0;
  // What is read next comes from the medium, if it was durable there: nobody's memory of it is asked. A hint.
  virtual void forget_cached(std::uint64_t offset, std::uint64_t bytes) = 0;
  // All of `bytes` or an error; grows the file if need be.
  [[nodiscard]] virtual Status write(std::uint64_t offset, std::span<std::byte const> bytes) = 0;
  // The same past the kernel's memory: durable when this returns ok, whatever else was written stays as it is. Faster
  // than write and sync, and a failure is told where it happened. not_supported: not on this file system, or not for
  // bytes at such an address or offset or of such a length (whole blocks, kDirectAlignment); nothing was written.
  [[nodiscard]] virtual Status write_through(std::uint64_t offset, std::span<std::byte const> bytes) = 0;
  // Everything written before is durable when this returns ok. After an error
  // nothing is known about any byte written since the last ok. Never retry: a second call may return ok although the
  // kernel has dropped the bytes.
  [[nodiscard]] virtual Status sync() = 0;
  [[nodiscard]] virtual Result<std::uint64_t> size() = 0;
  [[nodiscard]] virtual Status truncate(std::uint64_t size) = 0;
  // Has it a name still? damaged: somebody removed it, and what is written to it is gone once it is closed.
  [[nodiscard]] virtual Status look() = 0;
};

// An exclusive lock on a folder, held until destroyed or the process ends. Meanwhile what is done to files of that
// folder is done in the very folder that was locked, wherever its name leads.
class FolderLock {
 public:
  virtual ~FolderLock() = default;
  // Is the folder still where it was locked, and its lock in it? damaged: somebody removed, moved or replaced one of
  // them; what is written there, nobody will find. A few microseconds.
  [[nodiscard]] virtual Status look() = 0;
  // What was noted by whoever held it, this one or one before: whole lines. Empty: nothing, or it locks for reading.
  [[nodiscard]] virtual std::string const& note() const = 0;
  // Adds a line, durable when this returns ok: one that is not whole after a power cut does not count.
  [[nodiscard]] virtual Status add_note(std::string_view line) = 0;
};

enum class OpenMode : std::uint8_t { read_only, read_write, create_new };

class Disk {
 public:
  virtual ~Disk() = default;
  // not_found if it is not there; create_new: in_use if it is. Files only: what is no file, a link to one too, is
  // bad_configuration, and nobody waits for it. not_allowed, of all calls: rights, or a file system that is read-only.
  [[nodiscard]] virtual Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) = 0;
  // Makes the folder and its parents; ok if it is there. Above the root their names are durable when this returns ok;
  // below it sync_folder makes them so.
  [[nodiscard]] virtual Status make_folder(std::string_view path) = 0;
  // Names of files and folders in it, sorted; not_found if it is not there.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(std::string_view path) = 0;
  [[nodiscard]] virtual Status rename(std::string_view from, std::string_view to) = 0;
  // Exchanges the names of two files or folders of one folder, in one step: whoever looks, after a power cut too, finds
  // both as before or both exchanged. not_supported: the file system cannot.
  [[nodiscard]] virtual Status exchange(std::string_view one, std::string_view other) = 0;
  [[nodiscard]] virtual Status remove(std::string_view path) = 0;
  [[nodiscard]] virtual Status sync_folder(std::string_view path) = 0;
  // in_use, with who holds it if that is known.
  [[nodiscard]] virtual Result<std::unique_ptr<FolderLock>> lock_folder(std::string_view path) = 0;
  // Keeps writers out while somebody reads, and changes nothing on the disk. A folder that was never locked (a copy)
  // has nothing that keeps them out.
  [[nodiscard]] virtual Result<std::unique_ptr<FolderLock>> lock_folder_to_read(std::string_view path) = 0;
  // Bytes that an ordinary user could still write.
  [[nodiscard]] virtual Result<std::uint64_t> free_bytes() = 0;
};

}  // namespace fastjournal::env
