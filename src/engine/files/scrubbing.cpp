#include "engine/files/scrubbing.h"

#include <algorithm>
#include <vector>

namespace fastjournal::storage {

std::unique_ptr<Job> Scrubbing::take_job(std::int64_t now_us) {
  constexpr std::uint64_t kBytesPerJob = 4U << 20U;
  // A value may be large, and most rows of a journal may have none outside.
  constexpr std::uint32_t kExtentsAtOnce = 16;
  constexpr std::uint32_t kExtentsPerJob = 4096;
  std::int64_t const every_us = context_.options.scrub_every_us;
  if (context_.is_dropped() || every_us == 0 || files_.all().empty()) return nullptr;
  if (next_us_ == INT64_MIN) next_us_ = now_us + every_us / 2;
  if (now_us < next_us_) return nullptr;
  auto job = std::make_unique<ScrubJob>();
  std::uint64_t bytes = 0;
  std::vector<Extent> found;
  for (std::uint32_t looks = 0; looks < kExtentsPerJob && bytes < kBytesPerJob; looks += kExtentsAtOnce) {
    found.clear();
    cursor_ = context_.table->list_extents(cursor_, kExtentsAtOnce, found);
    for (Extent const& extent : found) {
      DataFile const* const file = files_.find(extent.file);
      if (file == nullptr || extent.size() == 0) continue;
      job->looks.push_back({extent, file->file, files_.path_of(extent.file), {}});
      bytes += extent.size();
    }
    if (cursor_ == 0) break;
  }
  if (cursor_ == 0) ++context_.figures.scrub_rounds;
  std::int64_t const pace_us = static_cast<std::int64_t>(bytes * 1'000'000 / context_.options.scrub_bytes_per_s);
  next_us_ = now_us + (cursor_ == 0 ? every_us : std::max<std::int64_t>(pace_us, 1));
  context_.figures.scrubbed_bytes += bytes;
  // Meanwhile nothing of it is given back.
  reading_ = readings_.begin();
  return job;
}

void Scrubbing::finish_job(ScrubJob const& job) {
  readings_.end(reading_);
  for (ScrubJob::Look const& look : job.looks)
    if (!look.status.ok()) context_.note_damage(look.status);
}

}  // namespace fastjournal::storage
