// A disk in memory that loses, tears and corrupts. The faults it injects:
//
//   power cut         crash(): each sector that was written and not synced keeps its new or its old content, as a
//                     Chooser says; so writes are torn at sector size (512 B or 4 KiB).
//   lost names        files created, renamed or removed, folders made, and names exchanged, since the last
//                     sync_folder: each such change survives or is lost; with a folder's name everything in it.
//   power cut at call n   stop_after(n): that many changing calls succeed, then everything fails until crash().
//   failing call n    fail_call(kind, n, how): EIO, ENOSPC, or a write that stops half-way.
//   failed sync       drops pages: what it should have made durable can still be read, counts as clean, and is gone
//                     after the next crash.
//   lying sync        ignore_syncs(): syncs return ok and do nothing.
//   full disk         capacity_bytes. Space that was given back (punch) counts as free, and is zeros or, after a power
//                     cut, what it was.
//   no rights         forbid_new_files(): existing files can be written, no others created.
//   bit rot           flip(), wipe(): on the durable medium, unnoticed.
//   misdirected write misdirect_write(): the next write goes to another place.
//   lost write        lose_write(): the next write returns ok and does nothing.
//   replaced folder   move_away(): the folder, or its lock, is not where it was locked. Its holder can go on in it,
//                     and look() reports it, until put_back().
//   removed file      drop(): its name is removed, durably; open files go on.
//
// After crash() the same disk is used again; files and locks opened before are dead. copy_state() puts a second disk
// into the same state, in microseconds: contents are shared until one of the two writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/disk.h"

namespace fastjournal::sim {

enum class Call : std::uint8_t {
  open,
  read,
  write,
  sync,
  size,
  truncate,
  make_folder,
  list,
  rename,
  exchange,
  remove,
  sync_folder,
  lock,
  free_bytes,
  look,
  add_note,
  reserve,
  punch
};
inline constexpr std::size_t kCallKinds = 18;
enum class Failure : std::uint8_t { io_error, no_space, short_write };

// Says whether the n-th unsynced thing survives the crash.
using Chooser = std::function<bool(std::size_t)>;
[[nodiscard]] Chooser keep_all();
[[nodiscard]] Chooser keep_none();
// Things after the 64th are lost.
[[nodiscard]] Chooser keep_mask(std::uint64_t mask);
[[nodiscard]] Chooser keep_some(std::uint64_t seed);

class SimLock;

class SimDisk final : public env::Disk {
 public:
  struct Options {
    std::size_t sector_bytes{512};
    std::uint64_t capacity_bytes{1ULL << 40U};
  };

  SimDisk() : SimDisk(Options{}) {}
  explicit SimDisk(Options options) : options_(options) {}
  ~SimDisk() override;
  // The same files and unsynced things as `other`. Nothing is planned afterwards, and files and locks opened before are
  // dead.
  void copy_state(SimDisk const& other);
  SimDisk(SimDisk const&) = delete;
  SimDisk& operator=(SimDisk const&) = delete;

  // -- env::Disk --------------------------------------------------------------
  [[nodiscard]] Result<std::unique_ptr<env::File>> open(std::string_view path, env::OpenMode mode) override;
  [[nodiscard]] Status make_folder(std::string_view path) override;
  [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) override;
  [[nodiscard]] Status rename(std::string_view from, std::string_view to) override;
  // Exchanges two folders in the same folder.
  [[nodiscard]] Status exchange(std::string_view one, std::string_view other) override;
  // Removes a file, or an empty folder. Folders are removed at once, as they are made at once.
  [[nodiscard]] Status remove(std::string_view path) override;
  [[nodiscard]] Status point(std::string_view link, std::string_view target) override;
  // Noted.
  [[nodiscard]] Status give(std::string_view path, env::Access const& access) override;
  [[nodiscard]] Status let_through(std::string_view folder) override;
  [[nodiscard]] std::map<std::string, env::Access, std::less<>> const& given() const { return given_; }
  [[nodiscard]] std::set<std::string, std::less<>> const& let_through() const { return let_through_; }
  [[nodiscard]] Status sync_folder(std::string_view path) override;
  [[nodiscard]] Result<std::unique_ptr<env::FolderLock>> lock_folder(std::string_view path) override;
  // One reader at a time.
  [[nodiscard]] Result<std::unique_ptr<env::FolderLock>> lock_folder_to_read(std::string_view path) override {
    return lock_folder(path);
  }
  [[nodiscard]] Result<std::uint64_t> free_bytes() override;

