// The start of one table's byte files: which files are there, whether everything that records name is in them, and what
// else is in them is given back. Values that a replay names may be in a file that ended before them: what is so at its end
// is lost, and the daemon does not start.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/files/data_files.h"

namespace fastjournal::storage {

class Recovery {
 public:
  Recovery(Context& context, DataFiles& files) : context_(context), files_(files) {}

  // Before the first record is replayed.
  [[nodiscard]] Status open() { return files_.open(left_over_); }
  // In the replay, by a record that does not carry the value into a file of our own.
  void named(DataFile const& file, Extent const& extent) {
    if (extent.end > file.found_bytes) missing_.emplace(key_of(extent), extent);
  }
  void freed(Extent const& extent) {
    if (!missing_.empty()) missing_.erase(key_of(extent));
  }
  // After the replay. `promised`: places of values of transactions that are not over.
  [[nodiscard]] Status finish(std::vector<Extent> const& promised);

 private:
  [[nodiscard]] Status check_named(std::vector<Extent> const& promised);
  [[nodiscard]] Status adopt_strangers(std::vector<Extent> found);
  [[nodiscard]] Status remove_garbage();

  Context& context_;
  DataFiles& files_;
  std::map<PlaceKey, Extent> missing_;  // named and not carried, beyond the end of the file as it was found
  std::vector<std::string> left_over_;  // files to be removed when it begins
};

}  // namespace fastjournal::storage
