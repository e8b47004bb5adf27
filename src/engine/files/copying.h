// Values that a table moves to the file that it is building (ManagesFiles::request_copies), and with them those of transactions
// that are not over. A job copies and syncs them; then the table decides which of them have moved.
#pragma once

#include <memory>
#include <vector>

#include "engine/files/data_files.h"
#include "engine/files/promised.h"

namespace fastjournal::storage {

class Copying {
 public:
  Copying(Context& context, DataFiles& files, PromisedValues& promised)
      : context_(context), files_(files), promised_(promised) {}

  // Copies that are done: for ManagesFiles::decide_moved. Those that failed are `not_moved`, with the reason of the first.
  struct Copied {
    std::vector<Moved> moved;
    std::vector<CopyRequest> not_moved;
    Status why{};
  };
  [[nodiscard]] bool has_copied() const { return copied_ != nullptr; }
  // Then settle_copied(): what was not named is given back.
  [[nodiscard]] Copied const& copied() const { return *copied_; }
  void settle_copied();

  [[nodiscard]] std::unique_ptr<Job> take_job();
  void finish_job(CopyJob& job);

 private:
  Context& context_;
  DataFiles& files_;
  PromisedValues& promised_;
  std::unique_ptr<Copied> copied_;
};

}  // namespace fastjournal::storage
