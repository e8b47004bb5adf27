// The folder of one table's byte files, the data files in it, and the places in them. A place is given out at the end of
// a file; then a record names it, or it is given back. What goes there, and why, is known to others.
//
// No byte of a file is written twice: a place that was given out and not named, or is named no more, is garbage. So what
// is read under a name is never overwritten, whatever a crash undid. A start goes on behind the end of each file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/env/disk.h"
#include "engine/files/byte_file_format.h"
#include "engine/files/context.h"
#include "engine/files/jobs.h"
#include "fastjournal/extent.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::storage {

// Of a table that says its files, values are small and never given back one by one.
inline constexpr std::uint64_t kAlignmentSaid = 8;

[[nodiscard]] inline std::uint64_t aligned(std::uint64_t offset, std::uint64_t to) {
  return (offset + to - 1) / to * to;
}

// File and begin. Only of an extent that has bytes: an empty value has no place of its own, and begins where the next one
// does.
using PlaceKey = std::pair<std::uint32_t, std::uint64_t>;
[[nodiscard]] inline PlaceKey key_of(Extent const& extent) { return {extent.file, extent.begin}; }

struct DataFile {
  std::uint32_t number{0};
  FilePtr file{};
  std::uint64_t end{kHeaderBytes};  // the next place
  std::uint64_t reserved{0};        // space is promised up to here
  std::uint64_t found_bytes{0};     // its size at the start
  std::uint64_t named_bytes{0};
  std::uint64_t hollow_bytes{0};  // given back in the middle of it, since the start
  std::uint64_t named{0};         // places
  std::uint64_t outstanding{0};   // places that were given out, and not named so far
  std::uint64_t freeing{0};       // places that wait to be given back
  Lsn unwanted_since{};           // of a table that says its files: it was no longer listed; none: it is
  bool removing{false};
  bool is_stranger{false};  // its header names another log
};

// Space that a job is to give back (tidying.h).
struct Garbage {
  std::vector<TidyJob::Punch> punches;
  std::vector<std::uint32_t> files;
  std::vector<std::string> paths;  // files of values whose size was not known

  [[nodiscard]] bool is_empty() const { return punches.empty() && files.empty() && paths.empty(); }
};

class DataFiles {
 public:
  explicit DataFiles(Context& context) : context_(context) {}

  // -- folder ---------------------------------------------------------------
  // Finds the files that are there. Those that are to be removed are named in `left_over`.
  [[nodiscard]] Status open(std::vector<std::string>& left_over);
  // Made if it is not there.
  [[nodiscard]] Status prepare_folder();
  // Of what is there, and of what is made from now on.
  [[nodiscard]] Status set_access(std::optional<env::Access> const& access);
  [[nodiscard]] Status give_access();
  // Whether the folder and what was written to since the last look, or `all` of it, are where a start will look for them.
  // Not ok: it has failed.
  [[nodiscard]] Status look(bool all);
  // Something was written to since then.
  [[nodiscard]] bool wants_look() const { return !written_to_.empty(); }
  void note_written(std::uint32_t number) { written_to_.insert(number); }
  [[nodiscard]] bool has_folder() const { return has_folder_; }
  // In the root of the disk.
  [[nodiscard]] std::string path_of(std::uint32_t number) const;

  // -- files ----------------------------------------------------------------
  // By number.
  [[nodiscard]] std::map<std::uint32_t, DataFile>& all() { return files_; }
  [[nodiscard]] std::map<std::uint32_t, DataFile> const& all() const { return files_; }
  // Null: there is none of this number.
  [[nodiscard]] DataFile* find(std::uint32_t number);
  [[nodiscard]] DataFile const* find(std::uint32_t number) const;
  // The largest number that ever was.
  [[nodiscard]] std::uint32_t last_number() const { return last_number_; }
  [[nodiscard]] Result<DataFile*> make(std::uint32_t number);
  // One that was just made.
  DataFile& add(std::uint32_t number, FilePtr file);
  // By a job.
  void remove(DataFile& file);
  void remove(std::string path) { garbage_.paths.push_back(std::move(path)); }
  // Files that records name, for a backup.
  [[nodiscard]] std::vector<std::uint32_t> in_use() const;

  // -- places ---------------------------------------------------------------
  struct Placed {
    Extent extent{};
    FilePtr file{};
  };
  // In the file for new values. `must_reserve`: not ok if this file system cannot promise the space.
  [[nodiscard]] Result<Placed> place(std::uint64_t bytes, bool must_reserve = false);
  // In this file. Not ok: its status says why.
  [[nodiscard]] CopyJob::Copy place_copy(DataFile& to, CopyRequest const& request);
  // One that was given out before this start.
  void place_again(DataFile& file, Extent const& extent);
  [[nodiscard]] bool is_placed(Extent const& extent) const { return places_.contains(key_of(extent)); }
  // A promised one is not given back. False: it was not given out, or is named by now.
  bool set_promised(Extent const& extent, bool is_promised);
  // Nothing happens to one that is named by now.
  void give_back(Extent const& extent);
  // A record names it, or names it no more. Null: its file is gone.
  DataFile* named(Extent const& extent);
  DataFile* freed(Extent const& extent);

  // -- space ----------------------------------------------------------------
  [[nodiscard]] std::uint64_t alignment() const;
  // Whole blocks within.
  void want_punched(DataFile const& file, std::uint64_t begin, std::uint64_t end);
  // This file system gives no space back.
  void cannot_punch();
  [[nodiscard]] Garbage& garbage() { return garbage_; }
  [[nodiscard]] Garbage const& garbage() const { return garbage_; }
  // The table is told where the file for new values ends.
  void tell_taken(DataFile const& file);

 private:
  // The file for new values, with space for these bytes.
  [[nodiscard]] Result<DataFile*> file_for(std::uint64_t bytes);
  [[nodiscard]] Status reserve(DataFile& file, std::uint64_t end);
  [[nodiscard]] Result<Extent> take_place(DataFile& file, std::uint64_t bytes);
  void settle(Extent const& extent);

  Context& context_;
  std::unique_ptr<env::FolderLock> lock_;
  bool has_folder_{false};
  std::map<std::uint32_t, DataFile> files_;
  std::uint32_t last_number_{0};
  std::map<PlaceKey, bool> places_;     // that were given out; true: promised
  std::set<std::uint32_t> written_to_;  // files, since the last look
  Garbage garbage_;
  bool cannot_punch_{false};
};

}  // namespace fastjournal::storage
