// The file `newest` of an open log (newest.h): each segment that gets a header, and how far the stream
// is durable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/newest.h"

namespace fastjournal::log::file {

// Owned by the log's writer. Invariant: the file names nothing that is not durable.
class NewestFile {
 public:
  // Opens the file that was found, or makes it for a log without one: `now` is what holds. `start`: of this opening.
  [[nodiscard]] static Result<std::unique_ptr<NewestFile>> open(env::Disk& disk, std::string const& folder,
                                                                FoundNewest found, Newest now, std::uint32_t start);

  // A segment of this generation has a durable header. It is still empty: from its first record on its loss must be
  // detected. `durable`: the last batch with records that is durable ends there.
  [[nodiscard]] Status tell_generation(std::uint64_t generation, Lsn durable);

  // The work of a flush behind its syncs.
  struct Telling {
    std::shared_ptr<NewestWriter> writer;  // null: nothing new
    Newest what;
    bool durably{false};
  };
  // The flush makes durable what ends at `data_end`. `covers_all`: it ends a marker, which covers all batches
  // with records. Then so does `newest`; otherwise it is only written, as nothing depends on it.
  [[nodiscard]] Telling telling(Lsn data_end, bool covers_all);
  void told(Telling const& telling) {
    if (telling.durably) told_ = std::max(told_, telling.what.durable);
  }
  // Whether the file still has its name.
  [[nodiscard]] Status look() const { return segments_.look(); }

 private:
  NewestFile(Newest now, std::uint32_t start, NewestWriter segments, std::shared_ptr<NewestWriter> durable)
      : now_(now),
        told_(now.durable),
        telling_(now.durable),
        segments_(std::move(segments)),
        durable_(std::move(durable)) {
    now_.start = start;
  }
  [[nodiscard]] Newest with(Lsn durable) const { return {now_.store_id, now_.generation, durable, now_.start}; }

  Newest now_;   // its generation is the highest that the file names
  Lsn told_;     // durably,
  Lsn telling_;  // or on its way
  NewestWriter segments_;
  std::shared_ptr<NewestWriter> durable_;  // shared with a flush that is out
};

}  // namespace fastjournal::log::file
