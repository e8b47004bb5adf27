// Small values of commands that are decided at once: the record carries the bytes, they are written to their file by the
// end of the turn, and synced later. Until then the record is needed, and the log keeps it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "engine/files/data_files.h"

namespace fastjournal::storage {

class CarriedBytes {
 public:
  CarriedBytes(Context& context, DataFiles& files) : context_(context), files_(files) {}

  // A place for it. not_supported: this file system cannot promise the space.
  [[nodiscard]] Result<StoredValue> place(std::string_view bytes, bool is_text);
  // A record names the place. Written by the next flush(): no one reads before the turn ends, nor in a replay.
  void write(DataFile& file, Extent const& extent, std::string_view bytes);
  void flush();
  // The end of the log.
  void turn_ended(Lsn end) { turn_began_ = end; }
  // Records from here on are needed; kNoLsn: none is.
  [[nodiscard]] Lsn oldest_needed() const;

  // -- syncing --------------------------------------------------------------
  [[nodiscard]] Status sync();
  // When they are to be synced, if nothing else is before; INT64_MAX: there are none.
  [[nodiscard]] std::int64_t due_us() const {
    return carried_.empty() ? INT64_MAX : carried_at_us_ + context_.options.sync_after_us;
  }
  // A job syncs their files, which are added.
  void begin_sync(std::set<FilePtr>& syncs);
  void end_sync() { in_job_ = kNoLsn; }
  // Nothing of it is named any more.
  void file_removed(std::uint32_t number) { carried_.erase(number); }

 private:
  Context& context_;
  DataFiles& files_;
  // Those that lie one behind the other, for one write.
  struct Joined {
    FilePtr file{};
    std::uint64_t begin{0};
    std::string bytes{};
  };
  Joined joined_;
  std::set<std::uint32_t> carried_;  // files with carried bytes that are not synced,
  Lsn carried_since_{};              // whose records begin here or later,
  std::int64_t carried_at_us_{0};    // the first of them was written about then
  Lsn in_job_{};                     // the same of those that a job syncs now
  Lsn turn_began_{};                 // end of the log when the last turn ended
};

}  // namespace fastjournal::storage
