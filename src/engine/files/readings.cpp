#include "engine/files/readings.h"

namespace fastjournal::storage {
namespace {

// What one job reads.
constexpr std::uint64_t kFetchBytesPerJob = 16U << 20U;

}  // namespace

Readings::FetchId Readings::fetch(std::vector<Extent> const& extents) {
  context_.touch();
  FetchId const id = begin();
  std::vector<FetchJob::Read>& reads = to_fetch_.emplace_back();
  // The files that they are in now: a table may give them up before the job is taken.
  for (std::size_t i = 0; i < extents.size(); ++i) {
    DataFile const* const file = files_.find(extents[i].file);
    reads.push_back({.fetch = id,
                     .at = i,
                     .extent = extents[i],
                     .file = file == nullptr ? nullptr : file->file,
                     .name = files_.path_of(extents[i].file)});
  }
  if (extents.empty()) reads.push_back({.fetch = id});
  return id;
}

Readings::Reading Readings::read_in_place(Extent const& extent) {
  carried_.flush();
  DataFile const* const file = files_.find(extent.file);
  if (file == nullptr) return {};
  return {file->file, begin()};
}

std::unique_ptr<Job> Readings::take_job() {
  if (to_fetch_.empty()) return nullptr;
  auto job = std::make_unique<FetchJob>();
  std::uint64_t bytes = 0;
  while (!to_fetch_.empty() && bytes < kFetchBytesPerJob) {
    for (FetchJob::Read& read : to_fetch_.front()) {
      bytes += read.extent.size();
      job->reads.push_back(std::move(read));
    }
    to_fetch_.pop_front();
  }
  return job;
}

void Readings::finish_job(FetchJob& job) {
  for (FetchJob::Read& read : job.reads) {
    if (fetched_.empty() || fetched_.back().fetch != read.fetch)
      fetched_.push_back({.fetch = read.fetch, .status = {}, .values = {}});
    Fetched& fetched = fetched_.back();
    reading_.erase(read.fetch);
    context_.figures.fetched_bytes += read.bytes.size();
    if (!read.status.ok()) {
      if (read.status.code() == Code::damaged) context_.note_damage(read.status);
      if (fetched.status.ok()) fetched.status = std::move(read.status);
    }
    fetched.values.push_back(std::move(read.bytes));
  }
}

}  // namespace fastjournal::storage
