// Values on their way to a file, back from it, and from one file to another.
#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "engine/files/byte_files.h"

namespace fastjournal::storage {
namespace {

// What one job writes, if no single value is larger: others wait for its sync.
constexpr std::uint64_t kStoreBytesPerJob = 8U << 20U;
// What one job reads.
constexpr std::uint64_t kFetchBytesPerJob = 16U << 20U;
constexpr std::uint64_t kCopyBytesPerJob = 4U << 20U;
constexpr std::size_t kCopiesPerJob = 4096;

}  // namespace

// ---------------------------------------------------------------------------
// Storing

Status ByteFiles::place_part(Part& part, std::uint64_t bytes) {
  Result<File*> const file = file_for(bytes);
  if (!file.ok()) return file.status();
  Result<Extent> const extent = take_place(*file.value(), bytes);
  if (!extent.ok()) return extent.status();
  part.extent = extent.value();
  part.file = file.value()->file;
  return {};
}

// All of it is there: it gets a place in the file for new values, and a job brings it there from where it is.
Status ByteFiles::move_part(Part& part) {
  Extent const from{.file = part.extent.file, .begin = part.extent.begin, .end = part.extent.begin + part.taken};
  FilePtr file = part.file;
  if (Status status = place_part(part, part.taken); !status.ok()) return status;
  part.from = from;
  part.from_file = std::move(file);
  return {};
}

Result<ByteFiles::StageId> ByteFiles::store(std::vector<Piece> const& values, Buffer* in) {
  touch();
  Stage stage;
  Status status;
  for (Piece const& value : values) {
    Part& part = stage.parts.emplace_back();
    part.is_text = value.is_text;
    part.waiting_bytes = value.bytes.size();
    staged_bytes_ += part.waiting_bytes;
    status = place_part(part, part.waiting_bytes);
    if (!status.ok()) break;
    if (value.bytes.empty()) continue;
    FJ_CHECK(in == nullptr || in->contains(value.bytes), "values in the buffer that is given away");
    Chunk& chunk = part.waiting.emplace_back();
    chunk.bytes = value.bytes;
    if (in != nullptr) continue;
    chunk.held = Buffer{value.bytes};
    chunk.bytes = chunk.held;
  }
  StageId const id = ++last_stage_;
  stages_.emplace(id, std::move(stage));
  if (!status.ok()) {
    erase_stage(id);
    return status;
  }
  if (in != nullptr) {
    auto const first =
        std::ranges::find_if(stages_.at(id).parts, [](Part const& part) { return !part.waiting.empty(); });
    if (first != stages_.at(id).parts.end()) first->waiting.front().held = std::move(*in);
  }
  to_store_.push_back(id);
  return id;
}

Result<ByteFiles::StageId> ByteFiles::begin_value(std::uint64_t bytes, std::uint64_t bytes_max) {
  touch();
  StageId const id = ++last_stage_;
  Stage stage;
  stage.is_open = true;
  stage.bytes_max = std::min(bytes, bytes_max);
  Part& part = stage.parts.emplace_back();
  if (bytes != UINT64_MAX) {
    if (Status status = place_part(part, bytes); !status.ok()) return status;
  } else {
    if (Status status = prepare_folder(); !status.ok()) return status;
    part.own_path = fmt::format("{}/{}{:06}", options_.folder, kStagePrefix, id);
    Result<std::unique_ptr<env::File>> made = disk_.open(part.own_path, env::OpenMode::create_new);
    if (!made.ok()) return made.status();
    part.file = std::move(made).value();
  }
  stages_.emplace(id, std::move(stage));
  return id;
}

Status ByteFiles::add(StageId id, std::string_view bytes) {
  auto const found = stages_.find(id);
  FJ_CHECK(found != stages_.end() && found->second.is_open, "a value that was begun");
  Part& part = found->second.parts.front();
  if (bytes.size() > found->second.bytes_max - part.taken - part.waiting_bytes)
    return {Code::too_large, fmt::format("the value has more than {} bytes", found->second.bytes_max)};
  if (bytes.empty()) return {};
  constexpr std::size_t kJoinBytes = 64U << 10U;
  if (part.waiting.empty() || part.waiting.back().bytes.size() >= kJoinBytes) part.waiting.emplace_back();
  Chunk& chunk = part.waiting.back();
  chunk.held.append(bytes);
  chunk.bytes = chunk.held;
  if (part.waiting_bytes == 0) {
    to_store_.push_back(id);
    touch();
  }
  part.waiting_bytes += bytes.size();
  staged_bytes_ += bytes.size();
  return {};
}

std::uint64_t ByteFiles::waiting_bytes(StageId id) const {
  auto const found = stages_.find(id);
  return found == stages_.end() ? 0 : found->second.parts.front().waiting_bytes;
}

Status ByteFiles::end_value(StageId id) {
  auto const found = stages_.find(id);
  FJ_CHECK(found != stages_.end() && found->second.is_open, "a value that was begun");
  Stage& stage = found->second;
  Part& part = stage.parts.front();
  std::uint64_t const bytes = part.taken + part.waiting_bytes;
  if (part.is_placed() && bytes < part.extent.size()) {
    Status status{Code::damaged,
                  fmt::format("the value ended after {} bytes; its head says {}", bytes, part.extent.size())};
    drop(id);
    return status;
  }
  stage.is_open = false;
  touch();
  if (std::ranges::find(to_store_, id) == to_store_.end()) to_store_.push_back(id);
  return {};
}

bool ByteFiles::is_current(Done const& done) const {
  if (!says_files()) return true;
  std::uint32_t const current = table_->file_for_new();
  return std::ranges::all_of(done.values, [current](StoredValue const& value) { return value.extent.file == current; });
}

Status ByteFiles::store_again(StageId id) {
  Stage& stage = stages_.at(id);
  for (Part& part : stage.parts)
    if (Status status = move_part(part); !status.ok()) {
      drop(id);
      return status;
    }
  stage.is_told = false;
  to_store_.push_back(id);
  touch();
  return {};
}

void ByteFiles::drop(StageId id) {
  auto const found = stages_.find(id);
  if (found == stages_.end()) return;
  found->second.is_dropped = true;
  touch();
  if (!found->second.in_job) erase_stage(id);
}

// What was named meanwhile is no place that was given out any more.
void ByteFiles::erase_stage(StageId id) {
  auto const found = stages_.find(id);
  for (Part& part : found->second.parts) {
    staged_bytes_ -= part.waiting_bytes;
    give_back(part.extent);
    give_back(part.from);
    if (!part.own_path.empty()) to_unlink_.push_back(std::move(part.own_path));
  }
  stages_.erase(found);
  std::erase(to_store_, id);
}

void ByteFiles::tell_done(StageId id, Stage& stage, Status status) {
  if (stage.is_told) return;
  stage.is_told = true;
  Done done{.stage = id, .status = std::move(status), .values = {}};
  for (Part& part : stage.parts) {
    Hash128 const hash = part.hasher.hash();
    part.extent.hash = hash.low;
    done.values.push_back({.extent = part.extent, .hash_high = hash.high, .is_text = part.is_text});
  }
  done_.push_back(std::move(done));
}

std::unique_ptr<Job> ByteFiles::store_job(std::int64_t now_us) {
  bool const syncs_carried = !carried_.empty() && now_us >= carried_at_us_ + options_.sync_after_us;
  if (to_store_.empty() && !syncs_carried) return nullptr;
  auto job = std::make_unique<StoreJob>();
  std::set<FilePtr> syncs;
  std::uint64_t bytes = 0;
  while (!to_store_.empty() && bytes < kStoreBytesPerJob) {
    StageId const id = to_store_.front();
    to_store_.pop_front();
    Stage& stage = stages_.at(id);
    Status status;
    for (std::size_t i = 0; i < stage.parts.size(); ++i) {
      Part& part = stage.parts[i];
      if (part.waiting_bytes > 0) {
        StoreJob::Write write{.stage = id,
                              .part = i,
                              .file = part.file,
                              .offset = part.extent.begin + part.taken,
                              .hasher = &part.hasher};
        for (Chunk& chunk : part.waiting) write.chunks.push_back(std::move(chunk));
        part.waiting.clear();
        job->writes.push_back(std::move(write));
        bytes += part.waiting_bytes;
        staged_bytes_ -= part.waiting_bytes;
        part.taken += std::exchange(part.waiting_bytes, 0U);
      }
      if (stage.is_open) continue;
      // Its size is known now.
      bool const is_own = !part.is_placed();
      if (is_own) status = move_part(part);
      if (!status.ok()) break;
      if (part.from_file != nullptr) {
        job->moves.push_back({.stage = id,
                              .from = part.from_file,
                              .from_offset = part.from.begin,
                              .to = part.file,
                              .offset = part.extent.begin,
                              .bytes = part.taken,
                              .hasher = &part.hasher});
        bytes += part.taken;
      }
      syncs.insert(part.file);
    }
    stage.in_job = true;
    job->stages.push_back(id);
    if (!status.ok())
      job->refused.emplace_back(id, std::move(status));
    else if (!stage.is_open)
      job->completes.push_back(id);
  }
  if (syncs_carried || !syncs.empty()) {
    for (std::uint32_t const number : carried_) syncs.insert(find(number)->file);
    if (!carried_.empty()) carried_in_job_ = carried_since_;
    carried_.clear();
  }
  job->syncs.assign(syncs.begin(), syncs.end());
  return job;
}

void ByteFiles::finish(StoreJob& job) {
  carried_in_job_ = kNoLsn;
  figures_.syncs += job.syncs.size();
  if (!job.failure.ok()) return fail(std::move(job.failure));
  figures_.stored_bytes += job.written_bytes;
  for (auto& [id, status] : job.refused) {
    if (status.code() == Code::damaged) note_damage(status);
    tell_done(id, stages_.at(id), std::move(status));
  }
  for (StageId const id : job.completes) {
    Stage& stage = stages_.at(id);
    for (Part const& part : stage.parts) written_to_.insert(part.extent.file);
    tell_done(id, stage, {});
  }
  for (StageId const id : job.stages) {
    Stage& stage = stages_.at(id);
    stage.in_job = false;
    for (Part& part : stage.parts) {
      if (part.from_file == nullptr) continue;
      give_back(std::exchange(part.from, {}));
      part.from_file.reset();
      if (!part.own_path.empty()) to_unlink_.push_back(std::exchange(part.own_path, {}));
    }
    if (stage.is_dropped) erase_stage(id);
  }
}

// ---------------------------------------------------------------------------
// Reading

ByteFiles::FetchId ByteFiles::fetch(std::vector<Extent> const& extents) {
  touch();
  FetchId const id = next_fetch_++;
  reading_.insert(id);
  std::vector<FetchJob::Read>& reads = to_fetch_.emplace_back();
  // The files that they are in now: a table may give them up before the job is taken.
  for (std::size_t i = 0; i < extents.size(); ++i)
    reads.push_back(
        {.fetch = id, .at = i, .extent = extents[i], .file = file(extents[i].file), .name = path_of(extents[i].file)});
  if (extents.empty()) reads.push_back({.fetch = id});
  return id;
}

ByteFiles::Reading ByteFiles::read_in_place(Extent const& extent) {
  flush_joined();
  File const* const file = find(extent.file);
  if (file == nullptr) return {};
  FetchId const id = next_fetch_++;
  reading_.insert(id);
  return {file->file, id};
}

std::unique_ptr<Job> ByteFiles::fetch_job() {
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

void ByteFiles::finish(FetchJob& job) {
  for (FetchJob::Read& read : job.reads) {
    if (fetched_.empty() || fetched_.back().fetch != read.fetch)
      fetched_.push_back({.fetch = read.fetch, .status = {}, .values = {}});
    Fetched& fetched = fetched_.back();
    reading_.erase(read.fetch);
    figures_.fetched_bytes += read.bytes.size();
    if (!read.status.ok()) {
      if (read.status.code() == Code::damaged) note_damage(read.status);
      if (fetched.status.ok()) fetched.status = std::move(read.status);
    }
    fetched.values.push_back(std::move(read.bytes));
  }
}

// ---------------------------------------------------------------------------
// Copying

std::unique_ptr<Job> ByteFiles::copy_job() {
  if (is_dropped_ || copied_ != nullptr || !says_files() || is_held_) return nullptr;
  std::vector<CopyWish> wishes;
  std::uint32_t number = table_->wish_to_copy(kCopyBytesPerJob, wishes);
  if (number == 0) number = table_->file_to_be();
  File* const to = number == 0 ? nullptr : find(number);
  if (to == nullptr) return nullptr;
  if (wishes.size() > kCopiesPerJob) wishes.resize(kCopiesPerJob);
  std::size_t const of_table = wishes.size();
  wish_for_promised(number, wishes);
  if (wishes.empty()) return nullptr;
  auto job = std::make_unique<CopyJob>();
  job->file = number;
  job->to = to->file;
  for (CopyWish const& wish : wishes) {
    job->copies.push_back(copy_of(*to, wish));
    job->copies.back().is_promised = job->copies.size() > of_table;
  }
  return job;
}

CopyJob::Copy ByteFiles::copy_of(File& to, CopyWish const& wish) {
  CopyJob::Copy copy;
  copy.wish = wish;
  copy.name = path_of(wish.from.file);
  File const* const from = find(wish.from.file);
  Result<Extent> place = take_place(to, wish.from.size());
  if (from == nullptr) {
    copy.status = {Code::damaged, copy.name + ": the file is gone"};
    if (place.ok()) give_back(place.value());
  } else if (!place.ok()) {
    copy.status = place.status();
  } else {
    copy.from = from->file;
    copy.offset = place->begin;
  }
  return copy;
}

void ByteFiles::finish(CopyJob& job) {
  if (!job.failure.ok()) return fail(std::move(job.failure));
  ++figures_.syncs;
  written_to_.insert(job.file);
  copied_ = std::make_unique<Copied>();
  for (CopyJob::Copy& copy : job.copies) {
    std::uint64_t const size = copy.wish.from.size();
    Extent const to{.file = job.file, .begin = copy.offset, .end = copy.offset + size, .hash = copy.hash};
    if (copy.is_promised) {
      add_copy(copy, to);
      continue;
    }
    if (copy.status.ok()) {
      copied_->moved.push_back({copy.wish.key, copy.wish.from, to});
      figures_.copied_bytes += size;
      continue;
    }
    if (copy.status.code() == Code::damaged) note_damage(copy.status);
    if (copied_->why.ok()) copied_->why = std::move(copy.status);
    copied_->not_moved.push_back(copy.wish);
    if (copy.offset != 0) give_back(to);
  }
  tell_promised();
}

void ByteFiles::settle_copied() {
  for (Moved const& moved : copied_->moved) give_back(moved.to);
  copied_.reset();
}

// ---------------------------------------------------------------------------
// Jobs

std::unique_ptr<Job> ByteFiles::take_job(Lane lane, std::int64_t now_us) {
  if (!is_serving_ || out_.contains(lane)) return nullptr;
  flush_joined();
  if (!failure_.ok()) return nullptr;
  now_us_ = now_us;
  std::unique_ptr<Job> job;
  switch (lane) {
    case Lane::store: job = store_job(now_us); break;
    case Lane::fetch: job = fetch_job(); break;
    case Lane::copy: job = copy_job(); break;
    case Lane::tidy: job = tidy_job(); break;
    case Lane::scrub: job = scrub_job(now_us); break;
  }
  if (job != nullptr) out_.insert(lane);
  return job;
}

void ByteFiles::finish_job(Lane lane, std::unique_ptr<Job> job) {
  touch();
  out_.erase(lane);
  switch (lane) {
    case Lane::store: finish(static_cast<StoreJob&>(*job)); break;
    case Lane::fetch: finish(static_cast<FetchJob&>(*job)); break;
    case Lane::copy: finish(static_cast<CopyJob&>(*job)); break;
    case Lane::tidy: finish(static_cast<TidyJob&>(*job)); break;
    case Lane::scrub: finish(static_cast<ScrubJob&>(*job)); break;
  }
}

}  // namespace fastjournal::storage