  // -- faults -----------------------------------------------------------------
  // The power is cut and comes back.
  void crash(Chooser const& survives);
  // The process is killed, the kernel lives on: nothing is lost, and planned faults stay planned.
  void kill();
  // The number of things that crash() would ask about now.
  [[nodiscard]] std::size_t unsynced_things() const;
  void stop_after(std::uint64_t changing_calls) { stop_at_ = changes_ + changing_calls; }
  [[nodiscard]] bool is_stopped() const { return stop_at_.has_value() && changes_ >= *stop_at_; }
  // The `nth` call of this kind from now (1: the next). Several may be planned.
  void fail_call(Call kind, std::uint64_t nth, Failure how);
  // Cancels planned faults that did not happen: failing calls, misdirected and lost writes.
  void forget_failures();
  [[nodiscard]] bool is_planned() const { return !failures_.empty() || misdirect_ || lose_write_; }
  // Return addresses of the calls that failed as planned: the places in the code that made them.
  [[nodiscard]] std::vector<void const*> const& failed_callers() const { return failed_callers_; }
  // Called before each changing call takes effect: at every moment at which the power can be cut.
  void before_change(std::function<void()> observer) { observer_ = std::move(observer); }
  void ignore_syncs(bool ignore) { ignore_syncs_ = ignore; }
  void ignore_folder_syncs(bool ignore) { ignore_folder_syncs_ = ignore; }
  void misdirect_write(std::int64_t by_bytes) { misdirect_ = by_bytes; }
  void lose_write() { lose_write_ = true; }
  void flip(std::string_view path, std::uint64_t offset, std::uint8_t bits);
  void wipe(std::string_view path, std::uint64_t offset, std::uint64_t bytes);
  void overwrite(std::string_view path, std::uint64_t offset, std::span<std::byte const> bytes);
  void move_away(std::string_view folder) { moved_away_.emplace(folder); }
  void put_back() { moved_away_.clear(); }
  void drop(std::string_view path);
  void forbid_new_files(bool forbid) { no_new_files_ = forbid; }
  void set_capacity(std::uint64_t bytes) { options_.capacity_bytes = bytes; }

  // -- looking ----------------------------------------------------------------
  [[nodiscard]] std::uint64_t calls(Call kind) const { return calls_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint64_t changing_calls() const { return changes_; }
  [[nodiscard]] std::uint64_t used_bytes() const;
  // All files, with their folders.
  [[nodiscard]] std::vector<std::string> files() const;
  [[nodiscard]] std::vector<std::byte> content(std::string_view path) const;
  // The contents of all files, as they would be read now: to compare before and after.
  [[nodiscard]] std::map<std::string, std::vector<std::byte>, std::less<>> image() const;
  void restore(std::map<std::string, std::vector<std::byte>, std::less<>> const& image);

 private:
  friend class SimFile;
  friend class SimLock;

  // Bytes that are shared by several owners until one of them changes them.
  class Content {
   public:
    [[nodiscard]] std::vector<std::byte> const& get() const { return *bytes_; }
    [[nodiscard]] std::vector<std::byte>& change() {
      if (bytes_.use_count() > 1) bytes_ = std::make_shared<std::vector<std::byte>>(*bytes_);
      return *bytes_;
    }

   private:
    std::shared_ptr<std::vector<std::byte>> bytes_{std::make_shared<std::vector<std::byte>>()};
  };
  struct Node {
    Content seen;                      // what a read returns
    Content durable;                   // what the medium holds
    std::vector<std::uint64_t> dirty;  // sectors in `seen` that are not durable, ascending
    bool size_dirty{false};
    std::set<std::uint64_t> holes;  // sectors of `seen` whose space was given back
    std::uint64_t reserved{0};      // space up to here, whatever the size is
  };
  using Names = std::map<std::string, std::shared_ptr<Node>, std::less<>>;
  // A change of names that no sync_folder has made durable yet.
  struct NameChange {
    enum class Kind : std::uint8_t { create, rename, exchange, remove };
    Kind kind;
    std::string path;  // in the names of the time of the change
    std::string to;
    std::shared_ptr<Node> node;
    // The same change, with paths as after `exchange`, or as before it.
    [[nodiscard]] NameChange behind(NameChange const& exchange) const;
  };
  struct PlannedFailure {
    Call kind;
    std::uint64_t at;
    Failure how;
  };

  // Counts the call; not ok if it must fail. `how` is set for a short write.
  Status enter(Call kind, std::string_view path, void const* caller, Failure* how = nullptr);
  Status write(Node& node, std::string_view path, std::uint64_t offset, std::span<std::byte const> bytes,
               void const* caller);
  Status reserve(Node& node, std::string_view path, std::uint64_t size);
  Status grow(Node& node, std::string_view path, std::uint64_t size);
  void punch(Node& node, std::uint64_t offset, std::uint64_t bytes);
  Status sync(Node& node, std::string_view path, void const* caller, std::uint64_t offset = 0,
              std::uint64_t bytes = UINT64_MAX);
  static void apply(NameChange const& change, Names& names);
  // With everything in it.
  void lose_folder(std::string const& path);
  void settle(Node& node, Chooser const& survives, std::size_t& thing) const;
  void mark(Node& node, std::uint64_t offset, std::uint64_t bytes) const;
  [[nodiscard]] Node& node_at(std::string_view path);
  void start_again();

  Options options_;
  Names names_;
  std::map<std::string, env::Access, std::less<>> given_;
  std::set<std::string, std::less<>> let_through_;
  Names durable_names_;
  std::vector<NameChange> changes_of_names_;
  std::set<std::string, std::less<>> folders_{""};
  std::vector<std::string> unsynced_folders_;  // their names may be lost; in the order of creation
  std::set<std::string, std::less<>> moved_away_;
  // By folder: the text in its lock. It is small and synced at once, so it is never torn.
  std::map<std::string, std::string, std::less<>> notes_;
  std::map<std::string, SimLock*, std::less<>> locks_;
  std::uint64_t generation_{0};
  std::uint64_t changes_{0};
  std::uint64_t calls_[kCallKinds]{};
  std::optional<std::uint64_t> stop_at_;
  std::vector<PlannedFailure> failures_;
  std::vector<void const*> failed_callers_;
  std::function<void()> observer_;
  std::optional<std::int64_t> misdirect_;
  bool lose_write_{false};
  bool no_new_files_{false};
  bool ignore_syncs_{false};
  bool ignore_folder_syncs_{false};
};

}  // namespace fastjournal::sim
