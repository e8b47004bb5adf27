// Files and space beside the loop. Places that no record names any more are given back once that is durable and no
// reader is left. For a table that says its files, those that it wants are made, others are removed, and its links are
// set. A file is made at once, since it does no harm; one is removed, and a link is set, when the record that says so
// is durable.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/files/carried.h"
#include "engine/files/data_files.h"
#include "engine/files/promised.h"
#include "engine/files/readings.h"

namespace fastjournal::storage {

class Tidying {
 public:
  Tidying(Context& context, DataFiles& files, CarriedBytes& carried, Readings const& readings, PromisedValues& promised)
      : context_(context), files_(files), carried_(carried), readings_(readings), promised_(promised) {}

  // Before a place is told.
  [[nodiscard]] Status link_at_start();
  // No record names it once this is durable.
  void freed(DataFile& file, Extent const& extent, Lsn lsn);
  void free_durable(Lsn durable);
  // The files and links that the table wants.
  void follow_requests(Lsn durable, Lsn end);
  // Of a table that was dropped.
  void remove_all();
  // Nothing waits but for a job that is out: that touches it when it is given back.
  [[nodiscard]] bool is_settled() const;

  [[nodiscard]] std::unique_ptr<Job> take_job();
  void finish_job(TidyJob& job);

 private:
  using Links = std::map<std::string, std::string, std::less<>>;
  struct Freed {
    Extent extent{};
    Lsn lsn{};
    Readings::FetchId before{0};  // readings with smaller numbers may see it
  };

  Context& context_;
  DataFiles& files_;
  CarriedBytes& carried_;
  Readings const& readings_;
  PromisedValues& promised_;
  std::deque<Freed> freed_;
  std::vector<std::uint32_t> to_make_;
  std::vector<std::uint32_t> removing_;  // by the job that is out
  Links links_;                          // as they are
  Links to_link_;                        // what a job makes of them; empty: removed
  Links requested_links_;
  Lsn links_requested_at_{};
};

}  // namespace fastjournal::storage
