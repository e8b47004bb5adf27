// Values are read now and then, so that what the disk lost is known while there are copies elsewhere.
#include <algorithm>

#include "engine/files/byte_files.h"

namespace fastjournal::storage {

// A few MiB a second, once a day: what was found damaged can be restored before its copy elsewhere is gone.
std::unique_ptr<Job> ByteFiles::scrub_job(std::int64_t now_us) {
  constexpr std::uint64_t kBytesPerJob = 4U << 20U;
  // A value may be large, and most rows of a journal may have none outside.
  constexpr std::uint32_t kLooksAtOnce = 16;
  constexpr std::uint32_t kLooksPerJob = 4096;
  if (is_dropped_ || options_.scrub_every_us == 0 || files_.empty()) return nullptr;
  if (scrub_next_us_ == INT64_MIN) scrub_next_us_ = now_us + options_.scrub_every_us / 2;
  if (now_us < scrub_next_us_) return nullptr;
  auto job = std::make_unique<ScrubJob>();
  std::uint64_t bytes = 0;
  std::vector<Extent> found;
  for (std::uint32_t looks = 0; looks < kLooksPerJob && bytes < kBytesPerJob; looks += kLooksAtOnce) {
    found.clear();
    scrub_cursor_ = table_->list_extents(scrub_cursor_, kLooksAtOnce, found);
    for (Extent const& extent : found) {
      File const* const file = find(extent.file);
      if (file == nullptr || extent.size() == 0) continue;
      job->looks.push_back({extent, file->file, path_of(extent.file), {}});
      bytes += extent.size();
    }
    if (scrub_cursor_ == 0) break;
  }
  if (scrub_cursor_ == 0) ++figures_.scrub_rounds;
  std::int64_t const pace_us = static_cast<std::int64_t>(bytes * 1'000'000 / options_.scrub_bytes_per_s);
  scrub_next_us_ = now_us + (scrub_cursor_ == 0 ? options_.scrub_every_us : std::max<std::int64_t>(pace_us, 1));
  figures_.scrubbed_bytes += bytes;
  // Meanwhile nothing of it is given back.
  scrub_reading_ = next_fetch_++;
  reading_.insert(scrub_reading_);
  return job;
}

void ByteFiles::finish(ScrubJob& job) {
  reading_.erase(scrub_reading_);
  for (ScrubJob::Look const& look : job.looks)
    if (!look.status.ok()) note_damage(look.status);
}

}  // namespace fastjournal::storage
