// Values are read now and then, so that what the disk lost is known while there are copies elsewhere: a few MiB a second,
// once a day.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/files/data_files.h"
#include "engine/files/readings.h"

namespace fastjournal::storage {

class Scrubbing {
 public:
  Scrubbing(Context& context, DataFiles const& files, Readings& readings)
      : context_(context), files_(files), readings_(readings) {}

  // When the next job is due.
  [[nodiscard]] std::int64_t next_us() const { return next_us_; }
  [[nodiscard]] std::unique_ptr<Job> take_job(std::int64_t now_us);
  void finish_job(ScrubJob const& job);

 private:
  Context& context_;
  DataFiles const& files_;
  Readings& readings_;
  std::uint64_t cursor_{0};
  std::int64_t next_us_{INT64_MIN};
  Readings::FetchId reading_{0};
};

}  // namespace fastjournal::storage
