#include "engine/files/staging.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/check.h"

namespace fastjournal::storage {
namespace {

// What one job writes, if no single value is larger: others wait for its sync.
constexpr std::uint64_t kStoreBytesPerJob = 8U << 20U;

}  // namespace

Status Staging::place_part(Part& part, std::uint64_t bytes) {
  Result<DataFiles::Placed> placed = files_.place(bytes);
  if (!placed.ok()) return placed.status();
  part.extent = placed->extent;
  part.file = std::move(placed->file);
  return {};
}

// All of it is there: it gets a place in the file for new values, and a job brings it there from where it is.
Status Staging::move_part(Part& part) {
  Extent const from{.file = part.extent.file, .begin = part.extent.begin, .end = part.extent.begin + part.taken};
  FilePtr file = part.file;
  if (Status status = place_part(part, part.taken); !status.ok()) return status;
  part.from = from;
  part.from_file = std::move(file);
  return {};
}

Result<Staging::StageId> Staging::store(std::vector<Piece> const& values, Buffer* in) {
  context_.touch();
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

Result<Staging::StageId> Staging::begin_value(std::uint64_t bytes, std::uint64_t bytes_max) {
  context_.touch();
  StageId const id = ++last_stage_;
  Stage stage;
  stage.is_open = true;
  stage.bytes_max = std::min(bytes, bytes_max);
  Part& part = stage.parts.emplace_back();
  if (bytes != UINT64_MAX) {
    if (Status status = place_part(part, bytes); !status.ok()) return status;
  } else {
    if (Status status = files_.prepare_folder(); !status.ok()) return status;
    part.own_path = fmt::format("{}/{}{:06}", context_.options.folder, kStagePrefix, id);
    Result<std::unique_ptr<env::File>> made = context_.disk.open(part.own_path, env::OpenMode::create_new);
    if (!made.ok()) return made.status();
    part.file = std::move(made).value();
  }
  stages_.emplace(id, std::move(stage));
  return id;
}

Status Staging::add(StageId id, std::string_view bytes) {
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
    context_.touch();
  }
  part.waiting_bytes += bytes.size();
  staged_bytes_ += bytes.size();
  return {};
}

std::uint64_t Staging::waiting_bytes(StageId id) const {
  auto const found = stages_.find(id);
  return found == stages_.end() ? 0 : found->second.parts.front().waiting_bytes;
}

Status Staging::end_value(StageId id) {
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
  context_.touch();
  if (std::ranges::find(to_store_, id) == to_store_.end()) to_store_.push_back(id);
  return {};
}

bool Staging::is_current(Done const& done) const {
  if (!context_.manages_files()) return true;
  std::uint32_t const current = context_.manager->file_for_new();
  return std::ranges::all_of(done.values, [current](StoredValue const& value) { return value.extent.file == current; });
}

Status Staging::store_again(StageId id) {
  Stage& stage = stages_.at(id);
  for (Part& part : stage.parts)
    if (Status status = move_part(part); !status.ok()) {
      drop(id);
      return status;
    }
  stage.is_told = false;
  to_store_.push_back(id);
  context_.touch();
  return {};
}

void Staging::drop(StageId id) {
  auto const found = stages_.find(id);
  if (found == stages_.end()) return;
  found->second.is_dropped = true;
  context_.touch();
  if (!found->second.in_job) erase_stage(id);
}

// What was named meanwhile is no place that was given out any more.
void Staging::erase_stage(StageId id) {
  auto const found = stages_.find(id);
  for (Part& part : found->second.parts) {
    staged_bytes_ -= part.waiting_bytes;
    files_.give_back(part.extent);
    files_.give_back(part.from);
    if (!part.own_path.empty()) files_.remove(std::move(part.own_path));
  }
  stages_.erase(found);
  std::erase(to_store_, id);
}

void Staging::tell_done(StageId id, Stage& stage, Status status) {
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

std::unique_ptr<Job> Staging::take_job(std::int64_t now_us) {
  bool const syncs_carried = now_us >= carried_.due_us();
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
  if (syncs_carried || !syncs.empty()) carried_.begin_sync(syncs);
  job->syncs.assign(syncs.begin(), syncs.end());
  return job;
}

void Staging::finish_job(StoreJob& job) {
  carried_.end_sync();
  context_.figures.syncs += job.syncs.size();
  if (!job.failure.ok()) return context_.fail(std::move(job.failure));
  context_.figures.stored_bytes += job.written_bytes;
  for (auto& [id, status] : job.refused) {
    if (status.code() == Code::damaged) context_.note_damage(status);
    tell_done(id, stages_.at(id), std::move(status));
  }
  for (StageId const id : job.completes) {
    Stage& stage = stages_.at(id);
    for (Part const& part : stage.parts) files_.note_written(part.extent.file);
    tell_done(id, stage, {});
  }
  for (StageId const id : job.stages) {
    Stage& stage = stages_.at(id);
    stage.in_job = false;
    for (Part& part : stage.parts) {
      if (part.from_file == nullptr) continue;
      files_.give_back(std::exchange(part.from, {}));
      part.from_file.reset();
      if (!part.own_path.empty()) files_.remove(std::exchange(part.own_path, {}));
    }
    if (stage.is_dropped) erase_stage(id);
  }
}

}  // namespace fastjournal::storage
