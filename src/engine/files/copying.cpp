#include "engine/files/copying.h"

namespace fastjournal::storage {
namespace {

constexpr std::uint64_t kCopyBytesPerJob = 4U << 20U;
constexpr std::size_t kCopiesPerJob = 4096;

}  // namespace

std::unique_ptr<Job> Copying::take_job() {
  if (copied_ != nullptr || !context_.manages_files() || context_.is_held) return nullptr;
  std::vector<CopyRequest> requests;
  std::uint32_t number = context_.manager->request_copies(kCopyBytesPerJob, requests);
  if (number == 0) number = context_.manager->file_to_be();
  DataFile* const to = number == 0 ? nullptr : files_.find(number);
  if (to == nullptr) return nullptr;
  if (requests.size() > kCopiesPerJob) requests.resize(kCopiesPerJob);
  std::size_t const of_table = requests.size();
  promised_.request_copies(number, requests);
  if (requests.empty()) return nullptr;
  auto job = std::make_unique<CopyJob>();
  job->file = number;
  job->to = to->file;
  for (CopyRequest const& request : requests) {
    job->copies.push_back(files_.place_copy(*to, request));
    job->copies.back().is_promised = job->copies.size() > of_table;
  }
  return job;
}

void Copying::finish_job(CopyJob& job) {
  if (!job.failure.ok()) return context_.fail(std::move(job.failure));
  ++context_.figures.syncs;
  files_.note_written(job.file);
  copied_ = std::make_unique<Copied>();
  for (CopyJob::Copy& copy : job.copies) {
    std::uint64_t const size = copy.request.from.size();
    Extent const to{.file = job.file, .begin = copy.offset, .end = copy.offset + size, .hash = copy.hash};
    if (copy.is_promised) {
      Status status = promised_.add_copy(copy, to);
      if (status.ok()) continue;
      copied_->why = std::move(status);
      copied_->not_moved.push_back({.key = {}, .from = copy.request.from});
      continue;
    }
    if (copy.status.ok()) {
      copied_->moved.push_back({copy.request.key, copy.request.from, to});
      context_.figures.copied_bytes += size;
      continue;
    }
    if (copy.status.code() == Code::damaged) context_.note_damage(copy.status);
    if (copied_->why.ok()) copied_->why = std::move(copy.status);
    copied_->not_moved.push_back(copy.request);
    if (copy.offset != 0) files_.give_back(to);
  }
  promised_.tell_table();
}

void Copying::settle_copied() {
  for (Moved const& moved : copied_->moved) files_.give_back(moved.to);
  copied_.reset();
}

}  // namespace fastjournal::storage
